// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests and fuzzing: whether a text is JSON (RFC 8259) without a key twice
// in one object, and what stands at a place of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace gantry::report {

class JsonChecker {
public:
  explicit JsonChecker(std::string_view text) : text_(text) {}

  bool is_json() {
    bool sound = value(0);
    space();
    return sound && at_ == text_.size();
  }

private:
  void space() {
    at_ = std::min(text_.find_first_not_of(" \n\r\t", at_), text_.size());
  }
  bool take(std::string_view token) {
    space();
    if (!text_.substr(at_).starts_with(token))
      return false;
    at_ += token.size();
    return true;
  }
  bool value(int depth) {
    space();
    if (depth > 64 || at_ == text_.size())
      return false;
    switch (text_[at_]) {
    case '{':
      return items("}", [&, keys = std::set<std::string_view>()]() mutable {
        space();
        std::size_t begin = at_;
        if (!string())
          return false;
        std::string_view key = text_.substr(begin, at_ - begin);
        return keys.insert(key).second && take(":") && value(depth + 1);
      });
    case '[':
      return items("]", [&] { return value(depth + 1); });
    case '"':
      return string();
    case 't':
      return take("true");
    case 'f':
      return take("false");
    case 'n':
      return take("null");
    default:
      return number();
    }
  }
  template <class Item> bool items(std::string_view end, Item item) {
    at_++;
    if (take(end))
      return true;
    while (item()) {
      if (take(end))
        return true;
      if (!take(","))
        return false;
    }
    return false;
  }
  bool digits() {
    std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9')
      at_++;
    return at_ != begin;
  }
  bool number() {
    if (text_[at_] == '-')
      at_++;
    bool zero = text_.substr(at_).starts_with('0');
    std::size_t begin = at_;
    if (!digits() || (zero && at_ != begin + 1))
      return false;
    if (text_.substr(at_).starts_with('.') && (at_++, !digits()))
      return false;
    if (at_ < text_.size() && (text_[at_] | 0x20) == 'e') {
      at_++;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-'))
        at_++;
      return digits();
    }
    return true;
  }
  bool string() {
    if (at_ == text_.size() || text_[at_] != '"')
      return false;
    for (at_++; at_ < text_.size(); at_++) {
      auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        at_++;
        return true;
      }
      if (c < 0x20)
        return false;
      if (c >= 0x80 && !utf8())
        return false;
      if (c == '\\' && !escape())
        return false;
    }
    return false;
  }
  // Leaves at_ on the last byte of what was read.
  bool escape() {
    at_++;
    if (at_ == text_.size())
      return false;
    if (text_[at_] == 'u') {
      for (int i = 0; i < 4; i++)
        if (++at_ >= text_.size() ||
            std::string_view("0123456789abcdefABCDEF").find(text_[at_]) ==
                std::string_view::npos)
          return false;
      return true;
    }
    return std::string_view("\"\\/bfnrt").find(text_[at_]) !=
           std::string_view::npos;
  }
  bool utf8() {
    auto lead = static_cast<unsigned char>(text_[at_]);
    unsigned more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4)
      return false;
    std::uint32_t code = lead & (0x3fu >> more);
    for (; more != 0; more--) {
      if (++at_ >= text_.size() ||
          (static_cast<unsigned char>(text_[at_]) & 0xc0) != 0x80)
        return false;
      code = code << 6 | (static_cast<unsigned char>(text_[at_]) & 0x3f);
    }
    bool overlong =
        (lead == 0xe0 && code < 0x800) || (lead == 0xf0 && code < 0x10000);
    return !overlong && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

inline bool is_json(std::string_view text) {
  return JsonChecker(text).is_json();
}

// Whether a terminal would only print it: lines of valid UTF-8 without any
// control character.
inline bool is_harmless(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (c == '\x7f')
      return false;
    else if (c != '\n')
      quoted += c;
  // Of the C1 controls and the marks that turn text around: their UTF-8.
  for (std::string_view bad :
       {"\xc2\x9b", "\xc2\x80", "\xe2\x80\xae", "\xe2\x80\xa8", "\xe2\x81\xa6"})
    if (text.find(bad) != std::string_view::npos)
      return false;
  return is_json(quoted + "\"");
}

} // namespace gantry::report

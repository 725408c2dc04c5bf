// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace gantry {

namespace {

std::uint32_t octet(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
         (c >= 'A' && c <= 'F');
}

struct Character {
  std::uint32_t value = 0;
  std::size_t size = 0; // 0: not UTF-8
};

// The character at the front of `text`, which is not empty. Refuses longer
// spellings than needed, surrogates and values above 10FFFF.
Character first_character(std::string_view text) {
  std::uint32_t lead = octet(text, 0);
  if (lead < 0x80)
    return {lead, 1};
  std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || size > text.size())
    return {};
  std::uint32_t value = lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size; i++) {
    if ((octet(text, i) & 0xc0) != 0x80)
      return {};
    value = value << 6 | (octet(text, i) & 0x3f);
  }
  static constexpr std::uint32_t kLowest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLowest[size] || value > 0x10ffff ||
      (value >= 0xd800 && value <= 0xdfff))
    return {};
  return {value, size};
}

bool is_harmless(std::uint32_t c) {
  bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  bool separator = c == 0x2028 || c == 0x2029;
  bool direction = c == 0x061c || c == 0x200e || c == 0x200f ||
                   (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return !control && !separator && !direction;
}

// How many characters at the front show themselves. Most texts are nothing
// else.
std::size_t plain_prefix(std::string_view text) {
  auto special = std::ranges::find_if(
      text, [](char c) { return c < ' ' || c > '~' || c == '\\'; });
  return static_cast<std::size_t>(special - text.begin());
}

bool reads_as_escape(std::string_view text) {
  return text.size() >= 4 && text[0] == '\\' && text[1] == 'x' &&
         is_hex_digit(text[2]) && is_hex_digit(text[3]);
}

} // namespace

std::size_t character_size(std::string_view text) {
  return std::max<std::size_t>(1, first_character(text).size);
}

bool is_control(std::string_view character) {
  const Character c = first_character(character);
  return c.size != 0 && !is_harmless(c.value);
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    const std::size_t plain = plain_prefix(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty())
      return out;
    Character c = first_character(text);
    std::size_t size = std::max<std::size_t>(c.size, 1);
    if (c.size != 0 && is_harmless(c.value) && !reads_as_escape(text))
      out += text.substr(0, size);
    else
      for (std::size_t i = 0; i < size; i++)
        out += fmt::format("\\x{:02x}", octet(text, i));
    text.remove_prefix(size);
  }
}

std::string unprintable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (reads_as_escape(text)) {
      std::uint8_t byte = 0;
      std::from_chars(text.data() + 2, text.data() + 4, byte, 16);
      out += static_cast<char>(byte);
      text.remove_prefix(4);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    std::size_t size = first_character(text).size;
    if (size == 0)
      return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000)
    return fmt::format("{} B", bytes);
  static constexpr const char *kUnits[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  std::uint64_t unit = 1000;
  std::size_t index = 0;
  auto tenths = [&] { // rounded, without an addition that could wrap
    return bytes / (unit / 10) + (bytes % (unit / 10) >= unit / 20 ? 1 : 0);
  };
  while (tenths() >= 10000) {
    unit *= 1000;
    index++;
  }
  return fmt::format("{}.{} {}", tenths() / 10, tenths() % 10, kUnits[index]);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the table of distances between prefixes: this, the last and the one
  // before, which swaps of neighbours look back to.
  std::vector<std::size_t> row(b.size() + 1), last(b.size() + 1),
      before(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); j++)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); i++) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); j++) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1,
                         last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string_view>
closest(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongest = 64; // nobody mistypes longer words
  if (word.size() > kLongest)
    return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > kLongest)
      continue;
    std::size_t distance = edit_distance(word, candidate);
    // One letter out of one, or all of them, is no likeness.
    if (distance < best_distance && distance < candidate.size() &&
        distance < word.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

} // namespace gantry

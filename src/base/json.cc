// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/json.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

namespace gantry {

namespace {

constexpr std::size_t kPiece = 64 << 10;

// Characters that stand for themselves between quotes, whatever comes next.
constexpr bool is_plain(char c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (int c = 0; c < 127; ++c)
    plain[c] = is_plain(static_cast<char>(c));
  return plain;
}();

bool all_plain(std::string_view text) {
  for (char c : text)
    if (!kPlain[static_cast<unsigned char>(c)])
      return false;
  return true;
}

} // namespace

JsonWriter::JsonWriter(Emit emit, Style style)
    : emit_(std::move(emit)), style_(style) {}

JsonWriter::JsonWriter(std::string &out, Style style)
    : JsonWriter([&out](std::string_view piece) { out += piece; }, style) {}

void JsonWriter::begin(char bracket, Lines lines) {
  before_value();
  buffer_ += bracket;
  Level level;
  level.object = bracket == '{';
  level.one_line = style_ == Style::compact || lines == Lines::one ||
                   (!levels_.empty() && levels_.back().one_line);
  levels_.push_back(level);
}

void JsonWriter::end(char bracket) {
  assert(!levels_.empty() && !after_key_);
  assert(levels_.back().object == (bracket == '}'));
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.one_line)
    new_line();
  buffer_ += bracket;
  after_value();
}

void JsonWriter::key(std::string_view name) {
  assert(!levels_.empty() && levels_.back().object && !after_key_);
  before_item();
  quote(name);
  buffer_ += ':';
  if (style_ == Style::pretty)
    buffer_ += ' ';
  after_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  before_value();
  quote(text);
  after_value();
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number))
    return null();
  std::array<char, 32> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  raw({digits.data(), end});
}

void JsonWriter::integer(std::uint64_t number) {
  std::array<char, 20> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  raw({digits.data(), end});
}

void JsonWriter::integer(std::int64_t number) {
  std::array<char, 20> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  raw({digits.data(), end});
}

void JsonWriter::raw(std::string_view token) {
  before_value();
  buffer_ += token;
  after_value();
}

void JsonWriter::before_item() {
  Level &level = levels_.back();
  if (!level.empty)
    buffer_ += ',';
  if (!level.one_line)
    new_line();
  else if (!level.empty && style_ == Style::pretty)
    buffer_ += ' ';
  level.empty = false;
}

void JsonWriter::before_value() {
  if (after_key_)
    after_key_ = false;
  else if (!levels_.empty()) {
    assert(!levels_.back().object && "a value without a key");
    before_item();
  }
}

void JsonWriter::after_value() {
  if (levels_.empty())
    buffer_ += '\n';
  else if (buffer_.size() < kPiece)
    return;
  emit_(buffer_);
  buffer_.clear();
}

void JsonWriter::new_line() {
  buffer_ += '\n';
  buffer_.append(2 * levels_.size(), ' ');
}

void JsonWriter::quote(std::string_view text) {
  if (all_plain(text)) {
    buffer_ += '"';
    buffer_ += text;
    buffer_ += '"';
    return;
  }
  // The library knows all of UTF-8 and of JSON's escapes, but takes 20 times
  // as long, mostly to allocate.
  using nlohmann::json;
  buffer_ += json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace gantry

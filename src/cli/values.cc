// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/values.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace gantry::cli {

namespace {

constexpr std::size_t kLeastDigits = 16;
constexpr std::size_t kAllDigits = 64;
constexpr double kMostSeconds = 10.0 * 366 * 24 * 3600;

// All of `text` is a number.
template <class Number> std::optional<Number> parse_all(std::string_view text) {
  Number number{};
  const char *const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end)
    return std::nullopt;
  return number;
}

unsigned shift_of(char suffix) {
  switch (suffix) {
  case 'K':
  case 'k':
    return 10;
  case 'M':
    return 20;
  case 'G':
    return 30;
  default:
    return 0;
  }
}

} // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const unsigned shift = text.empty() ? 0 : shift_of(text.back());
  if (shift != 0)
    text.remove_suffix(1);
  const auto number = parse_all<std::uint64_t>(text);
  if (!number || *number > UINT64_MAX >> shift)
    return std::nullopt;
  return *number << shift;
}

std::optional<std::chrono::nanoseconds> parse_seconds(std::string_view text) {
  const auto number = parse_all<double>(text);
  if (!number || !std::isfinite(*number) || *number < 0 ||
      *number > kMostSeconds)
    return std::nullopt;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(*number));
}

std::expected<void, Failure> set_limit(Limits &limits, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  std::vector<std::string_view> known;
  for (const LimitName &limit : limit_names()) {
    known.push_back(limit.name);
    if (limit.name != name)
      continue;
    if (equals == text.npos)
      return refuse(
          fmt::format("--budget {} says no value", name),
          fmt::format("write --budget {}={}", name, limit.get(limits)));
    const auto value = parse_size(text.substr(equals + 1));
    if (value)
      limit.set(limits, *value);
    if (!value || limit.get(limits) != *value)
      return refuse(
          fmt::format("--budget {}: {} is not a number that it can have", name,
                      printable(text.substr(equals + 1))),
          "write a whole number, perhaps with K, M or G (powers of 1024)");
    return {};
  }
  std::string all;
  for (std::string_view one : known)
    all += (all.empty() ? "" : ", ") + std::string(one);
  return refuse(fmt::format("there is no budget {}", printable(name)),
                did_you_mean(name, known, "one of: " + all));
}

std::optional<std::string> parse_digest(std::string_view text) {
  std::string out;
  for (char c : text)
    out += c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  if (out.size() < kLeastDigits || out.size() > kAllDigits ||
      out.find_first_not_of("0123456789abcdef") != out.npos)
    return std::nullopt;
  return out;
}

WrittenId parse_id(std::string_view text, std::string_view file) {
  WrittenId out;
  // "b.o@2" is the second member of that name: too short for a digest.
  if (const std::size_t at = text.rfind('@'); at != text.npos)
    if (auto digest = parse_digest(text.substr(at + 1))) {
      out.digest = std::move(*digest);
      text = text.substr(0, at);
    }
  const auto drop = [&](const std::string &name) {
    const bool is_there = text.starts_with(name) &&
                          text.substr(name.size()).starts_with('!') &&
                          !name.empty();
    if (is_there)
      text.remove_prefix(name.size() + 1);
    return is_there;
  };
  // As it is written on the command line, or as gantry prints it.
  const std::string_view last = file.substr(file.rfind('/') + 1);
  if (!drop(std::string(file)) && !drop(printable(file)) &&
      !drop(std::string(last)))
    drop(printable(last));
  out.id = text;
  return out;
}

bool agree(std::string &known, std::string_view more) {
  const std::size_t common = std::min(known.size(), more.size());
  if (std::string_view(known).substr(0, common) != more.substr(0, common))
    return false;
  if (more.size() > known.size())
    known = more;
  return true;
}

} // namespace gantry::cli

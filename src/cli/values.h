// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of options that are more than words.
#pragma once

#include "cli/failure.h"

#include <chrono>
#include <optional>

namespace gantry::cli {

// "4096", "64K", "2M", "1G": powers of 1024. Nothing when it is no such number
// or does not fit.
std::optional<std::uint64_t> parse_size(std::string_view text);

// "1.5": not negative, at most ten years.
std::optional<std::chrono::nanoseconds> parse_seconds(std::string_view text);

// "decoded_bytes=8G"
std::expected<void, Failure> set_limit(Limits &limits, std::string_view text);

// 16 to 64 hexadecimal digits of a SHA-256, in lower case.
std::optional<std::string> parse_digest(std::string_view text);

// An id as it may be written: after the name of its file, and before "@" and
// the file's digest.
struct WrittenId {
  std::string id;
  std::string digest; // "" without
};
WrittenId parse_id(std::string_view text, std::string_view file);

// What is known of a file's SHA-256 from several sides: 16 digits or more. Says
// no when `more` cannot be the same.
bool agree(std::string &known, std::string_view more);

} // namespace gantry::cli

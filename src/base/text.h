// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text for people: foreign names made harmless, sizes, and near misses.
#pragma once

#include "gantry/base.h"

#include <optional>

namespace gantry {

// `text` so that it is valid UTF-8 on one line and cannot steer a terminal.
// Written as \xNN, byte for byte: control characters (C0, DEL, C1), line and
// paragraph separators, marks that change the direction of text, and bytes that
// are not UTF-8. A backslash is kept, except where it would read as such an
// escape: before "x" and two hexadecimal digits it is written \x5c. So
// different inputs never look the same: replacing each \xNN by its byte gives
// the input.
std::string printable(std::string_view text);

// What printable() was called with: each \xNN becomes its byte.
std::string unprintable(std::string_view text);

bool is_utf8(std::string_view text);

// The bytes of the first character of `text`, which is not empty; 1 for a byte
// that is not UTF-8.
std::size_t character_size(std::string_view text);

// Whether a character is one that printable() escapes though it is UTF-8.
bool is_control(std::string_view character);

// "0 B", "999 B", "1.3 MB", "18.4 EB": powers of 1000, one decimal, rounded.
std::string human_bytes(std::uint64_t bytes);

// How many single-character insertions, removals, replacements and swaps of
// neighbours turn `a` into `b`. Counts bytes. Cost: the product of the lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that was most likely meant by `word` (the first of equals), or
// nothing when none is near: at most a third of its letters may differ.
std::optional<std::string_view>
closest(std::string_view word, std::span<const std::string_view> candidates);

} // namespace gantry

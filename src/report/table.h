// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table for a terminal: columns as wide as their contents, cut to a width.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::report {

struct Column {
  std::string title;
  bool right = false;    // numbers
  bool flexible = false; // may be cut in the middle when space is short
  std::vector<std::string> cells;
};

// Characters on a terminal, for valid UTF-8 (one per code point).
std::size_t display_width(std::string_view text);

// `text` with its middle left out where it is wider than `width`, which is at
// least 1: both ends of a name tell more.
std::string cut(const std::string &text, std::size_t width);

// How wide a table is at least, when flexible columns are cut.
std::size_t least_width(const std::vector<Column> &columns);

// Lines with "\n"; every column has the same number of cells. `width` 0 means
// unlimited; with it, lines are wider only where least_width() is. `color`
// marks the headings.
std::string table(const std::vector<Column> &columns, std::size_t width,
                  bool color);

} // namespace gantry::report

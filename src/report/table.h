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

// Lines with "\n"; every column has the same number of cells. `width` 0 means
// unlimited. `heading` marks the first line (escape sequences or "").
std::string table(const std::vector<Column> &columns, std::size_t width,
                  bool color);

} // namespace gantry::report

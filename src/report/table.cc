// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/table.h"

#include <algorithm>
#include <numeric>

namespace gantry::report {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kPadded = 48;    // of names, where nothing is cut
constexpr std::size_t kNarrowest = 10; // of a column that is cut

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// The first `count` characters, or the last ones.
std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t i = 0;
  for (; i < text.size() && count > 0; count--)
    for (i++; i < text.size() && continues(text[i]); i++)
      ;
  return text.substr(0, i);
}
std::string_view last_characters(std::string_view text, std::size_t count) {
  std::size_t i = text.size();
  for (; i > 0 && count > 0; count--)
    for (i--; i > 0 && continues(text[i]); i--)
      ;
  return text.substr(i);
}

// Cells can be many and long.
std::size_t natural_width(const Column &c) {
  std::size_t w = display_width(c.title);
  for (const std::string &cell : c.cells)
    if (cell.size() > w)
      w = std::max(w, display_width(cell));
  return w;
}

// A column is cut down to its title, but not to very little.
std::size_t narrowest(const Column &c, std::size_t natural) {
  if (!c.flexible)
    return natural;
  return std::min(natural, std::max(kNarrowest, display_width(c.title)));
}

std::vector<std::size_t> widths(const std::vector<Column> &columns,
                                std::size_t limit) {
  std::vector<std::size_t> out, least;
  for (const Column &c : columns) {
    out.push_back(natural_width(c));
    least.push_back(narrowest(c, out.back()));
  }
  std::size_t total =
      std::accumulate(out.begin(), out.end(), kGap * (columns.size() - 1));
  // Names can have thousands of characters; the others need not be padded so
  // far. The last column never is.
  for (std::size_t i = 0; limit == 0 && i < columns.size(); i++)
    if (columns[i].flexible)
      out[i] = std::min(out[i], kPadded);
  while (limit != 0 && total > limit) {
    // The widest flexible column gives way.
    std::size_t widest = columns.size();
    for (std::size_t i = 0; i < columns.size(); i++)
      if (out[i] > least[i] &&
          (widest == columns.size() || out[i] > out[widest]))
        widest = i;
    if (widest == columns.size())
      break;
    std::size_t less = std::min(total - limit, out[widest] - least[widest]);
    out[widest] -= less;
    total -= less;
  }
  return out;
}

void append_cell(std::string &line, const std::string &text, std::size_t width,
                 bool whole, bool right, bool last) {
  if (whole && last && !right) {
    line += text;
    return;
  }
  const std::string shown = whole ? text : cut(text, width);
  const std::size_t pad = width - std::min(width, display_width(shown));
  if (right)
    line.append(pad, ' ');
  line += shown;
  if (!right && !last)
    line.append(pad, ' ');
}

} // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::string cut(const std::string &text, std::size_t width) {
  if (display_width(text) <= width)
    return text;
  std::size_t front = (width - 1) * 2 / 3;
  return std::string(first_characters(text, front)) + "…" +
         std::string(last_characters(text, width - 1 - front));
}

std::size_t least_width(const std::vector<Column> &columns) {
  std::size_t total = columns.empty() ? 0 : kGap * (columns.size() - 1);
  for (const Column &c : columns)
    total += narrowest(c, natural_width(c));
  return total;
}

std::string table(const std::vector<Column> &columns, std::size_t width,
                  bool color) {
  if (columns.empty())
    return {};
  std::vector<std::size_t> w = widths(columns, width);
  std::string out;
  std::size_t size = 0; // about
  for (std::size_t i = 0; i < columns.size(); i++)
    for (const std::string &cell : columns[i].cells)
      size += kGap + std::max(cell.size(), i + 1 == columns.size() ? 0 : w[i]);
  out.reserve(size + size / 16 + 256);
  auto line = [&](auto text_of, std::string_view before,
                  std::string_view after) {
    out.append(before);
    const std::size_t start = out.size();
    for (std::size_t i = 0; i < columns.size(); i++) {
      if (i != 0)
        out.append(kGap, ' ');
      append_cell(out, text_of(columns[i]), w[i], width == 0, columns[i].right,
                  i + 1 == columns.size());
    }
    while (out.size() > start && out.back() == ' ')
      out.pop_back();
    out.append(after).append("\n");
  };
  line([](const Column &c) -> const std::string & { return c.title; },
       color ? "\033[1m" : "", color ? "\033[0m" : "");
  for (std::size_t row = 0; row < columns[0].cells.size(); row++)
    line([&](const Column &c) -> const std::string & { return c.cells[row]; },
         "", "");
  return out;
}

} // namespace gantry::report

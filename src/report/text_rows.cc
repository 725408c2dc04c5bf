// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text_rows.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

namespace gantry::report {

namespace {

using inspect::Report;

bool is_bytes(std::string_view field) {
  return field.ends_with("_bytes") && field != "shared_bytes" &&
         field != "local_bytes" && field != "parameter_bytes" &&
         field != "stack_bytes" && field != "code_bytes" &&
         field != "shared_section_bytes";
}

// Short headings for the columns that the default tables have.
std::string heading(std::string_view field) {
  if (field == "encoded_bytes")
    return "stored";
  if (field == "decoded_bytes")
    return "decoded";
  if (field == "demangled")
    return "kernel";
  if (field == "representation")
    return "code";
  if (field == "shared_bytes")
    return "shared";
  if (field == "local_bytes")
    return "local";
  if (field == "parameter_count")
    return "params";
  if (field == "parameter_bytes")
    return "param bytes";
  if (field == "target_consistency")
    return "consistency";
  return std::string(field);
}

// `exact`: sizes in bytes, not rounded.
std::string cell_text(const Field &f, const Cell &cell, bool exact) {
  if (std::holds_alternative<std::monostate>(cell))
    return "-";
  if (const bool *flag = std::get_if<bool>(&cell))
    return *flag ? "yes" : "no";
  if (const std::uint64_t *number = std::get_if<std::uint64_t>(&cell))
    return !exact && (is_bytes(f.name) || f.name == "size")
               ? human_bytes(*number)
               : grouped(*number);
  if (const double *share = std::get_if<double>(&cell))
    return percent(*share);
  if (const std::string_view *view = std::get_if<std::string_view>(&cell))
    return std::string(*view);
  return std::get<std::string>(cell);
}

std::string field_text(const Field &f, const Report &r, std::size_t row,
                       bool exact) {
  if (f.cell)
    return cell_text(f, f.cell(r, row), exact);
  std::string out;
  JsonWriter json(out, JsonWriter::Style::compact);
  json.begin_array();
  f.write(r, row, json);
  json.end_array();
  out = out.substr(1, out.rfind(']') - 1); // without the array around it
  return out == "null" ? "-" : out;
}

// Columns that say the usual, and the same about each row, are left out of the
// short choice.
bool says_nothing(const Column &c) {
  constexpr std::array<std::string_view, 6> kNothing = {
      "-", "no", "not-requested", "unexamined", "sass", "amdgpu"};
  return c.cells.empty() ||
         (std::ranges::find(kNothing, c.cells[0]) != kNothing.end() &&
          std::ranges::all_of(c.cells, [&](const std::string &cell) {
            return cell == c.cells[0];
          }));
}

// Whether a code object is relocatable matters where one is, and where it is
// all that tells two rows apart.
bool tells_relocatable(const Report &r, const Column &c) {
  std::set<std::pair<std::string_view, inspect::ObjectKind>> seen;
  return std::ranges::find(c.cells, "yes") != c.cells.end() ||
         !std::ranges::all_of(r.targets, [&](const inspect::TargetRow &row) {
           return seen.emplace(row.target, row.kind).second;
         });
}

bool is_number(const Field &f, const Report &r,
               const std::vector<std::size_t> &shown) {
  return f.cell && std::ranges::all_of(shown, [&](std::size_t row) {
           std::size_t kind = f.cell(r, row).index();
           return kind == 0 || kind == 2 || kind == 3;
         });
}

// What a narrow terminal can do without, least important first.
constexpr std::array<std::string_view, 9> kDispensable = {
    "section",         "compression",        "found_by",
    "version",         "kernel_analysis",    "parameter_bytes",
    "parameter_count", "target_consistency", "share",
};

void fit(std::vector<Column> &columns, std::size_t width) {
  for (std::string_view field : kDispensable)
    if (width != 0 && least_width(columns) > width)
      std::erase_if(columns,
                    [&](const Column &c) { return c.title == heading(field); });
}

std::vector<Column> columns(const Report &r, Collection c, const View &view) {
  std::vector<std::size_t> shown = shown_rows(r, c, view);
  std::vector<Column> out;
  for (const Field *f : chosen(c, view, Detail::summary)) {
    Column column;
    column.title =
        view.fields.empty() ? heading(f->name) : std::string(f->name);
    column.right = is_number(*f, r, shown);
    // Ids are there to be used again: they are never cut.
    column.flexible = !column.right && f->name != "id";
    for (std::size_t row : shown)
      column.cells.push_back(field_text(*f, r, row, false));
    bool silent = f->name == "relocatable" ? !tells_relocatable(r, column)
                                           : says_nothing(column);
    if (!view.fields.empty() || !silent)
      out.push_back(std::move(column));
  }
  if (!view.fields.empty())
    return out;
  // Nothing is compressed: one of the two columns is enough.
  for (std::size_t i = 1; i < out.size(); i++)
    if (out[i].title == "decoded" && out[i].cells == out[i - 1].cells) {
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  fit(out, view.width);
  // Names of kernels are long: as the last column they need no padding.
  auto name = std::ranges::find(out, "kernel", &Column::title);
  if (name != out.end())
    std::rotate(name, name + 1, out.end());
  return out;
}

// A line per field. Nothing is cut.
std::string block(const Report &r, Collection c, std::size_t row,
                  const View &view) {
  std::string_view all = word(c);
  std::string title(all.substr(0, all.size() - 1));
  std::string out =
      view.color ? "\n\033[1m" + title + "\033[0m\n" : "\n" + title + "\n";
  for (const Field *f : chosen(c, view, Detail::full))
    out += fmt::format("  {}: {}\n", f->name, field_text(*f, r, row, true));
  return out;
}

} // namespace

std::string grouped(std::uint64_t value) {
  std::string digits = fmt::format("{}", value);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); i++) {
    if (i != 0 && (digits.size() - i) % 3 == 0)
      out += ',';
    out += digits[i];
  }
  return out;
}

std::string percent(double share) {
  return fmt::format("{:.1f}%", share * 100);
}

// A terminal shows what was asked for; JSON also says what was left out. The
// rows of a page were counted, so all of them are shown.
std::vector<std::size_t> shown_rows(const Report &r, Collection c,
                                    const View &view) {
  std::vector<std::size_t> out = rows(r, c, view);
  if (c == Collection::targets && !view.page)
    std::erase_if(out, [&](std::size_t row) {
      return r.targets[row].coverage == inspect::Coverage::not_selected;
    });
  return out;
}

void write_rows(const Report &r, Collection c, const View &view, Sink &sink) {
  if (view.detail == Detail::full) {
    for (std::size_t row : shown_rows(r, c, view))
      sink.write(block(r, c, row, view));
    return;
  }
  sink.write("\n");
  sink.write(table(columns(r, c, view), view.width, view.color));
}

} // namespace gantry::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text.h"
#include "report/fields.h"
#include "report/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace gantry::report {

namespace {

using inspect::Report;

// "1,296,596,185"
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

std::string cell_text(const Field &f, const Cell &cell) {
  if (std::holds_alternative<std::monostate>(cell))
    return "-";
  if (const bool *flag = std::get_if<bool>(&cell))
    return *flag ? "yes" : "no";
  if (const std::uint64_t *number = std::get_if<std::uint64_t>(&cell))
    return is_bytes(f.name) || f.name == "size" ? human_bytes(*number)
                                                : grouped(*number);
  if (const double *share = std::get_if<double>(&cell))
    return percent(*share);
  if (const std::string_view *view = std::get_if<std::string_view>(&cell))
    return std::string(*view);
  return std::get<std::string>(cell);
}

std::string field_text(const Field &f, const Report &r, std::size_t row) {
  if (f.cell)
    return cell_text(f, f.cell(r, row));
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

// A terminal shows what was asked for; JSON also says what was left out.
std::vector<std::size_t> shown_rows(const Report &r, Collection c) {
  std::vector<std::size_t> out = rows(r, c);
  if (c == Collection::targets)
    std::erase_if(out, [&](std::size_t row) {
      return r.targets[row].coverage == inspect::Coverage::not_selected;
    });
  return out;
}

std::vector<Column> columns(const Report &r, Collection c, const View &view) {
  std::vector<std::size_t> shown = shown_rows(r, c);
  std::vector<Column> out;
  for (const Field *f : chosen(c, view.fields)) {
    if (view.fields.empty() && !f->in_table)
      continue;
    Column column;
    column.title =
        view.fields.empty() ? heading(f->name) : std::string(f->name);
    column.right = is_number(*f, r, shown);
    column.flexible = !column.right;
    for (std::size_t row : shown)
      column.cells.push_back(field_text(*f, r, row));
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

void write_heading(const Report &r, Sink &sink) {
  std::string line =
      fmt::format("{}  {}", printable(r.path), human_bytes(r.size));
  if (!r.sha256.empty())
    line += "  sha256:" + r.sha256.substr(0, 16);
  sink.write(line + "\n");
}

// The bytes of the file, by what they belong to; the lines add up.
void write_usage(const Report &r, const View &view, Sink &sink) {
  const inspect::Usage &u = r.usage;
  std::vector<Column> c(3);
  c[0].title = "bytes";
  c[1].right = c[2].right = true;
  auto line = [&](std::string name, std::uint64_t bytes) {
    if (bytes == 0)
      return;
    c[0].cells.push_back(std::move(name));
    c[1].cells.push_back(grouped(bytes));
    c[2].cells.push_back(percent(r.size == 0
                                     ? 0
                                     : static_cast<double>(bytes) /
                                           static_cast<double>(r.size)));
  };
  line("code objects", u.object_bytes);
  line("compressed together", u.compressed_together_bytes);
  line("containers' own", u.container_bytes);
  line("rest of GPU sections", u.padding_bytes);
  line("everything else", u.other_bytes);
  c[0].cells.push_back("file");
  c[1].cells.push_back(grouped(r.size));
  c[2].cells.push_back("");
  sink.write("\n" + table(c, view.width, view.color));
}

// Lines of at most `width` characters (0: any), broken at spaces; all but the
// first are indented. Words are never cut.
std::string wrapped(std::string_view text, std::size_t width,
                    std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    std::size_t start = text.find_first_not_of(' ');
    std::size_t end = std::min(text.find(' ', start), text.size());
    std::string_view word = text.substr(0, end); // with the spaces before it
    if (width != 0 && column > indent && column + display_width(word) > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
      word.remove_prefix(std::min(start, word.size()));
    }
    out += word;
    column += display_width(word);
    text.remove_prefix(end);
  }
  return out + '\n';
}

// Reasons of the same kind stand in one line each.
void write_limitations(const Report &r, const View &view, Sink &sink) {
  struct Group {
    std::uint64_t count = 0;
    std::string where;
    std::string message;
  };
  std::vector<std::string> order;
  std::map<std::string, Group> groups;
  auto add = [&](std::string where, const inspect::Limitation &l) {
    auto [it, fresh] = groups.try_emplace(l.code);
    if (fresh) {
      order.push_back(l.code);
      it->second.where = std::move(where);
      it->second.message = l.message;
    }
    it->second.count++;
  };
  for (const inspect::Limitation &l : r.limitations)
    if (l.code != "not-decoded") // its columns are not shown either
      add({}, l);
  for (const inspect::Container &c : r.containers)
    for (const inspect::Limitation &l : c.limitations)
      add(fmt::format("{} {}", word(c.kind), c.id), l);
  for (const inspect::Object &o : r.objects)
    for (const inspect::Limitation &l : o.limitations)
      add("object " + o.id, l);
  for (const inspect::Kernel &k : r.kernels)
    for (const inspect::Limitation &l : k.limitations)
      add("kernel " + k.name, l);
  if (order.empty())
    return;
  // Names in it can be very long.
  auto shown = [&](const std::string &text) {
    return view.width == 0 ? printable(text)
                           : cut(printable(text), 4 * view.width);
  };
  sink.write(view.color ? "\n\033[1mnot known\033[0m\n" : "\nnot known\n");
  for (const std::string &code : order) {
    const Group &g = groups[code];
    std::string line = "  " + code + ": ";
    if (!g.where.empty())
      line += shown(g.where) + ": ";
    line += shown(g.message);
    if (g.count > 1)
      line += fmt::format(" (and {} more)", grouped(g.count - 1));
    sink.write(wrapped(line, view.width, 4));
  }
}

void write_empty(const Report &r, Sink &sink) {
  if (!r.objects.empty())
    sink.write("no object is selected\n");
  else if (r.coverage == inspect::Coverage::complete)
    sink.write("no GPU code\n");
  else
    sink.write("no GPU code found, but not everything was looked at\n");
}

} // namespace

void text(const Report &r, const View &view, Sink &sink) {
  write_heading(r, sink);
  bool any = std::ranges::any_of(r.objects, &inspect::Object::selected);
  if (!any)
    write_empty(r, sink);
  for (Collection c : view.show) {
    if (!any && c == Collection::targets)
      continue;
    if (!shown_rows(r, c).empty())
      sink.write("\n" + table(columns(r, c, view), view.width, view.color));
    else if (any && c == Collection::kernels)
      sink.write("no kernel to show\n");
  }
  write_usage(r, view, sink);
  write_limitations(r, view, sink);
}

} // namespace gantry::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text.h"
#include "report/text_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace gantry::report {

namespace {

using inspect::Report;

void write_heading(const Report &r, Sink &sink) {
  std::string line =
      fmt::format("{}  {}", printable(r.path), human_bytes(r.size));
  if (!r.sha256.empty())
    line += "  sha256:" + r.sha256.substr(0, 16);
  sink.write(line + "\n");
}

// A package has no code in its own bytes, but in its members'.
void write_package(const inspect::Package &p, Sink &sink) {
  if (p.format.empty())
    return;
  std::string skipped =
      p.skipped == 0 ? ""
                     : fmt::format(", {} skipped by name", grouped(p.skipped));
  sink.write(fmt::format("{}: {} members, {} unpacked{}\n", printable(p.format),
                         grouped(p.members), grouped(p.opened), skipped));
}

// The bytes that were looked into, by what they belong to; the lines add up.
void write_usage(const Report &r, const View &view, Sink &sink) {
  const inspect::Usage &u = r.usage;
  bool package = !r.package.format.empty();
  std::uint64_t all = package ? u.accounted_bytes : r.size;
  std::vector<Column> c(3);
  c[0].title = "bytes";
  c[1].right = c[2].right = true;
  auto line = [&](std::string name, std::uint64_t bytes, std::string share) {
    c[0].cells.push_back(std::move(name));
    c[1].cells.push_back(grouped(bytes));
    c[2].cells.push_back(std::move(share));
  };
  auto part = [&](std::string name, std::uint64_t bytes) {
    if (bytes != 0)
      line(std::move(name), bytes,
           percent(all == 0 ? 0
                            : static_cast<double>(bytes) /
                                  static_cast<double>(all)));
  };
  part("code objects", u.object_bytes);
  part("compressed together", u.compressed_together_bytes);
  part("containers' own", u.container_bytes);
  part("rest of GPU sections", u.padding_bytes);
  part("everything else", u.other_bytes);
  if (package)
    line("members, unpacked", all, "");
  line("file", r.size, "");
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

// "decoded_ratio" of "… too much (limit decoded_ratio)"
std::string_view limit_in(std::string_view message) {
  constexpr std::string_view kBegin = "(limit ";
  std::size_t begin = message.rfind(kBegin);
  if (begin == message.npos)
    return {};
  message.remove_prefix(begin + kBegin.size());
  std::string_view name = message.substr(0, message.find(')'));
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == name.npos
             ? name
             : std::string_view();
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
  std::set<std::string> limits;
  auto add = [&](std::string where, const inspect::Limitation &l) {
    if (std::string_view limit = limit_in(l.message); !limit.empty())
      limits.emplace(limit);
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
  for (const std::string &limit : limits)
    sink.write(fmt::format("  raise with --budget {}=…\n", limit));
}

// How to go on from what was printed.
void write_page(const Page &page, Sink &sink) {
  std::string of = page.total ? " of " + grouped(*page.total) : "";
  sink.write(
      page.rows == 0 && !page.total
          ? std::string("\nno rows were read before it ended\n")
      : page.rows == 0
          ? fmt::format("\nno rows behind {}{}\n", grouped(page.first), of)
          : fmt::format("\nrows {} to {}{}\n", grouped(page.first + 1),
                        grouped(page.first + page.rows), of));
  if (!page.next.empty())
    sink.write(fmt::format("next page: --after {}\n", page.next));
}

void write_collection(const Report &r, Collection c, const View &view,
                      Sink &sink) {
  // A page of a saved record has no other rows than its own.
  bool any =
      view.page || std::ranges::any_of(r.objects, &inspect::Object::selected);
  if (!any && c == Collection::targets)
    return;
  bool shown = !shown_rows(r, c, view).empty();
  if (shown)
    write_rows(r, c, view, sink);
  else if (any && c == Collection::kernels && !view.page)
    sink.write("no kernel to show\n");
  if (shown && c == Collection::objects && !r.sha256.empty())
    sink.write(
        fmt::format("choose one: --object ID@{}\n", r.sha256.substr(0, 16)));
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
  write_package(r.package, sink);
  if (!view.page && !std::ranges::any_of(r.objects, &inspect::Object::selected))
    write_empty(r, sink);
  for (Collection c : view.show)
    write_collection(r, c, view, sink);
  if (view.page && view.show.size() == 1)
    write_page(*view.page, sink);
  write_usage(r, view, sink);
  write_limitations(r, view, sink);
}

} // namespace gantry::report

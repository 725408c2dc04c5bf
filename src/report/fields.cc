// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/fields.h"

#include "base/error.h"
#include "base/text.h"

#include <algorithm>
#include <array>

namespace gantry::report {

namespace {

constexpr std::array kCollections = {Collection::targets, Collection::objects,
                                     Collection::kernels,
                                     Collection::containers};

// Most names need no escapes, and then no copy.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c >= 0x20 && c < 0x7f && c != '\\'; });
}

} // namespace

std::string_view word(Collection c) {
  switch (c) {
  case Collection::targets:
    return "targets";
  case Collection::objects:
    return "objects";
  case Collection::kernels:
    return "kernels";
  case Collection::containers:
    return "containers";
  }
  return "targets";
}

std::optional<Collection> collection_from(std::string_view text) {
  for (Collection c : kCollections)
    if (word(c) == text)
      return c;
  return std::nullopt;
}

std::span<const Field> field_table(Collection c) {
  switch (c) {
  case Collection::targets:
    return target_fields();
  case Collection::objects:
    return object_fields();
  case Collection::kernels:
    return kernel_fields();
  case Collection::containers:
    return container_fields();
  }
  return {};
}

std::vector<std::string_view> fields(Collection c) {
  std::vector<std::string_view> out;
  for (const Field &f : field_table(c))
    out.push_back(f.name);
  return out;
}

Result<void> check(const View &view) {
  for (const std::string &name : view.fields) {
    bool known = std::ranges::any_of(view.show, [&](Collection c) {
      return std::ranges::find(field_table(c), name, &Field::name) !=
             field_table(c).end();
    });
    if (!known)
      return fail(Errc::invalid_argument, 0, "no field " + printable(name));
  }
  return {};
}

std::uint64_t count(const inspect::Report &r, Collection c) {
  switch (c) {
  case Collection::targets:
    return r.targets.size();
  case Collection::objects:
    return static_cast<std::uint64_t>(
        std::ranges::count_if(r.objects, &inspect::Object::selected));
  case Collection::kernels:
    return r.kernels.size();
  case Collection::containers:
    return r.containers.size();
  }
  return 0;
}

std::vector<std::size_t> rows(const inspect::Report &r, Collection c,
                              const View &view) {
  std::size_t all = c == Collection::objects ? r.objects.size() : count(r, c);
  std::uint64_t skipped = 0;
  std::uint64_t most = UINT64_MAX;
  if (view.page && view.show.size() == 1) {
    skipped = view.page->first - view.page->dropped;
    most = view.page->limit;
  }
  std::vector<std::size_t> out;
  out.reserve(std::min<std::uint64_t>(all, most));
  for (std::size_t i = 0; i < all && out.size() < most; i++) {
    if (c == Collection::objects && !r.objects[i].selected)
      continue;
    if (skipped > 0)
      skipped--;
    else
      out.push_back(i);
  }
  return out;
}

std::vector<const Field *> chosen(Collection c, const View &view,
                                  Detail usual) {
  Detail detail = view.detail == Detail::by_form ? usual : view.detail;
  std::vector<const Field *> out;
  if (view.fields.empty())
    for (const Field &f : field_table(c))
      if (detail == Detail::full || f.in_table)
        out.push_back(&f);
  for (const std::string &name : view.fields)
    for (const Field &f : field_table(c))
      if (f.name == name && std::ranges::find(out, &f) == out.end())
        out.push_back(&f);
  return out;
}

Cell text_cell(std::string_view text) {
  if (text.empty())
    return {};
  if (is_plain(text))
    return text;
  return printable(text);
}

void write(const Field &f, const inspect::Report &r, std::size_t row,
           JsonWriter &json) {
  json.key(f.name);
  if (f.write)
    return f.write(r, row, json);
  std::visit(
      [&]<class T>(const T &value) {
        if constexpr (std::is_same_v<T, std::monostate>)
          json.null();
        else
          json.value(value);
      },
      f.cell(r, row));
}

void write(const inspect::Location &l, JsonWriter &json) {
  json.begin_object(JsonWriter::Lines::one);
  if (l.in.empty())
    json.null_member("in");
  else
    json.member("in", l.in);
  json.member("offset", l.offset);
  json.member("size", l.size);
  json.end_object();
}

void write(const std::vector<inspect::Limitation> &list, JsonWriter &json) {
  json.begin_array();
  for (const inspect::Limitation &l : list) {
    json.begin_object(JsonWriter::Lines::one);
    json.member("code", l.code);
    json.member("message", printable(l.message));
    json.member("offset", l.offset);
    json.end_object();
  }
  json.end_array();
}

void write(const Attributes &list, JsonWriter &json) {
  json.begin_array();
  for (const auto &[name, value] : list) {
    json.begin_object(JsonWriter::Lines::one);
    json.member("name", printable(name));
    json.member("value", printable(value));
    json.end_object();
  }
  json.end_array();
}

} // namespace gantry::report

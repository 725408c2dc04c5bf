// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of each collection, as data: JSON keys, --fields and the columns
// of tables all come from here.
#pragma once

#include "base/json.h"
#include "gantry/report.h"

#include <variant>

namespace gantry::report {

// One cell: null, or a scalar. Texts may view the report.
using Cell = std::variant<std::monostate, bool, std::uint64_t, double,
                          std::string_view, std::string>;

struct Field {
  std::string_view name;
  // Exactly one of the two: a scalar, or JSON of a structure.
  Cell (*cell)(const inspect::Report &, std::size_t row) = nullptr;
  void (*write)(const inspect::Report &, std::size_t row,
                JsonWriter &) = nullptr;
  bool in_table = false; // part of the short choice
};

std::span<const Field> field_table(Collection);

// Rows of a collection that are shown, in file order: those of the page;
// objects that are not selected are left out.
std::vector<std::size_t> rows(const inspect::Report &, Collection,
                              const View &);

// The fields to show: those asked for, in their order and once each, else what
// the detail says, which for Detail::by_form is `usual`.
std::vector<const Field *> chosen(Collection, const View &, Detail usual);

void write(const Field &, const inspect::Report &, std::size_t row,
           JsonWriter &);

// Shared by documents and rows.
void write(const inspect::Location &, JsonWriter &);
void write(const std::vector<inspect::Limitation> &, JsonWriter &);
using Attributes = std::vector<std::pair<std::string, std::string>>;
void write(const Attributes &, JsonWriter &);

// For the field tables: names are made printable, "" is null.
Cell text_cell(std::string_view text);
template <class T> Cell number_cell(const std::optional<T> &value) {
  return value ? Cell(std::uint64_t{*value}) : Cell();
}

// One table per collection.
std::span<const Field> target_fields();
std::span<const Field> object_fields();
std::span<const Field> kernel_fields();
std::span<const Field> container_fields();

} // namespace gantry::report

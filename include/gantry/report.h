// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views of an inspection: text for a terminal, JSON for programs.
#pragma once

#include "gantry/inspect.h"

namespace gantry::report {

enum class Collection { targets, objects, kernels, containers };
std::string_view word(Collection);
std::optional<Collection> collection_from(std::string_view);

struct View {
  std::vector<Collection> show = {Collection::targets};
  // Fields of the shown collections, in this order; empty: text shows a short
  // choice, JSON shows all.
  std::vector<std::string> fields;
  std::size_t width = 80; // of the terminal; 0: unlimited
  bool color = false;
};

// One output stream that remembers whether it failed.
class Sink {
public:
  virtual ~Sink() = default;
  virtual void write(std::string_view text) = 0;
};

// All field names of a collection, in output order.
std::vector<std::string_view> fields(Collection);

// Errors: invalid_argument for a field that no shown collection has.
Result<void> check(const View &);

// One document, schema "gantry.inspect/1" (docs/schema/inspect-1.json).
void json(const inspect::Report &, const View &, Sink &);
// Several: {"schema", "inputs": [documents], "summary"}. A failed input is a
// document with "error".
struct Input {
  std::string path;
  Result<inspect::Report> report;
};
void json(std::span<const Input>, const View &, Sink &);

void text(const inspect::Report &, const View &, Sink &);

} // namespace gantry::report

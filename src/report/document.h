// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts that JSON documents and NDJSON records share.
#pragma once

#include "report/fields.h"

namespace gantry::report {

// Counts over several inputs.
struct Totals {
  std::uint64_t inputs = 0;
  std::uint64_t found = 0; // with GPU code
  std::uint64_t failed = 0;
  std::uint64_t objects = 0;

  void add(const inspect::Report &);
  void add_failure();
  void write(JsonWriter &) const; // members of an object
};

// Members of an object: "input" to "usage", and "page" when there is one.
void write_facts(const inspect::Report &, const View &, JsonWriter &);
// The member "input".
void write_input(const inspect::Report &, JsonWriter &);
// Members "input" (with a path) and "error".
void write_failed(const Failed &, JsonWriter &);
// The member "text".
void write_text(const TextPart &, JsonWriter &);

} // namespace gantry::report

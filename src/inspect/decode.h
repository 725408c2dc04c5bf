// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes the payloads that are asked for, each once, on several threads.
#pragma once

#include "base/source.h"
#include "inspect/select.h"
#include "inspect/unit.h"

namespace gantry::inspect {

// What the payloads of an input may still decode to, and how many objects and
// kernels may come of them. The members of a package share one.
struct Allowance {
  std::uint64_t decoded = 0;
  std::uint64_t records = 0;
};

// Of one file. Small files can declare much: all payloads together may decode
// to what one of the file's size may, and a few more of those that no ratio
// limits.
Allowance allowance(const Limits &limits, std::uint64_t file_size);

struct Decoded {
  std::uint64_t bytes = 0; // that decoders produced
  // Kernels, of the report or not, that do not say whether they use dynamic
  // shared memory.
  bool unstated_shared = false;
  // Not all was done: no memory, or interrupted. What was done stands.
  std::optional<Error> damage;
};

// Marks what is selected, decodes what the analysis and the hooks need, fills
// the slots and hands them to Options::done. Reduces `allowance`.
Decoded decode(const Source &source, std::vector<Region> &regions,
               const Selection &selection, const Options &options,
               Allowance &allowance);

// How many threads `options.threads` means.
unsigned thread_count(const Options &options);

} // namespace gantry::inspect

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One payload to decode, and what came of it.
#pragma once

#include "inspect/unit.h"

namespace gantry::inspect {

// Threads work on copies: what goes beyond the limit of records, or behind an
// interrupt, is dropped afterwards, so that it does not depend on who was
// first.
struct Job {
  Unit *unit = nullptr;
  Payload payload;
  // Another payload with the same bytes: decoded once, both are described.
  std::vector<Job> aliases;
  // The payload's slots; of a container all that the unit becomes.
  Unit result;
  std::uint64_t decoded_bytes = 0; // produced by a decoder

  // Whether the unit's objects are known only after decoding.
  bool makes_slots() const {
    return payload.holds == Payload::Holds::container;
  }

  void begin();
  // Objects that were not known before, and kernels.
  std::uint64_t records() const;
  // About how much memory the result takes.
  std::uint64_t memory() const;
  // The result becomes that of the unit.
  void commit();
  void drop() { result = {}; }

  // Instead of a result: nothing was read, and why.
  void refuse(const Error &error, Analysis analysis);
};

} // namespace gantry::inspect

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What discovery finds, before it is decoded and put in order.
#pragma once

#include "base/decompress.h"
#include "gantry/inspect.h"

namespace gantry::inspect {

// A code object and, once it is decoded, its kernels.
struct Slot {
  Object object; // Object::container counts in Unit::containers
  std::vector<Kernel> kernels;
  // Nothing declares the target, so the payload has to be read even for an
  // inventory.
  bool needs_payload = false;
};

// A stretch of stored bytes that is decoded at once.
struct Payload {
  enum class Holds {
    object,    // slot `first`
    parts,     // slots first … first + count, cut out of the decoded bytes
    container, // all of the unit; its slots are only known after decoding
  };
  Holds holds = Holds::object;
  Codec codec = Codec::none;
  std::uint64_t offset = 0; // in the file
  std::uint64_t stored = 0;
  std::uint64_t decoded = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 1;
};

// What of a damaged container counts at least: the shortest header of any kind.
inline constexpr std::uint64_t kShortestHeader = 16;

// A container that stands in the file itself, with all that is in it.
struct Unit {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::vector<Container> containers; // [0] is the outermost
  std::vector<Slot> slots;
  std::vector<Payload> payloads;

  std::uint64_t end() const { return offset + size; }
};

// A section, or a stretch of the file without one, with its units.
struct Region {
  std::optional<Container> section;
  std::vector<Unit> units;
};

// The id of what stands at `offset` of the file.
std::string position_id(std::uint64_t offset);

// A damage or refusal as the report states it: the code is the error's word.
Limitation limitation(const Error &error);

// Marks a container or an object as partly read, with the reason.
void add(Container &container, Limitation reason);
void add(Object &object, Limitation reason);

} // namespace gantry::inspect

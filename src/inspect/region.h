// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Containers in a row: what stands between two offsets of a file.
#pragma once

#include "inspect/metered.h"
#include "inspect/unit.h"

namespace gantry::inspect {

// How the containers of a region were found, and what that says about them.
struct Origin {
  FoundBy found_by = FoundBy::content;
  std::string section; // "" none
  std::optional<bool> relocatable;
};

// What is known of a container before it is read.
Container container_at(std::uint64_t offset, ContainerKind kind,
                       const Origin &origin);

// The unit that starts at `offset` and must end before `end`, whatever its
// kind. `region` is where its section starts (compressed bundles of version 1
// count from there). Nothing when no known magic stands there. Damage inside
// stands in the unit.
std::optional<Unit> read_unit(const Source &source, std::uint64_t region,
                              std::uint64_t offset, std::uint64_t end,
                              const Origin &origin, const Limits &limits);

// A bare code object of `size` bytes.
Unit bare_unit(std::uint64_t offset, std::uint64_t size, ObjectKind kind,
               const Origin &origin);

// The first byte in [pos, end) that is not zero; `end` when there is none.
Result<std::uint64_t> skip_zeros(const Source &source, std::uint64_t pos,
                                 std::uint64_t end, Buffer &scratch);

// All units between `begin` and `end`. Zeros between them are padding; anything
// else is counted as unrecognised and named in `section`, and so is whatever
// ended the walk early.
std::vector<Unit> walk_region(MeteredSource &source, std::uint64_t begin,
                              std::uint64_t end, const Origin &origin,
                              const Limits &limits, Container &section);

// The bytes that the ELF file at `offset` covers, by its tables; at most up to
// `end`. Nothing when a table lies outside.
std::optional<std::uint64_t> elf_extent(const Source &source,
                                        std::uint64_t offset, std::uint64_t end,
                                        const Limits &limits);

} // namespace gantry::inspect

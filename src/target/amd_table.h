// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of AMD names that only this room needs. Sources: amd_table.cc.
#pragma once

#include "gantry/target.h"

namespace gantry::amd {

const AmdProcessor *find_mach(std::uint8_t mach); // null: unknown

// Other names of processors: "fiji" is gfx803.
struct Alias {
  std::string_view name;
  std::string_view processor;
};
std::span<const Alias> aliases();

// The processor that a subarchitecture of a triple names: "9.42" (of
// amdgpu9.42) is gfx942, "9" is gfx9-generic. Empty: none, or unknown.
std::string_view sub_processor(std::string_view version);

// The same table, for tests and lists: "9.42" and "gfx942".
std::span<const Alias> sub_processors();

} // namespace gantry::amd

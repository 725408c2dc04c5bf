// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a hit of the search by content to a unit.
#pragma once

#include "inspect/pass.h"
#include "inspect/region.h"

namespace gantry::inspect {

// The unit at a hit, which must end before `end`. Nothing unless all of it is
// what its header claims.
std::optional<Unit> read_found(const MeteredSource &source, const Hit &hit,
                               std::uint64_t end, const Origin &origin,
                               const Limits &limits);

} // namespace gantry::inspect

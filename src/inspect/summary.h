// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From units to the report: order, rows per target, bytes that add up.
#pragma once

#include "inspect/unit.h"

namespace gantry::inspect {

// Moves everything into the report, in file order, with final indices.
void assemble(std::vector<Region> regions, Report &report);

// One row per target, kind and relocatable, ordered by them.
void add_target_rows(Report &report);

// Usage: what every byte of the file belongs to.
void account(Report &report);

// The report's coverage out of that of its parts.
void set_coverage(Report &report);

} // namespace gantry::inspect

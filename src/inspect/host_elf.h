// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ELF host files: sections with GPU code, and the records that register it.
#pragma once

#include "inspect/discover.h"
#include "inspect/metered.h"

namespace gantry::inspect {

// Fills regions, sections and limitations.
void discover_elf(MeteredSource &source, const Limits &limits, Discovery &out);

} // namespace gantry::inspect

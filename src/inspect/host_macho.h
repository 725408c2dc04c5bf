// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mach-O files as hosts.
#pragma once

#include "inspect/discover.h"
#include "inspect/metered.h"

namespace gantry::inspect {

// Whether the file is one of these; then fills format, regions, sections and
// limitations.
bool discover_macho(MeteredSource &source, const Limits &limits,
                    Discovery &out);

} // namespace gantry::inspect

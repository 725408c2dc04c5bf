// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remarks on standard error.
#pragma once

#include "cli/console.h"

namespace gantry::cli {

// --verbose: all that is not known.
void tell_limitations(const Console &console, const inspect::Report &report);

// A misspelt number is a well-formed name, too.
void tell_unknown_targets(const Console &console,
                          const std::vector<std::string> &targets);

} // namespace gantry::cli

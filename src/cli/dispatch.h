// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the words of the command line to a verb.
#pragma once

#include "cli/console.h"

namespace gantry::cli {

// `words` without the program's name. Returns the exit status.
int dispatch(std::span<const std::string> words, Console &console);

// Prints to standard output; 0, or 2 when that failed.
int print(std::string_view text, const Console &console);

// "no verb X", with a hint; status 2.
Failure unknown_verb(std::string_view name);

} // namespace gantry::cli

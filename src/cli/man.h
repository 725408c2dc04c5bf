// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manual pages (man(7)), out of the tables of the verbs.
#pragma once

#include "cli/verb.h"

#include <string>

namespace gantry::cli {

std::string man_overview();             // gantry(1)
std::string man_page(const Verb &verb); // gantry-VERB(1)

} // namespace gantry::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target ids of AMD: a processor and its features. Grammar: amd_name.cc.
#pragma once

#include "gantry/target.h"

namespace gantry::amd {

// "gfx90a:xnack+", "gfx906+sramecc+xnack", "fiji". Errors: invalid_argument at
// the first character that does not fit.
Result<Target> parse_id(std::string_view text);

Target target(std::string_view processor,
              Feature sramecc = Feature::unspecified,
              Feature xnack = Feature::unspecified);

// What the processor leaves to choose. A processor that is not known may have
// either feature.
Selectable sramecc_of(std::string_view processor);
Selectable xnack_of(std::string_view processor);

// In target ids of V4 and later, omitted means any.
void omitted_means_any(Target &target);

std::string name(const Target &target);

} // namespace gantry::amd

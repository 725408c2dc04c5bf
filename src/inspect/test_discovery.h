// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: what discovery finds in an image.
#pragma once

#include "inspect/discover.h"
#include "inspect/test_inputs.h"

namespace gantry::inspect {

inline Discovery look(const Image &file, const Limits &limits = {}) {
  return discover(MemorySource(file), limits);
}

inline std::vector<const Unit *> units(const Discovery &d) {
  std::vector<const Unit *> out;
  for (const Region &r : d.regions)
    for (const Unit &u : r.units)
      out.push_back(&u);
  return out;
}

// A region's section by its name.
inline const Container *section(const Discovery &d, std::string_view name) {
  for (const Region &r : d.regions)
    if (r.section && r.section->section == name)
      return &*r.section;
  return nullptr;
}

} // namespace gantry::inspect

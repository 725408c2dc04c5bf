// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in a file GPU code can be: by its own kind, by the names of sections,
// by registration records, and by content.
#pragma once

#include "base/source.h"
#include "inspect/unit.h"

namespace gantry::inspect {

// A section of the host file, for what is found by content in it.
struct HostSection {
  std::string name;
  std::uint64_t begin = 0, end = 0;
};

struct Discovery {
  std::vector<Region> regions;       // in no order
  std::vector<HostSection> sections; // with bytes, by offset; of hosts
  std::vector<Limitation> limitations;
  bool whole_file = false; // the file itself is the container or code object
  std::string_view format; // static word: "elf", "pe" …; "" unknown
};

// What headers and names tell. Reads little.
Discovery discover(const Source &source, const Limits &limits);

// Brings the regions into file order.
void sort_regions(std::vector<Region> &regions);

// What the units cover, sorted and joined; of damaged ones only what was read.
std::vector<Location> known_extents(const std::vector<Region> &regions);

} // namespace gantry::inspect

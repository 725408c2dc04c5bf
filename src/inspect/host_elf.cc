// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/host_elf.h"

#include "format/elf.h"
#include "inspect/host_sections.h"

namespace gantry::inspect {

void discover_elf(MeteredSource &source, const Limits &limits, Discovery &out) {
  auto file = elf::File::open(source, limits);
  if (!file) {
    out.limitations.push_back(limitation(file.error()));
    return;
  }
  for (const Error &damage : file->damage())
    out.limitations.push_back(limitation(damage));
  Host host;
  host.relocatable = file->header().type == elf::kTypeRel;
  host.sections.reserve(file->sections().size());
  for (const elf::Section &s : file->sections()) {
    HostEntry entry{s.index, {}, s.offset, s.size, s.has_bytes()};
    if (s.index == 0 || file->has_name(s)) // section 0 never has one
      entry.name = file->name(s);
    host.sections.push_back(entry);
  }
  for (const elf::Segment &s : file->segments())
    if (s.type == elf::kSegmentLoad)
      host.loads.push_back(
          {s.address, s.offset, s.file_size, (s.flags & 2) != 0});
  discover_host(source, host, limits, out);
}

} // namespace gantry::inspect

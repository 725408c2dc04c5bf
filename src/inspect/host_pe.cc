// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects have the sections of ELF by their full names. In images linkers cut
// names to 8 bytes (.nv_fatb, .hip_fat, .hipFatB), and records hold image base
// and relative address (observed with the linkers of LLVM 22 and of Visual
// Studio in wheels).

#include "inspect/host_pe.h"

#include "format/pe.h"
#include "inspect/host_sections.h"

namespace gantry::inspect {

namespace {

std::string_view format_of(const pe::Header &header) {
  switch (header.kind) {
  case pe::Kind::image:
    return "pe";
  case pe::Kind::import:
    return "coff-import";
  case pe::Kind::object:
  case pe::Kind::bigobj:
    break;
  }
  return "coff";
}

Host host_of(const pe::File &file) {
  const bool is_image = file.header().kind == pe::Kind::image;
  Host host;
  host.relocatable = !is_image;
  host.names_cut_to = is_image ? pe::kNameBytes : 0;
  host.sections.reserve(file.sections().size());
  for (const pe::Section &s : file.sections()) {
    host.sections.push_back(
        {s.index, file.name(s), s.raw_offset, s.size(), s.has_bytes()});
    if (is_image && s.has_bytes())
      host.loads.push_back({file.header().image_base + s.address, s.raw_offset,
                            s.size(), (s.flags & pe::kFlagWrite) != 0});
  }
  return host;
}

} // namespace

bool discover_pe(MeteredSource &source, const Limits &limits, Discovery &out) {
  auto file = pe::File::open(source, limits);
  if (!file) {
    if (file.error().code == Errc::bad_magic)
      return false;
    out.limitations.push_back(limitation(file.error()));
    return true;
  }
  out.format = format_of(file->header());
  for (const Error &damage : file->damage())
    out.limitations.push_back(limitation(damage));
  discover_host(source, host_of(*file), limits, out);
  return true;
}

} // namespace gantry::inspect

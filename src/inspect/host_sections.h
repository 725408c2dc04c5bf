// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What host files of all formats have in common: sections with GPU code, known
// by their names, and the records that register it. A format states its tables
// as a Host; discover_host() walks it.
#pragma once

#include "inspect/discover.h"
#include "inspect/metered.h"

#include <span>

namespace gantry::inspect {

// What a section with a known name holds.
enum class Role {
  containers,    // in a row, zeros between them
  images,        // of one target, which the name tells
  cuda_wrappers, // registration records that point to containers
  hip_wrappers,
  kpack_marker, // names the archives that have the code
};

struct KnownSection {
  std::string_view name;
  bool prefix; // names may go on
  Role role;
  std::optional<bool> relocatable; // of the cubins in it
};

// The names in ELF and COFF files.
std::span<const KnownSection> known_sections();

// A section as the host's table states it.
struct HostEntry {
  std::uint64_t index = 0;              // as the format counts
  std::optional<std::string_view> name; // nullopt: cannot be read
  std::uint64_t offset = 0, size = 0;   // in the file; may lie outside
  bool has_bytes = true;                // in this file
};

// A stretch of the file that is loaded to an address; it may lie outside.
struct HostLoad {
  std::uint64_t address = 0, offset = 0, size = 0;
  bool writable = false;
};

struct Host {
  std::span<const KnownSection> known = known_sections();
  // Longer names are cut to so many bytes by linkers (PE: 8); 0 never.
  std::size_t names_cut_to = 0;
  std::vector<HostEntry> sections;
  std::vector<HostLoad> loads;
  // Not linked yet: the records hold no addresses.
  bool relocatable = false;
  std::string id_prefix = "s";    // of the ids of sections
  std::uint64_t end = UINT64_MAX; // in the file, where others follow
};

// Fills regions, sections and limitations. Without sections the writable loads
// are searched for records.
void discover_host(MeteredSource &source, const Host &host,
                   const Limits &limits, Discovery &out);

} // namespace gantry::inspect

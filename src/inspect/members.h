// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packages: each member is inspected, and all becomes one report.
#pragma once

#include "input/package.h"
#include "inspect/unit.h"

namespace gantry::inspect {

// What all members of a file share, those of packages in it, too. Hostile
// packages unfold without end; what is spent here is spent for all.
struct Budget {
  Budget(const Limits &limits, std::uint64_t file_size);

  std::uint64_t decoded = 0; // that payloads may still decode to
  std::uint64_t records = 0; // containers, objects and kernels that may come
  // Unpacked bytes, by depth: so the answer does not depend on threads.
  std::vector<std::uint64_t> unpacked;
};

// Where in nested packages a walk is.
struct Nest {
  std::string prefix; // of ids: "a.tar!b.a!"
  std::uint32_t depth = 0;
  bool deep = false; // as the caller asked; members are searched anyhow
  Budget *budget = nullptr;
};

// Inspects one member: as a file, without digest, searched by content. Its ids
// and locations are those of a file of its own.
using InspectMember = std::function<Result<Report>(
    const Source &, const std::string &name, const Options &, const Nest &)>;

// Fills `report` with all that is in the members. Errors: not_found (an id of
// Options::objects that no member has).
Result<void> inspect_members(input::Package &package, const Options &options,
                             const Nest &nest, const InspectMember &inspect,
                             Report &report);

// Which members are left out by their names unless their first bytes are those
// of a format that holds code: texts, pictures, Python.
bool skipped_by_name(std::string_view name);

// A name as it stands in ids: '%', '!', '@' and control characters as %XX.
std::string id_of_name(std::string_view name);

} // namespace gantry::inspect

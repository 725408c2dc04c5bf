// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the name of a member means: as an id, and whether code can be in it.
#pragma once

#include "base/reader.h"

#include <array>
#include <map>
#include <string>

namespace gantry::inspect {

// Texts, pictures, Python: left out unless their first bytes are those of a
// format that can hold code. docs/inspect.md has the list.
bool skipped_by_name(std::string_view name);

// Whether a host, container, package or code object begins like this.
bool starts_like_code(Bytes start, std::string_view name);

// A name as it stands in ids: '%', '!', '@' and control characters as %XX, and
// "%" for one without letters.
std::string id_of_name(std::string_view name);

// Ids of the members of one package: the second of the same name is "b.o@2".
class MemberIds {
public:
  std::string next(std::string_view name);

private:
  // By digests, so that long names cost no memory.
  std::map<std::array<std::byte, 16>, std::uint32_t> seen_;
};

} // namespace gantry::inspect

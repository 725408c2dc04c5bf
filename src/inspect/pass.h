// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pass over all bytes of a file: its digest, and where magics stand.
#pragma once

#include "base/source.h"
#include "gantry/inspect.h"
#include "inspect/scan.h"

namespace gantry::inspect {

struct Hit {
  std::uint64_t offset = 0;
  Magic magic = Magic::fatbin;
};

struct PassResult {
  std::string sha256;          // "" when not wanted or not finished
  std::vector<Hit> hits;       // in file order, headers plausible
  std::optional<Error> damage; // reading stopped early, or too many hits
};

struct PassWants {
  bool digest = false;
  bool search = false;
};

// `known` are the extents, sorted and apart, in which hits do not count. With
// more than one thread the digest is computed beside the search.
PassResult read_all(const Source &source, PassWants wants,
                    const std::vector<Location> &known, const Options &options);

} // namespace gantry::inspect

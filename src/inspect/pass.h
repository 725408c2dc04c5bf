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
  // What is in memory around it while it is reported: bytes of the file from
  // `around_offset` on.
  Bytes around = {};
  std::uint64_t around_offset = 0;
};

struct PassWants {
  bool digest = false;
  // Called with each place where a magic and a plausible header stand, in file
  // order and in the calling thread, while the pass is under way. Empty: no
  // search.
  std::function<void(const Hit &)> found;
};

struct PassResult {
  std::string sha256;          // "" when not wanted or not finished
  std::optional<Error> damage; // reading stopped early, or too many hits
};

// `known` are the extents, sorted and apart, in which hits do not count. With
// more than one thread the digest is computed beside everything else, also
// beside what `found` does.
PassResult read_all(const Source &source, const PassWants &wants,
                    const std::vector<Location> &known, const Options &options);

} // namespace gantry::inspect

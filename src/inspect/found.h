// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a hit of the search by content to a unit.
#pragma once

#include "inspect/discover.h"
#include "inspect/pass.h"
#include "inspect/region.h"

namespace gantry::inspect {

// The unit at a hit, which must end before `end`. Nothing unless all of it is
// what its header claims.
std::optional<Unit> read_found(const MeteredSource &source, const Hit &hit,
                               std::uint64_t end, const Origin &origin,
                               const Limits &limits);

// Adds to a discovery what the hits of a pass turn out to be.
class ContentSearch {
public:
  // `whole` and `discovery` must outlive this.
  ContentSearch(const Source &whole, const Limits &limits,
                Discovery &discovery);

  // The next hit, in file order. Those inside a unit found before are none.
  void add(const Hit &hit);

  // False when not all hits were looked at; a limitation says why.
  bool complete() const { return complete_; }

private:
  WindowSource window_;
  MeteredSource source_;
  const Limits &limits_;
  Discovery &discovery_;
  std::uint64_t covered_ = 0; // up to here everything belongs to a unit
  bool complete_ = true;
};

} // namespace gantry::inspect

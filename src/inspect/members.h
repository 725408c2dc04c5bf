// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packages: each member is walked like a file, and all becomes one report.
#pragma once

#include "base/source.h"
#include "gantry/inspect.h"
#include "inspect/decode.h"

#include <deque>

namespace gantry::inspect {

// What all members of a file share, those of packages in it, too. Hostile
// packages unfold without end; what is spent once is spent for all.
class PackageBudget {
public:
  PackageBudget(const Limits &limits, std::uint64_t file_size)
      : payloads(allowance(limits, file_size)), each_(payloads.decoded) {}

  Allowance payloads;
  // Bytes that may still be unpacked at a depth. Each depth has as many, so
  // that the answer does not depend on which thread is first.
  std::uint64_t &unpacked(std::uint32_t depth) {
    while (unpacked_.size() <= depth)
      unpacked_.push_back(each_);
    return unpacked_[depth];
  }

private:
  std::uint64_t each_;
  std::deque<std::uint64_t> unpacked_; // references stay valid
};

// Like walk(), of which it has the errors and the manners; but the report of a
// package (wheel, zip, tar, ar …) is that of all its members. `open_all`: also
// of those that by their names hold no code.
Result<Report> walk_package(const Source &source, const std::string &path,
                            const Options &options, bool open_all);

} // namespace gantry::inspect

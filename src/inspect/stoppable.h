// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/source.h"

#include <atomic>
#include <stop_token>

namespace gantry::inspect {

// A source that refuses (interrupted) once the caller wants to stop: all loops
// of discovery and of the search by content read, and end when they cannot.
class StoppableSource final : public Source {
public:
  StoppableSource(const Source &whole, std::stop_token stop)
      : whole_(whole), stop_(std::move(stop)) {}

  std::uint64_t size() const override { return whole_.size(); }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size,
                     Buffer &scratch) const override {
    if (stop_.stop_requested()) {
      refused_ = true;
      return fail(Errc::interrupted, offset, "interrupted");
    }
    return whole_.read(offset, size, scratch);
  }

  // Something that was to be read was not.
  bool refused() const { return refused_; }

private:
  const Source &whole_;
  std::stop_token stop_;
  mutable std::atomic<bool> refused_ = false;
};

} // namespace gantry::inspect

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discovery reads the same bytes more than once where containers overlap or
// their headers lie. Hostile files consist of nothing else, so there is a
// budget for all reads together.
#pragma once

#include "base/source.h"

namespace gantry::inspect {

// A source that refuses (too_large) once the budget is spent. Not for several
// threads.
class MeteredSource final : public Source {
public:
  // Every byte may be read a few times over.
  explicit MeteredSource(const Source &whole)
      : whole_(whole), left_(4 * whole.size() + (std::uint64_t{16} << 20)) {}

  std::uint64_t size() const override { return whole_.size(); }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size,
                     Buffer &scratch) const override {
    if (!spend(size + kCall))
      return fail(Errc::too_large, offset,
                  "headers that refer to the same bytes again and again");
    return whole_.read(offset, size, scratch);
  }

  // For work that is not reading. False when there is not so much left, and
  // from then on.
  bool spend(std::uint64_t cost) const {
    exhausted_ = exhausted_ || cost > left_;
    if (!exhausted_)
      left_ -= cost;
    return !exhausted_;
  }
  // Whether spend() would go well. For work that can be left out.
  bool affords(std::uint64_t cost) const { return cost <= left_; }
  // A container was found: reading its headers is paid for.
  void earn() { left_ += kUnit; }
  bool exhausted() const { return exhausted_; }

private:
  static constexpr std::uint64_t kCall = 64;
  static constexpr std::uint64_t kUnit = 8 << 10;

  const Source &whole_;
  mutable std::uint64_t left_;
  mutable bool exhausted_ = false;
};

} // namespace gantry::inspect

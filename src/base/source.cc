// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/source.h"

#include <algorithm>
#include <new>

namespace gantry {

Result<std::span<std::byte>> Buffer::reserve(std::uint64_t size) {
  if (size > capacity_) {
    // A little more, so that sizes that grow slowly do not ask for fresh memory
    // each time. What is not used costs nothing.
    std::uint64_t capacity = std::max(size, capacity_ + capacity_ / 2);
    data_.reset();
    capacity_ = 0;
    data_.reset(new (std::nothrow) std::byte[capacity]);
    if (!data_)
      data_.reset(new (std::nothrow) std::byte[capacity = size]);
    if (!data_)
      return fail(Errc::too_large, 0, "out of memory");
    capacity_ = capacity;
  }
  return std::span(data_.get(), size);
}

Result<Bytes> Source::read_up_to(std::uint64_t offset, std::uint64_t size,
                                 Buffer &scratch) const {
  if (offset > this->size())
    return fail(Errc::truncated, offset, "read");
  return read(offset, std::min(size, this->size() - offset), scratch);
}

Result<Bytes> MemorySource::read(std::uint64_t offset, std::uint64_t size,
                                 Buffer &) const {
  if (!fits(offset, size, data_.size()))
    return fail(Errc::truncated, offset, "read");
  return data_.subspan(offset, size);
}

Result<Bytes> SliceSource::read(std::uint64_t offset, std::uint64_t size,
                                Buffer &scratch) const {
  if (!fits(offset, size, size_))
    return fail(Errc::truncated, offset, "read");
  return whole_.read(offset_ + offset, size, scratch);
}

Result<Bytes> WindowSource::read(std::uint64_t offset, std::uint64_t size,
                                 Buffer &scratch) const {
  constexpr std::uint64_t kWindow = 1024;
  if (size >= kWindow)
    return whole_.read(offset, size, scratch);
  if (!fits(offset, size, whole_.size()))
    return fail(Errc::truncated, offset, "read");
  if (offset < held_offset_ ||
      !fits(offset - held_offset_, size, held_.size())) {
    held_ = {};
    GANTRY_TRY(held_, whole_.read_up_to(offset, kWindow, window_));
    held_offset_ = offset;
  }
  // A copy: what is handed out must stay when the window moves on.
  GANTRY_TRY(std::span<std::byte> out, scratch.reserve(size));
  std::ranges::copy(held_.subspan(offset - held_offset_, size), out.begin());
  return Bytes(out);
}

} // namespace gantry

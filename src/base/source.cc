// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/source.h"

#include <algorithm>
#include <new>

namespace gantry {

Result<std::span<std::byte>> Buffer::reserve(std::uint64_t size) {
  if (size > capacity_) {
    data_.reset();
    capacity_ = 0;
    data_.reset(new (std::nothrow) std::byte[size]);
    if (!data_)
      return fail(Errc::too_large, 0, "out of memory");
    capacity_ = size;
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

} // namespace gantry

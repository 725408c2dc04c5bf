// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/growing_buffer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace gantry::input {

namespace {

constexpr std::uint64_t kFirst = 64 << 10;

} // namespace

GrowingBuffer::~GrowingBuffer() { std::free(data_); }

Result<std::span<std::byte>> GrowingBuffer::room(std::uint64_t most) {
  if (size_ == capacity_) {
    // realloc() moves large blocks without copying them.
    std::uint64_t wanted = std::max(kFirst, 2 * capacity_);
    void *grown = std::realloc(data_, wanted);
    if (!grown)
      return fail(Errc::too_large, 0, "out of memory");
    data_ = static_cast<std::byte *>(grown);
    capacity_ = wanted;
  }
  return std::span(data_ + size_, std::min(most, capacity_ - size_));
}

Result<void> GrowingBuffer::append(Bytes bytes) {
  while (!bytes.empty()) {
    GANTRY_TRY(std::span<std::byte> free, room(bytes.size()));
    std::memcpy(free.data(), bytes.data(), free.size());
    add(free.size());
    bytes = bytes.subspan(free.size());
  }
  return {};
}

} // namespace gantry::input

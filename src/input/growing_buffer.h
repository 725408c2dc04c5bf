// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that grows as bytes come, whatever sizes a package declares.
#pragma once

#include "base/error.h"
#include "base/reader.h"

namespace gantry::input {

class GrowingBuffer {
public:
  GrowingBuffer() = default;
  GrowingBuffer(const GrowingBuffer &) = delete;
  GrowingBuffer &operator=(const GrowingBuffer &) = delete;
  ~GrowingBuffer();

  std::uint64_t size() const { return size_; }
  Bytes bytes() const { return {data_, size_}; }

  // Empty again; the memory is kept.
  void clear() { size_ = 0; }
  // Room behind the bytes that are there, at least one and at most `most`
  // bytes of it; add() says how many were filled. Refuses (too_large) when the
  // system has no memory.
  Result<std::span<std::byte>> room(std::uint64_t most);
  void add(std::uint64_t count) { size_ += count; }
  Result<void> append(Bytes bytes);

private:
  std::byte *data_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t capacity_ = 0;
};

} // namespace gantry::input

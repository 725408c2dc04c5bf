// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: inputs built byte by byte.
#pragma once

#include "base/reader.h"

#include <vector>

namespace gantry {

// Appends little-endian fields; each call returns the builder.
class Builder {
public:
  Builder &u8(std::uint8_t v) { return integer(v, 1); }
  Builder &u16(std::uint16_t v) { return integer(v, 2); }
  Builder &u32(std::uint32_t v) { return integer(v, 4); }
  Builder &u64(std::uint64_t v) { return integer(v, 8); }
  Builder &text(std::string_view s) { return bytes(as_bytes(s)); }
  Builder &bytes(Bytes b) {
    data_.insert(data_.end(), b.begin(), b.end());
    return *this;
  }
  Builder &zeros(std::size_t count) {
    data_.insert(data_.end(), count, std::byte{0});
    return *this;
  }
  // Zeros up to the next multiple of `align`.
  Builder &pad_to(std::size_t align) {
    return zeros((align - data_.size() % align) % align);
  }
  // Overwrites a field that has been written before.
  Builder &set_u16(std::size_t at, std::uint16_t v) { return set(at, v, 2); }
  Builder &set_u32(std::size_t at, std::uint32_t v) { return set(at, v, 4); }
  Builder &set_u64(std::size_t at, std::uint64_t v) { return set(at, v, 8); }

  std::size_t size() const { return data_.size(); }
  // Valid until the builder changes.
  Bytes bytes() const { return data_; }
  std::vector<std::byte> take() { return std::move(data_); }

private:
  Builder &integer(std::uint64_t v, unsigned size) {
    data_.resize(data_.size() + size);
    return set(data_.size() - size, v, size);
  }
  Builder &set(std::size_t at, std::uint64_t v, unsigned size) {
    for (unsigned i = 0; i < size; i++)
      data_.at(at + i) = static_cast<std::byte>(v >> (8 * i));
    return *this;
  }

  std::vector<std::byte> data_;
};

} // namespace gantry

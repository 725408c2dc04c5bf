// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: SPIR-V modules, instruction by instruction.
#pragma once

#include "base/test_bytes.h"
#include "format/spirv.h"

#include <bit>

namespace gantry::spirv {

using Words = std::vector<std::uint32_t>;

inline Words text(std::string_view s) {
  Words out;
  for (std::size_t i = 0; i <= s.size(); i += 4) {
    std::uint32_t v = 0;
    for (std::size_t k = 0; k < 4 && i + k < s.size(); k++)
      v |= std::uint32_t{static_cast<std::uint8_t>(s[i + k])} << (8 * k);
    out.push_back(v);
  }
  return out;
}

inline Words operator+(Words a, const Words &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class ModuleBuilder {
public:
  explicit ModuleBuilder(std::uint32_t generator = 43 << 16 | 22)
      : words_{kMagic, 0x00010400, generator, 40, 0} {}

  ModuleBuilder &add(std::uint32_t opcode, const Words &operands) {
    words_.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 |
                     opcode);
    words_ = std::move(words_) + operands;
    return *this;
  }
  ModuleBuilder &word(std::uint32_t v) {
    words_.push_back(v);
    return *this;
  }
  std::uint64_t size() const { return 4 * words_.size(); }
  std::vector<std::byte> build(bool big_endian = false) const {
    Builder b;
    for (std::uint32_t w : words_)
      b.u32(big_endian ? std::byteswap(w) : w);
    return b.take();
  }

private:
  Words words_;
};

} // namespace gantry::spirv

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: LLVM bitcode, bit by bit.
#pragma once

#include "base/reader.h"

#include <vector>

namespace gantry::bitcode {

// Bits from the lowest on; blocks with their lengths.
class BitWriter {
public:
  BitWriter &fixed(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; i++) {
      if (used_ % 8 == 0)
        bytes_.push_back(std::byte{0});
      if (value >> i & 1)
        bytes_.back() |= std::byte{1} << used_ % 8;
      used_++;
    }
    return *this;
  }
  BitWriter &vbr(std::uint64_t value, unsigned width) {
    const std::uint64_t more = std::uint64_t{1} << (width - 1);
    for (; value >= more; value >>= width - 1)
      fixed((value & (more - 1)) | more, width);
    return fixed(value, width);
  }
  BitWriter &align() {
    while (used_ % 32 != 0)
      fixed(0, 1);
    return *this;
  }
  // An abbreviation id, in the block that is open.
  BitWriter &id(std::uint64_t v) { return fixed(v, widths_.back()); }

  BitWriter &enter(std::uint64_t block, unsigned width) {
    id(1).vbr(block, 8).vbr(width, 4).align();
    starts_.push_back(bytes_.size());
    widths_.push_back(width);
    return fixed(0, 32);
  }
  BitWriter &end() {
    id(0).align();
    const std::size_t at = starts_.back();
    set_length(at, (bytes_.size() - at - 4) / 4);
    starts_.pop_back();
    widths_.pop_back();
    return *this;
  }
  BitWriter &record(std::uint64_t code, std::string_view text) {
    id(3).vbr(code, 6).vbr(text.size(), 6);
    for (char c : text)
      vbr(static_cast<unsigned char>(c), 6);
    return *this;
  }
  BitWriter &number(std::uint64_t code, std::uint64_t value) {
    return id(3).vbr(code, 6).vbr(1, 6).vbr(value, 6);
  }

  // Operands of an abbreviation.
  BitWriter &define(unsigned operands) { return id(2).vbr(operands, 5); }
  BitWriter &literal(std::uint64_t v) { return fixed(1, 1).vbr(v, 8); }
  BitWriter &encoding(unsigned v) { return fixed(0, 1).fixed(v, 3); }
  BitWriter &sized(unsigned v, unsigned width) {
    return encoding(v).vbr(width, 5);
  }

  void set_length(std::size_t at, std::uint64_t words) {
    for (unsigned i = 0; i < 4; i++)
      bytes_.at(at + i) = static_cast<std::byte>(words >> (8 * i));
  }
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte> bytes() const { return bytes_; }

private:
  std::vector<std::byte> bytes_ = {std::byte{'B'}, std::byte{'C'},
                                   std::byte{0xc0}, std::byte{0xde}};
  std::uint64_t used_ = 32;
  std::vector<std::size_t> starts_;
  std::vector<unsigned> widths_ = {2};
};

enum : unsigned { kFixed = 1, kVbr, kArray, kChar6, kBlob };

} // namespace gantry::bitcode

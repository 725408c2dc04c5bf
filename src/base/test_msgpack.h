// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: MessagePack documents built value by value.
#pragma once

#include <string>
#include <string_view>

namespace gantry {

// Appends values in the shortest forms that hold them; each call returns the
// packer. Texts up to 255 bytes, counts up to 65535.
class Packer {
public:
  Packer &map(unsigned pairs) { return head(0x80, 15, 0xde, pairs); }
  Packer &array(unsigned items) { return head(0x90, 15, 0xdc, items); }
  Packer &text(std::string_view s) {
    if (s.size() < 32)
      byte(0xa0 + static_cast<unsigned>(s.size()));
    else
      byte(0xd9).byte(static_cast<unsigned>(s.size()));
    data_ += s;
    return *this;
  }
  Packer &number(unsigned n) {
    if (n < 128)
      return byte(n);
    return byte(0xce).byte(n >> 24).byte(n >> 16).byte(n >> 8).byte(n);
  }
  Packer &boolean(bool b) { return byte(b ? 0xc3 : 0xc2); }
  Packer &nil() { return byte(0xc0); }
  Packer &pair(std::string_view key, std::string_view value) {
    return text(key).text(value);
  }
  Packer &pair(std::string_view key, unsigned value) {
    return text(key).number(value);
  }
  Packer &byte(unsigned b) {
    data_ += static_cast<char>(b);
    return *this;
  }

  const std::string &str() const { return data_; }

private:
  Packer &head(unsigned small, unsigned most, unsigned wide, unsigned n) {
    if (n <= most)
      return byte(small + n);
    return byte(wide).byte(n >> 8).byte(n);
  }

  std::string data_;
};

} // namespace gantry

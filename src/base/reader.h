// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/error.h"

#include <bit>
#include <concepts>
#include <cstring>

namespace gantry {

// The one place that decides whether [offset, offset + size) lies in a buffer
// of `total` bytes. Written so that no addition can wrap.
constexpr bool fits(std::uint64_t offset, std::uint64_t size,
                    std::uint64_t total) {
  return size <= total && offset <= total - size;
}

// Bytes as text and text as bytes, both without a copy. No encoding is implied.
inline std::string_view as_text(Bytes b) {
  return {reinterpret_cast<const char *>(b.data()), b.size()};
}
inline Bytes as_bytes(std::string_view s) {
  return std::as_bytes(std::span(s.data(), s.size()));
}

// A bounded little-endian cursor over bytes that it does not own.
//
// Errors are sticky: after the first failed read every read returns zero and
// changes nothing, so a caller reads a whole group of fields and checks once.
// A value read is only trustworthy after ok() has been checked.
class Reader {
public:
  explicit Reader(Bytes data) : data_(data) {}

  std::uint8_t u8(const char *what) { return integer<std::uint8_t>(what); }
  std::uint16_t u16(const char *what) { return integer<std::uint16_t>(what); }
  std::uint32_t u32(const char *what) { return integer<std::uint32_t>(what); }
  std::uint64_t u64(const char *what) { return integer<std::uint64_t>(what); }

  Bytes bytes(std::uint64_t size, const char *what) {
    if (failed_)
      return {};
    if (!fits(pos_, size, data_.size())) {
      failed_ = what;
      return {};
    }
    Bytes out = data_.subspan(pos_, size);
    pos_ += size;
    return out;
  }

  std::string_view text(std::uint64_t size, const char *what) {
    return as_text(bytes(size, what));
  }

  // The text up to the next NUL, which is consumed too. At most `limit` bytes.
  std::string_view c_string(std::uint64_t limit, const char *what) {
    if (failed_)
      return {};
    std::string_view rest = as_text(data_.subspan(pos_));
    std::size_t end = rest.substr(0, limit).find('\0');
    if (end == std::string_view::npos) {
      failed_ = what;
      return {};
    }
    pos_ += end + 1;
    return rest.substr(0, end);
  }

  void skip(std::uint64_t size, const char *what) { bytes(size, what); }

  void seek(std::uint64_t offset, const char *what) {
    if (!failed_ && !fits(offset, 0, data_.size()))
      failed_ = what;
    if (!failed_)
      pos_ = offset;
  }

  bool ok() const { return failed_ == nullptr; }
  std::uint64_t pos() const { return pos_; }
  std::uint64_t left() const { return data_.size() - pos_; }

  // The error for the first failed read; only valid when !ok(). `base` is where
  // the reader's bytes start in the input that the error's offset counts in.
  std::unexpected<Error> error(std::uint64_t base = 0) const {
    return fail(Errc::truncated, base + pos_, failed_);
  }

private:
  template <std::unsigned_integral T> T integer(const char *what) {
    Bytes b = bytes(sizeof(T), what);
    if (b.empty())
      return 0;
    T v;
    std::memcpy(&v, b.data(), sizeof v);
    if constexpr (std::endian::native == std::endian::big && sizeof(T) > 1)
      v = std::byteswap(v);
    return v;
  }

  Bytes data_;
  std::uint64_t pos_ = 0;
  const char *failed_ = nullptr;
};

} // namespace gantry

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the outline of a frame (RFC 8878):
//
//   u32 magic FD2FB528
//   u8  descriptor: bits 0-1 size of the dictionary id, 2 checksum, 3 reserved,
//       5 single segment, 6-7 size of the content size
//   u8  window, unless single segment
//   dictionary id: 0, 1, 2 or 4 bytes; content size: 0 (1 if single segment),
//   2 (and 256 more), 4 or 8 bytes
//   blocks: u24 header: bit 0 last, bits 1-2 type (raw, run of one byte,
//   compressed, reserved), then the size; a run has one byte
//   u32 checksum, if any

#include "format/zstd_frame.h"

#include <algorithm>

namespace gantry::zstd_frame {

namespace {

constexpr std::uint64_t kHeaderMax = 18;
constexpr std::uint64_t kBlockHeader = 3;
enum : std::uint32_t { kBlockRun = 1, kBlockReserved = 3 };

struct Header {
  std::uint64_t size = 0;
  std::optional<std::uint64_t> decoded_size;
  bool checksum = false;
};

std::uint64_t read_integer(Reader &r, std::uint64_t size, const char *what) {
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i < size; i++)
    value |= std::uint64_t{r.u8(what)} << (8 * i);
  return value;
}

Result<Header> read_header(Bytes start) {
  Reader r(start);
  const std::string_view magic = r.text(kMagic.size(), "zstd magic");
  if (!r.ok())
    return r.error();
  if (magic != kMagic)
    return fail(Errc::bad_magic, 0, "zstd magic");
  const std::uint8_t descriptor = r.u8("zstd frame descriptor");
  if (r.ok() && (descriptor & 8) != 0)
    return fail(Errc::bad_value, 4, "zstd frame descriptor");
  const bool single = (descriptor & 0x20) != 0;
  if (!single)
    r.skip(1, "zstd window");
  constexpr std::uint64_t kIdSizes[] = {0, 1, 2, 4};
  r.skip(kIdSizes[descriptor & 3], "zstd dictionary id");
  const std::uint64_t content_sizes[] = {single ? 1u : 0u, 2, 4, 8};
  const std::uint64_t content_size = content_sizes[descriptor >> 6];
  Header h;
  h.decoded_size = read_integer(r, content_size, "zstd content size");
  if (content_size == 0)
    h.decoded_size.reset();
  else if (content_size == 2)
    *h.decoded_size += 256;
  h.checksum = (descriptor & 4) != 0;
  if (!r.ok())
    return r.error();
  h.size = r.pos();
  return h;
}

} // namespace

Result<Frame> read(const Source &source, std::uint64_t begin,
                   std::uint64_t end) {
  if (begin > end || end > source.size())
    return fail(Errc::invalid_argument, begin, "zstd frame: region");
  Buffer scratch;
  GANTRY_TRY(Bytes start,
             source.read(begin, std::min(kHeaderMax, end - begin), scratch));
  auto header = read_header(start);
  if (!header) {
    Error e = header.error();
    e.offset += begin;
    return std::unexpected(std::move(e));
  }
  std::uint64_t pos = begin + header->size;
  for (bool last = false; !last;) {
    if (!fits(pos, kBlockHeader, end))
      return fail(Errc::truncated, pos, "zstd block");
    GANTRY_TRY(Bytes bytes, source.read(pos, kBlockHeader, scratch));
    Reader r(bytes);
    const std::uint64_t block = read_integer(r, kBlockHeader, "zstd block");
    const std::uint64_t type = block >> 1 & 3;
    if (type == kBlockReserved)
      return fail(Errc::bad_value, pos, "zstd block type");
    const std::uint64_t size = type == kBlockRun ? 1 : block >> 3;
    if (!fits(pos + kBlockHeader, size, end))
      return fail(Errc::truncated, pos, "zstd block");
    pos += kBlockHeader + size;
    last = (block & 1) != 0;
  }
  if (header->checksum) {
    if (!fits(pos, 4, end))
      return fail(Errc::truncated, pos, "zstd checksum");
    pos += 4;
  }
  return Frame{pos - begin, header->decoded_size};
}

} // namespace gantry::zstd_frame

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the compressed clang offload bundle (LLVM's OffloadBundler.cpp; checked
// with files of clang 19 and 22, version 1 with files made by hand):
//
//        version 1        version 2               version 3
//   0    "CCOB", u16 version, u16 method: 0 zlib, 1 zstd
//   8    u32 decoded size u32 total size          u64 total size
//   12   u64 hash         u32 decoded size
//   16                    u64 hash                u64 decoded size
//   24                                            u64 hash
//
// The total size counts the header. The hash is the first 8 bytes of the MD5 of
// the decoded bytes, which are exactly one bundle. Linked files hold several,
// each at a multiple of 4096 from the section's start, with zeros between them;
// files put together by hand hold them at any place.

#include "format/ccob.h"

#include "base/digest.h"
#include "format/bundle.h"
#include "format/zstd_frame.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::ccob {

namespace {

constexpr std::uint64_t kStep = 4096; // where linked containers may begin
constexpr std::uint64_t kVersionAt = 4;
constexpr std::uint64_t kMethodAt = 6;
constexpr std::uint64_t kTotalAt = 8;

bool begins_container(Bytes start) {
  return as_text(start).starts_with(kMagic) ||
         as_text(start).starts_with(bundle::kMagic);
}

// From `begin` to the next place where a container begins, or to `end`. Looks
// at a few bytes of every page and reads nothing else.
Result<std::uint64_t> to_next_container(const Source &source,
                                        std::uint64_t region,
                                        std::uint64_t begin,
                                        std::uint64_t end) {
  Buffer scratch;
  std::uint64_t step = kStep - (begin - region) % kStep;
  for (std::uint64_t at = begin; step < end - at; step = kStep) {
    at += step;
    std::uint64_t size =
        std::min<std::uint64_t>(bundle::kMagic.size(), end - at);
    GANTRY_TRY(Bytes start, source.read(at, size, scratch));
    if (begins_container(start))
      return at - begin;
  }
  return end - begin;
}

// The same for a container whose only zstd frame starts at `frame`: behind it
// and zeros, wherever that is. Nothing when no container begins there.
std::optional<std::uint64_t> behind_frame(const Source &source,
                                          std::uint64_t begin,
                                          std::uint64_t frame,
                                          std::uint64_t end) {
  auto outline = zstd_frame::read(source, frame, end);
  if (!outline)
    return std::nullopt;
  Buffer scratch;
  for (std::uint64_t at = frame + outline->size; at < end;) {
    auto bytes = source.read(at, std::min(kStep, end - at), scratch);
    if (!bytes)
      return std::nullopt;
    auto it = std::ranges::find_if(
        *bytes, [](std::byte b) { return b != std::byte{0}; });
    at += static_cast<std::uint64_t>(it - bytes->begin());
    if (it == bytes->end())
      continue;
    auto start = source.read_up_to(
        at, std::min<std::uint64_t>(bundle::kMagic.size(), end - at), scratch);
    if (start && begins_container(*start))
      return at - begin;
    break;
  }
  return std::nullopt;
}

// Version 1 does not say where the stream ends and the padding begins. A zstd
// frame may end in any number of zeros of its own, and tells its length. A zlib
// stream ends in a checksum: it gets back more zeros than that has bytes, but
// no more than decode() takes for padding.
Bytes without_padding(Bytes stream, Codec codec) {
  std::uint64_t size = stream.size();
  while (size != 0 && stream[size - 1] == std::byte{0})
    size--;
  if (codec == Codec::zstd)
    size = std::max(size, zstd_frame_size(stream).value_or(0));
  else
    size = std::min<std::uint64_t>(size + 7, stream.size());
  return stream.first(size);
}

} // namespace

Result<Header> read_header(Bytes start) {
  Reader r(start);
  std::string_view magic = r.text(kMagic.size(), "CCOB magic");
  if (!r.ok())
    return r.error();
  if (magic != kMagic)
    return fail(Errc::bad_magic, 0, "CCOB magic");
  Header h;
  h.version = r.u16("CCOB version");
  h.method = r.u16("CCOB method");
  auto wide = [&](const char *what) {
    return h.version == 3 ? r.u64(what) : r.u32(what);
  };
  if (h.version >= 1 && h.version <= 3) {
    if (h.version >= 2)
      h.total_size = wide("CCOB total size");
    h.decoded_size = wide("CCOB decoded size");
    Bytes hash = r.bytes(8, "CCOB hash");
    if (r.ok())
      std::ranges::copy(hash, h.hash.emplace().begin());
  }
  if (!r.ok())
    return r.error();
  h.size = r.pos();

  auto limit = [&](Errc code, std::uint64_t offset, std::string what) {
    h.limitation = Error{code, offset, std::move(what), {}};
  };
  if (!h.decoded_size)
    limit(Errc::unsupported, kVersionAt,
          fmt::format("CCOB version {}", h.version));
  else if (h.method != kMethodZlib && h.method != kMethodZstd)
    limit(Errc::unsupported, kMethodAt,
          fmt::format("CCOB compression method {}", h.method));
  else if (h.total_size && *h.total_size < h.size)
    limit(Errc::bad_value, kTotalAt, "CCOB total size");
  return h;
}

Result<Extent> extent(const Source &source, std::uint64_t region,
                      std::uint64_t begin, std::uint64_t end,
                      const Header &header) {
  if (region > begin || begin > end || end > source.size())
    return fail(Errc::invalid_argument, begin, "CCOB: region");
  const bool possible = header.total_size && *header.total_size >= header.size;
  if (possible && *header.total_size <= end - begin)
    return Extent{*header.total_size, std::nullopt};
  Extent out;
  if (header.version == 1 && header.method == kMethodZstd)
    if (auto size = behind_frame(source, begin, begin + header.size, end)) {
      out.size = *size;
      return out;
    }
  GANTRY_TRY(out.size, to_next_container(source, region, begin, end));
  if (header.total_size)
    out.damage = Error{possible ? Errc::truncated : Errc::bad_value,
                       begin + kTotalAt,
                       "CCOB total size",
                       {}};
  return out;
}

Result<Bytes> decode(Bytes container, const Header &header,
                     Decompressor &decompressor, const Limits &limits,
                     Buffer &out) {
  if (header.limitation)
    return std::unexpected(*header.limitation);
  if (!header.decoded_size || !header.hash)
    return fail(Errc::unsupported, 4, "CCOB version");
  const std::uint64_t total = header.total_size.value_or(container.size());
  if (total > container.size() || header.size > total)
    return fail(Errc::truncated, container.size(), "CCOB");
  Bytes stream = container.subspan(header.size, total - header.size);
  const Codec codec = header.method == kMethodZlib ? Codec::zlib : Codec::zstd;
  if (!header.total_size)
    stream = without_padding(stream, codec);
  auto decoded =
      decompressor.decode(codec, stream, *header.decoded_size, limits, out);
  if (!decoded) {
    Error error = std::move(decoded).error();
    error.offset += header.size;
    return std::unexpected(std::move(error));
  }
  Md5 md5;
  md5.update(*decoded);
  if (!std::ranges::equal(Bytes(md5.digest()).first(8), *header.hash))
    return fail(Errc::corrupt, header.size - 8, "CCOB hash");
  if (!as_text(*decoded).starts_with(bundle::kMagic))
    return fail(Errc::bad_magic, 0, "decoded CCOB: bundle magic");
  return decoded;
}

} // namespace gantry::ccob

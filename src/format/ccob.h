// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCOB: a compressed clang offload bundle. Layout: ccob.cc.
#pragma once

#include "base/decompress.h"

#include <array>
#include <optional>

namespace gantry::ccob {

inline constexpr std::string_view kMagic = "CCOB";
inline constexpr std::uint64_t kHeaderMax = 32;

enum : std::uint16_t { kMethodZlib = 0, kMethodZstd = 1 };

struct Header {
  std::uint16_t version = 0; // raw
  std::uint16_t method = 0;  // raw
  std::uint64_t size = 0;    // of the header; 8 when the version is unknown
  // With the header. Unknown in version 1 and in unknown versions.
  std::optional<std::uint64_t> total_size;
  std::optional<std::uint64_t> decoded_size; // unknown in unknown versions
  // The first 8 bytes of the decoded bytes' MD5.
  std::optional<std::array<std::byte, 8>> hash;
  // Why the container cannot be decoded: an unknown version or method
  // (unsupported), or a total size below the header's (bad_value).
  std::optional<Error> limitation;
};

// Reads the header at the front of `start` (kHeaderMax bytes are enough; fewer
// at the end of a region). Offsets of errors count from there. Errors:
// bad_magic, truncated.
Result<Header> read_header(Bytes start);

struct Extent {
  std::uint64_t size = 0; // from the container's first byte
  // Set when the size that the container states cannot be (truncated), so that
  // `size` only says where the next container may start.
  std::optional<Error> damage;
};

// How many bytes belong to the container at `begin` in the region
// [region, end) of the source. A size in the header decides. Without one (or
// with an impossible one) the container reaches up to the next CCOB or bundle
// magic at a multiple of 4096 from the region's start (in version 1 with zstd,
// whose frame tells its length: to one that follows, wherever that is), else to
// the region's end; zeros in between belong to it. Errors: those of reading.
Result<Extent> extent(const Source &source, std::uint64_t region,
                      std::uint64_t begin, std::uint64_t end,
                      const Header &header);

// Decodes the container (its whole extent, header included) into `out`. The
// bytes returned lie in it: exactly decoded_size of them, with the right hash,
// beginning with the bundle magic. Errors: the header's limitation, truncated,
// too_large, unsupported, corrupt (the stream, or the hash), bad_magic (of the
// decoded bytes). Offsets count in the container, but bad_magic's in the
// decoded bytes.
Result<Bytes> decode(Bytes container, const Header &header,
                     Decompressor &decompressor, const Limits &limits,
                     Buffer &out);

} // namespace gantry::ccob

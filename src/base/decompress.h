// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decompression of whole payloads whose decoded size is declared beforehand.
// With compress.h this is the only place that sees liblz4, zstd and zlib.
#pragma once

#include "base/source.h"

#include <memory>
#include <optional>

namespace gantry {

enum class Codec : std::uint8_t { none, lz4_block, lz4_frame, zstd, zlib };

// The word reports use: none, lz4-block, lz4-frame, zstd, zlib.
std::string_view word(Codec codec);

// Decodes payload after payload; keeps what a codec can use again. One per
// thread.
class Decompressor {
public:
  Decompressor();
  ~Decompressor();
  Decompressor(Decompressor &&) noexcept;
  Decompressor &operator=(Decompressor &&) noexcept;

  // Exactly `decoded_size` bytes out of all of `input`. The result lies in
  // `out` (Codec::none: in `input`) and lives as long as that is left alone.
  //
  // `input` may end in up to 7 zero bytes of padding. Sizes are checked before
  // memory is asked for. Errors, whose offsets count in `input`:
  //   too_large    over Limits::decoded_bytes or decoded_ratio, or no memory
  //   corrupt      the decoder refuses the bytes, or they decode to another
  //                size, or bytes are left over
  //   unsupported  an LZ4 block above that format's 2 GiB, an old zstd frame
  Result<Bytes> decode(Codec codec, Bytes input, std::uint64_t decoded_size,
                       const Limits &limits, Buffer &out);

private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

// The same for a single payload.
Result<Bytes> decompress(Codec codec, Bytes input, std::uint64_t decoded_size,
                         const Limits &limits, Buffer &out);

// The first `most` bytes, or fewer, that raw deflate data stand for; `input`
// may be any part of them from their beginning on. For a look at what they
// hold.
Result<Bytes> inflate_start(Bytes input, std::uint64_t most, Buffer &out);

// How long the zstd frame at the front of `input` is, as its block headers
// tell; nothing when there is none. For formats that pad a frame with more
// zeros than decode() takes: a frame may end in zeros of its own.
std::optional<std::uint64_t> zstd_frame_size(Bytes input);

// What the zstd frame that `input` is decodes to, for frames that do not state
// it: decodes all of it and keeps nothing. Errors: too_large (also: a window of
// more than 128 MiB), corrupt.
Result<std::uint64_t> zstd_decoded_size(Bytes input, const Limits &limits);

} // namespace gantry

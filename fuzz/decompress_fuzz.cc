// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/decompress.h"

#include <cstdlib>

using namespace gantry;

// Input: u8 codec, u32 decoded size, payload.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  static Decompressor decompressor;
  static Buffer out;
  Reader r(std::as_bytes(std::span(data, size)));
  auto codec = static_cast<Codec>(r.u8("codec") % 5);
  std::uint64_t decoded_size = r.u32("decoded size");
  if (!r.ok())
    return 0;
  Limits limits;
  limits.decoded_bytes = 1 << 20;
  Bytes payload = r.bytes(r.left(), "payload");
  auto result = decompressor.decode(codec, payload, decoded_size, limits, out);
  if (result && result->size() != decoded_size)
    std::abort();
  auto frame = zstd_frame_size(payload);
  if (word(codec) == "unknown" || (frame && *frame > payload.size()))
    std::abort();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/ccob.h"

using namespace gantry;

// Walks the input as a section of containers.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  Bytes input = std::as_bytes(std::span(data, size));
  MemorySource source(input);
  Limits limits;
  limits.decoded_bytes = 1 << 20;
  limits.ratio_floor = 1 << 16;
  Decompressor decompressor;
  Buffer out;
  for (std::uint64_t at = 0; at < size;) {
    auto header = ccob::read_header(input.subspan(at));
    if (!header)
      break;
    auto extent = ccob::extent(source, 0, at, size, *header);
    if (!extent || extent->size == 0 || !fits(at, extent->size, size))
      __builtin_trap();
    auto decoded = ccob::decode(input.subspan(at, extent->size), *header,
                                decompressor, limits, out);
    if (decoded && decoded->size() != header->decoded_size)
      __builtin_trap();
    at += extent->size;
  }
  return 0;
}

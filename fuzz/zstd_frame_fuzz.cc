// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/zstd_frame.h"

#include "base/decompress.h"

using namespace gantry;

// Whatever the library takes for a frame has the same outline here.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  Bytes input = std::as_bytes(std::span(data, size));
  auto frame = zstd_frame::read(MemorySource(input), 0, size);
  if (frame && frame->size > size)
    __builtin_trap();
  auto theirs = zstd_frame_size(input);
  if (theirs && (!frame || frame->size != *theirs))
    __builtin_trap();
  if (!frame || frame->decoded_size)
    return 0;
  Limits limits;
  limits.decoded_bytes = 1 << 20;
  limits.ratio_floor = 1 << 16;
  auto decoded = zstd_decoded_size(input.first(frame->size), limits);
  if (decoded && *decoded > limits.decoded_bytes)
    __builtin_trap();
  return 0;
}

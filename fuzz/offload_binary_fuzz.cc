// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/offload_binary.h"

using namespace gantry;

namespace {

void check(const offload_binary::Binary &b, std::uint64_t size) {
  if (b.extent > size)
    __builtin_trap();
  std::uint64_t copied = 0;
  for (const offload_binary::Entry &e : b.entries) {
    if (e.image_size != 0 && !e.image_damage &&
        !fits(e.image_offset, e.image_size, b.extent))
      __builtin_trap();
    for (const auto &[key, value] : e.strings)
      copied += key.size() + value.size();
  }
  if (copied > 4 * size + (64 << 10))
    __builtin_trap();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  Bytes input = std::as_bytes(std::span(data, size));
  auto header = offload_binary::read_header(input);
  if (!header)
    return 0;
  Limits limits;
  limits.decoded_bytes = 1 << 20;
  limits.ratio_floor = 1 << 16;
  limits.name_bytes = 1 << 10;
  if (!header->compressed()) {
    auto read =
        offload_binary::read(MemorySource(input), 0, size, *header, limits);
    if (read)
      check(*read, size);
    return 0;
  }
  Decompressor decompressor;
  Buffer out;
  auto body =
      offload_binary::inflate(input, *header, decompressor, limits, out);
  if (!body)
    return 0;
  auto read = offload_binary::read_inflated(*body, *header, limits);
  if (read)
    check(*read, header->inflated_size);
  return 0;
}

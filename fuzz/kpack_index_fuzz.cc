// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/kpack_index.h"

using namespace gantry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  MemorySource source(std::as_bytes(std::span(data, size)));
  Limits limits;
  limits.records = 1 << 12;
  auto index = kpack::read_index(source, 0, size, limits);
  if (!index)
    return 0;
  kpack::locate_frames(source, 0, limits, *index);
  if (index->end > size)
    __builtin_trap();
  for (const kpack::Blob &b : index->blobs)
    if (b.outside == fits(b.offset, b.size, size) && b.size != 0)
      __builtin_trap();
  for (const kpack::Entry &e : index->entries) {
    index->binaries.at(e.binary);
    index->targets.at(e.target);
    index->types.at(e.type);
    if (!fits(e.metadata_first, e.metadata_count, index->metadata.size()))
      __builtin_trap();
    if (const kpack::Blob *b = blob_of(*index, e);
        b && (b < index->blobs.data() ||
              b >= index->blobs.data() + index->blobs.size()))
      __builtin_trap();
  }
  return 0;
}

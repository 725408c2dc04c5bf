// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/bundle.h"

using namespace gantry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  Bytes input = std::as_bytes(std::span(data, size));
  bundle::plausible_header(input, size);
  MemorySource source(input);
  auto read = bundle::read(source, 0, size, {});
  if (!read)
    return 0;
  if (read->extent > size || read->header_size > read->extent)
    __builtin_trap();
  for (const bundle::Entry &e : read->entries)
    if (!e.damage && !fits(e.offset, e.size, read->extent))
      __builtin_trap();
  return 0;
}

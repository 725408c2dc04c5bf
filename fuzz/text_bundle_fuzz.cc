// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/text_bundle.h"

#include <algorithm>

using namespace gantry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  Bytes input = std::as_bytes(std::span(data, size));
  const bool probed = text_bundle::probe(
      input.first(std::min<std::size_t>(size, text_bundle::kProbeBytes)));
  auto read = text_bundle::read(MemorySource(input), {});
  if (read.has_value() != probed)
    __builtin_trap();
  if (!read)
    return 0;
  std::uint64_t last = 0;
  for (const text_bundle::Entry &e : read->entries) {
    if (e.marker_offset < last || e.marker_offset > e.offset ||
        !fits(e.offset, e.size, size))
      __builtin_trap();
    last = e.offset + e.size;
  }
  return 0;
}

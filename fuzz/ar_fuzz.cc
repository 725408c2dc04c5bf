// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/ar.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  gantry::MemorySource source(std::as_bytes(std::span(data, size)));
  auto archive = gantry::ar::Archive::open(source, {});
  if (!archive)
    return 0;
  std::uint64_t last = 0;
  for (;;) {
    auto member = archive->next();
    if (!member || !*member)
      return 0;
    const gantry::ar::Member &m = **member;
    // Members lie in the archive, one behind the other.
    if (m.header_offset < last || m.offset <= m.header_offset ||
        (m.stored && !gantry::fits(m.offset, m.size, size)))
      std::abort();
    last = m.stored ? m.offset + m.size : m.offset;
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/fatbin.h"

#include <cstdlib>

using namespace gantry;

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  Bytes input = std::as_bytes(std::span(data, size));
  MemorySource source(input);
  if (auto c = fatbin::read_container(source, 0, size, {})) {
    require(fatbin::plausible_header(input));
    require(c->ends_exactly == !c->damage);
    std::uint64_t at = fatbin::kContainerHeader;
    for (const fatbin::Entry &e : c->entries) {
      require(e.offset >= at && e.stored_size() <= e.payload_size);
      at = e.end();
      require(at <= size);
    }
    require(at <= c->entries_end && c->entries_end <= size);
    require(!c->ends_exactly || at == c->entries_end);
  }
  fatbin::read_wrappers(input);
  return 0;
}

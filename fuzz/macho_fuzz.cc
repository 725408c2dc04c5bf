// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/macho.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  using namespace gantry;
  const MemorySource source(std::as_bytes(std::span(data, size)));
  auto read = [](const Source &part) {
    auto file = macho::File::open(part, Limits{});
    if (file && file->sections().size() > part.size() / 68)
      std::abort();
  };
  read(source);
  if (auto slices = macho::read_slices(source))
    for (const macho::Slice &s : slices->list)
      read(SliceSource(source, s.offset, s.size));
  return 0;
}

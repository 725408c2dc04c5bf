// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/pe.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  using namespace gantry;
  const MemorySource source(std::as_bytes(std::span(data, size)));
  auto file = pe::File::open(source, Limits{});
  if (!file)
    return 0;
  if (file->sections().size() > size / 40)
    std::abort();
  for (const pe::Section &s : file->sections())
    if (auto name = file->name(s); name && name->size() > size)
      std::abort();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/elf.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  using namespace gantry;
  const Bytes image = std::as_bytes(std::span(data, size));
  elf::read_notes(image);
  const MemorySource source(image);
  auto file = elf::File::open(source, Limits{});
  if (!file)
    return 0;
  // Sections can all cover the whole image.
  std::uint64_t left = 16 * size;
  for (const elf::Section &s : file->sections()) {
    Buffer scratch;
    if (!file->name(s).empty() && !file->has_name(s))
      std::abort();
    auto bytes = file->contents(s, scratch);
    if (!bytes || bytes->size() > left)
      continue;
    left -= bytes->size();
    if (s.type == elf::kSectionNote)
      elf::read_notes(*bytes);
    auto symbols = file->symbols(s, scratch);
    if (!symbols)
      continue;
    for (const elf::Symbol &symbol : symbols->list)
      symbols->names.at(symbol.name);
  }
  return 0;
}

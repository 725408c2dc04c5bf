// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/bitcode.h"

using namespace gantry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  auto file = bitcode::read(std::as_bytes(std::span(data, size)), Limits{});
  if (!file)
    return 0;
  for (const bitcode::Module &m : file->modules)
    // A block and the one bit per character that texts take at least; literals
    // of abbreviations take none.
    if (!fits(m.offset, 8, size) || m.triple.size() > 8 * size + 32)
      __builtin_trap();
  if (file->damage && file->damage->offset > size)
    __builtin_trap();
  if (file->modules.empty() && !file->damage)
    __builtin_trap();
  return 0;
}

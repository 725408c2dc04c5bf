// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/spirv.h"

using namespace gantry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  Limits limits;
  limits.records = 1 << 12;
  auto module =
      spirv::read_module(std::as_bytes(std::span(data, size)), limits);
  if (!module)
    return 0;
  for (const spirv::EntryPoint &e : module->entry_points)
    if (!fits(e.offset, 16, size) || e.name.size() >= size)
      __builtin_trap();
  if (module->damage && module->damage->offset > size)
    __builtin_trap();
  if (!module->damage && size % 4 != 0)
    __builtin_trap();
  return 0;
}

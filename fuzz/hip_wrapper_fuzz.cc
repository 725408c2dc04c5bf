// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/hip_wrapper.h"

using namespace gantry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  auto read = hip::read_wrappers(std::as_bytes(std::span(data, size)));
  for (const hip::Wrapper &w : read.list)
    if (!fits(w.offset, hip::kWrapperSize, size))
      __builtin_trap();
  return 0;
}

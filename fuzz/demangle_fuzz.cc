// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/demangle.h"

#include <cstdlib>

// Any name: bounded output, bounded time and stack.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  const std::string_view name(reinterpret_cast<const char *>(data), size);
  if (gantry::demangle(name).size() > gantry::kDemangledLimit)
    std::abort();
  return 0;
}

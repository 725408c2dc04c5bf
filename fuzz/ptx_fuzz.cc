// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/ptx.h"

#include <cstdlib>

using namespace gantry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  Bytes input = std::as_bytes(std::span(data, size));
  auto module = ptx::read_module(input, {});
  if (module)
    ptx::effective_target(*module);
  // What the probe refuses is no module, and the other way round.
  ptx::Probe probe = ptx::probe(input);
  if (module ? probe == ptx::Probe::no : probe == ptx::Probe::yes)
    std::abort();
  return 0;
}

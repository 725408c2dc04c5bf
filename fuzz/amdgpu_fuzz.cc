// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/amdgpu.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  auto o = gantry::amdgpu::read_object(std::as_bytes(std::span(data, size)),
                                       gantry::Limits{});
  return o && o->kernels.size() > size ? -1 : 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/amdgpu_yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  gantry::amdgpu::Metadata out;
  gantry::amdgpu::Limitations limitations;
  gantry::amdgpu::read_yaml_metadata(std::as_bytes(std::span(data, size)), 0,
                                     gantry::Limits{}, out, limitations);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/kpack_marker.h"

using namespace gantry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  auto marker =
      kpack::read_marker(std::as_bytes(std::span(data, size)), Limits{});
  if (marker && (marker->search_paths.empty() || marker->size > size ||
                 marker->size > kpack::kMarkerMax))
    __builtin_trap();
  return 0;
}

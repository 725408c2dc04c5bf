// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/nvinfo.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  using namespace gantry;
  const Bytes section = std::as_bytes(std::span(data, size));
  nvinfo::Walk walk(section);
  std::uint64_t end = 0; // of the record before
  while (auto record = walk.next()) {
    if (record->offset != end)
      std::abort();
    end += 4 + record->payload.size();
    nvinfo::attribute_name(record->id);
    nvinfo::compat_name(record->id);
    nvinfo::parameter(*record);
    nvinfo::symbol_value(*record);
    nvinfo::dimensions(*record);
    nvinfo::number(*record);
    nvinfo::parameter_bank(*record);
  }
  if (walk.damage().has_value() != (end != size))
    std::abort();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/ptx.h"

#include <cstdlib>
#include <utility>

using namespace gantry;

namespace {

void check(bool holds) {
  if (!holds)
    std::abort();
}

// What the header promises, whatever the text.
void check(const ptx::Kernel &k) {
  check(!k.name.empty());
  bool laid_out = k.parameters_complete;
  std::uint64_t end = 0;
  for (const ptx::Parameter &p : k.parameters) {
    laid_out = laid_out && p.offset;
    check(!p.offset || (p.size && *p.offset >= end));
    if (p.offset)
      end = *p.offset + *p.size;
  }
  if (k.parameter_bytes)
    check(laid_out && *k.parameter_bytes == end);
  bool said[5] = {};
  for (const ptx::Limitation &l : k.limitations)
    check(!std::exchange(said[static_cast<int>(l.gap)], true));
  check(k.parameter_bytes.has_value() !=
        said[static_cast<int>(ptx::Gap::parameter_layout)]);
  check(k.registers.has_value() !=
        said[static_cast<int>(ptx::Gap::register_count)]);
  check(k.shared_bytes.has_value() !=
        said[static_cast<int>(ptx::Gap::shared_size)]);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  Bytes input = std::as_bytes(std::span(data, size));
  auto module = ptx::read_module(input, {});
  if (module) {
    ptx::effective_target(*module);
    check(module->shared_bytes.has_value() == module->limitations.empty());
    for (const ptx::Kernel &k : module->kernels)
      check(k);
  }
  // What the probe refuses is no module, and the other way round.
  ptx::Probe probe = ptx::probe(input);
  if (module ? probe == ptx::Probe::no : probe == ptx::Probe::yes)
    std::abort();
  return 0;
}

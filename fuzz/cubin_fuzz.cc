// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/cubin.h"

#include <cstdlib>

// All views point into the image.
static void check(gantry::Bytes image, gantry::Bytes view) {
  if (!view.empty() &&
      (view.data() < image.data() ||
       view.data() + view.size() > image.data() + image.size()))
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  using namespace gantry;
  const Bytes image = std::as_bytes(std::span(data, size));
  auto header = cubin::read_cubin_header(image);
  auto cubin = cubin::read_cubin(image, Limits{});
  if (header.has_value() != cubin.has_value())
    std::abort();
  if (!cubin)
    return 0;
  for (const cubin::Kernel &k : cubin->kernels) {
    check(image, as_bytes(k.name));
    for (const nvinfo::Record &r : k.attributes)
      check(image, r.payload);
    if (k.parameter_count && *k.parameter_count != k.parameters.size())
      std::abort();
  }
  for (const cubin::ToolNote &note : cubin->notes.tools)
    check(image, as_bytes(note.command_line));
  for (const cubin::Limitation &l : cubin->limitations)
    if (l.kernel && *l.kernel >= cubin->kernels.size())
      std::abort();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/msgpack.h"

#include <cstdlib>

namespace {

// Walks the whole tree, and counts it.
std::size_t walk(gantry::msgpack::Value v) {
  std::size_t n = 1 + (v.text() && v.text()->size() > SIZE_MAX / 2);
  v.each([&](gantry::msgpack::Value item) { n += walk(item); });
  v.each_pair([&](gantry::msgpack::Value key, gantry::msgpack::Value value) {
    n += walk(key) + walk(value);
  });
  return n;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  auto p = gantry::msgpack::parse(std::as_bytes(std::span(data, size)),
                                  gantry::Limits{});
  if (!p.document.empty() && walk(p.document.root()) != p.document.nodes.size())
    std::abort();
  return 0;
}

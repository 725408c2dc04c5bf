// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/msgpack.h"

#include <cstdlib>

namespace {

// A value has the form that its kind says, and no other.
void check(gantry::msgpack::Value v) {
  using enum gantry::msgpack::Kind;
  const auto kind = v.kind();
  if (v.boolean().has_value() != (kind == boolean) ||
      v.real().has_value() != (kind == real) ||
      v.text().has_value() != (kind == text || kind == binary) ||
      v.unsigned_integer().has_value() != (kind == integer) ||
      (v.signed_integer() && kind != integer && kind != negative) ||
      gantry::msgpack::word(kind) == "unknown" ||
      (v.find("key") && kind != map))
    std::abort();
}

// Walks the whole tree, and counts it.
std::size_t walk(gantry::msgpack::Value v) {
  check(v);
  std::size_t n = 1;
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

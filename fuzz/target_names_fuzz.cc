// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every reader of a target's name, over the same text. What was read must
// survive being printed and read again.
#include "gantry/target.h"

#include <cstdlib>

using namespace gantry;

namespace {

void check(const Target &target) {
  std::string name = target_name(target);
  if (word(target.vendor) == "unknown" || word(target.xnack) == "unknown")
    std::abort();
  if (target.vendor == Vendor::other)
    return;
  auto again = parse_target(name);
  if (!again || target_name(again->target) != name)
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  if (auto r = parse_target(text))
    check(r->target);
  else if (r.error().offset > size)
    std::abort();
  EntryId id = parse_entry_id(text);
  if (id.raw != text || word(id.kind).empty())
    std::abort();
  if (auto t =
          target_from_triple(text.substr(0, size / 2), text.substr(size / 2)))
    check(*t);
  if (id.target)
    check(*id.target);
  for (std::uint8_t abi = 0; abi < 6; abi++)
    if (auto t = amd_target_from_text(text, abi)) {
      if (t->vendor != Vendor::amd)
        std::abort();
      check(*t);
    }
  return 0;
}

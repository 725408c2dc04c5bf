// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the wrappers that clang and the HIP runtime agree on (clang's
// CGCUDANV.cpp; checked with objects, libraries and DLLs of clang 14 to 22):
//
//   0   u32 0x48495046, or 0x4B504948 once the code was moved to a kpack
//   archive 4   u32 version 1 8   u64 address of the bundle or of the kpack
//   reference 16  u64 0
//
// They lie one after the other, aligned to 8; a PE section ends in zeros.

#include "format/hip_wrapper.h"

#include <algorithm>

namespace gantry::hip {

namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kAlign = 8;

bool is_zero(Bytes bytes) {
  return std::ranges::all_of(bytes,
                             [](std::byte b) { return b == std::byte{0}; });
}

} // namespace

Wrappers read_wrappers(Bytes section) {
  Wrappers out;
  auto note = [&](Errc code, std::uint64_t offset, const char *what) {
    if (!out.damage)
      out.damage = Error{code, offset, what, {}};
  };
  for (std::uint64_t at = 0; at < section.size();) {
    Bytes rest = section.subspan(at);
    const std::uint64_t step = std::min<std::uint64_t>(kAlign, rest.size());
    Reader r(rest);
    Wrapper w;
    w.offset = at;
    w.magic = r.u32("HIP wrapper: magic");
    if (!r.ok() || (w.magic != kMagicFatbin && w.magic != kMagicKpack)) {
      if (!is_zero(rest.first(step)))
        note(Errc::bad_magic, at, "HIP wrapper: magic");
      at += step;
      continue;
    }
    w.version = r.u32("HIP wrapper: version");
    w.address = r.u64("HIP wrapper: address");
    w.reserved = r.u64("HIP wrapper: reserved field");
    if (!r.ok()) {
      note(Errc::truncated, at + r.pos(), "HIP wrapper");
      break;
    }
    if (w.version != kVersion)
      note(Errc::unsupported, at + 4, "HIP wrapper: version");
    out.list.push_back(w);
    at += kWrapperSize;
  }
  return out;
}

} // namespace gantry::hip

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the ELF header and the ISA note of an AMDGPU code object say (LLVM,
// "User Guide for AMDGPU Backend", ELF header and notes).
//
//   e_flags     ABI version 0, 1   2, 3 (V4, V5)   4 (V6)
//   0x000000FF  machine            machine         machine
//   0x00000100  xnack on or any
//   0x00000200  sramecc on or any
//   0x00000300                     xnack           xnack
//   0x00000C00                     sramecc         sramecc
//   0xFF000000                                     generic version
//
// Two-bit fields: 0 unsupported, 1 any, 2 off, 3 on. Objects of ABI version 0
// come in two kinds: true V1 and V2 with machine 0, whose ISA note has the
// target, and those of clang 14, which have the bits of V3 (observed).

#include "gantry/target.h"

#include "target/amd_name.h"
#include "target/amd_table.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry {

namespace {

constexpr std::uint8_t kAbiV3 = 1;
constexpr std::uint8_t kAbiV6 = 4;

constexpr std::uint32_t machine(std::uint32_t e_flags) {
  return e_flags & 0xff;
}

// A clear bit means off or unsupported, so off where there is a choice.
Feature one_bit(std::uint32_t bit, Selectable selectable) {
  if (selectable != Selectable::yes)
    return Feature::unspecified;
  return bit != 0 ? Feature::on_or_any : Feature::off;
}

Feature two_bits(std::uint32_t field) {
  constexpr Feature kValues[] = {Feature::unspecified, Feature::any,
                                 Feature::off, Feature::on};
  return kValues[field & 3];
}

// How AMD's runtime reads the numbers of V1 and V2, which had no features.
struct IsaNote {
  std::uint32_t major, minor, stepping;
  std::string_view processor;
  Feature sramecc, xnack;
};
constexpr Feature kUnsaid = Feature::unspecified;
constexpr IsaNote kIsaNotes[] = {
    {8, 0, 0, "gfx802", kUnsaid, kUnsaid},
    {8, 0, 1, "gfx801", kUnsaid, Feature::on},
    {8, 0, 4, "gfx803", kUnsaid, kUnsaid},
    {8, 1, 0, "gfx810", kUnsaid, Feature::on},
    {9, 0, 0, "gfx900", kUnsaid, Feature::off},
    {9, 0, 1, "gfx900", kUnsaid, Feature::on},
    {9, 0, 2, "gfx902", kUnsaid, Feature::off},
    {9, 0, 3, "gfx902", kUnsaid, Feature::on},
    {9, 0, 4, "gfx904", kUnsaid, Feature::off},
    {9, 0, 5, "gfx904", kUnsaid, Feature::on},
    {9, 0, 6, "gfx906", Feature::off, Feature::off},
    {9, 0, 7, "gfx906", Feature::off, Feature::on},
};

} // namespace

std::optional<Target> amd_target_from_flags(std::uint32_t e_flags,
                                            std::uint8_t abi_version) {
  const AmdProcessor *p =
      amd::find_mach(static_cast<std::uint8_t>(machine(e_flags)));
  if (p == nullptr || abi_version > kAbiV6)
    return std::nullopt;
  if (abi_version <= kAbiV3)
    return amd::target(p->name, one_bit(e_flags & 0x200, p->sramecc),
                       one_bit(e_flags & 0x100, p->xnack));
  Target t =
      amd::target(p->name, two_bits(e_flags >> 10), two_bits(e_flags >> 8));
  if (abi_version == kAbiV6 && p->name.ends_with("-generic"))
    t.generic_version = static_cast<std::uint8_t>(e_flags >> 24);
  return t;
}

std::string amd_mach_text(std::uint32_t e_flags) {
  return fmt::format("mach 0x{:02X}", machine(e_flags));
}

std::optional<Target> amd_target_from_isa_note(std::uint32_t major,
                                               std::uint32_t minor,
                                               std::uint32_t stepping) {
  auto at = std::ranges::find_if(kIsaNotes, [&](const IsaNote &n) {
    return n.major == major && n.minor == minor && n.stepping == stepping;
  });
  if (at != std::end(kIsaNotes))
    return amd::target(at->processor, at->sramecc, at->xnack);
  // The others are the digits of the name. There is no GFX before 6.
  constexpr std::uint32_t kFirst = 6, kLast = 99;
  if (major < kFirst || major > kLast || minor > 15 || stepping > 15)
    return std::nullopt;
  return amd::target(fmt::format("gfx{}{:x}{:x}", major, minor, stepping));
}

} // namespace gantry

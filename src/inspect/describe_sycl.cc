// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images that Intel's compilers make ahead of time: an ELF file for Intel GPUs,
// or an ar archive of such files, each named by the device's version
// ("64.12.60.7", observed with SYCL libraries of 2025 and 2026), beside the
// SPIR-V that they come from ("generic_ir") and padding.

#include "format/ar.h"
#include "inspect/describe.h"
#include "inspect/units.h"

#include <algorithm>

namespace gantry::inspect {

namespace {

// Real ones have a dozen members.
constexpr std::size_t kMembersMax = 1024;

} // namespace

bool is_sycl_archive(Bytes image, const Limits &limits) {
  MemorySource source(image);
  auto archive = ar::Archive::open(source, limits);
  for (std::size_t i = 0; archive && i < kMembersMax; i++) {
    auto member = archive->next();
    if (!member || !*member)
      break;
    const ar::Member &m = **member;
    if (m.stored && fits(m.offset, m.size, image.size()) &&
        sniff(image.subspan(m.offset, std::min<std::uint64_t>(64, m.size))) ==
            ObjectKind::sycl_image)
      return true;
  }
  return false;
}

void describe_sycl(Bytes image, const Limits &limits, Object &o) {
  // How devices are called in it has nothing in common with declared targets.
  o.target_consistency = gantry::word(Consistency::unknown);
  MemorySource source(image);
  auto archive = ar::Archive::open(source, limits);
  if (!archive)
    return; // one ELF file
  for (std::size_t i = 0; i < kMembersMax; i++) {
    auto member = archive->next();
    if (!member)
      return add(o, limitation(member.error()));
    if (!*member)
      return;
    const ar::Member &m = **member;
    if (m.damage)
      add(o, limitation(*m.damage));
    if (!m.stored || !fits(m.offset, m.size, image.size()))
      continue;
    const ObjectKind kind =
        sniff(image.subspan(m.offset, std::min<std::uint64_t>(64, m.size)));
    if (kind == ObjectKind::sycl_image)
      o.attributes.emplace_back("device version", m.name);
    else if (kind != ObjectKind::unknown)
      o.attributes.emplace_back(word(kind), m.name);
  }
  add(o, {"too-large", "more members than are looked at", std::nullopt});
}

} // namespace gantry::inspect

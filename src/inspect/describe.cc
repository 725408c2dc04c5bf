// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/describe.h"

#include "inspect/units.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::inspect {

namespace {

// Kinds whose kernels this version cannot list.
void describe_opaque(const Depth &depth, Slot &slot) {
  Object &o = slot.object;
  if (!depth.kernels)
    return;
  o.kernel_analysis = Coverage::unexamined;
  add(o, {"no-kernel-list",
          fmt::format("kernels of {} objects cannot be listed", word(o.kind)),
          std::nullopt});
}

} // namespace

std::optional<Target> declared_target(const Object &o) {
  if (o.declared.empty())
    return std::nullopt;
  EntryId id = parse_entry_id(o.declared);
  if (id.target)
    return id.target;
  if (auto parsed = parse_target(o.declared))
    return parsed->target;
  // A declaration that exposes no target declares none.
  return id.target_id.empty() ? std::nullopt
                              : std::optional(other_target(o.declared));
}

void describe(Bytes payload, const Depth &depth, const Limits &limits,
              Slot &slot) {
  Object &o = slot.object;
  if (o.obfuscated) {
    if (depth.kernels) {
      o.kernel_analysis = Coverage::unexamined;
      add(o, {"obfuscated",
              "the payload is obfuscated: it can be neither decoded nor listed",
              std::nullopt});
    }
    return;
  }
  // The payload's own magic says more than a declaration that nobody knows.
  if (o.kind == ObjectKind::unknown)
    o.kind = sniff(payload.first(std::min<std::size_t>(64, payload.size())));
  if (o.kind == ObjectKind::unknown && is_sycl_archive(payload, limits))
    o.kind = ObjectKind::sycl_image;
  switch (o.kind) {
  case ObjectKind::cubin:
    return describe_cubin(payload, depth, limits, slot);
  case ObjectKind::amdgpu:
    return describe_amdgpu(payload, depth, limits, slot);
  case ObjectKind::ptx:
    return describe_ptx(payload, depth, limits, slot);
  case ObjectKind::spirv:
    return describe_spirv(payload, depth, limits, slot);
  case ObjectKind::bitcode:
    describe_bitcode(payload, limits, o);
    return describe_opaque(depth, slot);
  case ObjectKind::lto_ir:
    describe_lto_ir(payload, o);
    return describe_opaque(depth, slot);
  case ObjectKind::sycl_image:
    describe_sycl(payload, limits, o);
    return describe_opaque(depth, slot);
  case ObjectKind::tile_ir:
  case ObjectKind::unknown:
    return describe_opaque(depth, slot);
  }
}

} // namespace gantry::inspect

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX: version, target and the names of kernels. Parameters and resources of
// PTX kernels are not read yet; the object says so.

#include "format/ptx.h"
#include "inspect/describe.h"

#include <fmt/core.h>

namespace gantry::inspect {

namespace {

std::optional<Suffix> suffix_from(std::string_view text) {
  if (text.empty())
    return Suffix::none;
  if (text == "a")
    return Suffix::a;
  if (text == "f")
    return Suffix::f;
  return std::nullopt;
}

} // namespace

void describe_ptx(Bytes text, const Depth &depth, const Limits &limits,
                  Slot &slot) {
  Object &o = slot.object;
  auto module = ptx::read_module(text, limits);
  if (!module) {
    add(o, limitation(module.error()));
    o.kernel_analysis =
        depth.kernels ? Coverage::unexamined : o.kernel_analysis;
    return;
  }
  o.version = module->version.text;
  for (const ptx::Target &t : module->targets) {
    if (!o.payload_target.empty())
      o.payload_target += ' ';
    o.payload_target += t.name;
  }
  PtxEvidence seen;
  if (auto effective = ptx::effective_target(*module))
    if (auto suffix = suffix_from(effective->suffix)) {
      seen.target = nvidia_target(effective->arch, *suffix);
      // Of several .target lines the one that counts, as it is spelled.
      for (const ptx::Target &t : module->targets)
        if (t.arch == effective->arch && t.suffix == effective->suffix)
          o.payload_target = t.name;
    }
  if (!seen.target)
    add(o, module->targets.empty()
               ? Limitation{"unknown-target", "the text has no .target",
                            module->version.offset}
               : Limitation{"unknown-target",
                            "the .target lines name no single target",
                            module->targets.front().offset});
  o.target_consistency = gantry::word(compare_ptx(declared_target(o), seen));
  if (o.target.empty() && seen.target)
    o.target = target_name(*seen.target);
  if (module->damage)
    add(o, limitation(*module->damage));
  if (!depth.kernels)
    return;
  for (const ptx::Kernel &k : module->kernels) {
    Kernel out;
    out.name = k.name;
    out.representation = "ptx";
    slot.kernels.push_back(std::move(out));
  }
  add(o, {"ptx-declarations", "only the names of PTX kernels are read",
          std::nullopt});
  o.kernel_analysis = Coverage::partial;
}

} // namespace gantry::inspect

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX: targets, kernels and what they declare.

#include "format/ptx.h"
#include "inspect/describe.h"

#include <fmt/core.h>

#include <algorithm>

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

// Whether this version may know what the architecture is. Those that are older
// than all tables are not judged.
bool is_known(std::uint32_t arch) {
  return find_sm(arch) || arch < known_sms().front().sm;
}

// As spelled: of several .target lines the one that counts, all of them when
// none does.
void describe_target(const ptx::Module &module, Object &o) {
  for (const ptx::Target &t : module.targets) {
    if (!o.payload_target.empty())
      o.payload_target += ' ';
    o.payload_target += t.name;
  }
  PtxEvidence seen;
  auto effective = ptx::effective_target(module);
  auto suffix = effective ? suffix_from(effective->suffix) : std::nullopt;
  if (effective && suffix) {
    seen.target = nvidia_target(effective->arch, *suffix);
    for (const ptx::Target &t : module.targets)
      if (t.arch == effective->arch && t.suffix == effective->suffix)
        o.payload_target = t.name;
  }
  if (module.targets.empty())
    add(o,
        {"unknown-target", "the text has no .target", module.version.offset});
  else if (!effective || !suffix)
    add(o, {"unknown-target", "the .target lines name no single target",
            module.targets.front().offset});
  else if (!is_known(effective->arch))
    add(o,
        {"unknown-target", fmt::format("sm_{} is not known", effective->arch),
         module.targets.front().offset});
  o.target_consistency = gantry::word(compare_ptx(declared_target(o), seen));
  if (o.target.empty() && seen.target)
    o.target = target_name(*seen.target);
}

void describe_module(const ptx::Module &module, Object &o) {
  o.version = module.version.text;
  o.module_shared_bytes = module.shared_bytes;
  if (module.address_size)
    o.attributes.emplace_back("address_size",
                              fmt::format("{}", *module.address_size));
  for (const ptx::Target &t : module.targets) {
    if (module.targets.size() > 1)
      o.attributes.emplace_back("target", t.name);
    for (std::string_view option : t.options)
      o.attributes.emplace_back("target_option", option);
  }
  // A version that cannot be read is damage.
  if (module.version.major && !ptx::known(module.version))
    add(o, {"unknown-version",
            fmt::format("PTX {} is not known", module.version.text),
            module.version.offset});
  for (const ptx::Limitation &l : module.limitations)
    add(o, {std::string(ptx::word(l.gap)), l.message, l.offset});
  if (module.damage)
    add(o, limitation(*module.damage));
}

Parameter parameter(const ptx::Parameter &p) {
  Parameter out;
  out.name = p.name;
  out.offset = p.offset;
  out.size = p.size;
  out.address_space = p.space;
  out.type_name = p.type;
  out.pointee_align = p.pointee_align;
  return out;
}

Kernel kernel(const ptx::Kernel &k, const Depth &depth) {
  Kernel out;
  out.name = k.name;
  out.representation = "ptx";
  out.shared_bytes = k.shared_bytes;
  out.dynamic_shared = k.dynamic_shared;
  out.register_limit = k.register_limit;
  out.max_threads = k.max_threads;
  out.required_threads = k.required_threads;
  out.cluster = k.cluster;
  out.max_cluster_rank = k.max_cluster_rank;
  out.parameter_bytes = k.parameter_bytes;
  out.parameters_known = k.parameters_complete && depth.parameters;
  if (k.parameters_complete) {
    out.parameter_count = static_cast<std::uint32_t>(k.parameters.size());
    out.hidden_parameter_count = 0;
  }
  if (depth.parameters) {
    out.parameters.reserve(k.parameters.size());
    for (const ptx::Parameter &p : k.parameters)
      out.parameters.push_back(parameter(p));
  }
  if (k.registers) {
    auto &list = out.virtual_registers.emplace();
    for (const ptx::Registers &r : *k.registers)
      list.emplace_back(
          fmt::format("{}{}{}", r.vector, r.vector.empty() ? "" : ".", r.type),
          r.count);
  }
  for (const ptx::Limitation &l : k.limitations)
    out.limitations.push_back(
        {std::string(ptx::word(l.gap)), l.message, l.offset});
  if (!depth.attributes)
    return out;
  out.attributes.emplace_back("linkage", ptx::word(k.linkage));
  for (const ptx::Directive &d : k.directives)
    out.attributes.emplace_back(d.name, d.operands);
  return out;
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
  describe_target(*module, o);
  describe_module(*module, o);
  if (!depth.kernels)
    return;
  slot.kernels.reserve(module->kernels.size());
  for (const ptx::Kernel &k : module->kernels)
    slot.kernels.push_back(kernel(k, depth));
  bool whole = !module->damage && module->limitations.empty() &&
               ptx::known(module->version) &&
               std::ranges::all_of(module->kernels, [](const ptx::Kernel &k) {
                 return k.limitations.empty();
               });
  o.kernel_analysis = whole ? Coverage::complete : Coverage::partial;
}

} // namespace gantry::inspect

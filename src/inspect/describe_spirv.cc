// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIR-V: entry points of the Kernel model are kernels; those of graphics
// stages and of Vulkan's compute stage are attributes, since no compute runtime
// launches them by name.

#include "format/spirv.h"
#include "inspect/describe.h"

#include <fmt/core.h>

namespace gantry::inspect {

namespace {

constexpr std::string_view kAmdFlavour = "amdgcnspirv";

std::string extent_text(const spirv::Extent3 &e) {
  return fmt::format("{} {} {}", e[0], e[1], e[2]);
}

// "a, b, c"
template <class List, class Name> std::string joined(const List &list, Name f) {
  std::string out;
  for (const auto &item : list) {
    if (!out.empty())
      out += ", ";
    out += f(item);
  }
  return out;
}

std::string source_text(const spirv::SourceLanguage &s) {
  return fmt::format("{} {}", spirv::source_language_name(s.language),
                     s.version);
}

std::string stage_text(const spirv::EntryPoint &e) {
  std::string out =
      fmt::format("{} {}", spirv::execution_model_name(e.model), e.name);
  if (e.local_size)
    out += fmt::format(", local size {}", extent_text(*e.local_size));
  return out;
}

void add_attributes(const spirv::Module &m, Object &o) {
  auto put = [&](std::string_view key, std::string value) {
    if (!value.empty())
      o.attributes.emplace_back(key, std::move(value));
  };
  auto same = [](const std::string &text) { return text; };
  put("generator",
      fmt::format("{}, version {}", spirv::generator_name(m.header.generator),
                  m.header.generator & 0xffff));
  if (m.header.big_endian)
    put("byte order", "big-endian");
  put("capabilities", joined(m.capabilities, spirv::capability_name));
  put("extensions", joined(m.extensions, same));
  put("imports", joined(m.imports, same));
  if (m.addressing_model && m.memory_model)
    put("memory model",
        fmt::format("{} {}", spirv::addressing_model_name(*m.addressing_model),
                    spirv::memory_model_name(*m.memory_model)));
  put("source", joined(m.sources, source_text));
  for (const spirv::EntryPoint &e : m.entry_points)
    if (e.model != spirv::kKernel)
      put("entry point", stage_text(e));
}

// Only AMD's flavour names a target; what another module is compiled for is
// decided when it is loaded.
void compare_targets(const spirv::Module &m, Object &o) {
  Consistency c = Consistency::unknown;
  if (spirv::is_amd_flavour(m)) {
    o.payload_target = kAmdFlavour;
    auto declared = declared_target(o);
    c = !declared                            ? Consistency::single_source
        : declared->processor == kAmdFlavour ? Consistency::equal
                                             : Consistency::conflict;
    if (o.target.empty())
      o.target = kAmdFlavour;
  }
  o.target_consistency = gantry::word(c);
}

void add_kernel(const spirv::Module &m, const spirv::EntryPoint &e,
                bool attributes, Slot &slot) {
  Kernel k;
  k.name = e.name;
  k.representation = "spirv";
  k.required_threads = e.local_size;
  k.parameter_count = e.parameter_count;
  if (e.parameter_count)
    k.hidden_parameter_count = 0;
  if (m.sources.size() == 1)
    k.language = spirv::source_language_name(m.sources[0].language);
  if (attributes && e.local_size_hint)
    k.attributes.emplace_back("local size hint",
                              extent_text(*e.local_size_hint));
  if (attributes && e.subgroup_size)
    k.attributes.emplace_back("subgroup size",
                              fmt::format("{}", *e.subgroup_size));
  slot.kernels.push_back(std::move(k));
}

} // namespace

void describe_spirv(Bytes image, const Depth &depth, const Limits &limits,
                    Slot &slot) {
  Object &o = slot.object;
  auto module = spirv::read_module(image, limits);
  if (!module) {
    add(o, limitation(module.error()));
    o.kernel_analysis =
        depth.kernels ? Coverage::unexamined : o.kernel_analysis;
    return;
  }
  o.version = fmt::format("{}.{}", module->header.major, module->header.minor);
  compare_targets(*module, o);
  add_attributes(*module, o);
  if (module->damage)
    add(o, limitation(*module->damage));
  if (!depth.kernels)
    return;
  for (const spirv::EntryPoint &e : module->entry_points)
    if (e.model == spirv::kKernel)
      add_kernel(*module, e, depth.attributes, slot);
  o.kernel_analysis = module->damage ? Coverage::partial : Coverage::complete;
}

} // namespace gantry::inspect

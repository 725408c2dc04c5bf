// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kinds that a linker or a driver compiles further and whose kernels are not
// listed: LLVM bitcode, and NVIDIA's LTO-IR, of which only the start is known
// (observed with nvcc 12.8 to 13.4): ED "CN" 7F, then eight bytes of versions,
// the first pair of which is that of the fat binary entry around it.

#include "format/bitcode.h"
#include "inspect/describe.h"

#include <fmt/core.h>

namespace gantry::inspect {

namespace {

Vendor vendor_of(std::string_view triple) {
  if (triple.starts_with("nvptx"))
    return Vendor::nvidia;
  if (triple.starts_with("amdgcn") || triple.starts_with("amdgpu"))
    return Vendor::amd;
  return Vendor::other;
}

// A triple names a processor in its oldest and newest spellings only
// (amdgpu9.42); what it always names is who makes it.
Consistency compare_triple(const Object &o, std::string_view triple) {
  auto declared = declared_target(o);
  if (triple.empty())
    return Consistency::unknown;
  if (!declared)
    return Consistency::single_source;
  if (auto observed = target_from_triple(triple, {}))
    if (observed->vendor != Vendor::other && declared->vendor == Vendor::amd)
      return observed->processor == declared->processor ? Consistency::equal
                                                        : Consistency::conflict;
  const Vendor vendor = vendor_of(triple);
  bool differ = vendor != declared->vendor && vendor != Vendor::other &&
                declared->vendor != Vendor::other;
  return differ ? Consistency::conflict : Consistency::unknown;
}

void add_modules(const bitcode::File &file, Object &o) {
  auto put = [&](std::string_view key, const std::string &value) {
    if (!value.empty())
      o.attributes.emplace_back(key, value);
  };
  if (file.wrapper)
    put("wrapper", fmt::format("CPU type {:#x}", file.wrapper->cpu_type));
  if (file.modules.size() > 1)
    put("modules", fmt::format("{}", file.modules.size()));
  for (const bitcode::Module &m : file.modules) {
    if (m.triple != o.payload_target)
      put("triple", m.triple);
    put("producer", m.producer);
    if (m.epoch)
      put("epoch", fmt::format("{}", *m.epoch));
    put("source file", m.source_file);
    put("data layout", m.data_layout);
  }
}

} // namespace

void describe_bitcode(Bytes image, const Limits &limits, Object &o) {
  auto file = bitcode::read(image, limits);
  if (!file) {
    add(o, limitation(file.error()));
    return;
  }
  if (!file->modules.empty())
    o.payload_target = file->modules[0].triple;
  o.target_consistency = gantry::word(compare_triple(o, o.payload_target));
  if (o.target.empty())
    o.target = o.payload_target;
  add_modules(*file, o);
  if (file->damage)
    add(o, limitation(*file->damage));
}

void describe_lto_ir(Bytes image, Object &o) {
  constexpr std::uint64_t kVersions = 8;
  if (!fits(4, kVersions, image.size()))
    return add(o, {"truncated", "LTO-IR header", image.size()});
  Bytes versions = image.subspan(4, kVersions);
  if (o.version.empty())
    o.version = fmt::format("{}.{}", std::to_integer<unsigned>(versions[0]),
                            std::to_integer<unsigned>(versions[1]));
  std::string text;
  for (std::byte b : versions)
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ",
                        std::to_integer<unsigned>(b));
  o.attributes.emplace_back("version bytes", std::move(text));
}

} // namespace gantry::inspect

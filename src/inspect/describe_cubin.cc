// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/cubin.h"
#include "inspect/describe.h"

#include <fmt/core.h>

namespace gantry::inspect {

namespace {

NvidiaEvidence evidence(const cubin::Cubin &c) {
  NvidiaEvidence e;
  e.sm = c.header.sm;
  e.a_bit = c.flag_a;
  if (c.compat_accelerator)
    e.compat_a = *c.compat_accelerator == 1;
  if (c.suffix_hint)
    e.note_suffix = *c.suffix_hint == 'a'   ? Suffix::a
                    : *c.suffix_hint == 'f' ? Suffix::f
                                            : Suffix::none;
  return e;
}

// The same coordinates, `offset` bytes into what `whole` covers.
Location inside(const Location &whole, std::uint64_t offset,
                std::uint64_t size) {
  return {whole.in, whole.offset + offset, size};
}

std::string_view space_word(std::uint8_t space) {
  switch (space) {
  case 1:
    return "local";
  case 2:
    return "shared";
  case 4:
    return "global";
  case 5:
    return "generic";
  default:
    return "";
  }
}

Parameter parameter(const cubin::Parameter &p) {
  Parameter out;
  out.offset = p.offset;
  out.size = p.size;
  out.address_space = space_word(p.space);
  if (p.align_log2 != 0 && p.align_log2 < 64)
    out.pointee_align = std::uint64_t{1} << p.align_log2;
  return out;
}

// One attribute as text: numbers for short values, the payload in words of 32
// bits otherwise (its meaning differs from id to id).
std::string attribute_value(const nvinfo::Record &r) {
  if (r.format == nvinfo::kFormatNone)
    return "";
  if (r.format != nvinfo::kFormatSized)
    return fmt::format("{:#x}", r.value);
  std::string out;
  Reader reader(r.payload);
  while (reader.left() >= 4) {
    if (!out.empty())
      out += ' ';
    out += fmt::format("{:#x}", reader.u32("value"));
  }
  while (reader.left() != 0)
    out += fmt::format("{}{:#04x}", out.empty() ? "" : " ", reader.u8("value"));
  return out;
}

std::string attribute_key(std::uint8_t id) {
  if (auto name = nvinfo::attribute_name(id))
    return std::string(*name);
  return fmt::format("{:#04x}", id);
}

Kernel kernel(const cubin::Kernel &k, const Depth &depth) {
  Kernel out;
  out.name = k.name;
  out.representation = "sass";
  out.derived_name = k.derived_name;
  out.registers = k.registers;
  out.shared_bytes = k.static_shared_bytes;
  out.shared_section_bytes = k.shared_section_bytes;
  out.dynamic_shared = k.dynamic_shared;
  out.local_bytes = k.local_bytes;
  out.stack_bytes = k.stack_bytes;
  out.code_bytes = k.code_bytes;
  out.barriers = k.barriers;
  out.register_limit = k.register_limit;
  out.max_threads = k.max_threads;
  out.required_threads = k.required_threads;
  out.cluster = k.cluster;
  out.max_cluster_rank = k.max_cluster_rank;
  out.parameter_count = k.parameter_count;
  if (k.parameter_count)
    out.hidden_parameter_count = 0;
  out.parameter_bytes = k.parameter_bytes;
  out.parameter_base = k.parameter_base;
  if (depth.parameters) {
    out.parameters_known =
        k.parameter_count && k.parameters.size() == *k.parameter_count;
    out.parameters.reserve(k.parameters.size());
    for (const cubin::Parameter &p : k.parameters)
      out.parameters.push_back(parameter(p));
  }
  for (const cubin::Bank &b : k.constants)
    out.constant_banks.emplace_back(b.number, b.bytes);
  if (k.language)
    out.language =
        nvinfo::language_name(*k.language).value_or(std::string_view());
  if (k.stack_unbounded)
    out.limitations.push_back(
        {"stack-unknown",
         "the compiler states no stack size (recursion or indirect calls)",
         std::nullopt});
  if (!depth.attributes)
    return out;
  for (const nvinfo::Record &r : k.attributes)
    out.attributes.emplace_back(attribute_key(r.id), attribute_value(r));
  return out;
}

} // namespace

void describe_cubin(Bytes image, const Depth &depth, const Limits &limits,
                    Slot &slot) {
  Object &o = slot.object;
  auto read = cubin::read_cubin(image, limits);
  if (!read) {
    add(o, limitation(read.error()));
    o.kernel_analysis =
        depth.kernels ? Coverage::unexamined : o.kernel_analysis;
    return;
  }
  const cubin::Cubin &c = *read;
  o.relocatable = c.header.relocatable();
  o.cuda_header =
      CudaTargetHeader{c.header.os_abi, c.header.flags,
                       inside(o.location, c.header.flags_offset, 4)};
  if (c.toolkit)
    o.toolkit = fmt::format("{}.{}", c.toolkit->major, c.toolkit->minor);

  NvidiaEvidence seen = evidence(c);
  o.target_consistency = gantry::word(compare_nvidia(declared_target(o), seen));
  if (seen.sm)
    o.payload_target = target_name(
        nvidia_target(*seen.sm, observed_suffix(seen).value_or(Suffix::none)));
  if (o.target.empty())
    o.target = o.payload_target;

  bool whole = c.limitations.empty();
  for (const cubin::Limitation &l : c.limitations)
    if (!l.kernel || !depth.kernels)
      add(o, {std::string(cubin::word(l.gap)), l.message, l.offset});
  if (!depth.kernels)
    return;
  slot.kernels.reserve(c.kernels.size());
  for (const cubin::Kernel &k : c.kernels)
    slot.kernels.push_back(kernel(k, depth));
  for (const cubin::Limitation &l : c.limitations)
    if (l.kernel && *l.kernel < slot.kernels.size())
      slot.kernels[*l.kernel].limitations.push_back(
          {std::string(cubin::word(l.gap)), l.message, l.offset});
  o.kernel_analysis = whole ? Coverage::complete : Coverage::partial;
}

} // namespace gantry::inspect

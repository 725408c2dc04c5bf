// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/amdgpu.h"
#include "inspect/describe.h"

#include <fmt/core.h>

namespace gantry::inspect {

namespace {

std::string text_of(std::optional<std::string_view> text) {
  return std::string(text.value_or(std::string_view()));
}

std::optional<std::uint32_t> narrow(std::optional<std::uint64_t> value) {
  if (!value || *value > UINT32_MAX)
    return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::optional<Extent3>
extent(const std::optional<std::array<std::uint64_t, 3>> &value) {
  Extent3 out{};
  if (!value)
    return std::nullopt;
  for (std::size_t i = 0; i < 3; i++) {
    if ((*value)[i] > UINT32_MAX)
      return std::nullopt;
    out[i] = static_cast<std::uint32_t>((*value)[i]);
  }
  return out;
}

AmdEvidence evidence(const amdgpu::Object &object) {
  const amdgpu::Header &h = object.header;
  AmdEvidence e;
  e.abi_version = h.abi_version;
  e.flags = amd_target_from_flags(h.e_flags, h.abi_version);
  if (object.metadata.target)
    e.note = amd_target_from_text(*object.metadata.target, h.abi_version);
  else if (object.isa_name)
    e.note = amd_target_from_text(*object.isa_name, h.abi_version);
  else if (object.isa)
    e.note = amd_target_from_isa_note(object.isa->major, object.isa->minor,
                                      object.isa->stepping);
  return e;
}

Parameter parameter(const amdgpu::Argument &a) {
  Parameter out;
  out.name = text_of(a.name);
  out.offset = a.offset;
  out.size = a.size;
  out.kind = text_of(a.value_kind);
  out.address_space = text_of(a.address_space);
  out.type_name = text_of(a.type_name);
  out.access = text_of(a.access ? a.access : a.actual_access);
  out.pointee_align = a.pointee_align;
  out.hidden = a.hidden;
  return out;
}

// What has no field of its own in the model.
class Attributes {
public:
  explicit Attributes(Kernel &kernel) : kernel_(kernel) {}

  void add(std::string_view key, std::optional<std::string_view> value) {
    if (value)
      kernel_.attributes.emplace_back(key, *value);
  }
  void add(std::string_view key, std::optional<std::uint64_t> value) {
    if (value)
      kernel_.attributes.emplace_back(key, fmt::format("{}", *value));
  }
  void add(std::string_view key, std::optional<bool> value) {
    if (value)
      kernel_.attributes.emplace_back(key, *value ? "true" : "false");
  }
  void add_hex(std::string_view key, std::uint64_t value) {
    kernel_.attributes.emplace_back(key, fmt::format("{:#x}", value));
  }
  template <std::size_t N>
  void add(std::string_view key,
           const std::optional<std::array<std::uint64_t, N>> &value) {
    if (!value)
      return;
    std::string out;
    for (std::uint64_t v : *value)
      out += fmt::format("{}{}", out.empty() ? "" : " ", v);
    kernel_.attributes.emplace_back(key, std::move(out));
  }

private:
  Kernel &kernel_;
};

void add_attributes(const amdgpu::Kernel &k, Kernel &out) {
  const amdgpu::KernelMetadata &m = k.metadata;
  Attributes a(out);
  a.add("kind", m.kind);
  a.add("language_version", m.language_version);
  a.add("kernarg_segment_align", m.kernarg_segment_align);
  a.add("workgroup_size_hint", m.workgroup_size_hint);
  a.add("vec_type_hint", m.vec_type_hint);
  a.add("device_enqueue_symbol", m.device_enqueue_symbol);
  a.add("uniform_work_group_size", m.uniform_work_group_size);
  a.add("uses_dynamic_stack", m.uses_dynamic_stack);
  a.add("workgroup_processor_mode", m.workgroup_processor_mode);
  a.add("max_num_workgroups_x", m.max_num_workgroups_x);
  a.add("max_num_workgroups_y", m.max_num_workgroups_y);
  a.add("max_num_workgroups_z", m.max_num_workgroups_z);
  a.add("xnack_enabled", m.xnack_enabled);
  if (const auto &d = k.descriptor) {
    a.add_hex("descriptor.rsrc1", d->rsrc1);
    a.add_hex("descriptor.rsrc2", d->rsrc2);
    a.add_hex("descriptor.rsrc3", d->rsrc3);
    a.add_hex("descriptor.properties", d->properties_word);
    a.add("descriptor.group_segment_fixed_size",
          std::optional<std::uint64_t>(d->group_segment_fixed_size));
    a.add("descriptor.private_segment_fixed_size",
          std::optional<std::uint64_t>(d->private_segment_fixed_size));
    a.add("descriptor.kernarg_size",
          std::optional<std::uint64_t>(d->kernarg_size));
    if (d->preload_dwords != 0) {
      a.add("descriptor.preload_dwords",
            std::optional<std::uint64_t>(d->preload_dwords));
      a.add("descriptor.preload_offset",
            std::optional<std::uint64_t>(d->preload_offset));
    }
    if (d->registers.accum_offset)
      a.add("descriptor.accum_offset",
            std::optional<std::uint64_t>(*d->registers.accum_offset));
  }
}

Kernel kernel(const amdgpu::Kernel &k, const Depth &depth) {
  const amdgpu::KernelMetadata &m = k.metadata;
  Kernel out;
  out.name = k.name;
  out.symbol = k.symbol;
  out.representation = "amdgpu";
  out.derived_name = k.origin == amdgpu::KernelOrigin::symbol;
  out.vgprs = narrow(m.vgpr_count);
  out.sgprs = narrow(m.sgpr_count);
  out.agprs = narrow(m.agpr_count);
  out.registers = out.vgprs;
  out.vgpr_spills = narrow(m.vgpr_spill_count);
  out.sgpr_spills = narrow(m.sgpr_spill_count);
  out.shared_bytes = m.group_segment_fixed_size;
  out.local_bytes = m.private_segment_fixed_size;
  out.parameter_bytes = m.kernarg_segment_size;
  out.wavefront_size = narrow(m.wavefront_size);
  out.max_flat_threads = narrow(m.max_flat_workgroup_size);
  out.required_threads = extent(m.reqd_workgroup_size);
  out.cluster = extent(m.cluster_dims);
  out.language = text_of(m.language);
  // Early version 3 writers left out what the descriptor has all the same.
  if (const auto &d = k.descriptor) {
    out.allocated_vgprs = d->allocated_vgprs;
    out.allocated_sgprs = d->allocated_sgprs;
    if (!out.shared_bytes)
      out.shared_bytes = d->group_segment_fixed_size;
    if (!out.local_bytes)
      out.local_bytes = d->private_segment_fixed_size;
  } else if (const auto &h = k.code_header) {
    out.allocated_vgprs = h->allocated_vgprs;
    out.allocated_sgprs = h->allocated_sgprs;
    if (!out.vgprs)
      out.registers = out.vgprs = h->vgpr_count;
    if (!out.sgprs)
      out.sgprs = h->sgpr_count;
    if (!out.shared_bytes)
      out.shared_bytes = h->group_segment_fixed_size;
    if (!out.local_bytes)
      out.local_bytes = h->private_segment_fixed_size;
    if (!out.parameter_bytes)
      out.parameter_bytes = h->kernarg_size;
    if (!out.wavefront_size)
      out.wavefront_size = narrow(h->wavefront_size);
  }
  if (k.code)
    out.code_bytes = k.code->size;
  if (m.arguments_known) {
    out.parameters_known = depth.parameters;
    out.parameter_count = static_cast<std::uint32_t>(m.arguments.size());
    out.hidden_parameter_count = m.hidden_arguments;
  }
  if (depth.parameters) {
    out.parameters.reserve(m.arguments.size());
    for (const amdgpu::Argument &a : m.arguments)
      out.parameters.push_back(parameter(a));
  }
  if (depth.attributes)
    add_attributes(k, out);
  return out;
}

void add_limitations(const amdgpu::Object &object, bool kernels, Slot &slot) {
  for (const amdgpu::Limitation &l : object.limitations.list) {
    Limitation reason{std::string(l.code), l.message, l.offset};
    if (kernels && l.kernel && *l.kernel < slot.kernels.size())
      slot.kernels[*l.kernel].limitations.push_back(std::move(reason));
    else
      add(slot.object, std::move(reason));
  }
  if (object.limitations.dropped != 0)
    add(slot.object, {"limit",
                      fmt::format("{} more reasons of this kind",
                                  object.limitations.dropped),
                      std::nullopt});
}

constexpr unsigned kNewestAbi = 4;
constexpr std::uint64_t kAbiVersionAt = 8; // in the ELF header

} // namespace

void describe_amdgpu(Bytes image, const Depth &depth, const Limits &limits,
                     Slot &slot) {
  Object &o = slot.object;
  auto read = amdgpu::read_object(image, limits);
  if (!read) {
    add(o, limitation(read.error()));
    o.kernel_analysis =
        depth.kernels ? Coverage::unexamined : o.kernel_analysis;
    return;
  }
  o.relocatable = read->header.type == 1;
  o.e_flags = read->header.e_flags;
  if (read->code_object_version)
    o.version = fmt::format("{}", *read->code_object_version);

  else if (read->header.os_abi == amdgpu::kOsAbiHsa &&
           read->header.abi_version > kNewestAbi)
    add(o, {"unknown-version",
            fmt::format("ABI version {} is not known; those up to {} are (code "
                        "object versions up to {})",
                        read->header.abi_version, kNewestAbi, kNewestAbi + 2),
            kAbiVersionAt});

  AmdEvidence seen = evidence(*read);
  Consistency within = compare_amd_object(seen);
  Consistency across = compare_amd(declared_target(o), seen);
  if (within == Consistency::conflict ||
      within == Consistency::feature_mismatch) {
    across = within;
    add(o, {"target-conflict", "e_flags and notes name different targets",
            read->header.e_flags_offset});
  }
  o.target_consistency = gantry::word(across);
  // Notes of versions 2 and 3 leave out the features that the flags state.
  bool flags_first = seen.flags && read->header.abi_version < 2;
  const std::optional<Target> &observed =
      seen.note && !flags_first ? seen.note : seen.flags;
  if (observed)
    o.payload_target = target_name(*observed);
  else
    add(o, {"unknown-target",
            amd_mach_text(read->header.e_flags) + " is not known",
            read->header.e_flags_offset});
  if (o.target.empty())
    o.target = o.payload_target;

  if (depth.kernels) {
    slot.kernels.reserve(read->kernels.size());
    for (const amdgpu::Kernel &k : read->kernels)
      slot.kernels.push_back(kernel(k, depth));
    o.kernel_analysis = read->kernels_complete && read->limitations.list.empty()
                            ? Coverage::complete
                            : Coverage::partial;
  }
  add_limitations(*read, depth.kernels, slot);
}

} // namespace gantry::inspect

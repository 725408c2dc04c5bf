// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel descriptor, 64 bytes, aligned to 64 (LLVM's "User Guide for AMDGPU
// Backend", and its AMDHSAKernelDescriptor.h):
//
//   0   u32 group segment, u32 private segment, u32 kernel argument bytes
//   12  4 zero bytes
//   16  i64 entry, relative to the descriptor's address
//   24  20 zero bytes
//   44  u32 rsrc3, u32 rsrc1, u32 rsrc2
//   56  u16 properties, u16 preload (bits 0-6 dwords, 7-15 first dword)
//   60  4 zero bytes
//
// amd_kernel_code_t, 256 bytes, aligned to 256 (AMDGPU-ABI of ROCm, and LLVM's
// AMDKernelCodeT.h up to version 18):
//
//   0   u32 version major, u32 minor
//   8   u16 machine kind, major, minor, stepping
//   16  i64 entry, i64 prefetch offset, u64 prefetch size, u64 reserved
//   48  u32 rsrc1, u32 rsrc2, u32 properties
//   60  u32 private segment, u32 group segment, u32 GDS bytes
//   72  u64 kernel argument bytes, u32 fbarriers
//   84  u16 SGPRs, u16 VGPRs, 4 x u16 reserved registers, 2 x u16 debug SGPRs
//   100 u8 log2 of alignments (arguments, group, private), u8 log2 of wavefront
//   104 i32 calling convention, 12 + 8 bytes reserved or for the loader
//   128 16 x u64 control directives
//
// The bits of the rsrc words differ between families; those that are the same
// everywhere are plain fields.

#include "format/amdgpu_descriptor.h"

#include "base/reader.h"

#include <algorithm>

namespace gantry::amdgpu {

namespace {

constexpr std::uint32_t bits(std::uint32_t word, unsigned first,
                             unsigned count) {
  return (word >> first) & ((1u << count) - 1);
}
constexpr bool bit(std::uint32_t word, unsigned at) {
  return bits(word, at, 1) != 0;
}

bool is_gfx12(Family f) { return f == Family::gfx12 || f == Family::gfx125; }
bool is_gfx11_plus(Family f) { return f == Family::gfx11 || is_gfx12(f); }
bool is_gfx10_plus(Family f) { return f == Family::gfx10 || is_gfx11_plus(f); }
bool is_gfx9_plus(Family f) {
  return f == Family::gfx9 || f == Family::gfx90a || is_gfx10_plus(f);
}
bool is_before_gfx12(Family f) { return f != Family::unknown && !is_gfx12(f); }

// A bit or field that means something only if `known`.
std::optional<bool> bit_if(bool known, std::uint32_t word, unsigned at) {
  return known ? std::optional(bit(word, at)) : std::nullopt;
}
std::optional<std::uint32_t> bits_if(bool known, std::uint32_t word,
                                     unsigned first, unsigned count) {
  return known ? std::optional(bits(word, first, count)) : std::nullopt;
}

void decode_rsrc1(std::uint32_t w, Family f, Registers &r) {
  r.vgpr_field = bits(w, 0, 6);
  r.sgpr_field = bits(w, 6, 4);
  r.priority = bits(w, 10, 2);
  r.round_32 = bits(w, 12, 2);
  r.round_16_64 = bits(w, 14, 2);
  r.denorm_32 = bits(w, 16, 2);
  r.denorm_16_64 = bits(w, 18, 2);
  r.priv = bit(w, 20);
  r.dx10_clamp = bit_if(is_before_gfx12(f), w, 21);
  r.workgroup_round_robin = bit_if(is_gfx12(f), w, 21);
  r.debug_mode = bit(w, 22);
  r.ieee_mode = bit_if(is_before_gfx12(f), w, 23);
  r.disable_perf = bit_if(is_gfx12(f), w, 23);
  r.bulky = bit(w, 24);
  r.debug_user = bit(w, 25);
  r.fp16_overflow = bit_if(is_gfx9_plus(f), w, 26);
  r.flat_scratch_nv = bit_if(f == Family::gfx125, w, 27);
  r.wgp_mode = bit_if(is_gfx10_plus(f), w, 29);
  r.memory_ordered = bit_if(is_gfx10_plus(f), w, 30);
  r.forward_progress = bit_if(is_gfx10_plus(f), w, 31);
}

void decode_rsrc2(std::uint32_t w, Family f, Registers &r) {
  r.private_segment = bit(w, 0);
  r.user_sgprs =
      bits_if(f != Family::unknown, w, 1, f == Family::gfx125 ? 6 : 5);
  r.trap_handler = bit_if(is_before_gfx12(f), w, 6);
  r.workgroup_id_x = bit(w, 7);
  r.workgroup_id_y = bit(w, 8);
  r.workgroup_id_z = bit(w, 9);
  r.workgroup_info = bit(w, 10);
  r.workitem_id = bits(w, 11, 2);
  r.exception_address_watch = bit(w, 13);
  r.exception_memory = bit(w, 14);
  r.lds_field = bits(w, 15, 9);
  r.fp_exceptions = bits(w, 24, 7);
  if (f == Family::gfx12)
    r.dynamic_vgprs = bit(w, 6);
}

void decode_rsrc3(std::uint32_t w, Family f, Registers &r) {
  if (f == Family::gfx90a) {
    r.accum_offset = (bits(w, 0, 6) + 1) * 4;
    r.threadgroup_split = bit(w, 16);
  }
  r.shared_vgprs = bits_if(f == Family::gfx10 || f == Family::gfx11, w, 0, 4);
  r.instruction_prefetch =
      bits_if(is_gfx11_plus(f), w, 4, f == Family::gfx11 ? 6 : 8);
  r.trap_on_start = bit_if(f == Family::gfx11, w, 10);
  r.trap_on_end = bit_if(f == Family::gfx11, w, 11);
  r.group_launch_guarantee = bit_if(is_gfx12(f), w, 13);
  r.image_op = bit_if(is_gfx11_plus(f), w, 31);
  if (f == Family::gfx125) {
    r.named_barriers = bits(w, 14, 3);
    r.dynamic_vgprs = bit(w, 17);
    r.tcp_split = bits(w, 18, 3);
    r.didt_throttle = bit(w, 21);
  }
}

// Bits 0 to 6 mean the same in both structures.
Properties decode_properties(std::uint32_t w) {
  Properties p;
  p.private_segment_buffer = bit(w, 0);
  p.dispatch_pointer = bit(w, 1);
  p.queue_pointer = bit(w, 2);
  p.kernarg_pointer = bit(w, 3);
  p.dispatch_id = bit(w, 4);
  p.flat_scratch_init = bit(w, 5);
  p.private_segment_size = bit(w, 6);
  return p;
}

std::optional<std::uint32_t> allocated(std::uint32_t field,
                                       std::optional<std::uint32_t> granule) {
  if (!granule)
    return std::nullopt;
  return (field + 1) * *granule;
}

bool all_zero(Bytes b) {
  return std::ranges::all_of(b, [](std::byte v) { return v == std::byte{0}; });
}

// An alignment or size that is stored as its logarithm.
std::optional<std::uint64_t> power_of_two(std::uint8_t exponent) {
  if (exponent >= 64)
    return std::nullopt;
  return std::uint64_t{1} << exponent;
}

} // namespace

// The numbers are those of the table EF_AMDGPU_MACH in LLVM's ELF.h.
Family family_of_mach(std::uint32_t mach) {
  switch (mach) {
  case 0x20: // gfx600
  case 0x21: // gfx601
  case 0x3a: // gfx602
    return Family::gfx6;
  case 0x22: // gfx700 to gfx704
  case 0x23:
  case 0x24:
  case 0x25:
  case 0x26:
  case 0x3b: // gfx705
    return Family::gfx7;
  case 0x28: // gfx801, 802, 803, 810
  case 0x29:
  case 0x2a:
  case 0x2b:
  case 0x3c: // gfx805
    return Family::gfx8;
  case 0x2c: // gfx900, 902, 904, 906, 908, 909, 90c
  case 0x2d:
  case 0x2e:
  case 0x2f:
  case 0x30:
  case 0x31:
  case 0x32:
  case 0x51: // gfx9-generic
    return Family::gfx9;
  case 0x3f: // gfx90a
  case 0x40: // gfx940
  case 0x4b: // gfx941
  case 0x4c: // gfx942
  case 0x4f: // gfx950
  case 0x5f: // gfx9-4-generic
    return Family::gfx90a;
  case 0x33: // gfx1010, 1011, 1012
  case 0x34:
  case 0x35:
  case 0x42: // gfx1013
  case 0x36: // gfx1030 to 1033
  case 0x37:
  case 0x38:
  case 0x39:
  case 0x3d: // gfx1035
  case 0x3e: // gfx1034
  case 0x45: // gfx1036
  case 0x52: // gfx10-1-generic
  case 0x53: // gfx10-3-generic
    return Family::gfx10;
  case 0x41: // gfx1100
  case 0x43: // gfx1150
  case 0x44: // gfx1103
  case 0x46: // gfx1101
  case 0x47: // gfx1102
  case 0x4a: // gfx1151
  case 0x54: // gfx11-generic
  case 0x55: // gfx1152
  case 0x57: // gfx1154
  case 0x58: // gfx1153
  case 0x5c: // gfx1172
  case 0x5d: // gfx1170
  case 0x5e: // gfx1171
  case 0x62: // gfx11-7-generic
    return Family::gfx11;
  case 0x48: // gfx1200
  case 0x4e: // gfx1201
  case 0x59: // gfx12-generic
    return Family::gfx12;
  case 0x49: // gfx1250
  case 0x5a: // gfx1251
  case 0x5b: // gfx12-5-generic
    return Family::gfx125;
  default:
    return Family::unknown; // gfx13 too: its registers are not published
  }
}

Family family_of_isa(std::uint32_t major, std::uint32_t minor,
                     std::uint32_t stepping) {
  if (major == 9 && ((minor == 0 && stepping == 10) || minor == 4))
    return Family::gfx90a;
  switch (major) {
  case 6:
    return Family::gfx6;
  case 7:
    return Family::gfx7;
  case 8:
    return Family::gfx8;
  case 9:
    return minor == 0 ? Family::gfx9 : Family::unknown;
  case 10:
    return Family::gfx10;
  default:
    return Family::unknown; // versions 1 and 2 ended before gfx11
  }
}

// LLVM's getVGPREncodingGranule: 4; 8 with gfx90a's instructions or in waves of
// 32; 16 on gfx1250, which has 1024 registers.
std::optional<std::uint32_t> vgpr_granule(Family family, bool wave32) {
  switch (family) {
  case Family::unknown:
    return std::nullopt;
  case Family::gfx6:
  case Family::gfx7:
  case Family::gfx8:
  case Family::gfx9:
    return 4;
  case Family::gfx90a:
    return 8;
  case Family::gfx10:
  case Family::gfx11:
  case Family::gfx12:
    return wave32 ? 8 : 4;
  case Family::gfx125:
    return 16;
  }
  return std::nullopt;
}

// LLVM's getSGPREncodingGranule.
std::optional<std::uint32_t> sgpr_granule(Family family) {
  if (family == Family::unknown || is_gfx10_plus(family))
    return std::nullopt;
  return 8;
}

Result<Descriptor> read_descriptor(Bytes bytes, std::uint64_t offset,
                                   std::uint64_t address, Family family) {
  Reader r(bytes);
  Descriptor d;
  d.offset = offset;
  d.address = address;
  d.group_segment_fixed_size = r.u32("kernel descriptor: group segment size");
  d.private_segment_fixed_size =
      r.u32("kernel descriptor: private segment size");
  d.kernarg_size = r.u32("kernel descriptor: kernarg size");
  Bytes reserved0 = r.bytes(4, "kernel descriptor: reserved");
  d.entry_offset =
      static_cast<std::int64_t>(r.u64("kernel descriptor: entry offset"));
  Bytes reserved1 = r.bytes(20, "kernel descriptor: reserved");
  d.rsrc3 = r.u32("kernel descriptor: rsrc3");
  d.rsrc1 = r.u32("kernel descriptor: rsrc1");
  d.rsrc2 = r.u32("kernel descriptor: rsrc2");
  d.properties_word = r.u16("kernel descriptor: properties");
  d.preload_word = r.u16("kernel descriptor: preload");
  Bytes reserved3 = r.bytes(4, "kernel descriptor: reserved");
  if (!r.ok())
    return r.error(offset);
  d.reserved_zero =
      all_zero(reserved0) && all_zero(reserved1) && all_zero(reserved3);
  d.entry_address = address + static_cast<std::uint64_t>(d.entry_offset);
  d.properties = decode_properties(d.properties_word);
  d.properties.wave32 = bit(d.properties_word, 10);
  d.properties.dynamic_stack = bit(d.properties_word, 11);
  d.preload_dwords = bits(d.preload_word, 0, 7);
  d.preload_offset = bits(d.preload_word, 7, 9);
  decode_rsrc1(d.rsrc1, family, d.registers);
  decode_rsrc2(d.rsrc2, family, d.registers);
  decode_rsrc3(d.rsrc3, family, d.registers);
  d.allocated_vgprs = allocated(d.registers.vgpr_field,
                                vgpr_granule(family, d.properties.wave32));
  d.allocated_sgprs = allocated(d.registers.sgpr_field, sgpr_granule(family));
  return d;
}

Result<CodeHeader> read_code_header(Bytes bytes, std::uint64_t offset,
                                    std::uint64_t address, Family family) {
  Reader r(bytes);
  CodeHeader h;
  h.offset = offset;
  h.address = address;
  h.version_major = r.u32("kernel code: version major");
  h.version_minor = r.u32("kernel code: version minor");
  h.machine_kind = r.u16("kernel code: machine kind");
  h.machine_major = r.u16("kernel code: machine major");
  h.machine_minor = r.u16("kernel code: machine minor");
  h.machine_stepping = r.u16("kernel code: machine stepping");
  h.entry_offset =
      static_cast<std::int64_t>(r.u64("kernel code: entry offset"));
  r.skip(24, "kernel code: prefetch");
  h.rsrc1 = r.u32("kernel code: rsrc1");
  h.rsrc2 = r.u32("kernel code: rsrc2");
  h.properties_word = r.u32("kernel code: properties");
  h.private_segment_fixed_size = r.u32("kernel code: private segment size");
  h.group_segment_fixed_size = r.u32("kernel code: group segment size");
  h.gds_segment_size = r.u32("kernel code: GDS size");
  h.kernarg_size = r.u64("kernel code: kernarg size");
  h.fbarrier_count = r.u32("kernel code: fbarrier count");
  h.sgpr_count = r.u16("kernel code: SGPR count");
  h.vgpr_count = r.u16("kernel code: VGPR count");
  r.skip(12, "kernel code: reserved registers");
  h.kernarg_align = power_of_two(r.u8("kernel code: kernarg alignment"));
  h.group_segment_align = power_of_two(r.u8("kernel code: group alignment"));
  h.private_segment_align =
      power_of_two(r.u8("kernel code: private alignment"));
  h.wavefront_size = power_of_two(r.u8("kernel code: wavefront size"));
  h.call_convention =
      static_cast<std::int32_t>(r.u32("kernel code: calling convention"));
  r.skip(20 + 128, "kernel code: control directives");
  if (!r.ok())
    return r.error(offset);
  h.entry_address = address + static_cast<std::uint64_t>(h.entry_offset);
  h.properties = decode_properties(h.properties_word);
  h.properties.wave32 = h.wavefront_size == 32;
  h.dynamic_call_stack = bit(h.properties_word, 20);
  h.properties.dynamic_stack = h.dynamic_call_stack;
  h.debug_enabled = bit(h.properties_word, 21);
  h.xnack_enabled = bit(h.properties_word, 22);
  decode_rsrc1(h.rsrc1, family, h.registers);
  decode_rsrc2(h.rsrc2, family, h.registers);
  h.allocated_vgprs = allocated(h.registers.vgpr_field,
                                vgpr_granule(family, h.properties.wave32));
  h.allocated_sgprs = allocated(h.registers.sgpr_field, sgpr_granule(family));
  return h;
}

} // namespace gantry::amdgpu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What AMDGPU hardware is told at a kernel's launch: the 64-byte kernel
// descriptor (code object 3 and later) and the 256-byte amd_kernel_code_t (1
// and 2). Layouts: amdgpu_descriptor.cc.
#pragma once

#include "base/error.h"

#include <array>
#include <optional>

namespace gantry::amdgpu {

// Processors that read the register words in the same way.
enum class Family : std::uint8_t {
  unknown,
  gfx6,
  gfx7,
  gfx8,
  gfx9,   // with gfx908
  gfx90a, // with gfx940, 941, 942, 950, gfx9-4-generic
  gfx10,
  gfx11,
  gfx12,
  gfx125,
};

// From the low byte of e_flags of code objects 2 and later.
Family family_of_mach(std::uint32_t mach);
// From the ISA note of code objects 1 and 2.
Family family_of_isa(std::uint32_t major, std::uint32_t minor,
                     std::uint32_t stepping);

// Registers per step of the VGPR field; nothing for unknown families.
std::optional<std::uint32_t> vgpr_granule(Family family, bool wave32);
// The same for the SGPR field. Nothing for gfx10 and later, too: the number is
// fixed there. gfx8 and gfx9 hand them out in steps of 16 whatever is asked
// for.
std::optional<std::uint32_t> sgpr_granule(Family family);

// COMPUTE_PGM_RSRC1, 2 and 3, bit by bit. An optional field has a meaning only
// in some families and is absent in all others, and when the family is unknown.
struct Registers {
  // rsrc1
  std::uint32_t vgpr_field = 0;
  std::uint32_t sgpr_field = 0;
  std::uint32_t priority = 0;
  std::uint32_t round_32 = 0; // 0 nearest even, 1 +inf, 2 -inf, 3 zero
  std::uint32_t round_16_64 = 0;
  std::uint32_t denorm_32 = 0; // 0 flush both, 1 flush results, 2 sources, 3 no
  std::uint32_t denorm_16_64 = 0;
  bool priv = false;
  std::optional<bool> dx10_clamp;            // before gfx12
  std::optional<bool> workgroup_round_robin; // gfx12 and later
  bool debug_mode = false;
  std::optional<bool> ieee_mode;    // before gfx12
  std::optional<bool> disable_perf; // gfx12 and later
  bool bulky = false;
  bool debug_user = false;
  std::optional<bool> fp16_overflow;    // gfx9 and later
  std::optional<bool> flat_scratch_nv;  // gfx125
  std::optional<bool> wgp_mode;         // gfx10 and later
  std::optional<bool> memory_ordered;   // gfx10 and later
  std::optional<bool> forward_progress; // gfx10 and later
  // rsrc2
  bool private_segment = false;
  std::optional<std::uint32_t> user_sgprs; // 5 bits, 6 in gfx125
  std::optional<bool> trap_handler;        // before gfx12
  bool workgroup_id_x = false;
  bool workgroup_id_y = false;
  bool workgroup_id_z = false;
  bool workgroup_info = false;
  std::uint32_t workitem_id = 0; // 0 x, 1 x and y, 2 x, y and z
  bool exception_address_watch = false;
  bool exception_memory = false;
  std::uint32_t lds_field = 0;     // 0 in files; the loader fills it in
  std::uint32_t fp_exceptions = 0; // bits 24 to 30, lowest first
  // rsrc3
  std::optional<std::uint32_t> accum_offset;         // gfx90a: first AGPR
  std::optional<bool> threadgroup_split;             // gfx90a
  std::optional<std::uint32_t> shared_vgprs;         // gfx10, gfx11: the field
  std::optional<std::uint32_t> instruction_prefetch; // gfx11 and later
  std::optional<bool> trap_on_start;                 // gfx11
  std::optional<bool> trap_on_end;                   // gfx11
  std::optional<bool> group_launch_guarantee;        // gfx12 and later
  std::optional<std::uint32_t> named_barriers;       // gfx125: the field
  std::optional<bool> dynamic_vgprs;      // gfx12 (rsrc2), gfx125 (rsrc3)
  std::optional<std::uint32_t> tcp_split; // gfx125
  std::optional<bool> didt_throttle;      // gfx125
  std::optional<bool> image_op;           // gfx11 and later
};

// What the kernel finds in its first scalar registers.
struct Properties {
  bool private_segment_buffer = false;
  bool dispatch_pointer = false;
  bool queue_pointer = false;
  bool kernarg_pointer = false;
  bool dispatch_id = false;
  bool flat_scratch_init = false;
  bool private_segment_size = false;
  bool wave32 = false;
  bool dynamic_stack = false; // bit 11; of the code header: bit 20
};

// The kernel descriptor. Sizes in bytes.
struct Descriptor {
  std::uint64_t offset = 0;  // of its 64 bytes, in the image
  std::uint64_t address = 0; // what entry_offset counts from
  std::uint32_t group_segment_fixed_size = 0;
  std::uint32_t private_segment_fixed_size = 0;
  std::uint32_t kernarg_size = 0; // early writers of version 3 left 0
  std::int64_t entry_offset = 0;
  std::uint64_t entry_address = 0; // modulo 2^64
  std::uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  std::uint16_t properties_word = 0;
  std::uint16_t preload_word = 0;
  bool reserved_zero = true; // all bytes without a meaning are 0
  Registers registers;
  Properties properties;
  std::uint32_t preload_dwords = 0; // kernel arguments loaded before the start
  std::uint32_t preload_offset = 0; // in dwords
  // What the VGPR and SGPR fields ask for. Compilers never ask for less than
  // the metadata counts; assembly written by hand may.
  std::optional<std::uint32_t> allocated_vgprs;
  std::optional<std::uint32_t> allocated_sgprs;
};

inline constexpr std::uint64_t kDescriptorSize = 64;
// `offset` and `address` say where the 64 bytes stand. Errors: truncated.
Result<Descriptor> read_descriptor(Bytes bytes, std::uint64_t offset,
                                   std::uint64_t address, Family family);

// amd_kernel_code_t, which stands before a kernel's code in code objects 1
// and 2. Reserved words and control directives are not decoded.
struct CodeHeader {
  std::uint64_t offset = 0;  // of its 256 bytes, in the image
  std::uint64_t address = 0; // what entry_offset counts from
  std::uint32_t version_major = 0, version_minor = 0;
  std::uint16_t machine_kind = 0; // 1: AMDGPU
  std::uint16_t machine_major = 0, machine_minor = 0, machine_stepping = 0;
  std::int64_t entry_offset = 0;
  std::uint64_t entry_address = 0; // modulo 2^64
  std::uint32_t rsrc1 = 0, rsrc2 = 0;
  std::uint32_t properties_word = 0;
  std::uint32_t private_segment_fixed_size = 0; // per work item
  std::uint32_t group_segment_fixed_size = 0;
  std::uint32_t gds_segment_size = 0;
  std::uint64_t kernarg_size = 0;
  std::uint32_t fbarrier_count = 0;
  std::uint16_t sgpr_count = 0;
  std::uint16_t vgpr_count = 0;
  std::optional<std::uint64_t> kernarg_align; // stored as a power of two
  std::optional<std::uint64_t> group_segment_align;
  std::optional<std::uint64_t> private_segment_align;
  std::optional<std::uint64_t> wavefront_size;
  std::int32_t call_convention = 0;
  bool dynamic_call_stack = false; // property bit 20
  bool debug_enabled = false;      // property bit 21
  bool xnack_enabled = false;      // property bit 22
  Registers registers;
  Properties properties;
  std::optional<std::uint32_t> allocated_vgprs;
  std::optional<std::uint32_t> allocated_sgprs;
};

inline constexpr std::uint64_t kCodeHeaderSize = 256;
// Errors: truncated.
Result<CodeHeader> read_code_header(Bytes bytes, std::uint64_t offset,
                                    std::uint64_t address, Family family);

} // namespace gantry::amdgpu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/amdgpu_descriptor.h"

#include "base/test_bytes.h"

#include <gtest/gtest.h>

namespace gantry::amdgpu {
namespace {

struct Words {
  std::uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  std::uint16_t properties = 0, preload = 0;
};

std::vector<std::byte> descriptor(const Words &w) {
  Builder b;
  b.u32(256).u32(16).u32(52).zeros(4).u64(static_cast<std::uint64_t>(-512));
  b.zeros(20).u32(w.rsrc3).u32(w.rsrc1).u32(w.rsrc2);
  return b.u16(w.properties).u16(w.preload).zeros(4).take();
}

Descriptor read(const Words &w, Family family) {
  auto d = read_descriptor(descriptor(w), 0x100, 0x2000, family);
  EXPECT_TRUE(d);
  return *d;
}

TEST(AmdgpuDescriptor, ReadsSizesAndEntry) {
  Descriptor d = read({.properties = 0x0c08, .preload = 0x0182}, Family::gfx9);
  EXPECT_EQ(d.offset, 0x100u);
  EXPECT_EQ(d.group_segment_fixed_size, 256u);
  EXPECT_EQ(d.private_segment_fixed_size, 16u);
  EXPECT_EQ(d.kernarg_size, 52u);
  EXPECT_EQ(d.entry_offset, -512);
  EXPECT_EQ(d.entry_address, 0x2000u - 512);
  EXPECT_TRUE(d.reserved_zero);
  EXPECT_TRUE(d.properties.kernarg_pointer);
  EXPECT_FALSE(d.properties.dispatch_pointer);
  EXPECT_TRUE(d.properties.wave32);
  EXPECT_TRUE(d.properties.dynamic_stack);
  EXPECT_EQ(d.preload_dwords, 2u);
  EXPECT_EQ(d.preload_offset, 3u);
}

TEST(AmdgpuDescriptor, ReportsReservedBytesThatAreSet) {
  for (std::size_t at : {12u, 24u, 43u, 60u, 63u}) {
    std::vector<std::byte> bytes = descriptor({});
    bytes[at] = std::byte{1};
    EXPECT_FALSE(read_descriptor(bytes, 0, 0, Family::gfx9)->reserved_zero);
  }
}

TEST(AmdgpuDescriptor, RefusesEveryTruncation) {
  std::vector<std::byte> bytes = descriptor({});
  for (std::size_t n = 0; n < bytes.size(); n++) {
    auto d = read_descriptor(Bytes(bytes).first(n), 0x40, 0, Family::gfx9);
    ASSERT_FALSE(d) << n;
    EXPECT_EQ(d.error().code, Errc::truncated);
    EXPECT_LE(d.error().offset, 0x40 + n);
    EXPECT_GE(d.error().offset, 0x40u);
  }
}

TEST(AmdgpuDescriptor, CountsRegistersByFamily) {
  // VGPR field 2, SGPR field 1
  struct Case {
    Family family;
    bool wave32;
    std::optional<std::uint32_t> vgprs, sgprs;
  };
  const Case cases[] = {
      {Family::gfx6, false, 12, 16},
      {Family::gfx7, false, 12, 16},
      {Family::gfx8, false, 12, 16},
      {Family::gfx9, false, 12, 16},
      {Family::gfx90a, false, 24, 16},
      {Family::gfx10, false, 12, std::nullopt},
      {Family::gfx10, true, 24, std::nullopt},
      {Family::gfx11, true, 24, std::nullopt},
      {Family::gfx12, true, 24, std::nullopt},
      {Family::gfx125, true, 48, std::nullopt},
      {Family::unknown, true, std::nullopt, std::nullopt},
  };
  for (const Case &c : cases) {
    std::uint16_t properties = c.wave32 ? 0x400 : 0;
    Descriptor d =
        read({.rsrc1 = 1 << 6 | 2, .properties = properties}, c.family);
    EXPECT_EQ(d.allocated_vgprs, c.vgprs) << int(c.family) << c.wave32;
    EXPECT_EQ(d.allocated_sgprs, c.sgprs) << int(c.family) << c.wave32;
  }
}

TEST(AmdgpuDescriptor, DecodesTheBitsThatAllFamiliesShare) {
  Registers r = read({.rsrc1 = 0x03100000 | 3 << 18 | 2 << 16 | 1 << 14 |
                               2 << 12 | 1 << 10,
                      .rsrc2 = 0x7f000000 | 5 << 15 | 1 << 14 | 2 << 11 |
                               1 << 10 | 1 << 8 | 1},
                     Family::unknown)
                    .registers;
  EXPECT_EQ(r.priority, 1u);
  EXPECT_EQ(r.round_32, 2u);
  EXPECT_EQ(r.round_16_64, 1u);
  EXPECT_EQ(r.denorm_32, 2u);
  EXPECT_EQ(r.denorm_16_64, 3u);
  EXPECT_TRUE(r.priv && r.bulky && r.debug_user);
  EXPECT_FALSE(r.debug_mode);
  EXPECT_TRUE(r.private_segment && r.workgroup_id_y && r.workgroup_info);
  EXPECT_FALSE(r.workgroup_id_x || r.workgroup_id_z);
  EXPECT_EQ(r.workitem_id, 2u);
  EXPECT_TRUE(r.exception_memory);
  EXPECT_FALSE(r.exception_address_watch);
  EXPECT_EQ(r.lds_field, 5u);
  EXPECT_EQ(r.fp_exceptions, 0x7fu);
  // and nothing of what depends on the family
  EXPECT_FALSE(r.ieee_mode || r.disable_perf || r.wgp_mode || r.user_sgprs ||
               r.accum_offset || r.image_op || r.trap_handler);
}

TEST(AmdgpuDescriptor, GivesSharedBitsTheMeaningOfTheFamily) {
  Words w{.rsrc1 = 1u << 21 | 1u << 26 | 1u << 27 | 1u << 29,
          .rsrc2 = 1u << 6 | 3 << 1,
          .rsrc3 = 1u << 31 | 1u << 17 | 1u << 16 | 1u << 13 | 0x3ff};
  Registers gfx8 = read(w, Family::gfx8).registers;
  EXPECT_EQ(gfx8.dx10_clamp, true);
  EXPECT_FALSE(gfx8.fp16_overflow || gfx8.wgp_mode || gfx8.shared_vgprs);
  EXPECT_EQ(gfx8.trap_handler, true);
  EXPECT_EQ(gfx8.user_sgprs, 3u);

  Registers gfx90a = read(w, Family::gfx90a).registers;
  EXPECT_EQ(gfx90a.accum_offset, 256u);
  EXPECT_EQ(gfx90a.threadgroup_split, true);
  EXPECT_EQ(gfx90a.fp16_overflow, true);

  Registers gfx11 = read(w, Family::gfx11).registers;
  EXPECT_EQ(gfx11.wgp_mode, true);
  EXPECT_EQ(gfx11.shared_vgprs, 15u);
  EXPECT_EQ(gfx11.instruction_prefetch, 63u);
  EXPECT_EQ(gfx11.image_op, true);
  EXPECT_EQ(gfx11.trap_on_start, false);
  EXPECT_FALSE(gfx11.dynamic_vgprs || gfx11.workgroup_round_robin);

  Registers gfx12 = read(w, Family::gfx12).registers;
  EXPECT_EQ(gfx12.workgroup_round_robin, true);
  EXPECT_FALSE(gfx12.dx10_clamp || gfx12.trap_handler || gfx12.shared_vgprs);
  EXPECT_EQ(gfx12.dynamic_vgprs, true); // bit 6 of rsrc2
  EXPECT_EQ(gfx12.group_launch_guarantee, true);
  EXPECT_FALSE(gfx12.named_barriers);

  Registers gfx125 = read(w, Family::gfx125).registers;
  EXPECT_EQ(gfx125.user_sgprs, 0x23u); // six bits
  EXPECT_EQ(gfx125.flat_scratch_nv, true);
  EXPECT_EQ(gfx125.named_barriers, 4u);
  EXPECT_EQ(gfx125.dynamic_vgprs, true); // bit 17 of rsrc3
  EXPECT_EQ(gfx125.tcp_split, 0u);
}

TEST(AmdgpuDescriptor, KnowsTheFamilyOfEveryProcessorNumber) {
  EXPECT_EQ(family_of_mach(0x20), Family::gfx6);
  EXPECT_EQ(family_of_mach(0x26), Family::gfx7);
  EXPECT_EQ(family_of_mach(0x2a), Family::gfx8);
  EXPECT_EQ(family_of_mach(0x2f), Family::gfx9);
  EXPECT_EQ(family_of_mach(0x30), Family::gfx9); // gfx908
  EXPECT_EQ(family_of_mach(0x3f), Family::gfx90a);
  EXPECT_EQ(family_of_mach(0x4f), Family::gfx90a); // gfx950
  EXPECT_EQ(family_of_mach(0x36), Family::gfx10);
  EXPECT_EQ(family_of_mach(0x41), Family::gfx11);
  EXPECT_EQ(family_of_mach(0x48), Family::gfx12);
  EXPECT_EQ(family_of_mach(0x49), Family::gfx125);
  for (std::uint32_t reserved : {0x00u, 0x01u, 0x27u, 0x4du, 0x56u, 0x60u,
                                 0x61u, 0x50u, 0x63u, 0x6au, 0xffu})
    EXPECT_EQ(family_of_mach(reserved), Family::unknown) << reserved;
  EXPECT_EQ(family_of_isa(7, 0, 1), Family::gfx7);
  EXPECT_EQ(family_of_isa(9, 0, 7), Family::gfx9);
  EXPECT_EQ(family_of_isa(9, 0, 10), Family::gfx90a);
  EXPECT_EQ(family_of_isa(9, 4, 2), Family::gfx90a);
  EXPECT_EQ(family_of_isa(10, 3, 0), Family::gfx10);
  EXPECT_EQ(family_of_isa(11, 0, 0), Family::unknown);
}

std::vector<std::byte> code_header() {
  Builder b;
  b.u32(1).u32(2).u16(1).u16(9).u16(0).u16(6).u64(256).zeros(24);
  b.u32(1 << 6 | 1).u32(3 << 1).u32(1 << 22 | 1 << 20 | 1 << 3);
  b.u32(404).u32(256).u32(0).u64(52).u32(0).u16(12).u16(7).zeros(12);
  return b.u8(4).u8(5).u8(200).u8(6).u32(0xffffffff).zeros(20 + 128).take();
}

TEST(AmdgpuCodeHeader, ReadsAllFields) {
  auto h = read_code_header(code_header(), 0xa00, 0x1a00, Family::gfx9);
  ASSERT_TRUE(h);
  EXPECT_EQ(h->version_major, 1u);
  EXPECT_EQ(h->version_minor, 2u);
  EXPECT_EQ(h->machine_kind, 1);
  EXPECT_EQ(h->machine_major, 9);
  EXPECT_EQ(h->machine_stepping, 6);
  EXPECT_EQ(h->entry_address, 0x1b00u);
  EXPECT_EQ(h->private_segment_fixed_size, 404u);
  EXPECT_EQ(h->group_segment_fixed_size, 256u);
  EXPECT_EQ(h->kernarg_size, 52u);
  EXPECT_EQ(h->sgpr_count, 12);
  EXPECT_EQ(h->vgpr_count, 7);
  EXPECT_EQ(h->kernarg_align, 16u);
  EXPECT_EQ(h->group_segment_align, 32u);
  EXPECT_EQ(h->private_segment_align, std::nullopt); // 2^200 is none
  EXPECT_EQ(h->wavefront_size, 64u);
  EXPECT_EQ(h->call_convention, -1);
  EXPECT_TRUE(h->dynamic_call_stack && h->xnack_enabled);
  EXPECT_FALSE(h->debug_enabled);
  EXPECT_TRUE(h->properties.kernarg_pointer);
  EXPECT_FALSE(h->properties.wave32);
  EXPECT_EQ(h->allocated_vgprs, 8u);
  EXPECT_EQ(h->allocated_sgprs, 16u);
  EXPECT_EQ(h->registers.user_sgprs, 3u);
}

TEST(AmdgpuCodeHeader, RefusesEveryTruncation) {
  std::vector<std::byte> bytes = code_header();
  ASSERT_EQ(bytes.size(), kCodeHeaderSize);
  for (std::size_t n = 0; n < bytes.size(); n++) {
    auto h = read_code_header(Bytes(bytes).first(n), 0x40, 0, Family::gfx9);
    ASSERT_FALSE(h) << n;
    EXPECT_EQ(h.error().code, Errc::truncated);
    EXPECT_LE(h.error().offset, 0x40 + n);
  }
}

} // namespace
} // namespace gantry::amdgpu

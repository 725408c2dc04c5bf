// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declared against observed targets, from the file to the report.
#include "format/test_cubin.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

Report look(const Image &file, Analysis analysis = Analysis::kernels) {
  Options options;
  options.analysis = analysis;
  auto r = memory(file, "test", options);
  EXPECT_TRUE(r);
  EXPECT_EQ(r ? broken_rule(*r) : "", "");
  return r ? std::move(*r) : Report{};
}

Object only(const Image &file, Analysis analysis = Analysis::kernels) {
  Report r = look(file, analysis);
  EXPECT_EQ(r.objects.size(), 1u);
  return r.objects.empty() ? Object() : r.objects[0];
}

constexpr std::uint64_t kA = 0x100000, kF = 0x200000;

Entry entry(std::uint32_t arch, std::uint64_t suffix, Image payload) {
  return {.arch = arch, .flags = 0x11 | suffix, .payload = std::move(payload)};
}

Image cubin(std::uint32_t flags, std::uint8_t os_abi = 0x41,
            std::optional<std::uint16_t> compat = std::nullopt) {
  cubin::CubinBuilder b(flags, os_abi, os_abi == 0x41 ? 8 : 7);
  b.kernel("axpy", cubin::axpy_records());
  if (compat)
    b.compat(*compat);
  return b.build();
}

TEST(Consistency, ComparesCubinsWithTheirDeclaration) {
  struct Case {
    std::uint32_t arch;
    std::uint64_t suffix;
    Image payload;
    std::string_view target, payload_target, consistency;
  };
  const std::uint32_t sm_90 = 0x06005A04, sm_100 = 0x06006404;
  std::vector<Case> cases = {
      {90, 0, cubin(sm_90), "sm_90", "sm_90", "base-only"},
      {90, kA, cubin(sm_90, 0x41, 1), "sm_90a", "sm_90a", "equal"},
      {90, kA, cubin(0x5A0D5A, 0x33), "sm_90a", "sm_90a", "equal"},
      {100, kF, cubin(sm_100, 0x41, 0), "sm_100f", "sm_100", "base-only"},
      {100, kF, cubin(sm_100, 0x41, 1), "sm_100f", "sm_100a", "conflict"},
      {86, 0, cubin(sm_90), "sm_86", "sm_90", "conflict"},
  };
  for (const Case &c : cases) {
    Object o = only(fatbin_of({entry(c.arch, c.suffix, c.payload)}));
    EXPECT_EQ(o.target, c.target);
    EXPECT_EQ(o.declared, c.target);
    EXPECT_EQ(o.payload_target, c.payload_target) << c.target;
    EXPECT_EQ(o.target_consistency, c.consistency) << c.target;
  }
}

TEST(Consistency, MarksAllThatAConflictTouches) {
  Report r = look(fatbin_of({entry(86, 0, cubin(0x06005A04))}));
  ASSERT_EQ(r.objects.size(), 1u);
  EXPECT_EQ(r.objects[0].declared, "sm_86");
  EXPECT_EQ(r.objects[0].payload_target, "sm_90");
  ASSERT_EQ(r.targets.size(), 1u);
  EXPECT_EQ(r.targets[0].target, "sm_86");
  EXPECT_EQ(r.targets[0].coverage, Coverage::partial);
  EXPECT_EQ(r.coverage, Coverage::partial);
  ASSERT_EQ(r.kernels.size(), 1u);
  const Limitation *l = find(r.kernels[0].limitations, "target-conflict");
  ASSERT_TRUE(l);
  EXPECT_NE(l->message.find("sm_86"), std::string::npos);
  EXPECT_NE(l->message.find("sm_90"), std::string::npos);
}

TEST(Consistency, ComparesPtxWithItsDeclaration) {
  for (auto [arch, suffix, directive, consistency] :
       {std::tuple{90u, kA, "sm_90a", "equal"},
        {90u, kA, "compute_90a", "equal"},
        {90u, std::uint64_t{0}, "sm_90", "equal"},
        {90u, std::uint64_t{0}, "sm_80", "conflict"},
        {90u, std::uint64_t{0}, "sm_90a", "conflict"}}) {
    Entry e = ptx_entry(arch, ptx_text(directive));
    e.flags |= suffix;
    Object o = only(fatbin_of({e}));
    EXPECT_EQ(o.payload_target, directive) << "as it is spelled";
    EXPECT_EQ(o.target_consistency, consistency) << directive;
  }
  Object none = only(fatbin_of({ptx_entry(90, ".version 8.0\n")}));
  EXPECT_EQ(none.target, "sm_90");
  EXPECT_EQ(none.payload_target, "");
  EXPECT_TRUE(find(none.limitations, "unknown-target"));
}

TEST(Consistency, ComparesAmdgpuObjectsWithTheirDeclaration) {
  struct Case {
    std::string id;
    AmdObject object;
    std::string_view payload_target, consistency;
  };
  std::string prefix = "amdgcn-amd-amdhsa--";
  std::vector<Case> cases = {
      {amd_id("gfx90a"),
       {.e_flags = 0x73f, .target = prefix + "gfx90a:xnack+"},
       "gfx90a:xnack+",
       "feature-mismatch"},
      {amd_id("gfx90a:xnack+"), {.e_flags = 0x73f}, "gfx90a:xnack+", "equal"},
      {amd_id("gfx90a"), {.e_flags = kGfx90a}, "gfx90a", "equal"},
      {"hip-amdgcn-amd-amdhsa-gfx906",
       {.e_flags = 0x32f, .abi_version = 1},
       "gfx906+sramecc+xnack",
       "unknown"},
      {amd_id("gfx1030"), {.e_flags = kGfx90a}, "gfx90a", "conflict"},
      // e_flags and note of one object differ.
      {amd_id("gfx1030"),
       {.e_flags = kGfx1030, .target = prefix + "gfx90a"},
       "gfx90a",
       "conflict"},
  };
  for (const Case &c : cases) {
    Image image = amdgpu_image(c.object);
    for (const Image &file :
         {bundle_of({{c.id, image}}), ccob_of(bundle_of({{c.id, image}}))}) {
      Object o = only(file);
      EXPECT_EQ(o.declared, c.id);
      EXPECT_EQ(o.payload_target, c.payload_target) << c.id;
      EXPECT_EQ(o.target_consistency, c.consistency) << c.id;
      EXPECT_EQ(o.e_flags, c.object.e_flags);
    }
  }
}

TEST(Consistency, NamesBothTargetsOfAnObjectThatContradictsItself) {
  AmdObject object{.target = "amdgcn-amd-amdhsa--gfx90a", .kernels = {"axpy"}};
  Report r = look(amdgpu_image(object));
  EXPECT_EQ(r.objects.at(0).target_consistency, "conflict");
  EXPECT_TRUE(find(r.objects[0].limitations, "target-conflict"));
  const Limitation *l = find(r.kernels.at(0).limitations, "target-conflict");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->message.find("declares"), std::string::npos)
      << "no container declares anything";
  EXPECT_EQ(r.coverage, Coverage::partial);
}

TEST(Consistency, IsUnexaminedWithoutThePayload) {
  for (const Image &file : {fatbin_of({entry(86, 0, cubin(0x06005A04))}),
                            bundle_of({{amd_id("gfx1030"), amdgpu_image()}}),
                            fatbin_of({ptx_entry(90, ptx_text("sm_80"))})}) {
    Object o = only(file, Analysis::inventory);
    EXPECT_EQ(o.target_consistency, "unexamined");
    EXPECT_EQ(o.payload_target, "");
  }
}

TEST(Consistency, HasASingleSourceInFilesWithoutAContainer) {
  for (const Image &file :
       {cubin(0x06005A04), amdgpu_image(), text(ptx_text())}) {
    Object o = only(file, Analysis::inventory);
    EXPECT_EQ(o.target_consistency, "single-source");
    EXPECT_EQ(o.declared, "");
    EXPECT_NE(o.target, "");
  }
}

TEST(Consistency, KeepsTheHeaderOfACubinWhoseLayoutIsUnknown) {
  Image payload = cubin(0x06005A04);
  payload[8] = std::byte{99}; // ABI version
  Image file = fatbin_of({entry(90, 0, payload)});
  Object o = only(file);
  ASSERT_TRUE(o.cuda_header);
  EXPECT_EQ(o.cuda_header->e_flags, 0x06005A04u);
  EXPECT_EQ(o.cuda_header->location.in, "");
  EXPECT_EQ(o.cuda_header->location.offset, 16u + 64 + 48);
  EXPECT_EQ(o.cuda_header->location.size, 4u);
}

TEST(Consistency, SaysWhereAHeaderLiesInDecodedBytes) {
  Entry e = entry(90, 0, cubin(0x06005A04));
  Image stream = zstd_stored(e.payload);
  Object o =
      only(fatbin_of({compressed(std::move(e), 0x8000, std::move(stream))}));
  ASSERT_TRUE(o.cuda_header);
  EXPECT_EQ(o.cuda_header->location.in, o.id);
  EXPECT_EQ(o.cuda_header->location.offset, 48u);
}

} // namespace
} // namespace gantry::inspect

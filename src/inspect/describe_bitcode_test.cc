// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM bitcode and LTO-IR, from the file to the report.
#include "format/test_bitcode.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

Report look(const Image &file, Analysis analysis = Analysis::kernels) {
  Options options;
  options.analysis = analysis;
  auto r = memory(file, "test", options);
  EXPECT_TRUE(r) << r.error().text();
  EXPECT_EQ(r ? broken_rule(*r) : "", "");
  return r ? std::move(*r) : Report{};
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

Image bitcode_of(std::string_view triple) {
  bitcode::BitWriter w;
  w.enter(13, 5).record(1, "LLVM15.0.5").number(2, 0).end();
  w.enter(8, 3).record(2, triple).record(3, "e-p").record(16, "a.cpp").end();
  return w.bytes();
}

TEST(DescribeBitcode, NamesTripleAndProducer) {
  Report r = look(bitcode_of("nvptx64-nvidia-gpulibs"));
  ASSERT_EQ(r.objects.size(), 1u);
  const Object &o = r.objects[0];
  EXPECT_EQ(o.kind, ObjectKind::bitcode);
  EXPECT_EQ(o.payload_target, "nvptx64-nvidia-gpulibs");
  EXPECT_EQ(o.target, "nvptx64-nvidia-gpulibs");
  EXPECT_EQ(o.target_consistency, "single-source");
  EXPECT_EQ(o.attributes, (Pairs{{"producer", "LLVM15.0.5"},
                                 {"epoch", "0"},
                                 {"source file", "a.cpp"},
                                 {"data layout", "e-p"}}));
  EXPECT_EQ(o.kernel_analysis, Coverage::unexamined);
  EXPECT_FALSE(o.kernels);
  EXPECT_TRUE(find(o.limitations, "no-kernel-list"));
}

TEST(DescribeBitcode, IsKnownToAnInventory) {
  Report r = look(bitcode_of("x86_64-pc-linux-gnu"), Analysis::inventory);
  EXPECT_EQ(r.objects.at(0).target, "x86_64-pc-linux-gnu");
  EXPECT_TRUE(r.objects[0].limitations.empty());
  EXPECT_EQ(r.coverage, Coverage::complete);
}

TEST(DescribeBitcode, ComparesTheTripleWithTheDeclaration) {
  struct Case {
    std::string id, triple;
    std::string_view consistency;
  };
  for (const Case &c : {Case{amd_id("gfx90a"), "amdgcn-amd-amdhsa", "unknown"},
                        {amd_id("gfx90a"), "nvptx64-nvidia-cuda", "conflict"},
                        {amd_id("gfx942"), "amdgpu9.42-amd-amdhsa", "equal"},
                        {amd_id("gfx90a"), "amdgpu9.42-amd-amdhsa", "conflict"},
                        {"hip-spirv64-amd-amdhsa--amdgcnspirv",
                         "spirv64-amd-amdhsa", "unknown"}}) {
    Report r = look(bundle_of({{c.id, bitcode_of(c.triple)}}));
    ASSERT_EQ(r.objects.size(), 1u);
    EXPECT_EQ(r.objects[0].payload_target, c.triple);
    EXPECT_EQ(r.objects[0].target_consistency, c.consistency)
        << c.id << " " << c.triple;
  }
}

TEST(DescribeBitcode, NamesEachModuleOfFilesPutTogether) {
  bitcode::BitWriter w;
  for (std::string_view triple : {"a-b-c", "a-b-c", "d-e-f"})
    w.enter(8, 3).record(2, triple).end();
  Report r = look(w.bytes());
  EXPECT_EQ(r.objects.at(0).payload_target, "a-b-c");
  EXPECT_EQ(r.objects[0].attributes,
            (Pairs{{"modules", "3"}, {"triple", "d-e-f"}}));
}

TEST(DescribeBitcode, SaysWhatIsDamaged) {
  Image file = bitcode_of("amdgcn-amd-amdhsa");
  file.resize(file.size() - 4);
  Report r = look(file);
  EXPECT_TRUE(find(r.objects.at(0).limitations, "truncated"));
  EXPECT_EQ(r.objects[0].target, "");
  Report wrapper = look(Builder().u32(0x0b17c0de).zeros(4).take());
  EXPECT_EQ(wrapper.objects.at(0).kind, ObjectKind::bitcode);
  EXPECT_TRUE(find(wrapper.objects[0].limitations, "truncated"));
}

TEST(DescribeLtoIr, ReadsItsVersion) {
  Image file = Builder()
                   .text("\xed"
                         "CN\x7f")
                   .u64(0x0007020362024101)
                   .zeros(8)
                   .take();
  const Pairs bytes = {{"version bytes", "01 41 02 62 03 02 07 00"}};
  Report bare = look(file);
  EXPECT_EQ(bare.objects.at(0).kind, ObjectKind::lto_ir);
  EXPECT_EQ(bare.objects[0].version, "1.65");
  EXPECT_EQ(bare.objects[0].attributes, bytes);
  EXPECT_TRUE(find(bare.objects[0].limitations, "no-kernel-list"));
  Report entry = look(fatbin_of({{.kind = 8, .payload = file}}));
  EXPECT_EQ(entry.objects.at(0).declared, "lto_90");
  EXPECT_EQ(entry.objects[0].attributes, bytes);
  file.resize(11);
  EXPECT_TRUE(find(look(file).objects.at(0).limitations, "truncated"));
}

} // namespace
} // namespace gantry::inspect

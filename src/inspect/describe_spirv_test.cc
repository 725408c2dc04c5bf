// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIR-V, from the file to the report.
#include "format/test_spirv.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

using spirv::ModuleBuilder;
using spirv::Words;
using spirv::operator+;

Report look(const Image &file, Options options) {
  auto r = memory(file, "test", options);
  EXPECT_TRUE(r) << r.error().text();
  EXPECT_EQ(r ? broken_rule(*r) : "", "");
  return r ? std::move(*r) : Report{};
}

Options kernels() {
  Options o;
  o.analysis = Analysis::kernels;
  o.attributes = true;
  return o;
}

std::string attribute(const Object &o, std::string_view name) {
  auto at = std::ranges::find(o.attributes, name, [](const auto &a) {
    return std::string_view(a.first);
  });
  return at == o.attributes.end() ? "none" : at->second;
}

ModuleBuilder opencl(std::uint32_t generator = 43 << 16 | 22) {
  ModuleBuilder b(generator);
  b.add(17, {6}).add(17, {4});
  b.add(10, spirv::text("SPV_A")).add(10, spirv::text("SPV_B"));
  b.add(11, Words{1} + spirv::text("OpenCL.std")).add(14, {2, 2});
  b.add(15, Words{6, 7} + spirv::text("axpy"));
  b.add(15, Words{6, 8} + spirv::text("scale"));
  b.add(16, {7, 17, 64, 2, 1}).add(16, {8, 18, 32, 1, 1}).add(16, {8, 35, 16});
  b.add(3, {3, 200000});
  return b.add(54, {3, 7, 0, 5}).add(55, {2, 10}).add(56, {});
}

TEST(DescribeSpirv, ListsKernels) {
  Report r = look(opencl().build(), kernels());
  ASSERT_EQ(r.objects.size(), 1u);
  const Object &o = r.objects[0];
  EXPECT_EQ(o.kind, ObjectKind::spirv);
  EXPECT_EQ(o.version, "1.4");
  EXPECT_EQ(o.target, "");
  EXPECT_EQ(o.target_consistency, "unknown");
  EXPECT_EQ(o.kernels, 2u);
  EXPECT_EQ(o.kernel_analysis, Coverage::complete);
  EXPECT_EQ(r.coverage, Coverage::complete);
  EXPECT_EQ(attribute(o, "generator"), "LLVM SPIR-V Backend, version 22");
  EXPECT_EQ(attribute(o, "capabilities"), "Kernel, Addresses");
  EXPECT_EQ(attribute(o, "extensions"), "SPV_A, SPV_B");
  EXPECT_EQ(attribute(o, "imports"), "OpenCL.std");
  EXPECT_EQ(attribute(o, "memory model"), "Physical64 OpenCL");
  EXPECT_EQ(attribute(o, "source"), "OpenCL_C 200000");
  EXPECT_EQ(attribute(o, "byte order"), "none");
  ASSERT_EQ(r.kernels.size(), 2u);
  const Kernel &axpy = r.kernels[0];
  EXPECT_EQ(axpy.name, "axpy");
  EXPECT_EQ(axpy.representation, "spirv");
  EXPECT_EQ(axpy.language, "OpenCL_C");
  EXPECT_EQ(axpy.required_threads, (Extent3{64, 2, 1}));
  EXPECT_EQ(axpy.parameter_count, 1u);
  EXPECT_TRUE(axpy.attributes.empty());
  const Kernel &scale = r.kernels[1];
  EXPECT_FALSE(scale.required_threads);
  EXPECT_FALSE(scale.parameter_count) << "its function is not there";
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(scale.attributes,
            (Pairs{{"local size hint", "32 1 1"}, {"subgroup size", "16"}}));
}

TEST(DescribeSpirv, ListsStagesAsAttributes) {
  ModuleBuilder b;
  b.add(17, {1}).add(15, Words{5, 4} + spirv::text("main"));
  b.add(15, Words{0, 5} + spirv::text("vert")).add(16, {4, 17, 8, 4, 1});
  Report r = look(b.build(true), kernels());
  const Object &o = r.objects.at(0);
  EXPECT_EQ(o.kernels, 0u);
  EXPECT_EQ(o.kernel_analysis, Coverage::complete);
  EXPECT_TRUE(r.kernels.empty());
  EXPECT_EQ(attribute(o, "entry point"), "GLCompute main, local size 8 4 1");
  EXPECT_EQ(o.attributes.back().second, "Vertex vert");
  EXPECT_EQ(attribute(o, "byte order"), "big-endian");
}

TEST(DescribeSpirv, ComparesAmdsFlavourWithItsDeclaration) {
  constexpr std::uint32_t kAmd = 6 << 16 | 0xffff;
  Report bare = look(opencl(kAmd).build(), {});
  EXPECT_EQ(bare.objects.at(0).target, "amdgcnspirv");
  EXPECT_EQ(bare.objects[0].payload_target, "amdgcnspirv");
  EXPECT_EQ(bare.objects[0].target_consistency, "single-source");
  EXPECT_EQ(bare.objects[0].kernel_analysis, Coverage::not_requested);
  struct Case {
    std::string id;
    std::uint32_t generator;
    std::string_view consistency;
  };
  for (const Case &c :
       {Case{"hip-spirv64-amd-amdhsa--amdgcnspirv", kAmd, "equal"},
        {amd_id("gfx90a"), kAmd, "conflict"},
        {"hip-spirv64-amd-amdhsa--amdgcnspirv", 43 << 16, "unknown"}}) {
    Report r =
        look(bundle_of({{c.id, opencl(c.generator).build()}}), kernels());
    ASSERT_EQ(r.objects.size(), 1u);
    EXPECT_EQ(r.objects[0].kind, ObjectKind::spirv);
    EXPECT_EQ(r.objects[0].target_consistency, c.consistency) << c.id;
    EXPECT_EQ(r.objects[0].kernels, 2u);
  }
}

TEST(DescribeSpirv, KeepsTheKernelsBeforeDamage) {
  Image file = opencl().word(0).build();
  Report r = look(file, kernels());
  const Object &o = r.objects.at(0);
  EXPECT_EQ(o.kernel_analysis, Coverage::partial);
  EXPECT_EQ(r.kernels.size(), 2u);
  const Limitation *l = find(o.limitations, "bad-value");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->offset, file.size() - 4);
  EXPECT_EQ(r.coverage, Coverage::partial);
}

TEST(DescribeSpirv, SaysWhenTheHeaderIsCut) {
  Image file = opencl().build();
  file.resize(12);
  Report r = look(file, kernels());
  EXPECT_EQ(r.objects.at(0).kernel_analysis, Coverage::unexamined);
  EXPECT_TRUE(find(r.objects[0].limitations, "truncated"));
}

} // namespace
} // namespace gantry::inspect

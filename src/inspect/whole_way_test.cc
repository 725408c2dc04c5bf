// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a code object that lacks something to object, row of targets and report.
#include "format/test_cubin.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

Report look(Image cubin) {
  Options options;
  options.analysis = Analysis::kernels;
  auto r = memory(fatbin_of({Entry{.arch = 90, .payload = std::move(cubin)},
                             cubin_entry(80)}),
                  "test", options);
  EXPECT_TRUE(r) << r.error().text();
  EXPECT_EQ(r ? broken_rule(*r) : "", "");
  return r ? std::move(*r) : Report{};
}

void expect_partial(const Report &r, std::string_view code) {
  ASSERT_EQ(r.objects.size(), 2u);
  const Object &o = r.objects[0];
  EXPECT_TRUE(find(o.limitations, code));
  EXPECT_EQ(o.kernel_analysis, Coverage::partial);
  EXPECT_EQ(r.objects[1].kernel_analysis, Coverage::complete);
  ASSERT_EQ(r.targets.size(), 2u);
  EXPECT_EQ(r.targets[0].target, "sm_80");
  EXPECT_EQ(r.targets[0].coverage, Coverage::complete);
  EXPECT_EQ(r.targets[1].target, "sm_90");
  EXPECT_EQ(r.targets[1].coverage, Coverage::partial);
  EXPECT_EQ(r.targets[1].kernels, o.kernels);
  EXPECT_EQ(r.coverage, Coverage::partial);
}

TEST(WholeWay, OfASoundCubinIsComplete) {
  cubin::CubinBuilder b;
  b.kernel("axpy", cubin::axpy_records());
  Report r = look(b.build());
  EXPECT_EQ(r.objects[0].kernel_analysis, Coverage::complete);
  EXPECT_EQ(r.objects[0].kernels, 1u);
  EXPECT_EQ(r.targets[1].coverage, Coverage::complete);
  EXPECT_EQ(r.coverage, Coverage::complete);
}

TEST(WholeWay, OfACubinWithoutSymbolTableIsPartial) {
  cubin::CubinBuilder b;
  b.elf.with_symbols = false;
  const std::uint32_t code = b.elf.section(
      ".text.axpy", zeros(64), {.flags = elf::kFlagAlloc, .info = 3});
  b.elf.section(".nv.info.axpy", cubin::axpy_records().b.take(),
                {.type = cubin::kInfoType, .info = code});
  b.module.words(nvinfo::kRegisterCount, {3, 20});
  Report r = look(b.build());
  expect_partial(r, "no-symbol-table");
  ASSERT_EQ(r.kernels.size(), 1u);
  EXPECT_EQ(r.kernels[0].name, "axpy");
  EXPECT_TRUE(r.kernels[0].derived_name);
  EXPECT_EQ(r.kernels[0].registers, 20u);
}

TEST(WholeWay, OfACubinWithAnUnreadableSectionNameIsPartial) {
  cubin::CubinBuilder b;
  b.kernel("k");
  b.sized(".nv.shared.k", 1024);
  const std::uint32_t shared = b.elf.count() - 1;
  Builder image;
  image.bytes(b.build());
  image.set_u32(b.elf.header_offset(shared), 0x7FFFFFFF);
  Report r = look(image.take());
  expect_partial(r, "unreadable-name");
  ASSERT_EQ(r.kernels.size(), 1u);
  EXPECT_EQ(r.kernels[0].registers, 14u);
  EXPECT_FALSE(r.kernels[0].shared_bytes) << "the nameless one may hold it";
}

} // namespace
} // namespace gantry::inspect

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/test_spirv.h"

#include <gtest/gtest.h>

namespace gantry::spirv {
namespace {

// Two kernels and a compute stage, with all that is read.
ModuleBuilder sample() {
  ModuleBuilder b;
  b.add(17, {6}).add(17, {4}).add(17, {6});
  b.add(10, text("SPV_KHR_expect_assume"))
      .add(11, Words{1} + text("OpenCL.std"));
  b.add(14, {2, 2});
  b.add(15, Words{6, 7} + text("axpy") + Words{20, 21});
  b.add(15, Words{6, 8} + text("scale"));
  b.add(15, Words{5, 9} + text("main") + Words{20});
  b.add(16, {7, 17, 64, 2, 1}).add(16, {7, 31});
  b.add(16, {8, 18, 32, 1, 1}).add(16, {8, 35, 16});
  b.add(331, {9, 38, 30, 31, 30});
  b.add(3, {3, 200000}).add(3, {3, 200000});
  b.add(43, {2, 30, 4}).add(43, {2, 31, 5});
  b.add(54, {3, 7, 0, 5}).add(55, {2, 10}).add(55, {2, 11}).add(56, {});
  b.add(54, {3, 12, 0, 5}).add(55, {2, 13}).add(56, {}); // no entry point
  b.add(54, {3, 8, 0, 6}).add(56, {});
  return b;
}

Module read(const ModuleBuilder &b, bool big_endian = false) {
  auto image = b.build(big_endian);
  auto m = read_module(image, {});
  EXPECT_TRUE(m);
  return m ? std::move(*m) : Module{};
}

void expect_sample(const Module &m) {
  EXPECT_FALSE(m.damage);
  EXPECT_EQ(m.header.major, 1);
  EXPECT_EQ(m.header.minor, 4);
  EXPECT_EQ(m.header.generator, 43u << 16 | 22);
  EXPECT_EQ(m.header.bound, 40u);
  EXPECT_EQ(m.capabilities, (Words{6, 4}));
  EXPECT_EQ(m.extensions, std::vector<std::string>{"SPV_KHR_expect_assume"});
  EXPECT_EQ(m.imports, std::vector<std::string>{"OpenCL.std"});
  EXPECT_EQ(m.addressing_model, 2u);
  EXPECT_EQ(m.memory_model, 2u);
  ASSERT_EQ(m.sources.size(), 1u);
  EXPECT_EQ(m.sources[0].language, 3u);
  EXPECT_EQ(m.sources[0].version, 200000u);
  ASSERT_EQ(m.entry_points.size(), 3u);
  const EntryPoint &axpy = m.entry_points[0];
  EXPECT_EQ(axpy.model, kKernel);
  EXPECT_EQ(axpy.name, "axpy");
  EXPECT_EQ(axpy.id, 7u);
  EXPECT_EQ(axpy.interface_count, 2u);
  EXPECT_EQ(axpy.local_size, (Extent3{64, 2, 1}));
  EXPECT_FALSE(axpy.local_size_hint);
  EXPECT_EQ(axpy.parameter_count, 2u);
  const EntryPoint &scale = m.entry_points[1];
  EXPECT_FALSE(scale.local_size);
  EXPECT_EQ(scale.local_size_hint, (Extent3{32, 1, 1}));
  EXPECT_EQ(scale.subgroup_size, 16u);
  EXPECT_EQ(scale.parameter_count, 0u);
  const EntryPoint &main = m.entry_points[2];
  EXPECT_EQ(main.model, kGlCompute);
  EXPECT_EQ(main.local_size, (Extent3{4, 5, 4}));
  EXPECT_FALSE(main.parameter_count) << "its function is not in the module";
}

TEST(Spirv, ReadsAModule) { expect_sample(read(sample())); }

TEST(Spirv, ReadsEitherByteOrder) {
  Module m = read(sample(), true);
  EXPECT_TRUE(m.header.big_endian);
  expect_sample(m);
}

TEST(Spirv, KnowsAmdsFlavour) {
  EXPECT_FALSE(is_amd_flavour(read(sample())));
  EXPECT_TRUE(is_amd_flavour(read(ModuleBuilder(6 << 16 | 0xffff))));
  EXPECT_TRUE(is_amd_flavour(read(ModuleBuilder(0xffff))));
}

TEST(Spirv, KeepsWhatPrecedesEveryTruncation) {
  auto image = sample().build();
  for (std::size_t n = 0; n < image.size(); n++) {
    auto m = read_module(Bytes(image).first(n), {});
    if (n < kHeaderSize) {
      ASSERT_FALSE(m) << n;
      EXPECT_EQ(m.error().code, Errc::truncated) << n;
      EXPECT_EQ(m.error().offset, n / 4 * 4) << n;
      continue;
    }
    ASSERT_TRUE(m) << n;
    EXPECT_LE(m->entry_points.size(), 3u);
    if (m->damage) {
      EXPECT_EQ(m->damage->code, Errc::truncated) << n;
      EXPECT_LE(m->damage->offset, n);
    } else {
      EXPECT_EQ(n % 4, 0u);
    }
  }
}

TEST(Spirv, RefusesOtherFiles) {
  auto m = read_module(as_bytes(std::string(20, 'x')), {});
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().code, Errc::bad_magic);
  EXPECT_EQ(m.error().offset, 0u);
}

// What follows the sound start is damage there, and the start is kept.
void expect_damage(ModuleBuilder b, std::uint64_t at, Errc code,
                   const Limits &limits = {}) {
  auto image = b.build();
  auto m = read_module(image, limits);
  ASSERT_TRUE(m);
  ASSERT_TRUE(m->damage) << at;
  EXPECT_EQ(m->damage->code, code);
  EXPECT_EQ(m->damage->offset, at);
  EXPECT_EQ(m->capabilities, Words{6});
}

TEST(Spirv, ReportsInstructionsThatCannotBe) {
  ModuleBuilder start;
  start.add(17, {6});
  const std::uint64_t at = start.size();
  auto with = [&](std::uint32_t opcode, const Words &operands) {
    return ModuleBuilder(start).add(opcode, operands);
  };
  expect_damage(ModuleBuilder(start).word(17), at, Errc::bad_value);
  expect_damage(ModuleBuilder(start).word(3u << 16 | 17), at, Errc::truncated);
  expect_damage(ModuleBuilder(start).word(0xffff0011), at, Errc::truncated);
  expect_damage(with(17, {}), at, Errc::bad_value);
  expect_damage(with(14, {2}), at, Errc::bad_value);
  expect_damage(with(15, {6, 7}), at, Errc::bad_value);
  expect_damage(with(3, {3}), at, Errc::bad_value);
  // Texts without an end.
  expect_damage(with(15, {6, 7, 0x61616161}), at, Errc::bad_value);
  expect_damage(with(10, {0x61616161}), at, Errc::bad_value);
  expect_damage(with(11, {1}), at, Errc::bad_value);
}

TEST(Spirv, ReportsModesThatCannotBe) {
  ModuleBuilder start;
  start.add(17, {6}).add(15, Words{6, 7} + text("k"));
  const std::uint64_t at = start.size();
  for (const Words &mode : {Words{7}, Words{7, 17, 1, 2}, Words{7, 35}})
    expect_damage(ModuleBuilder(start).add(16, mode), at, Errc::bad_value);
  expect_damage(ModuleBuilder(start).add(331, {7, 38, 1}), at, Errc::bad_value);
}

TEST(Spirv, LeavesSizesThatSpecialisationChangesUnknown) {
  ModuleBuilder b;
  b.add(15, Words{5, 7} + text("k")).add(331, {7, 38, 30, 30, 31});
  b.add(43, {2, 30, 4}).add(50, {2, 31, 4});
  EXPECT_FALSE(read(b).entry_points.at(0).local_size);
}

TEST(Spirv, PassesOverModesOfUnknownIds) {
  ModuleBuilder b;
  b.add(16, {99, 17, 1, 1, 1}).add(15, Words{6, 7} + text("k"));
  Module m = read(b);
  EXPECT_FALSE(m.damage);
  EXPECT_FALSE(m.entry_points.at(0).local_size);
}

TEST(Spirv, SharesTheFactsOfAFunctionBetweenItsEntryPoints) {
  ModuleBuilder b;
  b.add(15, Words{6, 7} + text("a")).add(15, Words{6, 7} + text("b"));
  b.add(16, {7, 17, 8, 1, 1});
  for (const EntryPoint &e : read(b).entry_points)
    EXPECT_EQ(e.local_size, (Extent3{8, 1, 1})) << e.name;
}

TEST(Spirv, StopsAtItsLimits) {
  ModuleBuilder start;
  start.add(17, {6});
  const std::uint64_t at = start.size();
  Limits one;
  one.records = 1;
  expect_damage(ModuleBuilder(start).add(17, {5}), at, Errc::too_large, one);
  expect_damage(ModuleBuilder(start).add(15, Words{6, 7} + text("k")), at,
                Errc::too_large, one);
  expect_damage(ModuleBuilder(start).add(3, {1, 2}), at, Errc::too_large, one);
  Limits names;
  names.name_bytes = 8;
  expect_damage(ModuleBuilder(start).add(10, text("SPV_KHR_long")), at,
                Errc::too_large, names);
}

TEST(Spirv, NamesWhatIsKnownAndNumbersTheRest) {
  EXPECT_EQ(capability_name(0), "Matrix");
  EXPECT_EQ(capability_name(6), "Kernel");
  EXPECT_EQ(capability_name(6400), "GroupUniformArithmeticKHR");
  EXPECT_EQ(capability_name(16), "16");
  EXPECT_EQ(capability_name(UINT32_MAX), "4294967295");
  EXPECT_EQ(execution_model_name(kGlCompute), "GLCompute");
  EXPECT_EQ(execution_model_name(7), "7");
  EXPECT_EQ(addressing_model_name(2), "Physical64");
  EXPECT_EQ(memory_model_name(2), "OpenCL");
  EXPECT_EQ(source_language_name(3), "OpenCL_C");
  EXPECT_EQ(generator_name(43 << 16 | 22), "LLVM SPIR-V Backend");
  EXPECT_EQ(generator_name(99u << 16), "99");
}

} // namespace
} // namespace gantry::spirv

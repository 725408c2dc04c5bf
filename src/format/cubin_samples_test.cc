// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cubins as the tools write them. The files are the seeds of
// fuzz/cubin_fuzz.cc, made by ptxas 11.8 (a_sm_75), 12.4 (a_sm_90a), 12.8
// (b_sm_100a), 12.9 (b_sm_120f), 13.0 (b_sm_90; rel_sm_80 with -c) and 13.5
// (b_sm_107) from what nvcc -ptx makes of this:
//
//   extern __shared__ int buf[];
//   __global__ void __launch_bounds__(128, 2) k(int *p, short s) {
//     __shared__ int t[8];
//     t[threadIdx.x & 7] = s;
//     buf[threadIdx.x] = 1;
//     __syncthreads();
//     *p = t[1] + buf[3];
//   }
//
// no_symtab and osabi are b_sm_90 with one byte changed. The expected values
// are those that cuobjdump 13.5 prints.

#include "format/cubin.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace gantry::cubin {
namespace {

std::string load(const std::string &name) {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / ".." /
                         ".." / "fuzz" / "corpus" / "cubin" / name,
                     std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Sample {
  const char *name;
  Layout layout;
  std::uint32_t sm;
  Version toolkit;
  std::optional<bool> flag_a;
  std::optional<std::uint16_t> compat;
  std::optional<char> hint;
  std::uint32_t registers;
  std::uint64_t shared_section;
  std::uint64_t base;
  std::uint32_t api;
};

TEST(CubinSamples, AgreeWithTheVendorsTool) {
  const Sample samples[] = {
      {"a_sm_75", Layout::a, 75, {11, 8}, {}, {}, {}, 10, 32, 0x160, 118},
      {"a_sm_90a", Layout::a, 90, {12, 4}, true, {}, {}, 12, 1056, 0x210, 124},
      {"b_sm_100a",
       Layout::b,
       100,
       {12, 8},
       true,
       {},
       'a',
       12,
       1056,
       0x380,
       128},
      {"b_sm_120f",
       Layout::b,
       120,
       {12, 9},
       false,
       {},
       'f',
       12,
       1056,
       0x380,
       129},
      {"b_sm_90", Layout::b, 90, {13, 0}, {}, 0, '\0', 12, 1056, 0x210, 130},
      {"b_sm_107", Layout::b, 107, {13, 5}, {}, 0, '\0', 12, 1056, 0x380, 135},
      {"rel_sm_80", Layout::b, 80, {13, 0}, {}, {}, '\0', 12, 32, 0x160, 130},
  };
  for (const Sample &s : samples) {
    SCOPED_TRACE(s.name);
    const std::string image = load(s.name);
    auto cubin = read_cubin(as_bytes(image), Limits{});
    ASSERT_TRUE(cubin);
    EXPECT_TRUE(cubin->limitations.empty());
    EXPECT_EQ(cubin->header.layout, s.layout);
    EXPECT_EQ(cubin->header.sm, s.sm);
    EXPECT_EQ(cubin->virtual_sm, s.sm);
    EXPECT_EQ(cubin->toolkit, s.toolkit);
    EXPECT_EQ(cubin->flag_a, s.flag_a);
    EXPECT_EQ(cubin->compat_accelerator, s.compat);
    EXPECT_EQ(cubin->suffix_hint, s.hint);
    ASSERT_EQ(cubin->kernels.size(), 1u);
    const Kernel &k = cubin->kernels[0];
    EXPECT_EQ(k.name, "_Z1kPis");
    EXPECT_EQ(k.registers, s.registers);
    EXPECT_EQ(k.barriers, 1u);
    EXPECT_EQ(k.static_shared_bytes, 32u);
    EXPECT_EQ(k.shared_section_bytes, s.shared_section);
    EXPECT_EQ(k.frame_bytes, 0u);
    EXPECT_EQ(k.parameter_base, s.base);
    EXPECT_EQ(k.parameter_bytes, 10u);
    EXPECT_EQ(k.parameter_count, 2u);
    EXPECT_EQ(k.parameters.at(1).offset, 8u);
    EXPECT_EQ(k.parameters.at(1).size, 2u);
    EXPECT_EQ(k.max_threads, (Dimensions{128, 1, 1}));
    EXPECT_EQ(k.cuda_api_version, s.api);
    ASSERT_EQ(k.constants.size(), 1u);
    EXPECT_EQ(k.constants[0].bytes, s.base + 10);
    if (cubin->header.relocatable()) {
      EXPECT_EQ(k.dynamic_shared, true);
      EXPECT_FALSE(k.stack_bytes);
    } else {
      EXPECT_FALSE(k.dynamic_shared);
      EXPECT_EQ(k.stack_bytes, 0u);
    }
  }
}

TEST(CubinSamples, SurviveTheLossOfTheSymbolTable) {
  const std::string image = load("no_symtab");
  auto cubin = read_cubin(as_bytes(image), Limits{});
  ASSERT_TRUE(cubin);
  ASSERT_EQ(cubin->limitations.size(), 1u);
  EXPECT_EQ(cubin->limitations[0].gap, Gap::no_symbol_table);
  ASSERT_EQ(cubin->kernels.size(), 1u);
  EXPECT_EQ(cubin->kernels[0].name, "_Z1kPis");
  EXPECT_TRUE(cubin->kernels[0].derived_name);
  EXPECT_EQ(cubin->kernels[0].registers, 12u);
}

TEST(CubinSamples, KeepWhatAnUnknownLayoutAllows) {
  const std::string image = load("osabi");
  auto cubin = read_cubin(as_bytes(image), Limits{});
  ASSERT_TRUE(cubin);
  EXPECT_EQ(cubin->header.layout, Layout::unknown);
  EXPECT_EQ(cubin->header.os_abi, 0x77);
  EXPECT_EQ(cubin->header.flags, 0x06005A04u);
  EXPECT_FALSE(cubin->header.sm);
  ASSERT_EQ(cubin->kernels.size(), 1u);
  EXPECT_EQ(cubin->kernels[0].registers, 12u);
  EXPECT_FALSE(cubin->kernels[0].barriers);
  EXPECT_FALSE(cubin->kernels[0].static_shared_bytes);
  EXPECT_EQ(cubin->kernels[0].shared_section_bytes, 1056u);
  EXPECT_EQ(cubin->kernels[0].parameter_count, 2u);
}

} // namespace
} // namespace gantry::cubin

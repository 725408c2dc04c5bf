// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/hip_wrapper.h"

#include "base/test_bytes.h"

#include <gtest/gtest.h>

namespace gantry::hip {
namespace {

Builder &wrapper(Builder &b, std::uint32_t magic, std::uint64_t address,
                 std::uint32_t version = 1, std::uint64_t reserved = 0) {
  return b.u32(magic).u32(version).u64(address).u64(reserved);
}

void expect_damage(const Wrappers &w, Errc code, std::uint64_t offset) {
  ASSERT_TRUE(w.damage);
  EXPECT_EQ(w.damage->code, code);
  EXPECT_EQ(w.damage->offset, offset);
}

TEST(HipWrapper, ReadsBothKinds) {
  Builder b;
  b.text("FPIH").u32(1).u64(0x123456789abcdef0).u64(0);
  b.text("HIPK").u32(1).u64(0x1000).u64(7);
  auto w = read_wrappers(b.bytes());
  EXPECT_FALSE(w.damage);
  ASSERT_EQ(w.list.size(), 2u);
  EXPECT_EQ(w.list[0].offset, 0u);
  EXPECT_EQ(w.list[0].magic, kMagicFatbin);
  EXPECT_EQ(w.list[0].version, 1u);
  EXPECT_EQ(w.list[0].address, 0x123456789abcdef0u);
  EXPECT_EQ(w.list[0].reserved, 0u);
  EXPECT_FALSE(w.list[0].is_kpack());
  EXPECT_EQ(w.list[1].offset, 24u);
  EXPECT_EQ(w.list[1].reserved, 7u);
  EXPECT_TRUE(w.list[1].is_kpack());
}

TEST(HipWrapper, ReadsNothingFromNothing) {
  auto w = read_wrappers({});
  EXPECT_TRUE(w.list.empty());
  EXPECT_FALSE(w.damage);
}

TEST(HipWrapper, SkipsZeros) {
  Builder b;
  b.zeros(8);
  wrapper(b, kMagicFatbin, 1).zeros(16);
  wrapper(b, kMagicFatbin, 2).zeros(493); // not a multiple of anything
  auto w = read_wrappers(b.bytes());
  EXPECT_FALSE(w.damage);
  ASSERT_EQ(w.list.size(), 2u);
  EXPECT_EQ(w.list[0].offset, 8u);
  EXPECT_EQ(w.list[1].offset, 48u);
  EXPECT_EQ(w.list[1].address, 2u);
}

TEST(HipWrapper, ReportsEveryTruncation) {
  Builder b;
  wrapper(b, kMagicFatbin, UINT64_MAX, 1, UINT64_MAX);
  for (std::size_t n = 1; n < b.size(); n++) {
    auto w = read_wrappers(b.bytes().first(n));
    EXPECT_TRUE(w.list.empty()) << n;
    if (n < 4)
      expect_damage(w, Errc::bad_magic, 0);
    else
      expect_damage(w, Errc::truncated, n < 8 ? 4 : n < 16 ? 8 : 16);
  }
}

TEST(HipWrapper, KeepsSoundRecordsBesideForeignBytes) {
  Builder b;
  wrapper(b, kMagicFatbin, 1);
  b.u32(0x466243b1).u32(1); // CUDA's wrapper begins so
  wrapper(b, kMagicKpack, 2);
  b.text("junk");
  auto w = read_wrappers(b.bytes());
  ASSERT_EQ(w.list.size(), 2u);
  EXPECT_EQ(w.list[1].offset, 32u);
  expect_damage(w, Errc::bad_magic, 24);
}

TEST(HipWrapper, KeepsRecordsOfAnUnknownVersion) {
  Builder b;
  wrapper(b, kMagicFatbin, 1);
  wrapper(b, kMagicFatbin, 2, 9);
  auto w = read_wrappers(b.bytes());
  ASSERT_EQ(w.list.size(), 2u);
  EXPECT_EQ(w.list[1].version, 9u);
  EXPECT_EQ(w.list[1].address, 2u);
  expect_damage(w, Errc::unsupported, 28);
}

} // namespace
} // namespace gantry::hip

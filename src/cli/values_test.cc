// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/values.h"

#include <gtest/gtest.h>

namespace gantry::cli {
namespace {

using namespace std::chrono_literals;

TEST(Sizes, AreWholeNumbersWithPowersOf1024) {
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("64K"), 65536u);
  EXPECT_EQ(parse_size("64k"), 65536u);
  EXPECT_EQ(parse_size("3M"), 3u << 20);
  EXPECT_EQ(parse_size("8G"), std::uint64_t{8} << 30);
  EXPECT_EQ(parse_size("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_size("17179869183G"), std::uint64_t{17179869183u} << 30);
  for (std::string_view bad :
       {"", "K", "-1", "+1", "1.5G", " 1", "1 ", "1KB", "0x10", "1T", "many",
        "18446744073709551616", "17179869184G"})
    EXPECT_FALSE(parse_size(bad)) << bad;
}

TEST(Seconds, MayHaveFractions) {
  EXPECT_EQ(parse_seconds("0"), 0ns);
  EXPECT_EQ(parse_seconds("30"), 30s);
  EXPECT_EQ(parse_seconds("0.25"), 250ms);
  EXPECT_EQ(parse_seconds("1e-3"), 1ms);
  for (std::string_view bad :
       {"", "-1", "nan", "inf", "1s", "1e30", "1e999", "soon", " 1"})
    EXPECT_FALSE(parse_seconds(bad)) << bad;
}

std::string refusal(std::string_view budget) {
  Limits limits;
  const auto set = set_limit(limits, budget);
  return set ? "nothing" : set.error().message + " | " + set.error().hint;
}

TEST(Budgets, SetEveryLimit) {
  for (const LimitName &limit : limit_names()) {
    Limits limits;
    ASSERT_TRUE(set_limit(limits, std::string(limit.name) + "=3K"));
    for (const LimitName &other : limit_names())
      EXPECT_EQ(other.get(limits),
                other.name == limit.name ? 3072 : other.get(Limits{}));
  }
}

TEST(Budgets, RefuseOtherNamesAndValues) {
  EXPECT_EQ(refusal("decoded_byte=1"),
            "there is no budget decoded_byte | did you mean decoded_bytes?");
  EXPECT_TRUE(refusal("x=1").starts_with(
      "there is no budget x | one of: decoded_bytes, "));
  EXPECT_EQ(refusal("depth"),
            "--budget depth says no value | write --budget depth=16");
  const std::string hint =
      " | write a whole number, perhaps with K, M or G (powers of 1024)";
  EXPECT_EQ(refusal("depth=deep"),
            "--budget depth: deep is not a number that it can have" + hint);
  EXPECT_EQ(refusal("depth="),
            "--budget depth:  is not a number that it can have" + hint);
  // It has 32 bits.
  EXPECT_EQ(refusal("depth=4G"),
            "--budget depth: 4G is not a number that it can have" + hint);
}

TEST(Digests, HaveSixteenDigitsOrMore) {
  EXPECT_EQ(parse_digest("0123456789ABCDEF"), "0123456789abcdef");
  EXPECT_EQ(parse_digest(std::string(64, 'a')), std::string(64, 'a'));
  EXPECT_FALSE(parse_digest("0123456789abcde"));
  EXPECT_FALSE(parse_digest(std::string(65, 'a')));
  EXPECT_FALSE(parse_digest("0123456789abcdeg"));
  EXPECT_FALSE(parse_digest(""));
}

void expect_id(std::string_view text, std::string_view file,
               std::string_view id, std::string_view digest) {
  const WrittenId written = parse_id(text, file);
  EXPECT_EQ(written.id, id) << text;
  EXPECT_EQ(written.digest, digest) << text;
}

TEST(Ids, MayHaveTheNameOfTheFileAndItsDigest) {
  expect_id("4cbd50.3", "a.so", "4cbd50.3", "");
  expect_id("a.so!4cbd50.3", "dir/a.so", "4cbd50.3", "");
  expect_id("dir/a.so!4cbd50.3", "dir/a.so", "4cbd50.3", "");
  expect_id("other.so!4cbd50.3", "dir/a.so", "other.so!4cbd50.3", "");
  expect_id("w.whl!lib/x.so!40@0123456789abcdef", "w.whl", "lib/x.so!40",
            "0123456789abcdef");
  expect_id("40@" + std::string(64, 'b'), "", "40", std::string(64, 'b'));
  // As gantry prints the name.
  expect_id("a\\x1b.so!40", "a\x1b.so", "40", "");
}

TEST(Ids, KeepTheNumberOfAMember) {
  expect_id("lib.a!b.o@2!0", "lib.a", "b.o@2!0", "");
  expect_id("b.o@2", "lib.a", "b.o@2", "");
  // Its own name can be that of a member: written twice.
  expect_id("lib.a!lib.a!0", "lib.a", "lib.a!0", "");
  expect_id("x!40", "", "x!40", "");
}

TEST(Agreement, IsWhereOneDigestBeginsTheOther) {
  std::string known;
  EXPECT_TRUE(agree(known, ""));
  EXPECT_TRUE(agree(known, "0123456789abcdef"));
  EXPECT_EQ(known, "0123456789abcdef");
  EXPECT_TRUE(agree(known, "0123456789abcdef00"));
  EXPECT_TRUE(agree(known, "0123456789abcdef"));
  EXPECT_EQ(known, "0123456789abcdef00");
  EXPECT_FALSE(agree(known, "0123456789abcdef01"));
  EXPECT_FALSE(agree(known, "1123456789abcdef"));
  EXPECT_EQ(known, "0123456789abcdef00");
}

} // namespace
} // namespace gantry::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/msgpack.h"

#include "base/test_msgpack.h"

#include <gtest/gtest.h>

#include <limits>

namespace gantry::msgpack {
namespace {

using namespace std::string_view_literals;

Parsed parse_text(std::string_view s, const Limits &limits = {}) {
  return parse(as_bytes(s), limits);
}

// Walks the whole tree: every accessor must stay inside it.
std::size_t count_values(Value v) {
  std::size_t n = 1;
  if (auto t = v.text())
    n += t->size() == std::string_view::npos;
  v.each([&](Value item) { n += count_values(item); });
  v.each_pair([&](Value key, Value value) {
    n += count_values(key) + count_values(value);
  });
  return n;
}

TEST(MessagePack, ReadsIntegersOfEveryWidth) {
  struct Case {
    std::string_view bytes;
    std::int64_t value;
  };
  const Case cases[] = {
      {"\x00"sv, 0},
      {"\x7f"sv, 127},
      {"\xff"sv, -1},
      {"\xe0"sv, -32},
      {"\xcc\xff"sv, 255},
      {"\xcd\x01\x00"sv, 256},
      {"\xce\x00\x01\x00\x00"sv, 65536},
      {"\xcf\x00\x00\x00\x01\x00\x00\x00\x00"sv, std::int64_t{1} << 32},
      {"\xd0\x80"sv, -128},
      {"\xd1\x80\x00"sv, -32768},
      {"\xd2\x80\x00\x00\x00"sv, std::numeric_limits<std::int32_t>::min()},
      {"\xd3\x80\x00\x00\x00\x00\x00\x00\x00"sv,
       std::numeric_limits<std::int64_t>::min()},
      {"\xd0\x05"sv, 5}, // signed encoding of a positive number
  };
  for (const Case &c : cases) {
    Parsed p = parse_text(c.bytes);
    ASSERT_FALSE(p.damage) << c.value;
    EXPECT_EQ(p.document.root().signed_integer(), c.value);
    EXPECT_EQ(p.document.root().unsigned_integer().has_value(), c.value >= 0);
    EXPECT_EQ(p.document.end, c.bytes.size());
  }
}

TEST(MessagePack, KeepsUnsignedNumbersThatDoNotFitSignedOnes) {
  Parsed p = parse_text("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"sv);
  EXPECT_EQ(p.document.root().unsigned_integer(), UINT64_MAX);
  EXPECT_FALSE(p.document.root().signed_integer());
}

TEST(MessagePack, ReadsScalarsOfOtherKinds) {
  EXPECT_EQ(parse_text("\xc3"sv).document.root().boolean(), true);
  EXPECT_EQ(parse_text("\xc2"sv).document.root().boolean(), false);
  EXPECT_EQ(parse_text("\xc0"sv).document.root().kind(), Kind::nil);
  EXPECT_EQ(parse_text("\xca\x3f\x80\x00\x00"sv).document.root().real(), 1.0);
  EXPECT_EQ(parse_text("\xcb\xbf\xf0\x00\x00\x00\x00\x00\x00"sv)
                .document.root()
                .real(),
            -1.0);
  EXPECT_EQ(parse_text("\xd4\x01\x02"sv).document.root().kind(),
            Kind::extension);
}

TEST(MessagePack, ReadsTextAsStrRawAndBin) {
  for (std::string_view bytes :
       {"\xa2hi"sv, "\xd9\x02hi"sv, "\xda\x00\x02hi"sv,
        "\xdb\x00\x00\x00\x02hi"sv, "\xc4\x02hi"sv, "\xc5\x00\x02hi"sv})
    EXPECT_EQ(parse_text(bytes).document.root().text(), "hi");
  EXPECT_EQ(parse_text("\xa0"sv).document.root().text(), "");
  EXPECT_FALSE(parse_text("\x01"sv).document.root().text());
}

TEST(MessagePack, FindsKeysAndWalksNestedValues) {
  Packer b;
  b.map(3).pair("a", 1);
  b.text("list").array(3).number(7).map(1).pair("x", "y").array(0);
  b.pair("a", 2);
  Parsed p = parse_text(b.str());
  ASSERT_FALSE(p.damage);
  Value root = p.document.root();
  EXPECT_EQ(root.count(), 3u);
  EXPECT_EQ(root.find("a")->unsigned_integer(), 1u); // the first one
  EXPECT_FALSE(root.find("b"));
  std::vector<Kind> kinds;
  root.find("list")->each([&](Value v) { kinds.push_back(v.kind()); });
  EXPECT_EQ(kinds, (std::vector{Kind::integer, Kind::map, Kind::array}));
  EXPECT_EQ(count_values(root), p.document.nodes.size());
}

TEST(MessagePack, ReportsWhereTheDocumentEnds) {
  Parsed p = parse_text("\x81\xa1x\x01\xff\xff"sv);
  EXPECT_FALSE(p.damage);
  EXPECT_EQ(p.document.end, 4u);
}

TEST(MessagePack, KeepsWhatPrecedesATruncation) {
  Packer b;
  b.map(2).pair("one", 1).text("list").array(2).text("first").map(2);
  b.pair("k", 300).text("deep").array(2).number(1).number(2);
  const std::string &whole = b.str();
  ASSERT_FALSE(parse_text(whole).damage);
  std::size_t before = 0;
  for (std::size_t n = 0; n < whole.size(); n++) {
    Parsed p = parse_text(std::string_view(whole).substr(0, n));
    ASSERT_TRUE(p.damage) << n;
    EXPECT_EQ(p.damage->code, Errc::truncated) << n;
    EXPECT_LE(p.damage->offset, n);
    EXPECT_GE(p.damage->offset + 9, n); // within one header of the cut
    std::size_t values =
        p.document.empty() ? 0 : count_values(p.document.root());
    EXPECT_EQ(values, p.document.nodes.size()) << n;
    EXPECT_GE(values, before) << n;
    before = values == 0 ? 0 : std::max(before, values);
  }
}

TEST(MessagePack, TakesBackAKeyWhoseValueIsMissing) {
  Parsed p = parse_text("\x82\xa1x\x01\xa1y"sv);
  ASSERT_TRUE(p.damage);
  EXPECT_EQ(p.damage->offset, 6u);
  EXPECT_EQ(p.document.root().count(), 1u);
  EXPECT_FALSE(p.document.root().find("y"));
}

TEST(MessagePack, RefusesTheUnusedTypeByte) {
  Parsed p = parse_text("\x92\x01\xc1"sv);
  ASSERT_TRUE(p.damage);
  EXPECT_EQ(p.damage->code, Errc::bad_value);
  EXPECT_EQ(p.damage->offset, 2u);
  EXPECT_EQ(p.document.root().count(), 1u);
}

TEST(MessagePack, RefusesCountsThatTheInputCannotHold) {
  for (std::string_view bytes :
       {"\xdd\xff\xff\xff\xff\x01"sv, "\xdf\xff\xff\xff\xff\x01"sv,
        "\xdb\xff\xff\xff\xff\x01"sv, "\xc6\xff\xff\xff\xff\x01"sv,
        "\xc9\xff\xff\xff\xff\x01"sv}) {
    Parsed p = parse_text(bytes);
    ASSERT_TRUE(p.damage);
    EXPECT_EQ(p.damage->code, Errc::truncated);
    EXPECT_GE(p.damage->offset, 5u);
    EXPECT_LE(p.document.nodes.capacity(), 16u);
  }
}

TEST(MessagePack, RefusesNestingBeyondTheLimit) {
  std::string deep(kMaxDepth, '\x91');
  EXPECT_FALSE(parse_text(deep + "\x01").damage);
  Parsed p = parse_text(deep + "\x91\x01");
  ASSERT_TRUE(p.damage);
  EXPECT_EQ(p.damage->code, Errc::too_large);
  EXPECT_EQ(p.damage->offset, kMaxDepth);
  EXPECT_EQ(count_values(p.document.root()), kMaxDepth);
}

TEST(MessagePack, RefusesMoreValuesThanTheLimitAllows) {
  Limits limits;
  limits.note_bytes = 3 * sizeof(Node);
  EXPECT_FALSE(parse_text("\x92\x01\x02"sv, limits).damage);
  Parsed p = parse_text("\x93\x01\x02\x03"sv, limits);
  ASSERT_TRUE(p.damage);
  EXPECT_EQ(p.damage->code, Errc::too_large);
  EXPECT_EQ(p.damage->offset, 3u);
  EXPECT_EQ(p.document.root().count(), 2u);
}

} // namespace
} // namespace gantry::msgpack

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/json_reader.h"

#include "base/json.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

constexpr std::string_view kSample =
    R"({"a": [1, -2, 2.5, 18446744073709551615, 1e3], "b": "x\n\u00e9\"",)"
    R"( "c": {"d": null, "e": true, "f": false}, "g": [], "h": {}})";

TEST(JsonReader, ReadsEveryKind) {
  auto root = parse_json(kSample);
  ASSERT_TRUE(root);
  ASSERT_TRUE(root->object());
  EXPECT_EQ(root->object()->size(), 5u);
  const JsonValue::Array &a = *root->find("a")->array();
  ASSERT_EQ(a.size(), 5u);
  EXPECT_EQ(*a[0].number(), 1u);
  EXPECT_EQ(*a[1].real(), -2.0);
  EXPECT_FALSE(a[1].number());
  EXPECT_EQ(*a[2].real(), 2.5);
  EXPECT_EQ(*a[3].number(), UINT64_MAX);
  EXPECT_EQ(*a[4].real(), 1000.0);
  EXPECT_EQ(*root->find("b")->text(), "x\n\xc3\xa9\"");
  const JsonValue *c = root->find("c");
  EXPECT_TRUE(c->find("d")->is_null());
  EXPECT_TRUE(*c->find("e")->boolean());
  EXPECT_FALSE(*c->find("f")->boolean());
  EXPECT_EQ(c->find("g"), nullptr);
  EXPECT_EQ(a[0].find("x"), nullptr);
  EXPECT_TRUE(root->find("g")->array()->empty());
  EXPECT_TRUE(root->find("h")->object()->empty());
  EXPECT_EQ(*parse_json(" 7 ")->number(), 7u);
}

TEST(JsonReader, KeepsTheOrderOfMembers) {
  auto root = parse_json(R"({"z":1,"a":2})");
  ASSERT_TRUE(root);
  EXPECT_EQ((*root->object())[0].key, "z");
  EXPECT_EQ((*root->object())[1].key, "a");
}

TEST(JsonReader, RefusesEveryTruncation) {
  for (std::size_t size = 0; size < kSample.size(); size++) {
    auto root = parse_json(kSample.substr(0, size));
    ASSERT_FALSE(root) << size;
    EXPECT_EQ(root.error().code, Errc::bad_value) << size;
    EXPECT_LE(root.error().offset, size);
  }
}

TEST(JsonReader, RefusesWhatIsNotJson) {
  for (std::string_view bad :
       {"{\"a\":1,}", "[1,]", "nul", "01", "+1", "'a'", "{a:1}", "1 2", "[1}",
        "\"\x80\"", "\"\xed\xa0\x80\"", "\"\\ud800\"", "\"a\nb\"", "1e999",
        "// x\n1", "\xef\xbb\xbf\xef\xbb\xbf 1", "NaN"}) {
    auto root = parse_json(bad);
    ASSERT_FALSE(root) << bad;
    EXPECT_EQ(root.error().code, Errc::bad_value) << bad;
  }
  EXPECT_EQ(parse_json("[1, x]").error().offset, 4u);
}

TEST(JsonReader, RefusesAKeyTwiceInOneObject) {
  EXPECT_EQ(parse_json(R"({"a":1,"b":2,"a":1})").error().code, Errc::bad_value);
  EXPECT_TRUE(parse_json(R"({"a":{"a":1},"b":[{"a":1}]})"));
}

TEST(JsonReader, RefusesMoreThanItsLimits) {
  JsonLimits limits;
  limits.depth = 3;
  EXPECT_TRUE(parse_json("[[[1]]]", limits));
  auto deep = parse_json("[[[[1]]]]", limits);
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code, Errc::too_large);
  EXPECT_EQ(deep.error().what, "JSON depth");
  EXPECT_EQ(parse_json(std::string(1 << 20, '[')).error().code,
            Errc::too_large);

  limits.values = 4;
  limits.values_name = "records";
  EXPECT_TRUE(parse_json("[1,2,3]", limits));
  auto many = parse_json("[1,2,{}, 3]", limits);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, Errc::too_large);
  EXPECT_EQ(many.error().what, "JSON (limit records)");
}

TEST(JsonReader, ReadsWhatTheWriterWrites) {
  std::string out;
  JsonWriter json(out, JsonWriter::Style::compact);
  json.begin_object();
  json.member("text", "\x01 \" \\ \xf0\x9f\x98\x80 /");
  json.member("share", 0.1);
  json.member("large", UINT64_MAX);
  json.null_member("none");
  json.end_object();
  auto root = parse_json(out);
  ASSERT_TRUE(root);
  EXPECT_EQ(*root->find("text")->text(), "\x01 \" \\ \xf0\x9f\x98\x80 /");
  EXPECT_EQ(*root->find("share")->real(), 0.1);
  EXPECT_EQ(*root->find("large")->number(), UINT64_MAX);
}

} // namespace
} // namespace gantry

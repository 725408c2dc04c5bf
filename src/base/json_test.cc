// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gantry {
namespace {

using Style = JsonWriter::Style;
using Lines = JsonWriter::Lines;

// The JSON of one value.
template <class T> std::string json_of(const T &content) {
  std::string out;
  JsonWriter(out, Style::compact).value(content);
  return out;
}

void write_sample(JsonWriter &json) {
  json.begin_object();
  json.member("schema", "x/1");
  json.key("empty");
  json.begin_array();
  json.end_array();
  json.key("rows");
  json.begin_array();
  for (int row = 1; row <= 2; ++row) {
    json.begin_object(Lines::one);
    json.member("id", row);
    json.key("list");
    json.begin_array();
    json.value(true);
    json.null();
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.key("last");
  json.begin_object();
  json.null_member("none");
  json.end_object();
  json.end_object();
}

TEST(JsonWriter, WritesRowsOnOneLineEach) {
  std::string out;
  JsonWriter json(out);
  write_sample(json);
  EXPECT_EQ(out, R"({
  "schema": "x/1",
  "empty": [],
  "rows": [
    {"id": 1, "list": [true, null]},
    {"id": 2, "list": [true, null]}
  ],
  "last": {
    "none": null
  }
}
)");
}

TEST(JsonWriter, WritesCompactDocumentsOneALine) {
  std::string out;
  JsonWriter json(out, Style::compact);
  write_sample(json);
  json.value(7);
  EXPECT_EQ(out, R"({"schema":"x/1","empty":[],"rows":[{"id":1,"list":)"
                 R"([true,null]},{"id":2,"list":[true,null]}],)"
                 R"("last":{"none":null}})"
                 "\n7\n");
}

TEST(JsonWriter, WritesNumbersExactly) {
  EXPECT_EQ(json_of(std::numeric_limits<std::uint64_t>::max()),
            "18446744073709551615\n");
  EXPECT_EQ(json_of(std::numeric_limits<std::int64_t>::min()),
            "-9223372036854775808\n");
  EXPECT_EQ(json_of(std::uint8_t{200}), "200\n");
  EXPECT_EQ(json_of(0.1), "0.1\n");
  EXPECT_EQ(json_of(-2.5e300), "-2.5e+300\n");
  EXPECT_EQ(json_of(std::nan("")), "null\n");
  EXPECT_EQ(json_of(std::numeric_limits<double>::infinity()), "null\n");
}

TEST(JsonWriter, WritesOptionalValues) {
  EXPECT_EQ(json_of(std::optional<std::uint32_t>{}), "null\n");
  EXPECT_EQ(json_of(std::optional<std::uint32_t>{5}), "5\n");
  EXPECT_EQ(json_of(std::optional<bool>{false}), "false\n");
  EXPECT_EQ(json_of(std::optional<std::string>{"a"}), "\"a\"\n");
}

TEST(JsonWriter, QuotesEveryByteValidly) {
  EXPECT_EQ(json_of(""), "\"\"\n");
  EXPECT_EQ(json_of("a\"b\\c/d"), R"("a\"b\\c/d")"
                                  "\n");
  EXPECT_EQ(json_of(std::string("\0\n\t\x1f", 4)), R"("\u0000\n\t\u001f")"
                                                   "\n");
  EXPECT_EQ(json_of("\x7f"), "\"\x7f\"\n");
  EXPECT_EQ(json_of("größer 核 🚀"), "\"größer 核 🚀\"\n");
}

TEST(JsonWriter, ReplacesBytesThatAreNotUtf8) {
  const std::string bad = "\xef\xbf\xbd"; // U+FFFD
  EXPECT_EQ(json_of("a\xff"
                    "b"),
            "\"a" + bad + "b\"\n");
  EXPECT_EQ(json_of("cut \xe6\xa0"), "\"cut " + bad + "\"\n");
  EXPECT_EQ(json_of("\xc0\x80"), "\"" + bad + bad + "\"\n"); // overlong
  EXPECT_EQ(json_of("\xed\xa0\x80").find('\xed'), std::string::npos); // half
  std::string keyed;
  JsonWriter json(keyed, Style::compact);
  json.begin_object();
  json.member("k\xff", 1);
  json.end_object();
  EXPECT_EQ(keyed, "{\"k" + bad + "\":1}\n");
}

TEST(JsonWriter, EmitsLongDocumentsInPieces) {
  std::size_t pieces = 0, longest = 0;
  std::string all;
  JsonWriter json([&](std::string_view piece) {
    ++pieces;
    longest = std::max(longest, piece.size());
    all += piece;
  });
  json.begin_array();
  for (int i = 0; i < 100'000; ++i)
    json.value(i);
  EXPECT_GT(pieces, 5u); // before the end, too
  json.end_array();
  EXPECT_LT(longest, 66u << 10);
  EXPECT_TRUE(all.starts_with("[\n  0,\n  1,"));
  EXPECT_TRUE(all.ends_with("  99999\n]\n"));
}

} // namespace
} // namespace gantry

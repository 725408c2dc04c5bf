// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/yaml.h"

#include <gtest/gtest.h>

namespace gantry::yaml {
namespace {

// The tree on one line: {key: value, …} and [value, …], quoted texts in "".
std::string shown(const Document &d, std::size_t i = 0) {
  if (d.nodes.empty())
    return "";
  const Node &n = d.nodes[i];
  if (n.kind == Kind::scalar)
    return n.quoted ? "\"" + std::string(n.text) + "\"" : std::string(n.text);
  bool is_map = n.kind == Kind::map;
  std::string out;
  d.each(i, [&](const Node &child, std::size_t at) {
    out += out.empty() ? "" : ", ";
    out += is_map ? std::string(child.key) + ": " : "";
    out += shown(d, at);
  });
  return is_map ? "{" + out + "}" : "[" + out + "]";
}

std::string read(std::string_view text) {
  Document d = parse(text, Limits{});
  return shown(d) + (d.damage ? " !" + d.damage->text() : "");
}

TEST(Yaml, ReadsBlocksAsTheWriterIndentsThem) {
  EXPECT_EQ(read("---\n"
                 "Version:         [ 1, 0 ]\n"
                 "Kernels:\n"
                 "  - Name:            a\n"
                 "    Args:\n"
                 "      - Size:            4\n"
                 "      - Size:            8\n"
                 "    Props:\n"
                 "      Size: 52\n"
                 "  - Name:            b\n"
                 "...\n"
                 "ignored: after the end\n"),
            "{Version: [1, 0], Kernels: [{Name: a, Args: [{Size: 4}, {Size: "
            "8}], Props: {Size: 52}}, {Name: b}]}");
}

TEST(Yaml, ReadsSequencesAtTheIndentOfTheirKey) {
  EXPECT_EQ(read("a:\n- 1\n- x: 2\n  y: 3\nb: 4\n"),
            "{a: [1, {x: 2, y: 3}], b: 4}");
}

TEST(Yaml, ReadsItemsThatStartOnTheNextLine) {
  EXPECT_EQ(read("-\n  a: 1\n-\n  - 2\n-\n- - 3\n"), "[{a: 1}, [2], , [3]]");
}

TEST(Yaml, ReadsQuotedAndPlainScalars) {
  EXPECT_EQ(read("a: 'it''s'\nb: \"x\\n\\x41\\u00e9\\\"\"\nc: OpenCL C  # no\n"
                 "d: a:b#c\n'q k': ''\ne:\n"),
            "{a: \"it's\", b: \"x\nA\xc3\xa9\"\", c: OpenCL C, d: a:b#c, "
            "q k: \"\", e: }");
}

TEST(Yaml, ReadsFlowSequencesOverSeveralLines) {
  EXPECT_EQ(read("a: [ 1, 'b, c',\n     2 ]\nb: [  ]\nc: {}\n"),
            "{a: [1, \"b, c\", 2], b: [], c: {}}");
}

TEST(Yaml, EndsAtANul) {
  EXPECT_EQ(read(std::string_view("a: 1\n\0b: 2\n", 11)), "{a: 1}");
  EXPECT_EQ(read(""), "");
}

TEST(Yaml, KeepsWhatPrecedesDamage) {
  EXPECT_EQ(read("a: 1\nno key\n"), "{a: 1} !YAML: key: bad-value at byte 0x5");
  EXPECT_EQ(read("a: 1\n  b: 2\n"),
            "{a: 1} !YAML: indent: bad-value at byte 0x7");
  EXPECT_EQ(read("a: 'open\n"),
            "{} !YAML: quote without an end: bad-value at byte 0x4");
  EXPECT_EQ(read("a: \"\\q\"\n"), "{} !YAML: escape: bad-value at byte 0x5");
  EXPECT_EQ(read("a: \"\\u12\"\n"), "{} !YAML: escape: bad-value at byte 0x5");
  EXPECT_EQ(read("a: 'x' y\n"),
            "{a: \"x\"} !YAML: text after a value: bad-value at byte 0x7");
  EXPECT_EQ(read("a: [ 1, 2\n"),
            "{a: [1, 2]} !YAML: flow sequence: truncated at byte 0x9");
  EXPECT_EQ(read("a: [ 1 [ 2 ] ]\n"),
            "{a: [1 [ 2]} !YAML: text after a value: bad-value at byte 0xd");
  EXPECT_EQ(read("a: [ [ 1 ] ]\n"),
            "{a: []} !YAML: flow sequence: unsupported at byte 0x5");
  EXPECT_EQ(read("a: 1\nb: |\n  text\n"),
            "{a: 1} !YAML: value: unsupported at byte 0x8");
  EXPECT_EQ(read("a: &x 1\n"), "{} !YAML: value: unsupported at byte 0x3");
}

TEST(Yaml, RefusesNestingBeyondTheLimit) {
  std::string deep;
  for (std::uint32_t i = 0; i < kMaxDepth; i++)
    deep += "- ";
  EXPECT_FALSE(parse(deep + "1\n", Limits{}).damage);
  Document d = parse(deep + "- 1\n", Limits{});
  ASSERT_TRUE(d.damage);
  EXPECT_EQ(d.damage->code, Errc::too_large);
  EXPECT_EQ(d.damage->offset, 2u * kMaxDepth);
}

TEST(Yaml, RefusesMoreValuesThanTheLimitAllows) {
  Limits limits;
  limits.note_bytes = 3 * sizeof(Node);
  EXPECT_FALSE(parse("a: 1\nb: 2\n", limits).damage);
  Document d = parse("a: 1\nb: 2\nc: 3\n", limits);
  ASSERT_TRUE(d.damage);
  EXPECT_EQ(d.damage->code, Errc::too_large);
  EXPECT_EQ(shown(d), "{a: 1, b: 2}");
}

TEST(Yaml, SurvivesEveryTruncation) {
  std::string_view text =
      "---\na: [ 1, 'x' ]\nb:\n  - c: \"\\x41\"\n    d: 2\n";
  for (std::size_t n = 0; n <= text.size(); n++) {
    Document d = parse(text.substr(0, n), Limits{});
    for (std::size_t i = 0; i < d.nodes.size(); i++) {
      EXPECT_GT(d.nodes[i].next, i);
      EXPECT_LE(d.nodes[i].next, d.nodes.size());
    }
    EXPECT_LE(d.damage ? d.damage->offset : 0, n);
  }
}

} // namespace
} // namespace gantry::yaml

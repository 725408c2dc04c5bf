// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/text_part.h"

#include "base/digest.h"

#include <gtest/gtest.h>

namespace gantry::cli {
namespace {

// Bytes 0, 1-2, 3, 4-7, 8.
constexpr std::string_view kText = "a\xc3\xa4"
                                   "b\xf0\x9f\x98\x80"
                                   "c";

std::string part_of(std::uint64_t offset, std::uint64_t length = UINT64_MAX) {
  const auto part = text_part(kText, {offset, length});
  if (!part)
    return part.error().message + " | " + part.error().hint;
  return std::string(part->text);
}

TEST(TextPart, IsAllOfTheTextByDefault) {
  const auto part = text_part(kText, {});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->text, kText);
  EXPECT_EQ(part->bytes, 9u);
  EXPECT_EQ(part->offset, 0u);
  EXPECT_FALSE(part->next);
  Sha256 digest;
  digest.update(std::as_bytes(std::span(kText)));
  EXPECT_EQ(part->sha256, digest.hex());
}

TEST(TextPart, TilesTheTextWithPages) {
  std::string all;
  std::uint64_t offset = 0;
  for (std::uint64_t length : {3, 1, 5}) {
    const auto part = text_part(kText, {offset, length});
    ASSERT_TRUE(part);
    EXPECT_EQ(part->offset, offset);
    EXPECT_EQ(part->text.size(), length);
    all += part->text;
    offset = part->next.value_or(kText.size());
  }
  EXPECT_EQ(all, kText);
  EXPECT_EQ(part_of(9), "");
  EXPECT_EQ(part_of(8, 100), "c");
}

TEST(TextPart, RefusesThePiecesOfACharacter) {
  EXPECT_EQ(part_of(2), "byte 2 of the text is in the middle of a character | "
                        "the nearest boundaries are 1 and 3");
  EXPECT_EQ(part_of(0, 6),
            "byte 6 of the text is in the middle of a character | the nearest "
            "boundaries are 4 and 8");
  for (std::uint64_t at = 0; at <= kText.size(); ++at) {
    const bool inside = at == 2 || (at >= 5 && at <= 7);
    EXPECT_EQ(text_part(kText, {at}).has_value(), !inside) << at;
    EXPECT_EQ(text_part(kText, {0, at}).has_value(), !inside) << at;
  }
}

TEST(TextPart, RefusesWhatLiesBehindTheEnd) {
  EXPECT_EQ(part_of(10),
            "--offset 10 lies behind the text's end | it has 9 bytes");
  EXPECT_TRUE(part_of(UINT64_MAX, UINT64_MAX).starts_with("--offset"));
}

TEST(TextPart, RefusesBytesThatAreNoText) {
  const std::string_view bad = "ab\xff"
                               "cd";
  EXPECT_EQ(text_part(bad, {}).error().code, Errc::unsupported);
  EXPECT_EQ(text_part(bad, {0, 2})->text, "ab");
  EXPECT_EQ(text_part(bad, {3})->text, "cd");
  // Nothing but pieces of characters.
  const std::string_view pieces = "\x80\x80\x80";
  EXPECT_EQ(text_part(pieces, {1}).error().hint,
            "the nearest boundaries are 0 and 3");
}

TEST(HarmlessText, KeepsLinesAndTabsOnly) {
  EXPECT_EQ(harmless_text("\t.reg \xc3\xa4;\n\n// \x1b[31m\r\n"),
            "\t.reg \xc3\xa4;\n\n// \\x1b[31m\\x0d\n");
  EXPECT_EQ(harmless_text(""), "");
  EXPECT_EQ(harmless_text("no end"), "no end");
}

} // namespace
} // namespace gantry::cli

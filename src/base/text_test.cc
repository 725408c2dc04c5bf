// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace gantry {
namespace {

using namespace std::string_view_literals;

// What the header promises: each escape replaced by its byte gives the input.
std::string decoded(std::string_view text) {
  std::string out;
  auto digit = [](char c) {
    return c <= '9' ? c - '0' : c <= 'F' ? c - 'A' + 10 : c - 'a' + 10;
  };
  while (!text.empty()) {
    bool escape = text.size() >= 4 && text.starts_with("\\x") &&
                  std::isxdigit(text[2]) && std::isxdigit(text[3]);
    out += escape ? static_cast<char>(digit(text[2]) * 16 + digit(text[3]))
                  : text[0];
    text.remove_prefix(escape ? 4 : 1);
  }
  return out;
}

TEST(Printable, KeepsText) {
  for (std::string_view text :
       {""sv, "gfx90a:xnack+"sv, "C:\\lib\\x.dll"sv, "naïve 日本 🚀"sv, "~ !"sv,
        "a\\"sv, "\\x"sv, "\\x4"sv, "\\x4g"sv, "\\\\"sv})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, CanBeTakenBack) {
  std::string all;
  for (int c = 0; c < 256; c++)
    all += static_cast<char>(c);
  for (std::string_view text :
       {std::string_view(all), ""sv, "\\x41"sv, "\\\\x41"sv, "\\x4"sv,
        "\\\x1b"sv, "na\u00efve \u202e"sv, "\\x5cx41"sv}) {
    EXPECT_EQ(unprintable(printable(text)), text);
    EXPECT_EQ(unprintable(printable(text)), decoded(printable(text)));
  }
}

TEST(Utf8, IsToldFromOtherBytes) {
  for (std::string_view text : {""sv, "a\0b\x1b"sv, "\u00e9\u20ac\U0001f680"sv})
    EXPECT_TRUE(is_utf8(text));
  for (std::string_view text :
       {"\x80"sv, "a\xc3"sv, "\xc0\xaf"sv, "\xed\xa0\x80"sv, "\xe2\x82z"sv,
        "\xf4\x90\x80\x80"sv, "\xff"sv})
    EXPECT_FALSE(is_utf8(text)) << printable(text);
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\0b"sv), "a\\x00b");
  EXPECT_EQ(printable("\t\r\n"), "\\x09\\x0d\\x0a");
  EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\u0085\u009f\u00a0"), "\\xc2\\x85\\xc2\\x9f\u00a0");
}

TEST(Printable, EscapesWhatTurnsTextAround) {
  EXPECT_EQ(printable("a\u202eb"), "a\\xe2\\x80\\xaeb");
  EXPECT_EQ(printable("\u2066"), "\\xe2\\x81\\xa6");
  EXPECT_EQ(printable("\u2028"), "\\xe2\\x80\\xa8");
  EXPECT_EQ(printable("\u061c"), "\\xd8\\x9c");
}

TEST(Printable, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(printable("\x80"), "\\x80");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");          // longer than needed
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf"); // the same
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xe6\x97"), "\\xe6\\x97"); // cut short
  EXPECT_EQ(printable("\xe6\x97z"), "\\xe6\\x97z");
}

TEST(Printable, KeepsDifferentInputsApart) {
  EXPECT_EQ(printable("\\x41"), "\\x5cx41");
  EXPECT_EQ(printable("\\xAf"), "\\x5cxAf");
  // Every text of up to five of these units; none may collide or get lost.
  constexpr std::array kUnits = {"\\"sv, "x"sv,    "5"sv,
                                 "c"sv,  "\x01"sv, "\xff"sv};
  std::set<std::string> seen;
  std::size_t inputs = 0;
  std::vector<std::string> texts = {""};
  for (std::size_t length = 0; length <= 5; length++) {
    std::vector<std::string> longer;
    for (const std::string &text : texts) {
      std::string shown = printable(text);
      EXPECT_EQ(decoded(shown), text);
      EXPECT_EQ(printable(shown) == shown, decoded(shown) == shown);
      seen.insert(shown);
      inputs++;
      for (std::string_view unit : kUnits)
        longer.push_back(text + std::string(unit));
    }
    texts = std::move(longer);
  }
  EXPECT_EQ(seen.size(), inputs);
}

TEST(HumanBytes, WritesPowersOfThousand) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1000), "1.0 kB");
  EXPECT_EQ(human_bytes(1049), "1.0 kB");
  EXPECT_EQ(human_bytes(1050), "1.1 kB");
  EXPECT_EQ(human_bytes(999949), "999.9 kB");
  EXPECT_EQ(human_bytes(999950), "1.0 MB");
  EXPECT_EQ(human_bytes(1300000), "1.3 MB");
  EXPECT_EQ(human_bytes(1300000000), "1.3 GB");
  EXPECT_EQ(human_bytes(2500000000000), "2.5 TB");
  EXPECT_EQ(human_bytes(7'000'000'000'000'000), "7.0 PB");
  EXPECT_EQ(human_bytes(UINT64_MAX), "18.4 EB");
}

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("inpsect", "inspect"), 1u); // neighbours swapped
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
  EXPECT_EQ(edit_distance("gfx90a", "gfx906"), 1u);
}

TEST(Closest, FindsWhatWasMeant) {
  constexpr std::array<std::string_view, 4> kVerbs = {"inspect", "check",
                                                      "split", "pack"};
  EXPECT_EQ(closest("inpsect", kVerbs), "inspect");
  EXPECT_EQ(closest("inspcet", kVerbs), "inspect");
  EXPECT_EQ(closest("chek", kVerbs), "check");
  EXPECT_EQ(closest("pakc", kVerbs), "pack");
  EXPECT_EQ(closest("split", kVerbs), "split");
}

TEST(Closest, FindsNothingWhenNothingIsNear) {
  constexpr std::array<std::string_view, 3> kVerbs = {"inspect", "check", "x"};
  EXPECT_EQ(closest("frobnicate", kVerbs), std::nullopt);
  EXPECT_EQ(closest("y", kVerbs), std::nullopt);
  EXPECT_EQ(closest("", kVerbs), std::nullopt);
  EXPECT_EQ(closest("inspect", {}), std::nullopt);
  EXPECT_EQ(closest(std::string(100000, 'a'), kVerbs), std::nullopt);
}

TEST(Closest, KeepsTheFirstOfEquals) {
  constexpr std::array<std::string_view, 2> kTargets = {"gfx906", "gfx908"};
  EXPECT_EQ(closest("gfx90x", kTargets), "gfx906");
}

} // namespace
} // namespace gantry

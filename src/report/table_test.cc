// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gantry::report {
namespace {

std::size_t widest_line(const std::string &text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    widest = std::max(widest, display_width(text.substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

TEST(Table, AlignsColumns) {
  std::vector<Column> c = {{"name", false, true, {"a", "long name"}},
                           {"size", true, false, {"1,000", "7"}},
                           {"note", false, false, {"x", ""}}};
  EXPECT_EQ(table(c, 0, false), "name        size  note\n"
                                "a          1,000  x\n"
                                "long name      7\n");
}

TEST(Table, MarksItsHeadingsInColour) {
  std::vector<Column> c = {{"a", false, false, {"b"}}};
  EXPECT_EQ(table(c, 0, true), "\033[1ma\033[0m\nb\n");
}

TEST(Table, IsEmptyWithoutColumns) {
  EXPECT_EQ(table({}, 80, false), "");
  EXPECT_EQ(least_width({}), 0u);
  EXPECT_EQ(table({{"a", true, false, {}}}, 80, false), "a\n");
}

TEST(Table, CutsTheWidestFlexibleColumnFirst) {
  std::string name(100, 'n');
  std::vector<Column> c = {{"name", false, true, {name}},
                           {"kind", false, true, {std::string(20, 'k')}},
                           {"size", true, false, {"12345678"}}};
  for (std::size_t width : {80u, 60u, 50u}) {
    std::string text = table(c, width, false);
    EXPECT_EQ(widest_line(text), width);
    EXPECT_NE(text.find("…"), std::string::npos);
    EXPECT_NE(text.find("12345678"), std::string::npos);
  }
  EXPECT_NE(table(c, 60, false).find(std::string(20, 'k')), std::string::npos)
      << "it is not the widest";
  // Cut, and still not narrow enough: then it is wider.
  EXPECT_EQ(widest_line(table(c, 10, false)), least_width(c));
  EXPECT_EQ(least_width(c), 10u + 2 + 10 + 2 + 8);
}

TEST(Table, KeepsBothEndsOfWhatItCuts) {
  EXPECT_EQ(cut("0123456789", 10), "0123456789");
  EXPECT_EQ(cut("0123456789", 7), "0123…89");
  EXPECT_EQ(cut("0123456789", 1), "…");
  EXPECT_EQ(cut("", 1), "");
}

TEST(Table, CountsAndCutsCharactersNotBytes) {
  EXPECT_EQ(display_width("größe"), 5u);
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(cut("äöüäöüäöü", 7), "äöüä…öü");
  for (std::size_t width = 1; width < 12; width++)
    EXPECT_LE(display_width(cut("äöüäöüäöüß", width)), width);
}

} // namespace
} // namespace gantry::report

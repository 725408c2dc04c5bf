// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/help.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace gantry::cli {
namespace {

void expect_fits(const std::string &text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(columns(line), 80u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Wrapped, BreaksBetweenWordsAndParagraphs) {
  EXPECT_EQ(wrapped("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(wrapped("one\n\ntwo\nthree", 0), "one\n\ntwo three\n");
  EXPECT_EQ(wrapped("überlänge ab", 0, 9), "überlänge\nab\n");
  EXPECT_EQ(wrapped("unbreakable", 1, 4), " unbreakable\n");
  EXPECT_EQ(wrapped("", 4), "");
}

TEST(Help, FitsEightyColumns) {
  expect_fits(help_overview());
  for (const Verb *verb : verbs())
    expect_fits(help_of(*verb));
}

TEST(Help, NamesEveryVerb) {
  for (const Verb *verb : verbs())
    EXPECT_NE(help_overview().find("\n  " + std::string(verb->name)),
              std::string::npos);
}

TEST(Help, TellsOptionsAndStatusesOfEveryVerb) {
  for (const Verb *verb : verbs()) {
    const std::string help = help_of(*verb);
    for (const Option &option : verb->options)
      EXPECT_NE(help.find("--" + std::string(option.name)), std::string::npos);
    EXPECT_NE(help.find("\nExit status:\n  0  "), std::string::npos);
    EXPECT_NE(help.find("\n  2  "), std::string::npos);
  }
}

TEST(Verbs, HaveTablesWithoutHolesOrTwins) {
  for (const Verb *verb : verbs()) {
    EXPECT_TRUE(verb->run) << verb->name;
    EXPECT_FALSE(verb->summary.empty() || verb->group.empty()) << verb->name;
    std::set<std::string_view> names;
    std::set<char> letters;
    for (const Option &option : verb->options) {
      EXPECT_TRUE(names.insert(option.name).second) << option.name;
      EXPECT_TRUE(!option.letter || letters.insert(option.letter).second)
          << option.name;
      EXPECT_FALSE(option.help.empty() || option.group.empty()) << option.name;
      EXPECT_EQ(option.value.empty(), option.kind == ValueKind::none)
          << option.name;
      EXPECT_EQ(option.choices.empty(), option.kind != ValueKind::choice)
          << option.name;
    }
  }
}

} // namespace
} // namespace gantry::cli

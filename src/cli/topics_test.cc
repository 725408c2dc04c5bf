// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/topics.h"

#include "cli/help.h"
#include "cli/inspect.h"

#include <gtest/gtest.h>

#include <sstream>

namespace gantry::cli {
namespace {

// Whether `text` has `word` between blanks, commas or line ends.
bool has_word(std::string_view text, std::string_view word) {
  const auto is_part = [](char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  };
  for (auto at = text.find(word); at != text.npos;
       at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) &&
        (end == text.size() || !is_part(text[end])))
      return true;
  }
  return false;
}

TEST(Topics, FitEightyColumns) {
  for (const Topic &topic : topics()) {
    std::istringstream lines{std::string(topic.text)};
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(columns(line), 80u) << topic.name << ": " << line;
      EXPECT_FALSE(line.ends_with(' ')) << topic.name << ": " << line;
    }
    EXPECT_TRUE(topic.text.ends_with(".\n") || topic.text.ends_with("\n"));
    EXPECT_LE(columns(topic.summary), 64u);
  }
}

TEST(Topics, AreThoseThatHelpRefersTo) {
  for (const Verb *verb : verbs()) {
    std::istringstream names{std::string(verb->topics)};
    for (std::string name; names >> name;) {
      if (name.ends_with(','))
        name.pop_back();
      EXPECT_TRUE(find_topic(name)) << name;
    }
  }
}

TEST(Topics, TellEveryField) {
  using enum report::Collection;
  for (report::Collection collection : {targets, objects, kernels, containers})
    for (std::string_view field : report::fields(collection))
      EXPECT_TRUE(has_word(find_topic("fields")->text, field)) << field;
}

TEST(Topics, TellEveryWordOfTheVocabularies) {
  for (int i = 0; i <= static_cast<int>(inspect::ObjectKind::unknown); ++i)
    EXPECT_TRUE(has_word(find_topic("kinds")->text,
                         word(static_cast<inspect::ObjectKind>(i))));
  for (int i = 0; i <= static_cast<int>(inspect::ContainerKind::member); ++i)
    EXPECT_TRUE(has_word(find_topic("containers")->text,
                         word(static_cast<inspect::ContainerKind>(i))));
  for (int i = 0; i <= static_cast<int>(inspect::Coverage::complete); ++i)
    EXPECT_TRUE(has_word(find_topic("coverage")->text,
                         word(static_cast<inspect::Coverage>(i))));
}

} // namespace
} // namespace gantry::cli

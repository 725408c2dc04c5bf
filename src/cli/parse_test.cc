// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/parse.h"

#include <gtest/gtest.h>

namespace gantry::cli {
namespace {

constexpr std::string_view kSizes[] = {"small", "large"};
constexpr Option kOptions[] = {
    {.name = "name",
     .letter = 'n',
     .value = "N",
     .kind = ValueKind::text,
     .help = "h",
     .group = "g"},
    {.name = "size",
     .value = "S",
     .kind = ValueKind::choice,
     .help = "h",
     .group = "g",
     .repeatable = true,
     .list = true,
     .choices = kSizes},
    {.name = "any",
     .value = "A",
     .kind = ValueKind::text,
     .help = "h",
     .group = "g",
     .repeatable = true},
    {.name = "loud", .letter = 'l', .help = "h", .group = "g"},
    kJobs,
};
const Verb kVerb{
    .name = "test",
    .group = "g",
    .summary = "s",
    .operand = {"FILE", ValueKind::path, 1, 3},
    .options = kOptions,
};

using Words = std::vector<std::string>;

// What is refused, with its hint in brackets.
std::string refusal(const Words &words) {
  const auto arguments = parse(kVerb, words);
  if (arguments)
    return "nothing";
  return arguments.error().hint.empty()
             ? arguments.error().message
             : arguments.error().message + " [" + arguments.error().hint + "]";
}

TEST(Parse, ReadsEverySpellingOfAnOption) {
  for (const Words &words : {Words{"--name", "x", "f"},
                             {"--name=x", "f"},
                             {"-n", "x", "f"},
                             {"-nx", "f"},
                             {"f", "--name", "x"},
                             {"-lnx", "f"}}) {
    const auto arguments = parse(kVerb, words);
    ASSERT_TRUE(arguments) << arguments.error().message;
    EXPECT_EQ(arguments->value("name"), "x");
    EXPECT_EQ(arguments->operands(), Words{"f"});
  }
}

TEST(Parse, ReadsFlags) {
  EXPECT_TRUE(parse(kVerb, Words{"-l", "f"})->has("loud"));
  EXPECT_TRUE(parse(kVerb, Words{"--loud", "--loud", "f"})->has("loud"));
  EXPECT_FALSE(parse(kVerb, Words{"f"})->has("loud"));
}

TEST(Parse, TakesListsApart) {
  const auto arguments =
      parse(kVerb, Words{"--size", "small,large", "--size=small", "--any",
                         "a,b", "--any", "", "f"});
  ASSERT_FALSE(arguments); // an empty value
  const auto good = parse(kVerb, Words{"--size", "small,large", "--size=small",
                                       "--any", "a,b", "f"});
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(good->values("size"), (Words{"small", "large", "small"}));
  EXPECT_EQ(good->values("any"), Words{"a,b"});
}

TEST(Parse, KeepsOperandsInOrder) {
  EXPECT_EQ(parse(kVerb, Words{"b", "-l", "a"})->operands(), (Words{"b", "a"}));
  EXPECT_EQ(parse(kVerb, Words{"-"})->operands(), Words{"-"});
  EXPECT_EQ(parse(kVerb, Words{"-l", "--", "-l", "--name"})->operands(),
            (Words{"-l", "--name"}));
}

TEST(Parse, ReadsCounts) {
  EXPECT_EQ(parse(kVerb, Words{"-j", "12", "f"})->count("jobs"), 12u);
  EXPECT_EQ(parse(kVerb, Words{"-j0", "f"})->count("jobs"), 0u);
  EXPECT_EQ(parse(kVerb, Words{"f"})->count("jobs"), std::nullopt);
  for (const char *bad : {"-1", "x", "1x", "1025", "99999999999999999999"})
    EXPECT_EQ(refusal({"-j", bad, "f"}), std::string("--jobs: ") + bad +
                                             " is not a number from 0 to 1024");
}

TEST(Parse, RefusesUnknownOptions) {
  EXPECT_EQ(refusal({"--nam", "x", "f"}),
            "test has no option --nam [did you mean --name?]");
  EXPECT_EQ(refusal({"--nam=x", "f"}),
            "test has no option --nam [did you mean --name?]");
  EXPECT_EQ(refusal({"-z", "f"}),
            "test has no option -z [gantry test --help lists the options; a "
            "file whose name starts with - goes after --]");
  EXPECT_EQ(refusal({"-lz", "f"}).substr(0, 21), "test has no option -z");
  EXPECT_EQ(refusal({"--zz\x1b[2J", "f"}).substr(0, 33),
            R"(test has no option --zz\x1b[2J [g)");
}

TEST(Parse, RefusesMissingValues) {
  const std::string wanted = "--name needs a value [write --name N]";
  EXPECT_EQ(refusal({"f", "--name"}), wanted);
  EXPECT_EQ(refusal({"f", "-n"}), wanted);
  EXPECT_EQ(refusal({"--name=", "f"}), wanted);
  EXPECT_EQ(refusal({"--name", "", "f"}), wanted);
  EXPECT_EQ(refusal({"--size", "small,", "f"}),
            "--size needs a value [write --size S]");
}

TEST(Parse, RefusesValuesThatAreNoChoice) {
  EXPECT_EQ(refusal({"--size", "smal", "f"}),
            "--size cannot be smal [did you mean small?]");
  EXPECT_EQ(refusal({"--size", "small,x", "f"}),
            "--size cannot be x [one of: small, large]");
}

TEST(Parse, RefusesWhatTheTableDoesNotAllow) {
  EXPECT_EQ(refusal({"-nx", "--name", "y", "f"}), "--name was given 2 times");
  EXPECT_EQ(refusal({"--loud=yes", "f"}), "--loud takes no value");
  EXPECT_EQ(refusal({}),
            "test needs a FILE [gantry test --help shows how it is used]");
  EXPECT_EQ(refusal({"a", "b", "c", "d"}),
            "test does not take d as well [gantry test --help shows how it is "
            "used]");
}

TEST(Mentions, LooksOnlyBeforeTheEndOfOptions) {
  EXPECT_TRUE(mentions(Words{"f", "--json", "--zz"}, "--json"));
  EXPECT_FALSE(mentions(Words{"f", "--", "--json"}, "--json"));
  EXPECT_FALSE(mentions(Words{"--jsonx"}, "--json"));
}

} // namespace
} // namespace gantry::cli

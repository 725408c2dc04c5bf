// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/status.h"

#include <gtest/gtest.h>

namespace gantry::cli {
namespace {

using enum Answer;

int status(std::initializer_list<Answer> answers) {
  return exit_status({answers.begin(), answers.size()});
}

TEST(ExitStatus, TellsOneInputsAnswer) {
  EXPECT_EQ(status({found}), 0);
  EXPECT_EQ(status({none}), 1);
  EXPECT_EQ(status({failed}), 2);
  EXPECT_EQ(status({partial}), 3);
  EXPECT_EQ(status({unknown}), 4);
}

TEST(ExitStatus, IsAnErrorWhenNothingCouldBeDone) {
  EXPECT_EQ(status({}), 2);
  EXPECT_EQ(status({failed, failed}), 2);
}

TEST(ExitStatus, RanksTheAnswersOfSeveralInputs) {
  EXPECT_EQ(status({found, failed, none, unknown}), 3);
  EXPECT_EQ(status({none, partial}), 3);
  EXPECT_EQ(status({unknown, none, found}), 1);
  EXPECT_EQ(status({found, unknown}), 4);
  EXPECT_EQ(status({found, found}), 0);
}

TEST(Answer, FindsSelectedObjects) {
  inspect::Report report;
  EXPECT_FALSE(is_found(report, std::nullopt));
  report.objects.resize(2);
  EXPECT_TRUE(is_found(report, std::nullopt));
  for (inspect::Object &object : report.objects)
    object.selected = false;
  EXPECT_FALSE(is_found(report, std::nullopt));
}

TEST(Answer, FindsNamedKernels) {
  inspect::Report report;
  report.objects.resize(1);
  EXPECT_FALSE(is_found(report, 0));
  EXPECT_TRUE(is_found(report, 1));
}

TEST(Answer, IsOnlyNoWhenEverythingWasLookedAt) {
  using enum inspect::Coverage;
  EXPECT_EQ(answer(complete, true, false), found);
  EXPECT_EQ(answer(inspect::Coverage::partial, true, false), found);
  EXPECT_EQ(answer(complete, false, false), none);
  EXPECT_EQ(answer(inspect::Coverage::partial, false, false), unknown);
  EXPECT_EQ(answer(unexamined, false, false), unknown);
}

TEST(Answer, CountsPartialCoverageAsFailureWhenStrict) {
  using enum inspect::Coverage;
  EXPECT_EQ(answer(inspect::Coverage::partial, true, true), Answer::partial);
  EXPECT_EQ(answer(inspect::Coverage::partial, false, true), Answer::partial);
  EXPECT_EQ(answer(complete, true, true), found);
}

} // namespace
} // namespace gantry::cli

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

inspect::Report report(std::size_t objects, std::size_t kernels,
                       inspect::Coverage coverage) {
  inspect::Report report;
  report.objects.resize(objects);
  report.kernels.resize(kernels);
  report.coverage = coverage;
  return report;
}

TEST(Answer, FindsSelectedObjects) {
  using enum inspect::Coverage;
  EXPECT_EQ(answer(report(1, 0, complete), false, false), found);
  EXPECT_EQ(answer(report(1, 0, inspect::Coverage::partial), false, false),
            found);
  EXPECT_EQ(answer(report(0, 0, complete), false, false), none);
  EXPECT_EQ(answer(report(0, 0, inspect::Coverage::partial), false, false),
            unknown);
  EXPECT_EQ(answer(report(0, 0, unexamined), false, false), unknown);
  auto unselected = report(2, 0, complete);
  for (auto &object : unselected.objects)
    object.selected = false;
  EXPECT_EQ(answer(unselected, false, false), none);
}

TEST(Answer, FindsNamedKernels) {
  using enum inspect::Coverage;
  EXPECT_EQ(answer(report(1, 1, complete), true, false), found);
  EXPECT_EQ(answer(report(1, 0, complete), true, false), none);
  EXPECT_EQ(answer(report(1, 0, inspect::Coverage::partial), true, false),
            unknown);
}

TEST(Answer, CountsPartialCoverageAsFailureWhenStrict) {
  EXPECT_EQ(answer(report(1, 0, inspect::Coverage::partial), false, true),
            Answer::partial);
  EXPECT_EQ(answer(report(0, 0, inspect::Coverage::partial), false, true),
            Answer::partial);
  EXPECT_EQ(answer(report(1, 0, inspect::Coverage::complete), false, true),
            found);
}

} // namespace
} // namespace gantry::cli

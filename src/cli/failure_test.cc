// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/failure.h"

#include <gtest/gtest.h>

namespace gantry::cli {
namespace {

constexpr std::string_view kNames[] = {"gfx904", "gfx942", "sm_90", "version"};

TEST(DidYouMean, PrefersWhatWasCutShort) {
  EXPECT_EQ(did_you_mean("gfx94", kNames, "x"), "did you mean gfx942?");
  EXPECT_EQ(did_you_mean("ver", kNames, "x"), "did you mean version?");
}

TEST(DidYouMean, OffersWhatIsNear) {
  EXPECT_EQ(did_you_mean("sm90", kNames, "x"), "did you mean sm_90?");
  EXPECT_EQ(did_you_mean("vresion", kNames, "x"), "did you mean version?");
}

TEST(DidYouMean, SaysSomethingElseWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("nonsense", kNames, "see the list"), "see the list");
  EXPECT_EQ(did_you_mean("", kNames, "see the list"), "see the list");
}

TEST(FailureFromError, NamesTheFileOnce) {
  const Error bare{Errc::changed, 0, "another file", {}};
  EXPECT_EQ(failure_from(bare, "a\x1b.so").message, "a\\x1b.so: another file");
  EXPECT_EQ(failure_from(bare).message, "another file");
  EXPECT_EQ(failure_from(Error(bare).in("a.so"), "a.so").message,
            "a.so: another file");
  EXPECT_EQ(failure_from(bare).code, Errc::changed);
}

} // namespace
} // namespace gantry::cli

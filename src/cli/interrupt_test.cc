// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/interrupt.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace gantry::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Whether the stop is requested within ten seconds.
bool is_requested(const Interrupt &interrupt) {
  for (const auto end = Clock::now() + 10s; Clock::now() < end;
       std::this_thread::sleep_for(1ms))
    if (interrupt.requested())
      return true;
  return false;
}

bool is_blocked(int signal) {
  sigset_t now;
  return pthread_sigmask(SIG_BLOCK, nullptr, &now) == 0 &&
         sigismember(&now, signal) == 1;
}

// Whoever runs the tests in the background may ignore the signals.
class InterruptTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_NE(std::signal(SIGINT, SIG_DFL), SIG_ERR);
    ASSERT_NE(std::signal(SIGTERM, SIG_DFL), SIG_ERR);
  }
};

TEST_F(InterruptTest, IsNotRequestedByItself) {
  const Interrupt interrupt(std::nullopt);
  EXPECT_FALSE(interrupt.requested());
  EXPECT_FALSE(Interrupt(3600s).requested());
}

TEST_F(InterruptTest, ComesWhenTheTimeIsOver) {
  const auto begin = Clock::now();
  const Interrupt interrupt(20ms);
  EXPECT_TRUE(is_requested(interrupt));
  EXPECT_GE(Clock::now() - begin, 20ms);
  EXPECT_TRUE(is_requested(Interrupt(0s)));
}

TEST_F(InterruptTest, ComesWithSignals) {
  for (int signal : {SIGINT, SIGTERM}) {
    const Interrupt interrupt(std::nullopt);
    ASSERT_EQ(kill(getpid(), signal), 0);
    EXPECT_TRUE(is_requested(interrupt));
    EXPECT_TRUE(interrupt.token().stop_requested());
  }
}

TEST_F(InterruptTest, LeavesTheSignalsAsTheyWere) {
  EXPECT_FALSE(is_blocked(SIGINT));
  {
    const Interrupt interrupt(std::nullopt);
    EXPECT_TRUE(is_blocked(SIGINT));
    EXPECT_TRUE(is_blocked(SIGTERM));
  }
  EXPECT_FALSE(is_blocked(SIGINT));
  EXPECT_FALSE(is_blocked(SIGTERM));
}

TEST_F(InterruptTest, LeavesSignalsThatTheParentIgnores) {
  ASSERT_NE(std::signal(SIGINT, SIG_IGN), SIG_ERR);
  {
    const Interrupt interrupt(std::nullopt);
    EXPECT_FALSE(is_blocked(SIGINT));
    ASSERT_EQ(kill(getpid(), SIGINT), 0);
    ASSERT_EQ(kill(getpid(), SIGTERM), 0);
    EXPECT_TRUE(is_requested(interrupt));
  }
  std::signal(SIGINT, SIG_DFL);
}

TEST_F(InterruptTest, EndsTheProcessAtTheSecondSignal) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const Interrupt interrupt(std::nullopt);
    kill(getpid(), SIGTERM);
    if (!is_requested(interrupt))
      _exit(1);
    kill(getpid(), SIGINT);
    std::this_thread::sleep_for(10s);
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
}

} // namespace
} // namespace gantry::cli

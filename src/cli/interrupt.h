// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SIGINT, SIGTERM and --timeout become a request to stop.
#pragma once

#include <chrono>
#include <csignal>
#include <optional>
#include <stop_token>
#include <thread>

namespace gantry::cli {

// While it lives: the signals are blocked in the thread that made it and in
// those that this starts later, and a thread waits for them, so that no code
// runs in a signal handler. A second signal ends the process at once, with
// status 128 + its number. Signals that the parent process ignores stay
// ignored.
class Interrupt {
public:
  // `limit` counts from now.
  explicit Interrupt(std::optional<std::chrono::nanoseconds> limit);
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  std::stop_token token() const { return stop_.get_token(); }
  bool requested() const { return stop_.stop_requested(); }

private:
  using Clock = std::chrono::steady_clock;
  void watch(std::stop_token ended, std::optional<Clock::time_point> deadline);

  std::stop_source stop_;
  sigset_t signals_{};
  sigset_t before_{};
  std::jthread watcher_; // the last member: it uses the others
};

} // namespace gantry::cli

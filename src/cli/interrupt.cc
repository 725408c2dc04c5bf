// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/interrupt.h"

#include <algorithm>
#include <cerrno>

#include <pthread.h>
#include <unistd.h>

namespace gantry::cli {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};
// Ends the watcher. Nobody else minds it: its default is to do nothing.
constexpr int kWake = SIGURG;
constexpr int kStatusOfSignals = 128;

bool is_ignored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

timespec until(std::chrono::steady_clock::time_point deadline) {
  using namespace std::chrono;
  const auto left =
      std::max(nanoseconds(0), nanoseconds(deadline - steady_clock::now()));
  const auto whole = duration_cast<seconds>(left);
  return {static_cast<time_t>(whole.count()),
          static_cast<long>((left - whole).count())};
}

} // namespace

Interrupt::Interrupt(std::optional<std::chrono::nanoseconds> limit) {
  std::optional<Clock::time_point> deadline;
  if (limit)
    deadline = Clock::now() + *limit;
  if (limit && limit->count() == 0)
    stop_.request_stop(); // whoever is first
  sigemptyset(&signals_);
  for (int signal : kSignals)
    if (!is_ignored(signal))
      sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  watcher_ = std::jthread(
      [this, deadline](std::stop_token ended) { watch(ended, deadline); });
}

Interrupt::~Interrupt() {
  watcher_.request_stop();
  pthread_kill(watcher_.native_handle(), kWake);
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupt::watch(std::stop_token ended,
                      std::optional<Clock::time_point> deadline) {
  sigset_t waited = signals_;
  sigaddset(&waited, kWake);
  pthread_sigmask(SIG_BLOCK, &waited, nullptr);
  bool signalled = false;
  while (!ended.stop_requested()) {
    int signal = 0;
    if (deadline && !requested()) {
      const timespec left = until(*deadline);
      signal = sigtimedwait(&waited, nullptr, &left);
    } else {
      signal = sigwaitinfo(&waited, nullptr);
    }
    if (signal < 0 && errno == EAGAIN) {
      stop_.request_stop();
    } else if (signal > 0 && signal != kWake) {
      if (signalled)
        _exit(kStatusOfSignals + signal);
      signalled = true;
      stop_.request_stop();
    }
  }
}

} // namespace gantry::cli

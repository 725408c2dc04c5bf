// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace gantry {

namespace {

// One call's shared state: who takes which index, and whether to go on.
struct Work {
  std::uint64_t count;
  const std::function<void(std::uint64_t, unsigned)> &fn;
  std::atomic<std::uint64_t> next = 0;
  // The lowest index for which memory ran out; `count` when it did for none.
  std::atomic<std::uint64_t> failed = count;

  void run(unsigned worker) {
    while (failed.load(std::memory_order_relaxed) == count) {
      std::uint64_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count)
        return;
      try {
        fn(index, worker);
      } catch (const std::bad_alloc &) {
        std::uint64_t lowest = failed.load(std::memory_order_relaxed);
        while (index < lowest && !failed.compare_exchange_weak(
                                     lowest, index, std::memory_order_relaxed))
          ;
        return;
      }
    }
  }
};

} // namespace

Result<void>
parallel_for(std::uint64_t count, unsigned threads,
             const std::function<void(std::uint64_t, unsigned)> &fn) {
  Work work{count, fn};
  {
    std::vector<std::jthread> others; // joined at the end of the block
    std::uint64_t wanted = std::min<std::uint64_t>(threads, count);
    try {
      for (unsigned worker = 1; worker < wanted; worker++)
        others.emplace_back([&work, worker] { work.run(worker); });
    } catch (const std::system_error &) {
      // No more threads to be had: those that run do all the work.
    } catch (const std::bad_alloc &) {
    }
    work.run(0);
  }
  if (work.failed != count)
    return fail(Errc::too_large, work.failed, "out of memory");
  return {};
}

} // namespace gantry

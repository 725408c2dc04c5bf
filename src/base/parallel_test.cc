// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

namespace gantry {
namespace {

TEST(Parallel, CallsEachIndexOnceWhateverTheThreads) {
  for (unsigned threads : {0u, 1u, 2u, 3u, 16u}) {
    std::vector<unsigned> calls(1000);
    ASSERT_TRUE(parallel_for(calls.size(), threads,
                             [&](std::uint64_t i, unsigned) { calls[i]++; }));
    EXPECT_EQ(calls, std::vector<unsigned>(1000, 1)) << threads;
  }
}

TEST(Parallel, KeepsWorkersApart) {
  constexpr unsigned kThreads = 4;
  std::vector<std::uint64_t> sums(kThreads); // unsynchronised: one each
  ASSERT_TRUE(parallel_for(10000, kThreads, [&](std::uint64_t i, unsigned w) {
    ASSERT_LT(w, kThreads);
    sums[w] += i;
  }));
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}),
            10000u * 9999u / 2);
}

TEST(Parallel, RunsInTheCallerWithOneThread) {
  const auto caller = std::this_thread::get_id();
  std::vector<std::uint64_t> order;
  ASSERT_TRUE(parallel_for(5, 1, [&](std::uint64_t i, unsigned worker) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(worker, 0u);
    order.push_back(i);
  }));
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST(Parallel, CallsNothingForNothing) {
  bool called = false;
  ASSERT_TRUE(
      parallel_for(0, 8, [&](std::uint64_t, unsigned) { called = true; }));
  EXPECT_FALSE(called);
}

TEST(Parallel, ReportsThatMemoryRanOut) {
  for (unsigned threads : {1u, 4u}) {
    std::atomic<std::uint64_t> calls = 0;
    auto result = parallel_for(100000, threads, [&](std::uint64_t i, unsigned) {
      calls++;
      if (i == 7)
        throw std::bad_alloc();
    });
    ASSERT_FALSE(result) << threads;
    EXPECT_EQ(result.error().code, Errc::too_large);
    EXPECT_EQ(result.error().offset, 7u);
    EXPECT_GE(calls, 8u);
  }
}

TEST(Parallel, DropsTheRestWhenMemoryRanOut) {
  std::uint64_t calls = 0;
  auto result = parallel_for(100, 1, [&](std::uint64_t, unsigned) {
    if (++calls == 3)
      throw std::bad_alloc();
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().offset, 2u);
  EXPECT_EQ(calls, 3u);
}

} // namespace
} // namespace gantry

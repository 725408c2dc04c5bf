// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of jobs, which end in any order, go on in the order of the report.
#pragma once

#include "inspect/job.h"

#include <condition_variable>
#include <mutex>

namespace gantry::inspect {

// Results that are kept for their turn: a thread that has more waits for the
// job that is behind.
inline constexpr std::uint64_t kHeldMax = std::uint64_t{32} << 20;

// Hands each object to Options::done when its job and all before it have ended.
// All calls but finish() may come from several threads.
class Delivery {
public:
  // Jobs are in the order of their objects in `regions`; both must outlive
  // this. Jobs from the one on with which more than `records` records come
  // together are refused.
  Delivery(std::vector<Region> &regions, std::vector<Job> &jobs,
           std::uint64_t records, const Options &options);

  // Whether this job is to be run. False for good once the jobs before it have
  // too many records, or the caller wants to stop. May wait: jobs must begin
  // in their order. Every job that began must end.
  bool begin(std::size_t job);
  void end(std::size_t job, bool ran);
  // No more jobs will run, whatever happened. Nobody waits any longer.
  void abandon();
  // Hands on what is left; of jobs that did not run, the objects as they are.
  void finish();

  // Bytes that decoders produced, of jobs whose results count.
  std::uint64_t decoded_bytes() const { return decoded_bytes_; }
  std::uint64_t records() const { return records_; }
  // Some jobs did not run because the caller stopped.
  bool interrupted() const { return interrupted_; }
  // Some kernels do not say whether they use dynamic shared memory.
  bool unstated_shared() const { return unstated_shared_; }

private:
  enum class State : std::uint8_t { waiting, ran, skipped };

  bool over() const { return full_ || abandoned_; }
  void settle(Job &job, State state);
  void advance();
  void hand_on_until(const Job *job);
  void hand_on(Slot &slot);

  const Options &options_;
  std::vector<Region> &regions_;
  std::vector<Job> &jobs_;
  const std::uint64_t limit_;

  std::mutex mutex_;
  std::condition_variable turn_;
  std::vector<State> states_;
  std::vector<std::uint64_t> held_by_; // memory of results not handed on
  std::uint64_t held_ = 0;
  std::size_t next_ = 0; // all before are settled
  std::uint64_t records_ = 0;
  bool full_ = false;
  bool abandoned_ = false;
  bool interrupted_ = false;
  bool unstated_shared_ = false;
  std::uint64_t decoded_bytes_ = 0;
  // The next object to hand on.
  std::size_t region_ = 0, unit_ = 0, slot_ = 0;
  std::uint32_t objects_ = 0; // handed on
};

} // namespace gantry::inspect

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/delivery.h"

#include <algorithm>

namespace gantry::inspect {

namespace {

void refuse_at_once(Job &job, Analysis analysis) {
  job.begin();
  job.refuse({Errc::too_large,
              job.payload.offset,
              "too many objects and kernels (limit records)",
              {}},
             analysis);
  job.commit();
}

} // namespace

Delivery::Delivery(std::vector<Region> &regions, std::vector<Job> &jobs,
                   std::uint64_t records, const Options &options)
    : options_(options), regions_(regions), jobs_(jobs), limit_(records),
      states_(jobs.size()), held_by_(jobs.size()) {}

bool Delivery::begin(std::size_t job) {
  std::unique_lock lock(mutex_);
  // Whoever is next need not wait, so somebody always goes on.
  turn_.wait(lock, [&] { return over() || job == next_ || held_ < kHeldMax; });
  if (over())
    return false;
  if (options_.stop.stop_requested())
    interrupted_ = true;
  return !interrupted_;
}

void Delivery::end(std::size_t job, bool ran) {
  const std::uint64_t memory = ran ? jobs_[job].memory() : 0;
  {
    std::lock_guard lock(mutex_);
    states_[job] = ran ? State::ran : State::skipped;
    held_by_[job] = memory;
    held_ += memory;
    if (job == next_)
      advance();
  }
  turn_.notify_all();
}

void Delivery::abandon() {
  {
    std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  turn_.notify_all();
}

void Delivery::finish() {
  std::ranges::replace(states_, State::waiting, State::skipped);
  advance();
  hand_on_until(nullptr);
}

// Also when memory runs out in the middle, nothing is handed on twice.
void Delivery::advance() {
  while (next_ < jobs_.size() && states_[next_] != State::waiting) {
    const std::size_t job = next_++;
    held_ -= held_by_[job];
    settle(jobs_[job], states_[job]);
    hand_on_until(next_ < jobs_.size() ? &jobs_[next_] : nullptr);
  }
}

void Delivery::settle(Job &job, State state) {
  const std::uint64_t records = state == State::ran ? job.records() : 0;
  full_ = full_ || records > limit_ - records_;
  if (full_)
    return refuse_at_once(job, options_.analysis);
  if (state != State::ran)
    return;
  records_ += records;
  decoded_bytes_ += job.decoded_bytes;
  job.commit();
}

// Up to the first object of `job`; all when there is none.
void Delivery::hand_on_until(const Job *job) {
  for (; region_ < regions_.size(); region_++, unit_ = 0) {
    std::vector<Unit> &units = regions_[region_].units;
    for (; unit_ < units.size(); unit_++, slot_ = 0) {
      Unit &unit = units[unit_];
      const bool last = job && job->unit == &unit;
      const std::size_t end = last ? job->payload.first : unit.slots.size();
      while (slot_ < end)
        hand_on(unit.slots[slot_++]);
      if (last)
        return;
    }
  }
}

// What nobody looked at says so.
void Delivery::hand_on(Slot &slot) {
  Object &o = slot.object;
  if (!o.selected)
    o.kernel_analysis = Coverage::not_selected;
  else if (options_.analysis == Analysis::kernels &&
           o.kernel_analysis == Coverage::not_requested)
    o.kernel_analysis = Coverage::unexamined;
  for (Kernel &k : slot.kernels) {
    k.object = objects_;
    unstated_shared_ =
        unstated_shared_ || (k.representation == "sass" && !k.dynamic_shared);
  }
  objects_++;
  if (options_.done)
    options_.done(o, slot.kernels);
  slot.kernels.shrink_to_fit();
}

} // namespace gantry::inspect

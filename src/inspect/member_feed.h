// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The members of a package that are to be looked into, one after the other. The
// next is unpacked on a thread of its own while the caller looks at the present
// one; so two are in memory at most.
#pragma once

#include "gantry/inspect.h"
#include "input/package.h"
#include "inspect/member_names.h"

#include <atomic>
#include <semaphore>
#include <thread>

namespace gantry::inspect {

// What a walk through the members has met so far.
struct MemberCounts {
  std::uint64_t members = 0;
  std::uint64_t skipped = 0;
  std::uint64_t not_selected = 0; // no id that was asked for is in them
  std::uint64_t unpacked_bytes = 0;
  std::uint64_t long_names = 0; // too long to be an id; not opened
  std::uint64_t position = 0;   // in the package
};

struct OpenedMember {
  input::Member member;
  std::string id;
  std::unique_ptr<Source> source; // none when nothing could be read
  std::optional<Error> damage;
  MemberCounts counts; // with this one
};

struct FeedOptions {
  bool threaded = false;
  bool deep = false;                // open whatever the name
  std::vector<std::string> objects; // ids asked for, sorted; empty: all
  Limits limits;
  std::stop_token stop;
  std::uint64_t id_bytes = 0; // how long an id may be here
};

class MemberFeed {
public:
  // `package` and `unpacked`, the bytes that may still be unpacked, must
  // outlive this.
  MemberFeed(input::Package &package, std::uint64_t &unpacked,
             FeedOptions options);
  ~MemberFeed();
  MemberFeed(const MemberFeed &) = delete;
  MemberFeed &operator=(const MemberFeed &) = delete;

  // The next member; nullptr after the last. Valid until the next call.
  OpenedMember *next();

  // Up to the member that next() gave last; after the last all, and why the
  // rest of the package was not read.
  const MemberCounts &counts() const { return given_; }
  std::optional<Error> ended() const;

private:
  struct Slot {
    input::GrowingBuffer buffer;
    std::optional<OpenedMember> member;
  };
  void work();
  void produce(Slot &slot);
  bool wants(const input::Member &member, const std::string &id);
  void open(const input::Member &member, Slot &slot);
  input::Allowance allowance(const input::Member &member) const;
  void stop_thread();

  input::Package &package_;
  std::uint64_t &unpacked_;
  FeedOptions options_;
  MemberIds ids_;
  MemberCounts counts_; // of the thread that unpacks
  MemberCounts given_;
  std::optional<Error> ended_;

  static constexpr std::size_t kSlots = 2;
  std::array<Slot, kSlots> slots_;
  std::size_t taken_ = 0; // by the caller
  bool finished_ = false;
  std::atomic<bool> quit_ = false;
  std::counting_semaphore<kSlots + 1> free_{kSlots};
  std::counting_semaphore<kSlots + 1> full_{0};
  std::jthread thread_; // last, so that it ends first
};

} // namespace gantry::inspect

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/member_feed.h"

#include "base/error.h"

#include <algorithm>
#include <limits>
#include <new>
#include <system_error>

namespace gantry::inspect {

MemberFeed::MemberFeed(input::Package &package, std::uint64_t &unpacked,
                       FeedOptions options)
    : package_(package), unpacked_(unpacked), options_(std::move(options)) {
  if (!options_.threaded || !package.unpacks())
    return;
  try {
    thread_ = std::jthread([this] { work(); });
  } catch (const std::system_error &) {
    // No thread to be had: next() does the work.
  }
}

MemberFeed::~MemberFeed() { stop_thread(); }

void MemberFeed::stop_thread() {
  if (!thread_.joinable())
    return;
  quit_ = true;
  free_.release();
  thread_.join();
}

void MemberFeed::work() {
  for (std::size_t i = 0;; i++) {
    free_.acquire();
    if (quit_)
      return;
    Slot &slot = slots_[i % kSlots];
    produce(slot);
    const bool last = !slot.member;
    full_.release();
    if (last)
      return;
  }
}

OpenedMember *MemberFeed::next() {
  if (finished_)
    return nullptr;
  Slot &slot = slots_[taken_ % kSlots];
  if (thread_.joinable()) {
    if (taken_ != 0)
      free_.release();
    full_.acquire();
  } else {
    produce(slot);
  }
  taken_++;
  if (slot.member) {
    given_ = slot.member->counts;
    return &*slot.member;
  }
  finished_ = true;
  given_ = counts_;
  return nullptr;
}

std::optional<Error> MemberFeed::ended() const {
  return finished_ ? ended_ : std::nullopt;
}

// Leaves the slot empty after the last member.
void MemberFeed::produce(Slot &slot) {
  slot.member.reset();
  try {
    while (!quit_) {
      if (options_.stop.stop_requested()) {
        ended_ = Error{Errc::interrupted, 0, "interrupted", {}};
        return;
      }
      auto member = package_.next();
      if (!member) {
        ended_ = std::move(member).error();
        return;
      }
      if (!*member)
        return;
      if (counts_.members >= options_.limits.members) {
        ended_ = Error{Errc::too_large,
                       package_.position(),
                       "members of a package (limit members)",
                       {}};
        return;
      }
      counts_.members++;
      std::string id = ids_.next((*member)->name);
      if (!wants(**member, id))
        continue;
      slot.member.emplace();
      slot.member->id = std::move(id);
      open(**member, slot);
      counts_.position = package_.position();
      slot.member->counts = counts_;
      return;
    }
  } catch (const std::bad_alloc &) {
    slot.member.reset();
    ended_ = Error{Errc::too_large, 0, "out of memory", {}};
  }
}

bool MemberFeed::wants(const input::Member &member, const std::string &id) {
  if (id.size() > options_.id_bytes) {
    counts_.long_names++;
    return false;
  }
  if (!options_.objects.empty()) {
    const std::string inside = id + '!';
    auto at = std::ranges::lower_bound(options_.objects, inside);
    if (at == options_.objects.end() || !at->starts_with(inside)) {
      counts_.not_selected++;
      return false;
    }
    return true;
  }
  if (package_.thin())
    return false;
  if (options_.deep || !skipped_by_name(member.name))
    return true;
  auto start = package_.start();
  if (!start || starts_like_code(*start, member.name))
    return true;
  counts_.skipped++;
  return false;
}

input::Allowance MemberFeed::allowance(const input::Member &member) const {
  const Limits &limits = options_.limits;
  input::Allowance out{limits.member_bytes,
                       "the unpacked member (limit member_bytes)"};
  if (member.stored && member.compression != "none") {
    const std::uint64_t ratio =
        std::max<std::uint64_t>(1, limits.decoded_ratio);
    const std::uint64_t size = member.stored->size;
    std::uint64_t most = size > UINT64_MAX / ratio ? UINT64_MAX : size * ratio;
    most = std::max(most, limits.ratio_floor);
    if (most < out.bytes)
      out = {most, "the unpacked member (limit decoded_ratio)"};
  }
  if (unpacked_ < out.bytes)
    out = {unpacked_, "all members together (limit decoded_ratio)"};
  return out;
}

void MemberFeed::open(const input::Member &member, Slot &slot) {
  OpenedMember &out = *slot.member;
  out.member = member;
  slot.buffer.clear();
  input::Allowance most;
  if (package_.unpacks()) {
    most = allowance(member);
    if (member.size.value_or(0) > most.bytes) {
      out.damage = Error{Errc::too_large,
                         member.stored ? member.stored->offset : 0,
                         std::string(most.refusal),
                         {}};
      return;
    }
  }
  auto content = package_.read(slot.buffer, most);
  if (package_.unpacks()) {
    unpacked_ -= std::min(unpacked_, slot.buffer.size());
    counts_.unpacked_bytes += slot.buffer.size();
  }
  if (!content) {
    out.damage = std::move(content).error();
    return;
  }
  out.source = std::move(content->source);
  out.damage = std::move(content->damage);
}

} // namespace gantry::inspect

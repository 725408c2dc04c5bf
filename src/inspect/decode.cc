// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/decode.h"

#include "base/digest.h"
#include "base/parallel.h"
#include "format/ccob.h"
#include "inspect/describe.h"
#include "inspect/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

namespace gantry::inspect {

namespace {

// What one thread keeps from payload to payload.
struct Worker {
  Buffer stored;
  Buffer decoded;
  Decompressor decompressor;
};

// A payload to decode. Threads work on copies: what goes beyond the limit of
// records is dropped afterwards, so that it does not depend on who was first.
struct Job {
  Unit *unit = nullptr;
  Payload payload;
  // Another payload with the same bytes: decoded once, both are described.
  std::vector<Job> aliases;
  // The payload's slots; of a bundle all that the unit becomes.
  Unit result;
  std::uint64_t decoded_bytes = 0; // produced by a decoder

  void begin();
  std::uint64_t records() const;
  void commit();
};

void Job::begin() {
  if (payload.holds == Payload::Holds::bundle)
    result = *unit;
  else
    result.slots.assign(unit->slots.begin() + payload.first,
                        unit->slots.begin() + payload.first + payload.count);
  for (Job &alias : aliases)
    alias.begin();
}

// Objects that were not known before, and kernels.
std::uint64_t Job::records() const {
  std::uint64_t count =
      payload.holds == Payload::Holds::bundle ? result.slots.size() : 0;
  for (const Slot &slot : result.slots)
    count += slot.kernels.size();
  for (const Job &alias : aliases)
    count += alias.records();
  return count;
}

void Job::commit() {
  if (payload.holds == Payload::Holds::bundle)
    *unit = std::move(result);
  else
    std::ranges::move(result.slots, unit->slots.begin() + payload.first);
  for (Job &alias : aliases)
    alias.commit();
}

// Counts the records of jobs in their order. Jobs behind the one that exceeds
// the limit need not run.
class RecordLimit {
public:
  RecordLimit(std::size_t jobs, std::uint64_t limit)
      : counts_(jobs), limit_(limit) {}

  // False for good once the jobs before this one have too many.
  bool admits(std::size_t job) {
    std::lock_guard lock(mutex_);
    return job < end_;
  }
  void done(std::size_t job, std::uint64_t records) {
    std::lock_guard lock(mutex_);
    counts_[job] = records;
    for (; next_ < counts_.size(); next_++) {
      const auto &count = counts_[next_];
      if (!count)
        break;
      sum_ += *count;
      if (sum_ > limit_)
        end_ = std::min(end_, next_);
    }
  }
  bool ran(std::size_t job) const { return counts_[job].has_value(); }

private:
  std::mutex mutex_;
  std::vector<std::optional<std::uint64_t>> counts_;
  std::uint64_t limit_;
  std::uint64_t sum_ = 0;
  std::size_t next_ = 0; // all before are done
  std::size_t end_ = SIZE_MAX;
};

// Bytes may be described a few times over: entries can share them, and hostile
// files have thousands that do.
class Share {
public:
  explicit Share(std::uint64_t size)
      : left_(4 * size + (std::uint64_t{16} << 20)) {}
  bool take(std::uint64_t size) {
    if (size > left_)
      return false;
    left_ -= size;
    return true;
  }

private:
  std::uint64_t left_;
};

constexpr std::string_view kShared = "entries share their bytes too often";

class Decoder {
public:
  Decoder(const Source &source, const Selection &selection,
          const Options &options)
      : source_(source), selection_(selection), options_(options) {}

  // What there is to decode. Whatever goes beyond the file's allowance is
  // refused here, so that the answer does not depend on threads.
  std::vector<Job> plan(std::vector<Region> &regions);
  void run(Job &job, Worker &worker) const;
  void refuse_at_once(Job &job, std::string_view why) const;

private:
  bool wants_kernels() const { return options_.analysis == Analysis::kernels; }
  bool needed(const Unit &unit, const Payload &p) const;
  void refuse(Job &job, const Error &error) const;
  void open(Job &job, Bytes stored, Worker &worker) const;
  void open_bundle(Job &job, Bytes container, Worker &worker) const;
  void look_at(Slot &slot, Bytes payload) const;
  void keep_selected_kernels(Slot &slot) const;

  const Source &source_;
  const Selection &selection_;
  const Options &options_;
};

bool Decoder::needed(const Unit &unit, const Payload &p) const {
  if (p.holds == Payload::Holds::bundle)
    return true; // its directory is inside
  for (std::uint32_t i = 0; i < p.count; i++) {
    const Slot &slot = unit.slots[p.first + i];
    if (slot.needs_payload ||
        ((wants_kernels() || options_.payload_digests) && slot.object.selected))
      return true;
  }
  return false;
}

// Small files can declare much. All payloads together may decode to what one
// of the file's size may, and a few more of those that no ratio limits.
std::uint64_t allowance(const Limits &limits, std::uint64_t file_size) {
  std::uint64_t small = 16 * limits.ratio_floor;
  std::uint64_t most = UINT64_MAX - small;
  std::uint64_t ratio = std::max<std::uint64_t>(1, limits.decoded_ratio);
  return small + (file_size > most / ratio ? most : file_size * ratio);
}

// How much the parts of a payload take together beyond what it has.
std::uint64_t overlap(const Unit &unit, const Payload &p) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; p.holds == Payload::Holds::parts && i < p.count;
       i++) {
    std::uint64_t size = unit.slots[p.first + i].object.location.size;
    sum += std::min(size, UINT64_MAX - sum);
  }
  return sum > p.decoded ? sum - p.decoded : 0;
}

std::vector<Job> Decoder::plan(std::vector<Region> &regions) {
  std::vector<Job> jobs;
  using Key = std::tuple<std::uint64_t, std::uint64_t, Codec, std::uint64_t>;
  std::map<Key, std::size_t> seen;
  std::uint64_t left = allowance(options_.limits, source_.size());
  Share share(source_.size());
  for (Region &region : regions)
    for (Unit &unit : region.units) {
      for (Slot &slot : unit.slots)
        slot.object.selected = selection_.selects(slot.object);
      for (const Payload &p : unit.payloads) {
        if (!needed(unit, p))
          continue;
        if (p.holds == Payload::Holds::object &&
            unit.slots[p.first].object.obfuscated) {
          look_at(unit.slots[p.first], {}); // nothing there can be decoded
          continue;
        }
        Job job{&unit, p, {}, {}, 0};
        auto known = p.holds == Payload::Holds::object
                         ? seen.find({p.offset, p.stored, p.codec, p.decoded})
                         : seen.end();
        bool plain = known != seen.end() || p.codec == Codec::none;
        std::uint64_t again = plain && p.holds != Payload::Holds::bundle
                                  ? p.decoded
                                  : overlap(unit, p);
        if (again != 0 && !share.take(again)) {
          refuse_at_once(job, kShared);
        } else if (known != seen.end()) {
          jobs[known->second].aliases.push_back(std::move(job));
        } else if (p.decoded > left) {
          refuse_at_once(job, "all payloads together decode to too much (limit "
                              "decoded_ratio)");
        } else {
          left -= p.decoded;
          if (p.holds == Payload::Holds::object)
            seen.emplace(Key{p.offset, p.stored, p.codec, p.decoded},
                         jobs.size());
          jobs.push_back(std::move(job));
        }
      }
    }
  return jobs;
}

void Decoder::run(Job &job, Worker &worker) const {
  job.begin();
  if (job.payload.stored > options_.limits.decoded_bytes)
    return refuse(job, {Errc::too_large,
                        job.payload.offset,
                        "stored bytes (limit decoded_bytes)",
                        {}});
  auto stored =
      source_.read(job.payload.offset, job.payload.stored, worker.stored);
  if (!stored)
    return refuse(job, stored.error());
  open(job, *stored, worker);
}

void Decoder::refuse(Job &job, const Error &error) const {
  if (job.payload.holds == Payload::Holds::bundle)
    add(job.result.containers[0], limitation(error));
  for (Slot &slot : job.result.slots) {
    add(slot.object, limitation(error));
    if (wants_kernels() && slot.object.selected)
      slot.object.kernel_analysis = Coverage::unexamined;
  }
  for (Job &alias : job.aliases)
    refuse(alias, error);
}

void Decoder::refuse_at_once(Job &job, std::string_view why) const {
  job.begin();
  refuse(job, {Errc::too_large, job.payload.offset, std::string(why), {}});
  job.commit();
}

void Decoder::open(Job &job, Bytes stored, Worker &worker) const {
  if (job.payload.holds == Payload::Holds::bundle)
    return open_bundle(job, stored, worker);
  auto bytes =
      worker.decompressor.decode(job.payload.codec, stored, job.payload.decoded,
                                 options_.limits, worker.decoded);
  if (!bytes)
    return refuse(job, bytes.error());
  if (job.payload.codec != Codec::none)
    job.decoded_bytes = bytes->size();
  for (Slot &slot : job.result.slots) {
    Bytes payload = *bytes;
    if (job.payload.holds == Payload::Holds::parts) {
      const Location &at = slot.object.location;
      if (!fits(at.offset, at.size, payload.size())) {
        add(slot.object,
            {"truncated", "the part lies outside the decoded payload",
             at.offset});
        continue;
      }
      payload = payload.subspan(at.offset, at.size);
    }
    look_at(slot, payload);
  }
  for (Job &alias : job.aliases)
    look_at(alias.result.slots[0], *bytes);
}

void Decoder::open_bundle(Job &job, Bytes stored, Worker &worker) const {
  Unit &unit = job.result;
  auto header = ccob::read_header(stored);
  auto bytes = header ? ccob::decode(stored, *header, worker.decompressor,
                                     options_.limits, worker.decoded)
                      : Result<Bytes>(std::unexpected(header.error()));
  if (!bytes)
    return refuse(job, bytes.error());
  job.decoded_bytes = bytes->size();
  Container inner;
  inner.id = unit.containers[0].id + ".0";
  inner.kind = ContainerKind::bundle;
  inner.found_by = unit.containers[0].found_by;
  inner.parent = 0;
  inner.section = unit.containers[0].section;
  inner.location = {unit.containers[0].id, 0, bytes->size()};
  unit.containers.push_back(std::move(inner));
  unit.containers[0].entries = 1;

  BundlePlace place;
  place.in = unit.containers[0].id;
  place.container = 1;
  place.compressed = true;
  place.compression = unit.containers[0].compression;
  place.encoded = unit.containers[0].location;
  MemorySource images(*bytes);
  add_bundle_entries(images, bytes->size(), place, options_.limits, unit);
  Share share(bytes->size());
  for (Slot &slot : unit.slots) {
    Object &o = slot.object;
    o.selected = selection_.selects(o);
    bool wanted = slot.needs_payload ||
                  (o.selected && (wants_kernels() || options_.payload_digests));
    if (!wanted || o.location.size == 0)
      continue;
    if (share.take(o.location.size))
      look_at(slot, bytes->subspan(o.location.offset, o.location.size));
    else
      add(o, {"too-large", std::string(kShared), o.location.offset});
  }
}

void Decoder::look_at(Slot &slot, Bytes payload) const {
  Object &o = slot.object;
  // A target that only the payload knows can be selected, too.
  bool late = slot.needs_payload && o.target.empty();
  bool kernels = wants_kernels() && (o.selected || late);
  if (!slot.needs_payload && !o.selected)
    return;
  describe(payload, {kernels, options_.attributes}, options_.limits, slot);
  if (late) {
    o.selected = selection_.selects(o);
    if (!o.selected)
      slot.kernels.clear();
  }
  if (!o.selected)
    return;
  if (options_.payload_digests && !o.obfuscated) {
    Sha256 digest;
    digest.update(payload);
    o.digest = digest.hex();
  }
  if (kernels) {
    if (o.kernel_analysis == Coverage::complete ||
        o.kernel_analysis == Coverage::partial)
      o.kernels = slot.kernels.size();
    keep_selected_kernels(slot);
  }
}

void Decoder::keep_selected_kernels(Slot &slot) const {
  std::erase_if(slot.kernels,
                [&](const Kernel &k) { return !selection_.selects(k); });
}

// Whatever nobody looked at says so.
void mark_unexamined(std::vector<Region> &regions, Analysis analysis) {
  for (Region &region : regions)
    for (Unit &unit : region.units)
      for (Slot &slot : unit.slots) {
        Object &o = slot.object;
        if (!o.selected)
          o.kernel_analysis = Coverage::not_selected;
        else if (analysis == Analysis::kernels &&
                 o.kernel_analysis == Coverage::not_requested)
          o.kernel_analysis = Coverage::unexamined;
      }
}

} // namespace

unsigned thread_count(const Options &options) {
  return options.threads != 0
             ? options.threads
             : std::max(1u, std::thread::hardware_concurrency());
}

Result<void> decode(const Source &source, std::vector<Region> &regions,
                    const Selection &selection, const Options &options,
                    std::uint64_t &decoded_bytes) {
  Decoder decoder(source, selection, options);
  std::vector<Job> jobs = decoder.plan(regions);
  unsigned threads = static_cast<unsigned>(
      std::min<std::size_t>(thread_count(options), jobs.size()));
  std::vector<Worker> workers(std::max(1u, threads));
  std::uint64_t total = 0; // stored bytes, for the progress
  for (const Job &job : jobs)
    total += job.payload.stored;
  std::atomic<std::uint64_t> done = 0;
  RecordLimit records(jobs.size(), options.limits.records);
  auto result =
      parallel_for(jobs.size(), threads, [&](std::uint64_t i, unsigned worker) {
        if (options.stop.stop_requested() || !records.admits(i))
          return;
        decoder.run(jobs[i], workers[worker]);
        records.done(i, jobs[i].records());
        std::uint64_t now = done += jobs[i].payload.stored;
        if (worker == 0 && options.progress)
          options.progress(now, total);
      });
  for (std::size_t i = 0; i < jobs.size(); i++) {
    if (!records.admits(i))
      decoder.refuse_at_once(jobs[i],
                             "too many objects and kernels (limit records)");
    else if (records.ran(i)) {
      decoded_bytes += jobs[i].decoded_bytes;
      jobs[i].commit();
    }
  }
  mark_unexamined(regions, options.analysis);
  if (result && options.stop.stop_requested())
    return fail(Errc::interrupted, 0, "interrupted");
  return result;
}

} // namespace gantry::inspect

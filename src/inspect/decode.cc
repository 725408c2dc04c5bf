// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/decode.h"

#include "base/demangle.h"
#include "base/digest.h"
#include "base/parallel.h"
#include "inspect/delivery.h"
#include "inspect/describe.h"
#include "inspect/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <new>
#include <thread>
#include <tuple>
#include <unordered_map>

namespace gantry::inspect {

namespace {

// Names come again: a library has its kernels once for each target.
class ReadableNames {
public:
  std::string of(const std::string &name) {
    if (!name.starts_with("_Z"))
      return {};
    if (bytes_ > kNamesMax) {
      names_.clear();
      bytes_ = 0;
    }
    auto [it, fresh] = names_.try_emplace(name);
    if (fresh) {
      it->second = demangle(name);
      bytes_ += name.size() + it->second.size() + sizeof *it;
    }
    return it->second;
  }

private:
  static constexpr std::uint64_t kNamesMax = std::uint64_t{8} << 20;
  std::unordered_map<std::string, std::string> names_;
  std::uint64_t bytes_ = 0;
};

// What one thread keeps from payload to payload.
struct Worker {
  Buffer stored;
  Buffer decoded;
  Decompressor decompressor;
  ReadableNames names;
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

// What plan() remembers from payload to payload.
struct Plan {
  using Key = std::tuple<std::uint64_t, std::uint64_t, Codec, std::uint64_t>;

  std::vector<Job> jobs;
  std::map<Key, std::size_t> seen; // where the job of a payload is
  Share share;
  Allowance &allowance;
};

class Decoder {
public:
  Decoder(const Source &source, const Selection &selection,
          const Options &options)
      : source_(source), selection_(selection), options_(options) {}

  // What there is to decode. Whatever goes beyond the allowance is refused
  // here, so that the answer does not depend on threads.
  std::vector<Job> plan(std::vector<Region> &regions, Allowance &allowance);
  void run(Job &job, Worker &worker) const;

private:
  bool wants_kernels() const { return options_.analysis == Analysis::kernels; }
  // Whether selected objects are wanted at all.
  bool wants_payloads() const {
    return wants_kernels() || options_.payload_digests || options_.payload;
  }
  bool hands_out_stored() const {
    return options_.payload && options_.stored_payloads;
  }
  bool needed(const Unit &unit, const Payload &p) const;
  void plan(Unit &unit, Payload p, Plan &plan) const;
  void open(Job &job, Bytes stored, Worker &worker) const;
  void open_object(Job &job, Bytes stored, Worker &worker) const;
  void open_container(Job &job, Bytes stored, Worker &worker) const;
  void hand_out_stored(const Job &job, Bytes stored) const;
  void look_at(Slot &slot, Bytes payload, ReadableNames &names) const;
  void look_at_kernels(Slot &slot, ReadableNames &names) const;

  const Source &source_;
  const Selection &selection_;
  const Options &options_;
};

bool Decoder::needed(const Unit &unit, const Payload &p) const {
  if (p.holds == Payload::Holds::container) // its directory is inside
    return selection_.reaches(unit.containers[0].id);
  for (std::uint32_t i = 0; i < p.count; i++) {
    const Slot &slot = unit.slots[p.first + i];
    if (slot.needs_payload || (wants_payloads() && slot.object.selected))
      return true;
  }
  return false;
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

// A compressed container in which nothing is selected.
void leave_closed(Container &c) {
  c.coverage = Coverage::not_selected;
  c.limitations.push_back(
      {"not-selected", "not decoded: no object in it is selected", {}});
}

// Each kernel of an object repeats its targets; hostile names are long.
constexpr std::size_t kNameMax = 64;

Limitation conflict_in(const Object &o) {
  return {"target-conflict",
          o.declared.empty()
              ? "the code object names different targets"
              : fmt::format("the container declares {}, the code object is {}",
                            o.declared.substr(0, kNameMax),
                            o.payload_target.substr(0, kNameMax)),
          std::nullopt};
}

// "" when the caller stops.
std::string sha256(Bytes bytes, const std::stop_token &stop) {
  constexpr std::size_t kPiece = std::size_t{8} << 20;
  Sha256 digest;
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    if (stop.stop_requested())
      return {};
    digest.update(bytes.subspan(at, std::min(kPiece, bytes.size() - at)));
  }
  return digest.hex();
}

void refuse_at_once(Job &job, std::string_view why, Analysis analysis) {
  job.begin();
  job.refuse({Errc::too_large, job.payload.offset, std::string(why), {}},
             analysis);
  job.commit();
}

void Decoder::plan(Unit &unit, Payload p, Plan &plan) const {
  const bool object = p.holds == Payload::Holds::object;
  if (object && unit.slots[p.first].object.obfuscated) {
    p.codec = Codec::none; // nothing there can be decoded
    p.decoded = 0;
    if (!hands_out_stored()) {
      ReadableNames none;
      return look_at(unit.slots[p.first], {}, none);
    }
  }
  Job job{&unit, p, {}, {}, 0};
  const Plan::Key key{p.offset, p.stored, p.codec, p.decoded};
  auto known = object ? plan.seen.find(key) : plan.seen.end();
  bool plain = known != plan.seen.end() || p.codec == Codec::none;
  std::uint64_t again =
      plain && !job.makes_slots() ? p.decoded : overlap(unit, p);
  if (again != 0 && !plan.share.take(again))
    return refuse_at_once(job, kShared, options_.analysis);
  if (known != plan.seen.end()) {
    plan.jobs[known->second].aliases.push_back(std::move(job));
    return;
  }
  if (p.decoded > plan.allowance.decoded)
    return refuse_at_once(job,
                          "all payloads together decode to too much (limit "
                          "decoded_ratio)",
                          options_.analysis);
  plan.allowance.decoded -= p.decoded;
  if (object)
    plan.seen.emplace(key, plan.jobs.size());
  plan.jobs.push_back(std::move(job));
}

std::vector<Job> Decoder::plan(std::vector<Region> &regions,
                               Allowance &allowance) {
  Plan out{{}, {}, Share(source_.size()), allowance};
  for (Region &region : regions)
    for (Unit &unit : region.units) {
      for (Slot &slot : unit.slots)
        slot.object.selected = selection_.selects(slot.object);
      for (const Payload &p : unit.payloads) {
        if (needed(unit, p))
          plan(unit, p, out);
        else if (p.holds == Payload::Holds::container)
          leave_closed(unit.containers[0]);
      }
    }
  return std::move(out.jobs);
}

void Decoder::run(Job &job, Worker &worker) const {
  job.begin();
  if (job.payload.stored > options_.limits.decoded_bytes)
    return job.refuse({Errc::too_large,
                       job.payload.offset,
                       fmt::format("{} stored bytes (limit decoded_bytes)",
                                   job.payload.stored),
                       {}},
                      options_.analysis);
  auto stored =
      source_.read(job.payload.offset, job.payload.stored, worker.stored);
  if (!stored)
    return job.refuse(stored.error(), options_.analysis);
  if (job.makes_slots())
    open_container(job, *stored, worker);
  else
    open_object(job, *stored, worker);
  if (hands_out_stored() && job.payload.holds == Payload::Holds::object)
    hand_out_stored(job, *stored);
}

// Also what cannot be decoded.
void Decoder::hand_out_stored(const Job &job, Bytes stored) const {
  const Object &o = job.result.slots[0].object;
  if (o.selected && o.encoded_bytes)
    options_.payload(o, stored);
  for (const Job &alias : job.aliases)
    hand_out_stored(alias, stored);
}

// One object, or the parts of one payload.
void Decoder::open_object(Job &job, Bytes stored, Worker &worker) const {
  if (job.payload.holds == Payload::Holds::object &&
      job.result.slots[0].object.obfuscated) {
    look_at(job.result.slots[0], {}, worker.names);
    for (Job &alias : job.aliases)
      look_at(alias.result.slots[0], {}, worker.names);
    return;
  }
  auto bytes =
      worker.decompressor.decode(job.payload.codec, stored, job.payload.decoded,
                                 options_.limits, worker.decoded);
  if (!bytes)
    return job.refuse(bytes.error(), options_.analysis);
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
    look_at(slot, payload, worker.names);
  }
  for (Job &alias : job.aliases)
    look_at(alias.result.slots[0], *bytes, worker.names);
}

void Decoder::open_container(Job &job, Bytes stored, Worker &worker) const {
  Unit &unit = job.result;
  auto open = unit.containers[0].kind == ContainerKind::offload_binary
                  ? open_offload_binary
                  : open_ccob;
  auto inside =
      open(stored, worker.decompressor, options_.limits, worker.decoded, unit);
  if (!inside)
    return job.refuse(inside.error(), options_.analysis);
  job.decoded_bytes = inside->bytes.size();
  Share share(inside->bytes.size());
  for (Slot &slot : unit.slots) {
    Object &o = slot.object;
    o.selected = selection_.selects(o);
    bool wanted = slot.needs_payload || (o.selected && wants_payloads());
    if (!wanted || o.location.size == 0)
      continue;
    if (share.take(o.location.size))
      look_at(slot,
              inside->bytes.subspan(o.location.offset - inside->first,
                                    o.location.size),
              worker.names);
    else
      add(o, {"too-large", std::string(kShared), o.location.offset});
  }
}

void Decoder::look_at(Slot &slot, Bytes payload, ReadableNames &names) const {
  Object &o = slot.object;
  // What only the payload knows can be selected, too.
  bool late =
      slot.needs_payload && (o.target.empty() || o.kind == ObjectKind::unknown);
  bool kernels = wants_kernels() && (o.selected || late);
  if (!slot.needs_payload && !o.selected)
    return;
  describe(payload, {kernels, options_.attributes, options_.parameters},
           options_.limits, slot);
  if (late) {
    o.selected = selection_.selects(o);
    if (!o.selected)
      slot.kernels.clear();
  }
  if (!o.selected)
    return;
  if (kernels)
    look_at_kernels(slot, names);
  if (o.obfuscated)
    return;
  // PTX is kept by whoever asks for kernels, and found again by its digest.
  if (options_.payload_digests ||
      (options_.ptx_digests && kernels && o.kind == ObjectKind::ptx)) {
    o.digest = sha256(payload, options_.stop);
    if (!o.decoded_bytes)
      o.decoded_bytes = payload.size();
  }
  if (options_.payload && !options_.stored_payloads)
    options_.payload(o, payload);
}

void Decoder::look_at_kernels(Slot &slot, ReadableNames &names) const {
  Object &o = slot.object;
  if (o.kernel_analysis == Coverage::complete ||
      o.kernel_analysis == Coverage::partial)
    o.kernels = slot.kernels.size();
  if (options_.demangled || selection_.names_kernels())
    for (Kernel &k : slot.kernels)
      k.demangled = names.of(k.name);
  std::erase_if(slot.kernels,
                [&](const Kernel &k) { return !selection_.selects(k); });
  if (o.target_consistency == word(Consistency::conflict))
    for (Kernel &k : slot.kernels)
      k.limitations.push_back(conflict_in(o));
}

} // namespace

Allowance allowance(const Limits &limits, std::uint64_t file_size) {
  std::uint64_t small = 16 * limits.ratio_floor;
  std::uint64_t most = UINT64_MAX - small;
  std::uint64_t ratio = std::max<std::uint64_t>(1, limits.decoded_ratio);
  return {small + (file_size > most / ratio ? most : file_size * ratio),
          limits.records};
}

unsigned thread_count(const Options &options) {
  return options.threads != 0
             ? options.threads
             : std::max(1u, std::thread::hardware_concurrency());
}

Decoded decode(const Source &source, std::vector<Region> &regions,
               const Selection &selection, const Options &options,
               Allowance &allowance) {
  Decoder decoder(source, selection, options);
  std::vector<Job> jobs = decoder.plan(regions, allowance);
  unsigned threads = static_cast<unsigned>(
      std::min<std::size_t>(thread_count(options), jobs.size()));
  std::vector<Worker> workers(std::max(1u, threads));
  std::uint64_t total = 0; // stored bytes, for the progress
  for (const Job &job : jobs)
    total += job.payload.stored;
  std::atomic<std::uint64_t> done = 0;
  Delivery delivery(regions, jobs, allowance.records, options);
  auto work = [&](std::uint64_t i, unsigned worker) {
    try {
      const bool go = delivery.begin(i);
      if (go)
        decoder.run(jobs[i], workers[worker]);
      delivery.end(i, go);
    } catch (const std::bad_alloc &) {
      delivery.abandon(); // the others must not wait for this job
      throw;
    }
    std::uint64_t now = done += jobs[i].payload.stored;
    if (worker == 0 && options.progress)
      options.progress(now, total);
  };
  auto result = parallel_for(jobs.size(), threads, work);
  delivery.finish();
  allowance.records -= delivery.records();
  Decoded out{delivery.decoded_bytes(), delivery.unstated_shared(), {}};
  if (!result)
    out.damage = result.error();
  else if (delivery.interrupted())
    out.damage = Error{Errc::interrupted, 0, "interrupted", {}};
  return out;
}

} // namespace gantry::inspect

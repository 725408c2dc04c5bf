// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/summary.h"

#include "gantry/target.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace gantry::inspect {

namespace {

// Ranges of the file, each with how strong its claim is: what a stronger claim
// (a lower number) covers counts there.
struct Claim {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t layer = 0;
};

constexpr std::size_t kLayers = 4; // objects, together, containers, sections

// How many bytes each layer covers that no stronger one does.
std::array<std::uint64_t, kLayers> covered(std::vector<Claim> claims) {
  std::ranges::sort(claims, {}, &Claim::begin);
  std::array<std::uint64_t, kLayers>
      upto{}; // covered by this and stronger ones
  for (std::size_t layer = 0; layer < kLayers; layer++) {
    std::uint64_t end = 0;
    for (const Claim &c : claims)
      if (c.layer <= layer && c.end > end) {
        upto[layer] += c.end - std::max(c.begin, end);
        end = c.end;
      }
  }
  for (std::size_t layer = kLayers - 1; layer > 0; layer--)
    upto[layer] -= upto[layer - 1];
  return upto;
}

// The sum of what is known; nothing when something is not, or when claims of
// hostile files exceed all numbers.
void add_known(std::optional<std::uint64_t> &sum,
               const std::optional<std::uint64_t> &value) {
  if (!sum || !value || *value > UINT64_MAX - *sum)
    sum.reset();
  else
    *sum += *value;
}

// The less was looked at, the further to the left.
Coverage weaker(Coverage a, Coverage b) {
  if (a == b)
    return a;
  // A mixture is partial, whatever it is a mixture of.
  return Coverage::partial;
}

bool conflicts(const Object &o) {
  return o.target_consistency == gantry::word(Consistency::conflict);
}

// Vendors apart, NVIDIA's by number, AMD's in the order of the table of
// processors (gfx803, gfx90a, gfx1030), what is not in it behind.
struct Rank {
  Vendor vendor = Vendor::other;
  std::uint32_t sm = 0;
  std::size_t processor = SIZE_MAX;
  auto operator<=>(const Rank &) const = default;
};

Rank rank(std::string_view name) {
  Rank r;
  auto parsed = parse_target(name);
  if (!parsed)
    return r;
  r.vendor = parsed->target.vendor;
  r.sm = parsed->target.sm;
  if (const AmdProcessor *p = find_amd_processor(parsed->target.processor))
    r.processor = static_cast<std::size_t>(p - known_amd_processors().data());
  return r;
}

// Names are parsed once each, not for every comparison.
void sort_rows(std::vector<TargetRow> &rows) {
  std::vector<std::pair<Rank, std::size_t>> order;
  for (const TargetRow &row : rows)
    order.emplace_back(rank(row.target), order.size());
  std::ranges::sort(order, [&](const auto &a, const auto &b) {
    const TargetRow &x = rows[a.second], &y = rows[b.second];
    return std::tie(a.first, x.target, x.kind, x.relocatable) <
           std::tie(b.first, y.target, y.kind, y.relocatable);
  });
  std::vector<TargetRow> sorted;
  sorted.reserve(rows.size());
  for (const auto &[rank, index] : order)
    sorted.push_back(std::move(rows[index]));
  rows = std::move(sorted);
}

// As a whole: its bytes belong to all objects in it together.
bool is_compressed(const Container &c) {
  return c.kind == ContainerKind::ccob ||
         (c.kind == ContainerKind::offload_binary && c.compression != "none");
}

} // namespace

void assemble(std::vector<Region> regions, Report &report) {
  std::size_t containers = 0, objects = 0, kernels = 0;
  for (const Region &region : regions) {
    containers += region.section.has_value();
    for (const Unit &unit : region.units) {
      containers += unit.containers.size();
      objects += unit.slots.size();
      for (const Slot &slot : unit.slots)
        kernels += slot.kernels.size();
    }
  }
  report.containers.reserve(containers);
  report.objects.reserve(objects);
  report.kernels.reserve(kernels);
  for (Region &region : regions) {
    std::uint32_t section = kNone;
    if (region.section) {
      section = static_cast<std::uint32_t>(report.containers.size());
      report.containers.push_back(std::move(*region.section));
    }
    for (Unit &unit : region.units) {
      auto base = static_cast<std::uint32_t>(report.containers.size());
      for (Container &c : unit.containers) {
        c.parent = c.parent == kNone ? section : base + c.parent;
        report.containers.push_back(std::move(c));
      }
      for (Slot &slot : unit.slots) {
        auto object = static_cast<std::uint32_t>(report.objects.size());
        slot.object.container += base;
        for (Kernel &k : slot.kernels) {
          k.object = object;
          report.kernels.push_back(std::move(k));
        }
        slot.kernels = {}; // they are large: never hold them twice
        report.objects.push_back(std::move(slot.object));
      }
    }
  }
}

void add_target_rows(Report &report) {
  using Key = std::tuple<std::string_view, ObjectKind, std::optional<bool>>;
  std::map<Key, std::size_t> index;
  for (const Object &o : report.objects) {
    auto [it, fresh] = index.try_emplace({o.target, o.kind, o.relocatable},
                                         report.targets.size());
    if (fresh) {
      TargetRow row;
      row.target = o.target;
      row.kind = o.kind;
      row.relocatable = o.relocatable;
      row.encoded_bytes = 0;
      row.decoded_bytes = 0;
      row.coverage = o.kernel_analysis;
      report.targets.push_back(std::move(row));
    }
    TargetRow &row = report.targets[it->second];
    row.objects++;
    add_known(row.encoded_bytes, o.encoded_bytes);
    add_known(row.decoded_bytes, o.decoded_bytes);
    // Kernels of the objects that were read; coverage tells whether all were.
    if (o.kernels)
      row.kernels = row.kernels.value_or(0) + *o.kernels;
    bool doubtful = conflicts(o) || !o.limitations.empty();
    row.coverage = weaker(row.coverage, o.kernel_analysis);
    if (doubtful && row.coverage == Coverage::complete)
      row.coverage = Coverage::partial;
  }
  sort_rows(report.targets);
}

void account(Report &report) {
  Usage &u = report.usage;
  std::vector<Claim> claims;
  claims.reserve(report.objects.size() + report.containers.size());
  auto claim = [&](const Location &l, std::size_t layer) {
    if (l.in.empty() && l.size != 0)
      claims.push_back({l.offset, l.offset + l.size, layer});
  };
  std::uint64_t counted = 0;
  for (const Object &o : report.objects) {
    if (!o.selected)
      u.objects_not_selected++;
    claim(o.encoded_location, o.encoded_bytes ? 0 : 1);
    if (o.encoded_bytes && o.encoded_location.in.empty())
      counted += o.encoded_location.size;
  }
  for (const Container &c : report.containers)
    claim(c.location, c.kind == ContainerKind::section ? 3
                      : is_compressed(c)               ? 1
                                                       : 2);
  auto bytes = covered(std::move(claims));
  u.accounted_bytes = report.size;
  u.object_bytes = bytes[0];
  u.overlap_bytes = counted - bytes[0];
  u.compressed_together_bytes = bytes[1];
  u.container_bytes = bytes[2];
  u.padding_bytes = bytes[3];
  u.other_bytes = report.size - bytes[0] - bytes[1] - bytes[2] - bytes[3];
}

void set_coverage(Report &report) {
  bool whole = report.searched && report.limitations.empty();
  for (const Container &c : report.containers)
    whole = whole && c.coverage == Coverage::complete;
  for (const Object &o : report.objects) {
    bool sound = o.limitations.empty() && !conflicts(o) && o.selected;
    if (report.analysis == Analysis::kernels)
      sound = sound && o.kernel_analysis == Coverage::complete;
    whole = whole && sound;
  }
  report.coverage = whole ? Coverage::complete : Coverage::partial;
  if (report.usage.objects_not_selected != 0)
    report.limitations.push_back(
        {"not-selected",
         fmt::format(
             "{} of {} objects are not selected: nothing is said about them",
             report.usage.objects_not_selected, report.objects.size()),
         std::nullopt});
}

} // namespace gantry::inspect

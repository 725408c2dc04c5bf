// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/summary.h"

#include "gantry/target.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace gantry::inspect {

namespace {

// How many bytes the ranges cover together.
std::uint64_t covered(std::vector<Location> ranges) {
  std::ranges::sort(ranges, {}, &Location::offset);
  std::uint64_t total = 0, end = 0;
  for (const Location &r : ranges) {
    std::uint64_t begin = std::max(r.offset, end);
    std::uint64_t stop = r.offset + r.size;
    if (stop > begin) {
      total += stop - begin;
      end = stop;
    }
  }
  return total;
}

// The sum of what is known; nothing when something is not.
void add_known(std::optional<std::uint64_t> &sum,
               const std::optional<std::uint64_t> &value) {
  if (!sum || !value)
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

bool row_before(const TargetRow &a, const TargetRow &b) {
  return std::tuple(rank(a.target), std::string_view(a.target), a.kind,
                    a.relocatable) < std::tuple(rank(b.target),
                                                std::string_view(b.target),
                                                b.kind, b.relocatable);
}

} // namespace

void assemble(std::vector<Region> regions, Report &report) {
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
  std::ranges::sort(report.targets, row_before);
}

void account(Report &report) {
  std::vector<Location> objects, together, containers, sections;
  std::uint64_t counted = 0;
  for (const Object &o : report.objects) {
    if (!o.selected)
      report.usage.objects_not_selected++;
    if (!o.encoded_location.in.empty() || o.encoded_location.size == 0)
      continue;
    if (o.encoded_bytes) {
      objects.push_back(o.encoded_location);
      counted += o.encoded_location.size;
    } else {
      together.push_back(o.encoded_location);
    }
  }
  for (const Container &c : report.containers) {
    if (!c.location.in.empty())
      continue;
    if (c.kind == ContainerKind::section)
      sections.push_back(c.location);
    else if (c.kind == ContainerKind::ccob)
      together.push_back(c.location);
    else
      containers.push_back(c.location);
  }
  // Layer upon layer: what a stronger claim covers counts there.
  Usage &u = report.usage;
  std::vector<Location> all = std::move(objects);
  u.object_bytes = covered(all);
  u.overlap_bytes = counted - u.object_bytes;
  std::uint64_t before = u.object_bytes;
  auto layer = [&](const std::vector<Location> &more) {
    all.insert(all.end(), more.begin(), more.end());
    std::uint64_t now = covered(all);
    return now - std::exchange(before, now);
  };
  u.compressed_together_bytes = layer(together);
  u.container_bytes = layer(containers);
  u.padding_bytes = layer(sections);
  u.other_bytes = report.size - before;
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
         fmt::format("{} objects are not selected and were not examined; "
                     "nothing is said about them",
                     report.usage.objects_not_selected),
         std::nullopt});
}

} // namespace gantry::inspect

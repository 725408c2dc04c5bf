// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/discover.h"

#include "format/elf.h"
#include "format/kpack_index.h"
#include "format/ptx.h"
#include "format/text_bundle.h"
#include "inspect/host_elf.h"
#include "inspect/host_macho.h"
#include "inspect/host_pe.h"
#include "inspect/scan.h"
#include "inspect/units.h"

#include <algorithm>
#include <tuple>

namespace gantry::inspect {

namespace {

// Licence banners before the first directive of a PTX file can be long.
constexpr std::uint64_t kProbe = 4096;
constexpr std::uint64_t kProbeMax = std::uint64_t{16} << 20;

bool is_ptx_file(const Source &source) {
  Buffer scratch;
  for (std::uint64_t size : {kProbe, kProbeMax}) {
    auto start = source.read_up_to(0, size, scratch);
    if (!start)
      return false;
    ptx::Probe answer = ptx::probe(*start);
    if (answer != ptx::Probe::needs_more)
      return answer == ptx::Probe::yes;
  }
  return false;
}

// The whole file as one run of containers, or as one bare code object.
bool discover_whole_file(MeteredSource &source, Bytes start,
                         const Limits &limits, Discovery &out) {
  Origin origin;
  origin.found_by = FoundBy::file;
  ObjectKind kind = sniff(start);
  if (kind == ObjectKind::unknown && is_ptx_file(source))
    kind = ObjectKind::ptx;
  Region region;
  if (kind != ObjectKind::unknown) {
    region.units.push_back(bare_unit(0, source.size(), kind, origin));
  } else if (text_bundle::probe(start)) {
    region.units.push_back(text_bundle_unit(source, origin, limits));
  } else if (as_text(start).starts_with(kpack::kMagic)) {
    region.units.push_back(kpack_unit(source, origin, limits));
  } else {
    if (!container_magic(start))
      return false;
    Container whole; // only counts what is between the containers
    region.units = walk_region(source, 0, source.size(), origin, limits, whole);
    out.limitations.insert(out.limitations.end(), whole.limitations.begin(),
                           whole.limitations.end());
  }
  out.whole_file = true;
  out.regions.push_back(std::move(region));
  return true;
}

} // namespace

Discovery discover(const Source &whole, const Limits &limits) {
  Discovery out;
  MeteredSource source(whole);
  Buffer scratch;
  auto start = source.read_up_to(0, 512, scratch);
  if (!start) {
    out.limitations.push_back(limitation(start.error()));
    return out;
  }
  if (discover_whole_file(source, *start, limits, out))
    return out;
  if (elf::read_header(*start)) {
    out.format = "elf";
    discover_elf(source, limits, out);
    return out;
  }
  if (discover_pe(source, limits, out) || discover_macho(source, limits, out))
    return out;
  return out;
}

std::vector<Location> known_extents(const std::vector<Region> &regions) {
  std::vector<Location> all;
  for (const Region &region : regions)
    for (const Unit &unit : region.units) {
      if (unit.containers[0].coverage == Coverage::complete) {
        all.push_back({{}, unit.offset, unit.size});
        continue;
      }
      // The size of a damaged container may reach over its sound neighbours:
      // only its header and what was read of it count.
      all.push_back({{}, unit.offset, std::min(kShortestHeader, unit.size)});
      for (const Slot &slot : unit.slots)
        if (slot.object.encoded_location.size != 0)
          all.push_back(slot.object.encoded_location);
    }
  std::ranges::sort(all, {}, &Location::offset);
  std::vector<Location> out;
  for (const Location &l : all) {
    if (!out.empty() && l.offset <= out.back().offset + out.back().size)
      out.back().size =
          std::max(out.back().offset + out.back().size, l.offset + l.size) -
          out.back().offset;
    else
      out.push_back(l);
  }
  return out;
}

void sort_regions(std::vector<Region> &regions) {
  // Where it begins; a section comes before what else begins there.
  std::vector<std::tuple<std::uint64_t, bool, std::size_t>> order;
  for (const Region &r : regions)
    order.emplace_back(r.section         ? r.section->location.offset
                       : r.units.empty() ? 0
                                         : r.units.front().offset,
                       !r.section, order.size());
  std::ranges::sort(order);
  std::vector<Region> sorted;
  sorted.reserve(regions.size());
  for (const auto &[begin, sectionless, index] : order)
    sorted.push_back(std::move(regions[index]));
  regions = std::move(sorted);
}

} // namespace gantry::inspect

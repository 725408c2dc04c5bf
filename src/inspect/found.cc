// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A magic and a plausible header are no find yet: both occur by chance and as
// constants in tools. What counts is that the whole container adds up.

#include "inspect/found.h"

#include "format/ccob.h"
#include "format/zstd_frame.h"
#include "inspect/units.h"

#include <algorithm>

namespace gantry::inspect {

namespace {

// The header of an offload binary proves little: at least one of its images
// must be code of a known kind.
bool has_known_image(const Unit &unit) {
  return std::ranges::any_of(unit.slots, [](const Slot &slot) {
    return slot.object.limitations.empty() &&
           slot.object.kind != ObjectKind::unknown;
  });
}

// A compressed container is believed when it decodes and holds code (the
// checksum of a bundle is right then, too). What decoding costs is known
// beforehand: one that costs too much is not looked at, and does not keep the
// next from being looked at.
bool decodes(const MeteredSource &source, const Unit &unit,
             const Limits &limits) {
  const std::uint64_t decoded_size = unit.payloads[0].decoded;
  // Decoding is cheaper per byte than reading headers is.
  const std::uint64_t cost = decoded_size / 64;
  if (unit.size > limits.decoded_bytes || decoded_size > limits.decoded_bytes ||
      !source.affords(unit.size + cost + 4096))
    return false;
  Buffer stored, decoded;
  Decompressor decompressor;
  auto bytes = source.read(unit.offset, unit.size, stored);
  if (!bytes || !source.spend(cost))
    return false;
  if (unit.containers[0].kind == ContainerKind::ccob) {
    auto header = ccob::read_header(*bytes);
    return header &&
           ccob::decode(*bytes, *header, decompressor, limits, decoded);
  }
  Unit opened = unit;
  return open_offload_binary(*bytes, decompressor, limits, decoded, opened) &&
         has_known_image(opened);
}

// A compressed bundle that is one for sure, although it does not decode: its
// stream is a zstd frame whose blocks follow each other to the end, and both
// headers state the same size.
bool has_sound_frame(const MeteredSource &source, const Unit &unit) {
  Buffer scratch;
  auto start = source.read_up_to(unit.offset, ccob::kHeaderMax, scratch);
  if (!start || unit.containers[0].kind != ContainerKind::ccob)
    return false;
  auto header = ccob::read_header(*start);
  if (!header || header->method != ccob::kMethodZstd || !header->decoded_size)
    return false;
  auto frame = zstd_frame::read(source, unit.offset + header->size, unit.end());
  return frame && frame->decoded_size == header->decoded_size &&
         header->decoded_size != 0;
}

// Code that was read in spite of the damage around it. One entry that is sound
// in all its fields does not come about by chance.
bool has_sound_object(const Unit &unit) {
  return std::ranges::any_of(unit.slots, [](const Slot &slot) {
    return slot.object.limitations.empty() && !slot.object.target.empty();
  });
}

bool is_believed(const MeteredSource &source, const Unit &unit,
                 const Limits &limits) {
  const Container &c = unit.containers[0];
  const bool compressed =
      c.kind == ContainerKind::ccob ||
      (c.kind == ContainerKind::offload_binary && c.compression != "none");
  if (compressed)
    return !unit.payloads.empty() &&
           (decodes(source, unit, limits) || has_sound_frame(source, unit));
  if (c.coverage != Coverage::complete)
    return has_sound_object(unit);
  return c.kind == ContainerKind::offload_binary ? has_known_image(unit)
                                                 : !unit.slots.empty();
}

// The size of a damaged container may reach over its sound neighbours.
std::uint64_t end_of_sound_objects(const Unit &unit) {
  std::uint64_t end = unit.offset + kShortestHeader;
  for (const Slot &slot : unit.slots) {
    const Location &l = slot.object.encoded_location;
    if (slot.object.limitations.empty())
      end = std::max(end, l.offset + l.size);
  }
  return end;
}

// The section that `offset` lies in. Of sections that overlap, which sound
// files do not have, the last that begins before it counts.
const HostSection *section_at(const Discovery &d, std::uint64_t offset) {
  auto after =
      std::ranges::upper_bound(d.sections, offset, {}, &HostSection::begin);
  if (after == d.sections.begin())
    return nullptr;
  const HostSection &s = *std::prev(after);
  return offset < s.end ? &s : nullptr;
}

} // namespace

std::optional<Unit> read_found(const MeteredSource &source, const Hit &hit,
                               std::uint64_t end, const Origin &origin,
                               const Limits &limits) {
  auto unit = read_unit(source, hit.offset, hit.offset, end, origin, limits);
  if (!unit)
    return std::nullopt;
  if (!is_believed(source, *unit, limits))
    return std::nullopt;
  return unit;
}

ContentSearch::ContentSearch(const Source &whole, const Limits &limits,
                             Discovery &discovery)
    : window_(whole), source_(window_), limits_(limits), discovery_(discovery) {
}

void ContentSearch::add(const Hit &hit) {
  if (!complete_ || hit.offset < covered_)
    return;
  if (!hit.around.empty())
    window_.hold(hit.around, hit.around_offset);
  const HostSection *section = section_at(discovery_, hit.offset);
  Origin origin;
  origin.found_by = FoundBy::content;
  if (section)
    origin.section = section->name;
  auto unit = read_found(source_, hit, section ? section->end : source_.size(),
                         origin, limits_);
  // A section table can lie, too.
  if (!unit && section && !source_.exhausted()) {
    origin.section.clear();
    unit = read_found(source_, hit, source_.size(), origin, limits_);
  }
  if (source_.exhausted() || discovery_.regions.size() >= limits_.records) {
    discovery_.limitations.push_back(
        {"too-large",
         source_.exhausted()
             ? "too many places that look like code"
             : "too many places that look like code (limit records)",
         hit.offset});
    complete_ = false;
    return;
  }
  if (!unit)
    return;
  source_.earn();
  covered_ = unit->containers[0].coverage == Coverage::complete
                 ? unit->end()
                 : end_of_sound_objects(*unit);
  Region region;
  region.units.push_back(std::move(*unit));
  discovery_.regions.push_back(std::move(region));
}

} // namespace gantry::inspect

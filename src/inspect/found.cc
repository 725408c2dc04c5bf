// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A magic and a plausible header are no find yet: both occur by chance and as
// constants in tools. What counts is that the whole container adds up.

#include "inspect/found.h"

#include "format/ccob.h"
#include "format/elf.h"

#include <algorithm>

namespace gantry::inspect {

namespace {

// A compressed bundle is believed when its checksum is right.
bool decodes(const Source &source, const Unit &unit, const Limits &limits,
             std::uint64_t &cost) {
  Buffer stored, decoded;
  Decompressor decompressor;
  auto bytes = source.read(unit.offset, unit.size, stored);
  if (!bytes)
    return false;
  auto header = ccob::read_header(*bytes);
  if (!header)
    return false;
  // Decoding is cheaper per byte than reading headers is.
  cost += unit.size + header->decoded_size.value_or(0) / 64;
  return ccob::decode(*bytes, *header, decompressor, limits, decoded)
      .has_value();
}

} // namespace

std::optional<Unit> read_found(const Source &source, const Hit &hit,
                               std::uint64_t end, const Origin &origin,
                               const Limits &limits, std::uint64_t &cost) {
  if (hit.magic == Magic::elf) {
    Buffer scratch;
    auto start = source.read_up_to(hit.offset, 64, scratch);
    auto header = start ? elf::read_header(*start)
                        : Result<elf::Header>(std::unexpected(start.error()));
    if (!header)
      return std::nullopt;
    cost += 64 + header->section_count * header->section_size +
            std::uint64_t{header->segment_count} * header->segment_size;
  }
  auto unit = read_unit(source, hit.offset, hit.offset, end, origin, limits);
  if (!unit)
    return std::nullopt;
  const Container &c = unit->containers[0];
  cost += 64 + 128 * (c.entries + unit->slots.size());
  if (c.coverage != Coverage::complete)
    return std::nullopt;
  if (c.kind == ContainerKind::ccob) {
    if (unit->payloads.empty() || !decodes(source, *unit, limits, cost))
      return std::nullopt;
  } else if (unit->slots.empty()) {
    return std::nullopt;
  }
  return unit;
}

} // namespace gantry::inspect

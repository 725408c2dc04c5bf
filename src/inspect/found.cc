// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A magic and a plausible header are no find yet: both occur by chance and as
// constants in tools. What counts is that the whole container adds up.

#include "inspect/found.h"

#include "format/ccob.h"

namespace gantry::inspect {

namespace {

// A compressed bundle is believed when its checksum is right.
bool decodes(const MeteredSource &source, const Unit &unit,
             const Limits &limits) {
  Buffer stored, decoded;
  Decompressor decompressor;
  auto bytes = source.read(unit.offset, unit.size, stored);
  if (!bytes)
    return false;
  auto header = ccob::read_header(*bytes);
  // Decoding is cheaper per byte than reading headers is.
  if (!header || !source.spend(header->decoded_size.value_or(0) / 8))
    return false;
  return ccob::decode(*bytes, *header, decompressor, limits, decoded)
      .has_value();
}

} // namespace

std::optional<Unit> read_found(const MeteredSource &source, const Hit &hit,
                               std::uint64_t end, const Origin &origin,
                               const Limits &limits) {
  auto unit = read_unit(source, hit.offset, hit.offset, end, origin, limits);
  if (!unit)
    return std::nullopt;
  const Container &c = unit->containers[0];
  if (c.coverage != Coverage::complete)
    return std::nullopt;
  if (c.kind == ContainerKind::ccob) {
    if (unit->payloads.empty() || !decodes(source, *unit, limits))
      return std::nullopt;
  } else if (unit->slots.empty()) {
    return std::nullopt;
  }
  return unit;
}

} // namespace gantry::inspect

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang offload bundles of text files: the text of each target is an object.

#include "format/text_bundle.h"
#include "gantry/target.h"
#include "inspect/units.h"

#include <fmt/core.h>

namespace gantry::inspect {

namespace {

void add_entry(const text_bundle::Entry &e, std::size_t index,
               const EntryId &id, const Source &source, Unit &unit) {
  Slot slot;
  Object &o = slot.object;
  o.id = fmt::format("{}.{}", unit.containers[0].id, index);
  o.container = 0;
  o.found_by = unit.containers[0].found_by;
  o.declared = e.id;
  if (id.target)
    o.target = target_name(*id.target);
  o.location = {{}, e.offset, e.size};
  o.encoded_location = o.location;
  o.encoded_bytes = e.size;
  o.decoded_bytes = e.size;
  if (e.damage)
    add(o, limitation(*e.damage));
  if (e.size == 0) {
    add(o, {"empty-image", "the entry holds no text", e.marker_offset});
  } else {
    look_at_payload(source, e.offset, e.size, o);
    unit.payloads.push_back({Payload::Holds::object, Codec::none, e.offset,
                             e.size, e.size,
                             static_cast<std::uint32_t>(unit.slots.size()), 1});
  }
  unit.slots.push_back(std::move(slot));
}

} // namespace

Unit text_bundle_unit(const Source &source, const Origin &origin,
                      const Limits &limits) {
  Unit unit;
  unit.size = source.size();
  unit.containers.push_back(
      container_at(0, ContainerKind::text_bundle, origin));
  Container &c = unit.containers[0];
  c.location = {{}, 0, unit.size};
  auto read = text_bundle::read(source, limits);
  if (!read) {
    add(c, limitation(read.error()));
    return unit;
  }
  c.entries = read->entries.size();
  if (read->damage)
    add(c, limitation(*read->damage));
  for (std::size_t i = 0; i < read->entries.size(); i++) {
    const text_bundle::Entry &e = read->entries[i];
    if (e.damage)
      c.coverage = Coverage::partial;
    EntryId id = parse_entry_id(e.id);
    if (id.is_host)
      c.host_entries++;
    else
      add_entry(e, i, id, source, unit);
  }
  return unit;
}

} // namespace gantry::inspect

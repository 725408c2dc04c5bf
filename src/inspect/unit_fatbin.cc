// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA fat binaries: entries become objects; a concatenated entry becomes one
// object per part.

#include "format/fatbin.h"
#include "gantry/target.h"
#include "inspect/units.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::inspect {

namespace {

ObjectKind kind_of(fatbin::Kind kind) {
  switch (kind) {
  case fatbin::Kind::ptx:
    return ObjectKind::ptx;
  case fatbin::Kind::cubin:
    return ObjectKind::cubin;
  case fatbin::Kind::lto_ir:
    return ObjectKind::lto_ir;
  case fatbin::Kind::tile_ir:
    return ObjectKind::tile_ir;
  case fatbin::Kind::index:
  case fatbin::Kind::concatenated:
  case fatbin::Kind::unknown:
    return ObjectKind::unknown;
  }
  return ObjectKind::unknown;
}

Suffix suffix_of(char letter) {
  return letter == 'a' ? Suffix::a : letter == 'f' ? Suffix::f : Suffix::none;
}

std::string_view spelling(ObjectKind kind) {
  return kind == ObjectKind::ptx      ? "compute_"
         : kind == ObjectKind::lto_ir ? "lto_"
                                      : "sm_";
}

std::string message(fatbin::Limitation l, const fatbin::Declaration &d) {
  switch (l) {
  case fatbin::Limitation::unknown_kind:
    return fmt::format("entry kind {:#x} is not known", d.raw_kind);
  case fatbin::Limitation::unknown_version:
    return fmt::format("entry version {:#x} is not known", d.version);
  case fatbin::Limitation::unknown_flags:
    return fmt::format("flags {:#x} hold a bit of unknown meaning", d.flags);
  case fatbin::Limitation::several_codecs:
    return fmt::format("flags {:#x} name more than one compression", d.flags);
  case fatbin::Limitation::several_suffixes:
    return fmt::format("flags {:#x} say both 'a' and 'f'", d.flags);
  case fatbin::Limitation::obsolete_cubin:
    return "a cubin of the text format from before ELF is not read";
  case fatbin::Limitation::name_outside:
    return "the entry's name lies outside its header";
  case fatbin::Limitation::options_unreadable:
    return "the entry's options cannot be read";
  case fatbin::Limitation::compressed_outside:
    return fmt::format("compressed size {} is larger than the payload",
                       d.compressed_size);
  case fatbin::Limitation::payload_outside:
    return "the payload does not lie in the container";
  case fatbin::Limitation::part_outside:
    return "the part does not lie in the decoded payload";
  }
  return {};
}

// What every declaration says, whether of an entry or of a part.
Object declare(const fatbin::Declaration &d, std::uint64_t offset,
               const Origin &origin) {
  Object o;
  o.kind = kind_of(d.kind());
  o.found_by = origin.found_by;
  o.relocatable = origin.relocatable;
  // Relocatable PTX has a kind or a section of its own; cubins have neither.
  if (d.is_relocatable_ptx())
    o.relocatable = true;
  else if (o.kind == ObjectKind::ptx && origin.section == ".nv_fatbin")
    o.relocatable = false;
  if (auto suffix = d.suffix(); d.arch != 0 && suffix) {
    o.target = target_name(nvidia_target(d.arch, suffix_of(*suffix)));
    o.declared =
        std::string(spelling(o.kind)) + o.target.substr(sizeof "sm_" - 1);
  }
  o.obfuscated = d.is_obfuscated();
  o.name = d.name;
  o.options = d.options;
  if (o.kind == ObjectKind::ptx || o.kind == ObjectKind::lto_ir)
    o.version = fmt::format("{}.{}", d.major, d.minor);
  for (fatbin::Limitation l : d.limitations)
    add(o, {std::string(fatbin::word(l)), message(l, d), offset});
  return o;
}

void add_single(const fatbin::Entry &e, const std::string &id,
                const Source &source, const Origin &origin, Unit &unit) {
  Slot slot;
  Object &o = slot.object = declare(e, e.offset, origin);
  o.id = id;
  o.container = 0;
  o.compression = word(e.codec());
  if (e.has(fatbin::Limitation::payload_outside)) {
    unit.slots.push_back(std::move(slot)); // the declaration is all there is
    return;
  }
  o.encoded_bytes = e.stored_size();
  o.decoded_bytes = e.unpacked_size();
  o.encoded_location = {{}, e.payload_offset(), e.stored_size()};
  o.location = e.codec() == Codec::none ? o.encoded_location
                                        : Location{id, 0, e.unpacked_size()};
  if (o.kind == ObjectKind::unknown && e.codec() == Codec::none)
    look_at_payload(source, e.payload_offset(), e.stored_size(), o);
  auto first = static_cast<std::uint32_t>(unit.slots.size());
  unit.payloads.push_back({Payload::Holds::object, e.codec(),
                           e.payload_offset(), e.stored_size(),
                           e.unpacked_size(), first, 1});
  unit.slots.push_back(std::move(slot));
}

void add_parts(const fatbin::Entry &e, const std::string &id,
               const Origin &origin, Unit &unit) {
  auto first = static_cast<std::uint32_t>(unit.slots.size());
  for (std::size_t i = 0; i < e.parts.size(); i++) {
    const fatbin::Part &part = e.parts[i];
    Slot slot;
    Object &o = slot.object = declare(part, part.record_offset, origin);
    o.id = fmt::format("{}.{}", id, i);
    o.container = 0;
    o.compression = word(e.codec());
    o.decoded_bytes = part.size;
    o.encoded_location = {{}, e.payload_offset(), e.stored_size()};
    o.location = {id, part.offset, part.size};
    unit.slots.push_back(std::move(slot));
  }
  unit.payloads.push_back({Payload::Holds::parts, e.codec(), e.payload_offset(),
                           e.stored_size(), e.unpacked_size(), first,
                           static_cast<std::uint32_t>(e.parts.size())});
}

} // namespace

Unit fatbin_unit(const Source &source, std::uint64_t offset, std::uint64_t end,
                 const Origin &origin, const Limits &limits) {
  Unit unit;
  unit.offset = offset;
  Container c = container_at(offset, ContainerKind::fatbin, origin);
  auto read = fatbin::read_container(source, offset, end, limits);
  if (!read) {
    unit.size = std::min<std::uint64_t>(fatbin::kContainerHeader, end - offset);
    c.location = {{}, offset, unit.size};
    add(c, limitation(read.error()));
    unit.containers.push_back(std::move(c));
    return unit;
  }
  // A declared size that does not fit says nothing: then the unit ends where
  // its last sound entry does, and whatever follows is looked at anew.
  std::uint64_t header_end = offset + fatbin::kContainerHeader;
  unit.size = fits(header_end, read->size, end)
                  ? fatbin::kContainerHeader + read->size
                  : std::max(read->entries_end, header_end) - offset;
  c.location = {{}, offset, unit.size};
  c.version = 1;
  c.entries = read->entries.size();
  unit.slots.reserve(read->entries.size());
  unit.payloads.reserve(read->entries.size());
  if (read->damage)
    add(c, limitation(*read->damage));
  else if (!read->ends_exactly)
    add(c, {"bad-value", "the entries do not end where the header says",
            read->entries_end});
  for (const fatbin::Entry &e : read->entries) {
    std::string id = fmt::format("{}.{}", c.id, e.index);
    if (e.parts_damage)
      add(c, limitation(*e.parts_damage));
    if (e.kind() == fatbin::Kind::concatenated &&
        !e.has(fatbin::Limitation::payload_outside))
      add_parts(e, id, origin, unit);
    else
      add_single(e, id, source, origin, unit);
  }
  unit.containers.push_back(std::move(c));
  return unit;
}

} // namespace gantry::inspect

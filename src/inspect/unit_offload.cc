// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM offload binaries: one object per entry, or a container where the image
// of an entry is one.

#include "format/elf.h"
#include "format/offload_binary.h"
#include "gantry/target.h"
#include "inspect/scan.h"
#include "inspect/units.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::inspect {

namespace {

namespace ob = offload_binary;

// Where the images of a binary are.
struct Place {
  const Source &images;
  std::uint64_t base = 0; // of the binary's offset 0 in it; may wrap
  std::uint64_t error_base = 0;
  std::string in;   // "" the file, else the id of the decoded container
  Location encoded; // of the compressed container
  std::string_view compression = "none";

  bool compressed() const { return !in.empty(); }
};

ObjectKind declared_kind(std::uint16_t image_kind) {
  switch (image_kind) {
  case ob::kImageBitcode:
    return ObjectKind::bitcode;
  case ob::kImageCubin:
    return ObjectKind::cubin;
  case ob::kImagePtx:
    return ObjectKind::ptx;
  case ob::kImageSpirv:
    return ObjectKind::spirv;
  default:
    return ObjectKind::unknown;
  }
}

// What an entry declares, without its image.
Object declare(const ob::Entry &e, std::string id, const Container &c) {
  Object o;
  o.id = std::move(id);
  o.found_by = c.found_by;
  o.declared = e.find("arch");
  if (auto target = target_from_triple(e.find("triple"), o.declared))
    o.target = target_name(*target);
  o.attributes.emplace_back("image kind", ob::image_kind_word(e.image_kind));
  o.attributes.emplace_back("offload kind",
                            ob::offload_kind_word(e.offload_kind));
  if (e.flags != 0)
    o.attributes.emplace_back("flags", fmt::format("{:#x}", e.flags));
  for (const auto &[key, value] : e.strings)
    if (key != "arch" || value != o.declared)
      o.attributes.emplace_back(key, value);
  if (e.strings_damage)
    add(o, limitation(*e.strings_damage));
  return o;
}

// What the bytes of an image say that nothing else does.
void look_at_image(const ob::Entry &e, Bytes start, Object &o) {
  if (o.kind != ObjectKind::unknown)
    return;
  o.kind = declared_kind(e.image_kind);
  if (auto header = elf::read_header(start)) {
    o.target = target_name(other_target("host"));
    add(o, {"host-image",
            fmt::format("the image is no GPU code but an ELF file for machine "
                        "{}",
                        header->machine),
            std::nullopt});
  } else if (container_magic(start) || e.image_kind == ob::kImageFatbinary) {
    add(o, {"unopened-container",
            "the image is a container that is not looked into here",
            std::nullopt});
  }
}

// Takes over what a unit of its own would be, as the container `id` in the
// container 0 of `unit`.
void adopt(Unit inner, const std::string &id, Unit &unit) {
  const auto containers = static_cast<std::uint32_t>(unit.containers.size());
  const auto slots = static_cast<std::uint32_t>(unit.slots.size());
  const std::size_t old = inner.containers[0].id.size();
  auto rename = [&](std::string &name) {
    if (!name.empty())
      name = id + name.substr(old);
  };
  for (Container &c : inner.containers) {
    rename(c.id);
    rename(c.location.in);
    c.parent = c.parent == kNone ? 0 : containers + c.parent;
    unit.containers.push_back(std::move(c));
  }
  for (Slot &slot : inner.slots) {
    Object &o = slot.object;
    rename(o.id);
    rename(o.location.in);
    rename(o.encoded_location.in);
    o.container += containers;
    unit.slots.push_back(std::move(slot));
  }
  for (Payload &p : inner.payloads) {
    p.first += slots;
    unit.payloads.push_back(p);
  }
}

// The container that stands in the file as an image, if it is one that can be
// opened there.
std::optional<Unit> open_image(const Place &place, Bytes start,
                               std::uint64_t at, std::uint64_t end,
                               const Container &c, const Limits &limits) {
  const std::optional<Magic> magic = container_magic(start);
  const Origin origin{c.found_by, c.section, std::nullopt};
  if (!place.compressed() && magic == Magic::fatbin)
    return fatbin_unit(place.images, at, end, origin, limits);
  if (!place.compressed() && magic == Magic::bundle)
    return bundle_unit(place.images, at, end, origin, limits);
  return std::nullopt;
}

// Images that are containers, with the ids of their entries.
using Nested = std::vector<std::pair<std::string, Unit>>;

void add_entry(const ob::Entry &e, std::size_t index, const Place &place,
               const Limits &limits, Unit &unit, Nested &nested) {
  const Container &c = unit.containers[0];
  Slot slot;
  Object &o = slot.object = declare(e, fmt::format("{}.{}", c.id, index), c);
  o.container = 0;
  o.compression = place.compression;
  if (e.image_damage) {
    add(o, limitation(*e.image_damage));
    unit.slots.push_back(std::move(slot));
    return;
  }
  o.decoded_bytes = e.image_size;
  if (!place.compressed())
    o.encoded_bytes = e.image_size;
  if (e.image_size == 0) {
    if (!e.metadata_only())
      add(o, {"empty-image", "the entry holds no bytes",
              place.error_base + e.record_offset});
    unit.slots.push_back(std::move(slot));
    return;
  }
  const std::uint64_t at = place.base + e.image_offset;
  o.location = {place.in, place.compressed() ? e.image_offset : at,
                e.image_size};
  o.encoded_location = place.compressed() ? place.encoded : o.location;
  Buffer scratch;
  auto start =
      place.images.read_up_to(at, std::min(kLookAhead, e.image_size), scratch);
  if (start) {
    if (auto inner =
            open_image(place, *start, at, at + e.image_size, c, limits))
      return static_cast<void>(nested.emplace_back(o.id, std::move(*inner)));
    look_at_payload(place.images, at, e.image_size, o);
    look_at_image(e, *start, o);
  }
  // A processor may only be named inside the code object.
  slot.needs_payload = o.target.empty() && o.kind == ObjectKind::amdgpu;
  if (!place.compressed())
    unit.payloads.push_back({Payload::Holds::object, Codec::none, at,
                             e.image_size, e.image_size,
                             static_cast<std::uint32_t>(unit.slots.size()), 1});
  unit.slots.push_back(std::move(slot));
}

void add_entries(const ob::Binary &binary, const Place &place,
                 const Limits &limits, Unit &unit) {
  unit.containers[0].entries = binary.entries.size();
  if (binary.damage)
    add(unit.containers[0], limitation(*binary.damage));
  Nested nested;
  for (std::size_t i = 0; i < binary.entries.size(); i++) {
    const ob::Entry &e = binary.entries[i];
    add_entry(e, i, place, limits, unit, nested);
    if (e.strings_damage || e.image_damage)
      unit.containers[0].coverage = Coverage::partial;
  }
  // Objects stand in the order of their containers.
  for (auto &[id, inner] : nested)
    adopt(std::move(inner), id, unit);
}

void read_compressed(const Source &source, const ob::Header &header,
                     std::uint64_t offset, std::uint64_t end, Unit &unit) {
  Container &c = unit.containers[0];
  c.decoded_bytes = header.inflated_size;
  c.entries = header.entry_count;
  Buffer scratch;
  auto body = source.read_up_to(std::min(offset + header.header_size(), end), 4,
                                scratch);
  if (body)
    c.compression = word(ob::body_codec(*body));
  if (!fits(offset, header.size, end)) {
    // The size says nothing then: whatever follows is looked at anew.
    unit.size = header.header_size();
    add(c, {"truncated", "offload binary size", offset + 8});
    return;
  }
  unit.size = header.size;
  unit.payloads.push_back({Payload::Holds::container, Codec::none, offset,
                           header.size, header.inflated_size, 0, 0});
}

} // namespace

Unit offload_unit(const Source &source, std::uint64_t offset, std::uint64_t end,
                  const Origin &origin, const Limits &limits) {
  Unit unit;
  unit.offset = offset;
  unit.size = std::min(kShortestHeader, end - offset);
  unit.containers.push_back(
      container_at(offset, ContainerKind::offload_binary, origin));
  Container &c = unit.containers[0];
  Buffer scratch;
  auto start = source.read_up_to(offset, std::min(ob::kHeaderMax, end - offset),
                                 scratch);
  auto header = start ? ob::read_header(*start)
                      : Result<ob::Header>(std::unexpected(start.error()));
  if (!header) {
    Error e = header.error();
    if (start)
      e.offset += offset;
    add(c, limitation(e));
    c.location = {{}, offset, unit.size};
    return unit;
  }
  c.version = header->version;
  if (header->compressed()) {
    read_compressed(source, *header, offset, end, unit);
  } else if (auto binary = ob::read(source, offset, end, *header, limits)) {
    unit.size = binary->extent;
    Place place{.images = source,
                .base = offset,
                .error_base = offset,
                .in = {},
                .encoded = {}};
    add_entries(*binary, place, limits, unit);
  } else {
    add(c, limitation(binary.error()));
  }
  unit.containers[0].location = {{}, offset, unit.size};
  return unit;
}

Result<Inside> open_offload_binary(Bytes stored, Decompressor &decompressor,
                                   const Limits &limits, Buffer &out,
                                   Unit &unit) {
  GANTRY_TRY(ob::Header header, ob::read_header(stored));
  GANTRY_TRY(Bytes body,
             ob::inflate(stored, header, decompressor, limits, out));
  GANTRY_TRY(ob::Binary binary, ob::read_inflated(body, header, limits));
  const std::uint64_t first = header.header_size();
  MemorySource images(body);
  Place place{.images = images,
              .base = std::uint64_t{0} - first,
              .error_base = 0,
              .in = unit.containers[0].id,
              .encoded = unit.containers[0].location,
              .compression = unit.containers[0].compression};
  add_entries(binary, place, limits, unit);
  return Inside{body, first};
}

} // namespace gantry::inspect

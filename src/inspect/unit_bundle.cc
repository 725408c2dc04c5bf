// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang offload bundles, plain and compressed, and code objects without any
// container.

#include "format/amdgpu.h"
#include "format/bundle.h"
#include "format/ccob.h"
#include "format/cubin.h"
#include "format/elf.h"
#include "format/ptx.h"
#include "gantry/target.h"
#include "inspect/units.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::inspect {

namespace {

void add_entry(const bundle::Entry &e, std::size_t index, const EntryId &id,
               const Source &images, const BundlePlace &place, FoundBy found_by,
               Unit &unit) {
  Slot slot;
  Object &o = slot.object;
  o.id = fmt::format("{}.{}", unit.containers[place.container].id, index);
  o.container = place.container;
  o.found_by = found_by;
  o.declared = e.id;
  o.compression = place.compression;
  if (id.target)
    o.target = target_name(*id.target);
  std::uint64_t at = place.base + e.offset;
  if (e.damage) {
    o.kind = ObjectKind::unknown;
    add(o, limitation(*e.damage));
    unit.slots.push_back(std::move(slot));
    return;
  }
  o.location = {place.in, at, e.size};
  o.encoded_location = place.compressed ? place.encoded : o.location;
  o.decoded_bytes = e.size;
  if (!place.compressed)
    o.encoded_bytes = e.size;
  if (e.size == 0) {
    add(o, {"empty-image", "the entry holds no bytes", e.header_offset});
  } else {
    look_at_payload(images, at, e.size, o);
    // A processor may only be named inside the code object.
    slot.needs_payload = o.target.empty() && o.kind == ObjectKind::amdgpu;
    if (!place.compressed)
      unit.payloads.push_back(
          {Payload::Holds::object, Codec::none, at, e.size, e.size,
           static_cast<std::uint32_t>(unit.slots.size()), 1});
  }
  unit.slots.push_back(std::move(slot));
}

} // namespace

ObjectKind sniff(Bytes start) {
  std::string_view text = as_text(start);
  auto header = elf::read_header(start);
  if (header && header->machine == elf::kMachineAmdgpu)
    return ObjectKind::amdgpu;
  if (header && header->machine == elf::kMachineCuda)
    return ObjectKind::cubin;
  if (header && header->machine == elf::kMachineIntelGpu)
    return ObjectKind::sycl_image;
  if (text.starts_with("BC\xc0\xde") || text.starts_with("\xde\xc0\x17\x0b"))
    return ObjectKind::bitcode;
  if (text.starts_with(std::string_view("\x03\x02\x23\x07", 4)) ||
      text.starts_with(std::string_view("\x07\x23\x02\x03", 4)))
    return ObjectKind::spirv;
  if (text.starts_with("\xed\x43\x4e\x7f"))
    return ObjectKind::lto_ir;
  if (ptx::probe(start) == ptx::Probe::yes)
    return ObjectKind::ptx;
  return ObjectKind::unknown;
}

void look_at_payload(const Source &source, std::uint64_t at, std::uint64_t size,
                     Object &o) {
  Buffer scratch;
  auto start =
      source.read_up_to(at, std::min<std::uint64_t>(64, size), scratch);
  if (!start)
    return;
  o.kind = sniff(*start);
  if (o.kind == ObjectKind::amdgpu) {
    if (auto header = amdgpu::read_header(*start))
      o.relocatable = header->type == 1;
  } else if (o.kind == ObjectKind::cubin) {
    if (auto header = cubin::read_cubin_header(*start))
      o.relocatable = header->relocatable();
  }
}

void add_bundle_entries(const Source &images, std::uint64_t end,
                        const BundlePlace &place, const Limits &limits,
                        Unit &unit) {
  auto read = bundle::read(images, place.base, end, limits);
  Container &c = unit.containers[place.container];
  if (!read) {
    add(c, limitation(read.error()));
    return;
  }
  c.entries = read->entries.size();
  c.location.size = read->extent;
  if (read->damage)
    add(c, limitation(*read->damage));
  std::uint64_t hosts = 0;
  bool damaged = false;
  for (std::size_t i = 0; i < read->entries.size(); i++) {
    const bundle::Entry &e = read->entries[i];
    damaged = damaged || e.damage.has_value();
    EntryId id = parse_entry_id(e.id);
    if (id.is_host)
      hosts++;
    else
      add_entry(e, i, id, images, place, c.found_by, unit);
  }
  c.host_entries = hosts;
  if (damaged)
    c.coverage = Coverage::partial;
}

Unit bundle_unit(const Source &source, std::uint64_t offset, std::uint64_t end,
                 const Origin &origin, const Limits &limits) {
  Unit unit;
  unit.offset = offset;
  Container c = container_at(offset, ContainerKind::bundle, origin);
  // At least the magic, so that a damaged table is passed over.
  c.location = {
      {}, offset, std::min<std::uint64_t>(bundle::kMagic.size(), end - offset)};
  unit.containers.push_back(std::move(c));
  BundlePlace place;
  place.base = offset;
  add_bundle_entries(source, end, place, limits, unit);
  unit.size = unit.containers[0].location.size;
  return unit;
}

Unit ccob_unit(const Source &source, std::uint64_t region, std::uint64_t offset,
               std::uint64_t end, const Origin &origin) {
  Unit unit;
  unit.offset = offset;
  Container c = container_at(offset, ContainerKind::ccob, origin);
  Buffer scratch;
  auto start = source.read_up_to(
      offset, std::min(ccob::kHeaderMax, end - offset), scratch);
  auto header = start ? ccob::read_header(*start)
                      : Result<ccob::Header>(std::unexpected(start.error()));
  unit.size = std::min<std::uint64_t>(ccob::kMagic.size(), end - offset);
  if (!header) {
    Error e = header.error();
    e.offset += offset;
    add(c, limitation(e));
  } else {
    c.version = header->version;
    c.compression = header->method == ccob::kMethodZstd   ? "zstd"
                    : header->method == ccob::kMethodZlib ? "zlib"
                                                          : "unknown";
    c.decoded_bytes = header->decoded_size;
    auto extent = ccob::extent(source, region, offset, end, *header);
    if (!extent) {
      add(c, limitation(extent.error()));
    } else {
      unit.size = std::max(extent->size, unit.size);
      if (extent->damage)
        add(c, limitation(*extent->damage));
      else if (header->limitation)
        add(c, limitation(*header->limitation));
      else
        unit.payloads.push_back({Payload::Holds::container, Codec::none, offset,
                                 unit.size, header->decoded_size.value_or(0), 0,
                                 0});
    }
  }
  c.location = {{}, offset, unit.size};
  unit.containers.push_back(std::move(c));
  return unit;
}

Result<Inside> open_ccob(Bytes stored, Decompressor &decompressor,
                         const Limits &limits, Buffer &out, Unit &unit) {
  GANTRY_TRY(ccob::Header header, ccob::read_header(stored));
  GANTRY_TRY(Bytes bytes,
             ccob::decode(stored, header, decompressor, limits, out));
  Container inner;
  inner.id = unit.containers[0].id + ".0";
  inner.kind = ContainerKind::bundle;
  inner.found_by = unit.containers[0].found_by;
  inner.parent = 0;
  inner.section = unit.containers[0].section;
  inner.location = {unit.containers[0].id, 0, bytes.size()};
  unit.containers.push_back(std::move(inner));
  unit.containers[0].entries = 1;

  BundlePlace place;
  place.in = unit.containers[0].id;
  place.container = 1;
  place.compressed = true;
  place.compression = unit.containers[0].compression;
  place.encoded = unit.containers[0].location;
  MemorySource images(bytes);
  add_bundle_entries(images, bytes.size(), place, limits, unit);
  return Inside{bytes, 0};
}

Unit bare_unit(std::uint64_t offset, std::uint64_t size, ObjectKind kind,
               const Origin &origin) {
  Unit unit;
  unit.offset = offset;
  unit.size = size;
  Container c = container_at(offset, ContainerKind::bare, origin);
  c.location = {{}, offset, size};
  c.entries = 1;
  Slot slot;
  Object &o = slot.object;
  o.id = c.id;
  o.container = 0;
  o.kind = kind;
  o.found_by = origin.found_by;
  o.location = c.location;
  o.encoded_location = c.location;
  o.encoded_bytes = size;
  o.decoded_bytes = size;
  slot.needs_payload = true;
  unit.containers.push_back(std::move(c));
  unit.slots.push_back(std::move(slot));
  unit.payloads.push_back(
      {Payload::Holds::object, Codec::none, offset, size, size, 0, 1});
  return unit;
}

} // namespace gantry::inspect

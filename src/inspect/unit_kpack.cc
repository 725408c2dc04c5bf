// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kpack archives: an object for each binary and target of the index.

#include "format/kpack_index.h"
#include "gantry/target.h"
#include "inspect/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace gantry::inspect {

namespace {

class KpackUnit {
public:
  KpackUnit(const Source &source, const kpack::Index &index, Unit &unit)
      : source_(source), index_(index), unit_(unit),
        listed_(index.arches.begin(), index.arches.end()) {}

  void add_entry(const kpack::Entry &e);

private:
  void describe_entry(const kpack::Entry &e, Object &o) const;
  void add_payload(const kpack::Entry &e, Slot &slot);
  std::optional<Limitation> missing(const kpack::Entry &e) const;
  ObjectKind kind_of(const kpack::Entry &e, const kpack::Blob &blob) const;

  const Source &source_;
  const kpack::Index &index_;
  Unit &unit_;
  std::set<std::string_view> listed_; // targets that the archive announces
};

// What only the index says.
void KpackUnit::describe_entry(const kpack::Entry &e, Object &o) const {
  o.name = index_.binaries[e.binary];
  o.declared = index_.targets[e.target];
  auto parsed = parse_target(o.declared);
  o.target = target_name(parsed ? parsed->target : other_target(o.declared));
  if (const std::string &type = index_.types[e.type]; !type.empty())
    o.attributes.emplace_back("type", type);
  if (e.wrong.empty())
    o.attributes.emplace_back("ordinal", fmt::format("{}", e.ordinal));
  for (std::uint32_t i = 0; i < e.metadata_count; i++)
    o.attributes.push_back(index_.metadata[e.metadata_first + i]);
  // The loader chooses archives by the list alone.
  if (!listed_.contains(o.declared))
    o.attributes.emplace_back("in gfx_arches", "no");
  if (e.replaced)
    add(o, {"bad-value",
            "a later entry for the same binary and target counts instead",
            std::nullopt});
}

// Why an entry has no bytes.
std::optional<Limitation> KpackUnit::missing(const kpack::Entry &e) const {
  if (!e.wrong.empty() && (e.wrong == "ordinal" || index_.codec != Codec::none))
    return Limitation{"bad-value",
                      fmt::format("{} is missing or cannot be", e.wrong),
                      std::nullopt};
  if (!index_.codec)
    return Limitation{"unsupported", "the archive's scheme is not known",
                      std::nullopt};
  const kpack::Blob *blob = blob_of(index_, e);
  if (!blob)
    return Limitation{
        "bad-value",
        fmt::format("ordinal {} of {} blobs", e.ordinal, index_.blobs.size()),
        std::nullopt};
  if (blob->outside)
    return Limitation{"truncated", "the blob does not lie in the archive",
                      std::nullopt};
  if (index_.codec != Codec::none && !e.original_size)
    return Limitation{"bad-value", "original_size is missing", std::nullopt};
  return std::nullopt;
}

// The payload's own magic says more than the type, where it can be seen.
ObjectKind KpackUnit::kind_of(const kpack::Entry &e,
                              const kpack::Blob &blob) const {
  if (index_.codec == Codec::none) {
    Object seen;
    look_at_payload(source_, blob.offset, blob.size, seen);
    if (seen.kind != ObjectKind::unknown)
      return seen.kind;
  }
  auto parsed = parse_target(index_.targets[e.target]);
  bool is_amd = parsed && parsed->target.vendor == Vendor::amd;
  return index_.types[e.type] == "hsaco" && is_amd ? ObjectKind::amdgpu
                                                   : ObjectKind::unknown;
}

void KpackUnit::add_payload(const kpack::Entry &e, Slot &slot) {
  Object &o = slot.object;
  const kpack::Blob &blob = *blob_of(index_, e);
  const Codec codec = index_.codec.value_or(Codec::none);
  const bool plain = codec == Codec::none;
  const std::uint64_t decoded = plain ? blob.size : e.original_size.value_or(0);
  o.compression = word(codec);
  o.encoded_bytes = blob.size;
  o.decoded_bytes = decoded;
  o.encoded_location = {{}, blob.offset, blob.size};
  o.location = plain ? o.encoded_location : Location{o.id, 0, decoded};
  // Where nothing is compressed the blob's size counts.
  if (plain && e.original_size && *e.original_size != blob.size)
    o.attributes.emplace_back("original_size",
                              fmt::format("{}", *e.original_size));
  if (blob.size == 0) {
    add(o, {"empty-image", "the entry holds no bytes", std::nullopt});
    return;
  }
  o.kind = kind_of(e, blob);
  slot.needs_payload = o.target.empty() || o.kind == ObjectKind::unknown;
  unit_.payloads.push_back({Payload::Holds::object, codec, blob.offset,
                            blob.size, decoded,
                            static_cast<std::uint32_t>(unit_.slots.size()), 1});
}

void KpackUnit::add_entry(const kpack::Entry &e) {
  Slot slot;
  Object &o = slot.object;
  o.id = fmt::format("{}.{}", unit_.containers[0].id, unit_.slots.size());
  o.container = 0;
  o.found_by = unit_.containers[0].found_by;
  describe_entry(e, o);
  if (auto reason = missing(e))
    add(o, std::move(*reason));
  else
    add_payload(e, slot);
  unit_.slots.push_back(std::move(slot));
}

} // namespace

Unit kpack_unit(const Source &source, const Origin &origin,
                const Limits &limits) {
  Unit unit;
  unit.size = source.size();
  Container c = container_at(0, ContainerKind::kpack, origin);
  c.location = {{}, 0, unit.size};
  auto index = kpack::read_index(source, 0, source.size(), limits);
  if (!index) {
    add(c, limitation(index.error()));
    unit.containers.push_back(std::move(c));
    return unit;
  }
  kpack::locate_frames(source, 0, limits, *index);
  c.version = index->header.version;
  c.compression = index->codec ? word(*index->codec) : "unknown";
  c.entries = index->entries.size();
  for (const Error &e : index->damage)
    add(c, limitation(e));
  if (index->end < unit.size) {
    c.unrecognised_bytes = unit.size - index->end;
    add(c, {"unrecognised-bytes",
            fmt::format("{} bytes follow the index", c.unrecognised_bytes),
            index->end});
  }
  unit.containers.push_back(std::move(c));
  unit.slots.reserve(index->entries.size());
  unit.payloads.reserve(index->entries.size());
  KpackUnit builder(source, *index, unit);
  for (const kpack::Entry &e : index->entries)
    builder.add_entry(e);
  return unit;
}

} // namespace gantry::inspect

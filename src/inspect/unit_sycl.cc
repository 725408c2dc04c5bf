// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections that hold the images of one target without a container around them.
// Their name tells the target (observed with clang 14 to 22 -fgpu-rdc, and with
// SYCL libraries of Intel's compilers 2025 and 2026):
//
//   __CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx90a   bitcode
//   __CLANG_OFFLOAD_BUNDLE__host-x86_64-pc-linux-gnu-       one zero byte
//   __CLANG_OFFLOAD_BUNDLE__sycl-spir64, …sycl-spir64_gen   zstd frames
//   __CLANG_                                  PE: frames of all targets in one
//
// Each frame is one image, at a multiple of 16, with zeros between them.

#include "format/zstd_frame.h"
#include "gantry/target.h"
#include "inspect/scan.h"
#include "inspect/units.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::inspect {

namespace {

constexpr std::string_view kPrefix = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::uint64_t kFrameAlignment = 16;

// What a section's name declares of all that is in it.
struct Declared {
  std::string id; // "" the name is cut short
  std::string target;
  bool is_host = false;
};

Declared declared_by(std::string_view section) {
  Declared d;
  if (!section.starts_with(kPrefix))
    return d;
  d.id = section.substr(kPrefix.size());
  EntryId id = parse_entry_id(d.id);
  d.is_host = id.is_host;
  if (id.target)
    d.target = target_name(*id.target);
  if (id.kind == OffloadKind::sycl)
    d.id = id.arch;
  return d;
}

// Where the next frame in [pos, end) may start; `end` when there is none.
// Frames are aligned to where their section begins.
Result<std::uint64_t> next_frame(const Source &source, std::uint64_t begin,
                                 std::uint64_t pos, std::uint64_t end) {
  constexpr std::uint64_t kWindow = std::uint64_t{64} << 10;
  static_assert(kWindow % kFrameAlignment == 0);
  Buffer scratch;
  pos = begin +
        (pos - begin + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
  for (; pos < end; pos += kWindow) {
    GANTRY_TRY(Bytes bytes,
               source.read(pos, std::min(kWindow, end - pos), scratch));
    const std::string_view text = as_text(bytes);
    for (std::uint64_t i = 0; i < text.size(); i += kFrameAlignment)
      if (text.substr(i).starts_with(zstd_frame::kMagic))
        return pos + i;
  }
  return end;
}

class Frames {
public:
  Frames(MeteredSource &source, std::uint64_t begin, std::uint64_t end,
         const Declared &declared, const Limits &limits, Container &section)
      : source_(source), begin_(begin), end_(end), declared_(declared),
        limits_(limits), section_(section) {}

  // All of them, as one unit whose first stands at `first`.
  Unit walk(std::uint64_t first, const Origin &origin);

private:
  // Where the next frame may start; the end when there is none.
  Result<std::uint64_t> after_frame(std::uint64_t pos);
  Result<std::uint64_t> after_damage(std::uint64_t pos);
  Result<std::uint64_t> decoded_size(std::uint64_t at,
                                     const zstd_frame::Frame &frame);
  void add_frame(std::uint64_t at, const zstd_frame::Frame &frame, Unit &unit);

  MeteredSource &source_;
  std::uint64_t begin_, end_; // of the section
  const Declared &declared_;
  const Limits &limits_;
  Container &section_;
};

Result<std::uint64_t> Frames::after_frame(std::uint64_t pos) {
  Buffer scratch;
  GANTRY_TRY(std::uint64_t behind, skip_zeros(source_, pos, end_, scratch));
  if (behind == end_) {
    section_.padding_bytes += end_ - pos;
    return end_;
  }
  GANTRY_TRY(Bytes start,
             source_.read_up_to(behind, zstd_frame::kMagic.size(), scratch));
  if (as_text(start) == zstd_frame::kMagic)
    return behind;
  return after_damage(behind);
}

Result<std::uint64_t> Frames::after_damage(std::uint64_t pos) {
  GANTRY_TRY(std::uint64_t next, next_frame(source_, begin_, pos + 1, end_));
  section_.unrecognised_bytes += next - pos;
  add(section_,
      {"unrecognised-bytes",
       fmt::format("{} bytes are neither a zstd frame nor padding", next - pos),
       pos});
  return next;
}

// Frames that do not state it are decoded for it.
Result<std::uint64_t> Frames::decoded_size(std::uint64_t at,
                                           const zstd_frame::Frame &frame) {
  if (frame.decoded_size)
    return *frame.decoded_size;
  if (frame.size > limits_.decoded_bytes)
    return fail(Errc::too_large, at, "zstd frame (limit decoded_bytes)");
  Buffer stored;
  GANTRY_TRY(Bytes bytes, source_.read(at, frame.size, stored));
  auto size = zstd_decoded_size(bytes, limits_);
  // Decoding is cheaper per byte than reading headers is.
  if (size && !source_.spend(*size / 64))
    return fail(Errc::too_large, at, "too much to decode");
  return size;
}

void Frames::add_frame(std::uint64_t at, const zstd_frame::Frame &frame,
                       Unit &unit) {
  Slot slot;
  Object &o = slot.object;
  o.id = fmt::format("{}.{}", unit.containers[0].id, unit.slots.size());
  o.container = 0;
  o.found_by = unit.containers[0].found_by;
  o.declared = declared_.id;
  o.target = declared_.target;
  o.compression = word(Codec::zstd);
  o.encoded_bytes = frame.size;
  o.encoded_location = {{}, at, frame.size};
  if (auto size = decoded_size(at, frame)) {
    o.decoded_bytes = *size;
    o.location = {o.id, 0, *size};
    // Only the decoded bytes tell what they are.
    slot.needs_payload = true;
    unit.payloads.push_back({Payload::Holds::object, Codec::zstd, at,
                             frame.size, *size,
                             static_cast<std::uint32_t>(unit.slots.size()), 1});
  } else {
    add(o, limitation(size.error()));
  }
  unit.slots.push_back(std::move(slot));
}

Unit Frames::walk(std::uint64_t first, const Origin &origin) {
  Unit unit;
  unit.offset = first;
  unit.size = zstd_frame::kMagic.size();
  unit.containers.push_back(
      container_at(first, ContainerKind::sycl_images, origin));
  Container &c = unit.containers[0];
  c.compression = word(Codec::zstd);
  for (std::uint64_t pos = first; pos < end_;) {
    if (unit.slots.size() >= limits_.records) {
      add(c, {"too-large", "too many images (limit records)", pos});
      break;
    }
    auto frame = zstd_frame::read(source_, pos, end_);
    if (frame) {
      add_frame(pos, *frame, unit);
      source_.earn();
      unit.size = pos + frame->size - first;
    } else {
      add(c, limitation(frame.error()));
    }
    auto next = frame ? after_frame(pos + frame->size) : after_damage(pos);
    if (!next) {
      add(c, limitation(next.error()));
      break;
    }
    pos = *next;
  }
  c.location = {{}, unit.offset, unit.size};
  c.entries = unit.slots.size();
  return unit;
}

// A section without frames: a container, or one image.
std::vector<Unit> walk_one_image(MeteredSource &source, std::uint64_t begin,
                                 std::uint64_t end, const Declared &declared,
                                 const Origin &origin, const Limits &limits,
                                 Container &section) {
  Buffer scratch;
  auto start =
      source.read_up_to(begin, std::min(kLookAhead, end - begin), scratch);
  if (start && container_magic(*start))
    return walk_region(source, begin, end, origin, limits, section);
  Unit unit = bare_unit(begin, end - begin, ObjectKind::unknown, origin);
  Slot &slot = unit.slots[0];
  look_at_payload(source, begin, end - begin, slot.object);
  slot.object.declared = declared.id;
  slot.object.target = declared.target;
  slot.needs_payload = declared.target.empty();
  std::vector<Unit> units;
  units.push_back(std::move(unit));
  return units;
}

} // namespace

std::vector<Unit> walk_images(MeteredSource &source, std::uint64_t begin,
                              std::uint64_t end, const Origin &origin,
                              const Limits &limits, Container &section) {
  const Declared declared = declared_by(section.section);
  if (declared.is_host) {
    section.host_entries = 1;
    return {};
  }
  Buffer scratch;
  auto first = skip_zeros(source, begin, end, scratch);
  if (!first) {
    add(section, limitation(first.error()));
    return {};
  }
  section.padding_bytes += *first - begin;
  if (*first == end)
    return {};
  auto start = source.read_up_to(*first, zstd_frame::kMagic.size(), scratch);
  if (!start || as_text(*start) != zstd_frame::kMagic)
    return walk_one_image(source, *first, end, declared, origin, limits,
                          section);
  std::vector<Unit> units;
  units.push_back(Frames(source, begin, end, declared, limits, section)
                      .walk(*first, origin));
  return units;
}

} // namespace gantry::inspect

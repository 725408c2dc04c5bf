// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/region.h"

#include "format/elf.h"
#include "inspect/scan.h"
#include "inspect/units.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::inspect {

namespace {

// Most stretches are short: windows start small and grow.
std::uint64_t wider(std::uint64_t window) {
  return std::min<std::uint64_t>(8 * window, 64 << 10);
}

// Where the next plausible header in [pos, end) stands; `end` when none.
Result<std::uint64_t> next_header(const Source &source, std::uint64_t pos,
                                  std::uint64_t end, Buffer &scratch) {
  static_assert(512 > kLookAhead);
  for (std::uint64_t window = 512; pos < end; window = wider(window)) {
    std::uint64_t size = std::min(window, end - pos);
    GANTRY_TRY(Bytes bytes, source.read(pos, size, scratch));
    // Except at the very end, leave hits without look-ahead to the next window.
    std::uint64_t decided = pos + size == end ? size : size - (kLookAhead - 1);
    std::uint64_t hit = decided;
    scan(bytes, [&](std::uint64_t at) {
      if (at < hit &&
          recognise(bytes.subspan(at, std::min(kLookAhead, size - at)),
                    end - pos - at))
        hit = at;
    });
    pos += hit;
    if (hit != decided)
      break;
  }
  return pos;
}

} // namespace

Result<std::uint64_t> skip_zeros(const Source &source, std::uint64_t pos,
                                 std::uint64_t end, Buffer &scratch) {
  for (std::uint64_t window = 64; pos < end; window = wider(window)) {
    GANTRY_TRY(Bytes bytes,
               source.read(pos, std::min(window, end - pos), scratch));
    auto it = std::ranges::find_if(
        bytes, [](std::byte b) { return b != std::byte{0}; });
    pos += static_cast<std::uint64_t>(it - bytes.begin());
    if (it != bytes.end())
      return pos;
  }
  return end;
}

Container container_at(std::uint64_t offset, ContainerKind kind,
                       const Origin &origin) {
  Container c;
  c.id = position_id(offset);
  c.kind = kind;
  c.found_by = origin.found_by;
  c.section = origin.section;
  return c;
}

std::optional<std::uint64_t> elf_extent(const Source &source,
                                        std::uint64_t offset, std::uint64_t end,
                                        const Limits &limits) {
  SliceSource slice(source, offset, end - offset);
  auto file = elf::File::open(slice, limits);
  if (!file || !file->damage().empty())
    return std::nullopt;
  const elf::Header &h = file->header();
  std::uint64_t size = h.is_64 ? 64 : 52;
  auto cover = [&](std::uint64_t at, std::uint64_t bytes) {
    if (!fits(at, bytes, slice.size()))
      return false;
    size = std::max(size, at + bytes);
    return true;
  };
  bool inside =
      cover(h.section_offset, h.section_count * h.section_size) &&
      cover(h.segment_offset, std::uint64_t{h.segment_count} * h.segment_size);
  for (const elf::Section &s : file->sections())
    inside = inside && (!s.has_bytes() || cover(s.offset, s.size));
  for (const elf::Segment &s : file->segments())
    inside = inside && cover(s.offset, s.file_size);
  if (!inside)
    return std::nullopt;
  return size;
}

std::optional<Unit> read_unit(const Source &source, std::uint64_t region,
                              std::uint64_t offset, std::uint64_t end,
                              const Origin &origin, const Limits &limits) {
  Buffer scratch;
  auto start =
      source.read_up_to(offset, std::min(kLookAhead, end - offset), scratch);
  if (!start)
    return std::nullopt;
  // A named section or a wrapper vouches for what it holds: there the magic is
  // enough, so that damage in the header is reported and not passed over.
  std::optional<Magic> magic = container_magic(*start);
  if (magic == Magic::fatbin)
    return fatbin_unit(source, offset, end, origin, limits);
  if (magic == Magic::bundle)
    return bundle_unit(source, offset, end, origin, limits);
  if (magic == Magic::ccob)
    return ccob_unit(source, region, offset, end, origin);
  if (magic == Magic::offload_binary)
    return offload_unit(source, offset, end, origin, limits);
  if (recognise(*start, end - offset) != Magic::elf)
    return std::nullopt;
  auto size = elf_extent(source, offset, end, limits);
  auto header = elf::read_header(*start);
  if (!size || !header)
    return std::nullopt;
  return bare_unit(offset, *size,
                   header->machine == elf::kMachineCuda ? ObjectKind::cubin
                                                        : ObjectKind::amdgpu,
                   origin);
}

std::vector<Unit> walk_region(MeteredSource &source, std::uint64_t begin,
                              std::uint64_t end, const Origin &origin,
                              const Limits &limits, Container &section) {
  std::vector<Unit> units;
  Buffer scratch;
  std::uint64_t pos = begin;
  while (pos < end) {
    auto next = skip_zeros(source, pos, end, scratch);
    if (!next) {
      add(section, limitation(next.error()));
      break;
    }
    section.padding_bytes += *next - pos;
    pos = *next;
    if (pos == end)
      break;
    if (units.size() >= limits.records) {
      add(section, {"too-large", "too many containers (limit records)", pos});
      break;
    }
    if (auto unit = read_unit(source, begin, pos, end, origin, limits)) {
      // A unit covers at least its header, so every turn goes forward.
      pos = std::max(unit->end(), pos + 1);
      units.push_back(std::move(*unit));
      source.earn();
      continue;
    }
    next = next_header(source, pos + 1, end, scratch);
    if (!next) {
      add(section, limitation(next.error()));
      break;
    }
    section.unrecognised_bytes += *next - pos;
    add(section, {"unrecognised-bytes",
                  fmt::format("{} bytes are neither a known container nor "
                              "padding",
                              *next - pos),
                  pos});
    pos = *next;
  }
  return units;
}

} // namespace gantry::inspect

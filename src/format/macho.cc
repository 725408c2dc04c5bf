// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads Mach-O (Apple's <mach-o/loader.h> and <mach-o/fat.h>), little-endian:
//
//   0   u32 FEEDFACE (32 bit) or FEEDFACF (64 bit), u32 processor, u32 its
//       variant, u32 type, u32 commands, u32 bytes of commands, u32 flags,
//       64 bit: u32 reserved
//   commands, one behind the other: u32 command, u32 size, itself counted
//     1     segment, 32 bit: 16 bytes name, u32 address, u32 memory size, u32
//           offset, u32 file size, u32 × 2 protection at most and at first, u32
//           sections, u32 flags; sections: 16 bytes name, 16 bytes segment, u32
//           address, u32 size, u32 offset, u32 × 3, u32 flags, u32 × 2
//     0x19  segment, 64 bit: addresses, sizes and the segment's offset are u64,
//           and a section has another u32 at its end
//
// A universal file is big-endian: u32 CAFEBABE, u32 count, for each slice u32
// processor, u32 variant, u32 offset, u32 size, u32 alignment; or CAFEBABF with
// u64 offset, u64 size, u32 alignment, u32 reserved.

#include "format/macho.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace gantry::macho {

namespace {

constexpr std::uint32_t kMagic32 = 0xfeedface;
constexpr std::uint32_t kMagic64 = 0xfeedfacf;
constexpr std::uint32_t kUniversal32 = 0xcafebabe;
constexpr std::uint32_t kUniversal64 = 0xcafebabf;
// More than there are processors, and less than the version of a Java class.
constexpr std::uint32_t kSlicesMax = 42;
constexpr std::uint64_t kNameBytes = 16;
enum : std::uint32_t { kCommandSegment = 1, kCommandSegment64 = 0x19 };

std::uint32_t big_u32(Reader &r, const char *what) {
  return std::byteswap(r.u32(what));
}

std::uint64_t word(Reader &r, bool is_64, const char *what) {
  return is_64 ? r.u64(what) : r.u32(what);
}

// 16 bytes with NULs behind the name, if there is room for one.
std::string_view fixed_name(Reader &r, const char *what) {
  const std::string_view field = r.text(kNameBytes, what);
  return field.substr(0, field.find('\0'));
}

struct UniversalHeader {
  bool is_64 = false;
  std::uint32_t count = 0;
};

Result<UniversalHeader> read_universal(Bytes start) {
  Reader r(start);
  const std::uint32_t magic = big_u32(r, "universal Mach-O magic");
  const std::uint32_t count = big_u32(r, "universal Mach-O slice count");
  if (!r.ok())
    return r.error();
  if ((magic != kUniversal32 && magic != kUniversal64) || count > kSlicesMax)
    return fail(Errc::bad_magic, 0, "universal Mach-O magic");
  return UniversalHeader{magic == kUniversal64, count};
}

Section read_section(Reader &r, bool is_64) {
  Section s;
  const std::string_view name = fixed_name(r, "section: name");
  const std::string_view segment = fixed_name(r, "section: segment");
  s.name = fmt::format("{},{}", segment, name);
  s.address = word(r, is_64, "section: address");
  s.size = word(r, is_64, "section: size");
  s.offset = r.u32("section: offset");
  r.skip(12, "section: alignment, relocations");
  s.flags = r.u32("section: flags");
  r.skip(is_64 ? 12 : 8, "section: reserved");
  return s;
}

// One segment command, `r` behind its size. Sections that lie in it are kept,
// also when there should be more.
std::optional<Error> read_segment(Reader &r, bool is_64,
                                  std::vector<Segment> &segments,
                                  std::vector<Section> &sections) {
  Segment s;
  fixed_name(r, "segment: name");
  s.address = word(r, is_64, "segment: address");
  word(r, is_64, "segment: memory size");
  s.offset = word(r, is_64, "segment: offset");
  s.file_size = word(r, is_64, "segment: file size");
  r.u32("segment: highest protection");
  s.protection = r.u32("segment: protection");
  const std::uint32_t count = r.u32("segment: section count");
  r.u32("segment: flags");
  if (!r.ok())
    return r.error().error();
  segments.push_back(s);
  for (std::uint32_t i = 0; i < count; i++) {
    Section section = read_section(r, is_64);
    if (!r.ok())
      return r.error().error();
    section.index = static_cast<std::uint32_t>(sections.size() + 1);
    sections.push_back(std::move(section));
  }
  return std::nullopt;
}

} // namespace

bool Section::has_bytes() const {
  // Zero-filled, the same for gigabytes, the same for thread-local variables.
  const std::uint32_t type = flags & 0xff;
  if (type == 1 || type == 0xc || type == 0x12)
    return false;
  return offset != 0 || size == 0; // debug files have only the headers
}

bool is_universal(Bytes start) { return read_universal(start).has_value(); }

Result<Slices> read_slices(const Source &source) {
  constexpr std::uint64_t kHeader = 8;
  Buffer scratch;
  GANTRY_TRY(Bytes bytes,
             source.read_up_to(0, kHeader + kSlicesMax * 32, scratch));
  GANTRY_TRY(UniversalHeader header, read_universal(bytes));
  Reader r(bytes);
  r.skip(kHeader, "universal Mach-O header");
  Slices out;
  for (std::uint32_t i = 0; i < header.count; i++) {
    Slice s;
    s.index = i;
    const std::uint64_t at = r.pos();
    s.cpu_type = big_u32(r, "slice: processor");
    s.cpu_subtype = big_u32(r, "slice: processor variant");
    if (header.is_64) {
      s.offset = std::byteswap(r.u64("slice: offset"));
      s.size = std::byteswap(r.u64("slice: size"));
      r.skip(8, "slice: alignment");
    } else {
      s.offset = big_u32(r, "slice: offset");
      s.size = big_u32(r, "slice: size");
      r.skip(4, "slice: alignment");
    }
    if (!r.ok()) {
      out.damage.push_back(r.error().error());
      break;
    }
    const bool overlaps =
        std::ranges::any_of(out.list, [&](const Slice &other) {
          return s.offset < other.offset + other.size &&
                 other.offset < s.offset + s.size;
        });
    if (!fits(s.offset, s.size, source.size()))
      out.damage.push_back(
          {Errc::truncated, at, fmt::format("slice {}", i), {}});
    else if (overlaps)
      out.damage.push_back({Errc::bad_value,
                            at,
                            fmt::format("slice {} overlaps another", i),
                            {}});
    else
      out.list.push_back(s);
  }
  return out;
}

Result<Header> read_header(Bytes start) {
  Reader r(start);
  const std::uint32_t magic = r.u32("Mach-O magic");
  if (!r.ok())
    return r.error();
  if (magic == std::byteswap(kMagic32) || magic == std::byteswap(kMagic64))
    return fail(Errc::unsupported, 0, "big-endian Mach-O");
  if (magic != kMagic32 && magic != kMagic64)
    return fail(Errc::bad_magic, 0, "Mach-O magic");
  Header h;
  h.is_64 = magic == kMagic64;
  h.cpu_type = r.u32("Mach-O processor");
  h.cpu_subtype = r.u32("Mach-O processor variant");
  h.type = r.u32("Mach-O type");
  h.command_count = r.u32("Mach-O command count");
  h.command_bytes = r.u32("Mach-O command bytes");
  r.skip(h.is_64 ? 8 : 4, "Mach-O flags");
  if (!r.ok())
    return r.error();
  return h;
}

Result<File> File::open(const Source &source, const Limits &limits) {
  Buffer scratch;
  GANTRY_TRY(Bytes start, source.read_up_to(0, 32, scratch));
  File f;
  GANTRY_TRY(f.header_, read_header(start));
  const std::uint64_t at = f.header_.is_64 ? 32 : 28;
  std::uint64_t size = f.header_.command_bytes;
  if (size > limits.table_bytes) {
    f.damage_.push_back(
        {Errc::too_large, at, "load commands (limit table_bytes)", {}});
    return f;
  }
  if (!fits(at, size, source.size())) {
    f.damage_.push_back({Errc::truncated, at, "load commands", {}});
    size = source.size() - at;
  }
  GANTRY_TRY(Bytes commands, source.read(at, size, scratch));
  f.read_commands(commands, at);
  return f;
}

void File::read_commands(Bytes commands, std::uint64_t base) {
  Reader r(commands);
  for (std::uint32_t i = 0; i < header_.command_count; i++) {
    const std::uint64_t at = r.pos();
    const std::uint32_t command = r.u32("load command");
    const std::uint32_t size = r.u32("load command: size");
    if (r.ok() && size < 8) {
      damage_.push_back(
          {Errc::bad_value, base + at + 4, "load command: size", {}});
      return;
    }
    Reader body(r.bytes(size - 8, "load command"));
    if (!r.ok()) {
      // Where the commands are cut short, this has been said.
      if (damage_.empty())
        damage_.push_back(r.error(base).error());
      return;
    }
    if (command != kCommandSegment && command != kCommandSegment64)
      continue;
    auto damage =
        read_segment(body, command == kCommandSegment64, segments_, sections_);
    if (damage) {
      damage->offset += base + at + 8;
      damage_.push_back(*std::move(damage));
    }
  }
}

} // namespace gantry::macho

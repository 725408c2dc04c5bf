// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA fat binary, as written by fatbinary and nvlink of CUDA 7.5 to 13.5.
// There is no public document; all of this was observed in their output.
//
// Container:
//   0   u32 magic BA55ED50, u16 version 1, u16 header size 16
//   8   u64 size of all entries; they follow without gaps
//
// Entry, and part record of a concatenated entry:
//   00  u16 kind, u16 version 0101
//   04  u32 header size (part: offset in the decoded payload)
//   08  u64 payload size, padded to 8 (part: exact size)
//   10  u32 compressed size, exact; 0 when not compressed
//   14  u32 offset of the options, 0 if none
//   18  u16 minor, u16 major version, u32 architecture as decimal SM
//   20  u32 offset of the name, 0 if none, u32 its length without the NUL
//   28  u64 flags, u64 key of obfuscated LTO-IR, u64 decoded size
//   40  name, options; both padded to 8 with at least one NUL
//   Offsets of name and options count from the start of the header or record.
//
// Options: u32 offset of the text, u32 its length. With the compat flag the
// text is one zero byte, which the length does not count, and a copy of the
// cubin's .nv.compat; CUDA 12.8 wrote the values of its three records instead.
// CUDA 12.2 wrote PTX headers of 72 bytes that end in zeros.
//
// Concatenated entry (CUDA 13.5): at the offset of the options stand u32 count
// and u32 size of the part records, then the records.
//
// Wrapper:
//   0   u32 magic 466243B1, u32 version 1 or 2, u64 address of the container
//   16  u64 file name (version 1) or list of linked containers (version 2)

#include "format/fatbin.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace gantry::fatbin {

namespace {

constexpr std::uint64_t kKnownFlags =
    kFlag64Bit | kFlagDebug | kFlagCuda | kFlagOpenCl | kFlagLinux | kFlagMac |
    kFlagWindows | kCodecFlags | kFlagObfuscated | kSuffixFlags | kFlagCompat;

// The largest header seen has 3,952 bytes: 22 file names of a linked cubin.
constexpr std::uint64_t kEntryHeaderMax = 1 << 20;
// One read usually covers a container's header and that of its first entry.
constexpr std::uint64_t kWindow = 512;

// Size of the compat record of CUDA 12.8; copies of .nv.compat are longer.
constexpr std::uint64_t kShortCompat = 3;

constexpr std::uint64_t pad8(std::uint64_t size) { return (size + 7) / 8 * 8; }

// Reads a source through a small window that moves forwards.
class Window {
public:
  Window(const Source &source, std::uint64_t end)
      : source_(source), end_(end) {}

  // [offset, offset + size), which must lie before the end. Valid until the
  // next call.
  Result<Bytes> at(std::uint64_t offset, std::uint64_t size) {
    if (offset < start_ || !fits(offset - start_, size, bytes_.size())) {
      std::uint64_t wanted = std::min(std::max(size, kWindow), end_ - offset);
      GANTRY_TRY(bytes_, source_.read(offset, wanted, scratch_));
      start_ = offset;
    }
    return bytes_.subspan(offset - start_, size);
  }

private:
  const Source &source_;
  std::uint64_t end_;
  Buffer scratch_;
  std::uint64_t start_ = 0;
  Bytes bytes_;
};

// The fields whose meaning depends on where the record stands, and those that
// only serve to find others.
struct Fields {
  std::uint32_t at_04 = 0;
  std::uint64_t at_08 = 0;
  std::uint32_t options = 0;
  std::uint32_t name = 0;
  std::uint32_t name_length = 0;
};

Fields read_fixed(Reader &r, Declaration &d) {
  Fields f;
  d.raw_kind = r.u16("kind");
  d.version = r.u16("version");
  f.at_04 = r.u32("header size");
  f.at_08 = r.u64("payload size");
  d.compressed_size = r.u32("compressed size");
  f.options = r.u32("options");
  d.minor = r.u16("minor version");
  d.major = r.u16("major version");
  d.arch = r.u32("architecture");
  f.name = r.u32("name");
  f.name_length = r.u32("name length");
  d.flags = r.u64("flags");
  d.key = r.u64("key");
  d.decoded_size = r.u64("decoded size");
  return f;
}

void add_limitations(Declaration &d) {
  auto add = [&](bool is, Limitation l) {
    if (is)
      d.limitations.push_back(l);
  };
  add(d.kind() == Kind::unknown, Limitation::unknown_kind);
  add(d.version != 0x0101, Limitation::unknown_version);
  add((d.flags & ~kKnownFlags) != 0, Limitation::unknown_flags);
  add(std::popcount(d.flags & kCodecFlags) > 1, Limitation::several_codecs);
  add(!d.suffix(), Limitation::several_suffixes);
  add(d.raw_kind == 4, Limitation::obsolete_cubin);
}

// Reads the name out of a header. Returns where it ends, with its padding.
std::uint64_t read_name(Bytes header, const Fields &f, Declaration &d) {
  if (f.name == 0)
    return 0;
  if (f.name < kEntryHeader || !fits(f.name, f.name_length, header.size())) {
    d.limitations.push_back(Limitation::name_outside);
    return 0;
  }
  d.name = as_text(header.subspan(f.name, f.name_length));
  return f.name + pad8(std::uint64_t{f.name_length} + 1);
}

// Reads options or compat record. Returns where they end, with their padding.
std::uint64_t read_options(Bytes header, const Fields &f, Declaration &d) {
  if (f.options == 0)
    return 0;
  Reader r(header);
  r.seek(f.options, "options");
  std::uint64_t offset = r.u32("options: offset");
  std::uint64_t length = r.u32("options: length");
  std::uint64_t end = r.pos();
  bool readable = r.ok() && f.options >= kEntryHeader;
  if (readable && length != 0) {
    r.seek(offset, "options: text");
    if ((d.flags & kFlagCompat) == 0) {
      d.options = r.text(length, "options: text");
      readable = r.ok();
    } else {
      bool is_short = length == kShortCompat;
      std::uint8_t zero = is_short ? 0 : r.u8("compat record");
      Bytes record = r.bytes(length, "compat record");
      readable = r.ok() && zero == 0;
      if (readable)
        (is_short ? d.short_compat : d.compat)
            .assign(record.begin(), record.end());
    }
  }
  if (!readable) {
    d.limitations.push_back(Limitation::options_unreadable);
    return 0;
  }
  return std::max(end, offset + pad8(length + 1));
}

// The record at the start of `records`, and its size.
Result<std::uint64_t> read_part(Bytes records, Part &part) {
  Reader r(records);
  Fields f = read_fixed(r, part);
  if (!r.ok())
    return fail(Errc::truncated, 0, "record");
  part.offset = f.at_04;
  part.size = f.at_08;
  add_limitations(part);
  std::uint64_t name_end = read_name(records, f, part);
  std::uint64_t options_end = read_options(records, f, part);
  std::uint64_t size = std::max({kEntryHeader, name_end, options_end});
  // Only name and options tell how long a record is.
  if (part.has(Limitation::name_outside))
    return fail(Errc::bad_value, 0x20, "name");
  if (part.has(Limitation::options_unreadable))
    return fail(Errc::bad_value, 0x14, "options");
  if (size > records.size())
    return fail(Errc::truncated, 0, "record");
  return size;
}

// Reads the part records of a concatenated entry; `list` is where they are
// described in its header.
void read_parts(Bytes header, std::uint64_t list, Entry &e) {
  auto damaged = [&](Errc code, std::uint64_t at, std::string what) {
    e.parts_damage = Error{code, e.offset + at, std::move(what), {}};
  };
  if (list < kEntryHeader)
    return damaged(Errc::bad_value, 0x14, "parts: offset");
  Reader r(header);
  r.seek(list, "parts: count");
  std::uint64_t count = r.u32("parts: count");
  // The size counts the two words in front of the records, too.
  std::uint64_t size = r.u32("parts: size");
  if (r.ok() && size < 8)
    return damaged(Errc::bad_value, list + 4, "parts: size");
  std::uint64_t at = r.pos();
  Bytes records = r.bytes(size - 8, "parts: size");
  if (!r.ok()) {
    e.parts_damage = r.error(e.offset).error();
    return;
  }
  e.parts.reserve(std::min(count, size / kEntryHeader));
  for (std::uint64_t i = 0; i < count; i++) {
    Part part;
    part.record_offset = e.offset + at;
    auto used = read_part(records, part);
    if (!used)
      return damaged(used.error().code, at + used.error().offset,
                     fmt::format("part {}: {}", i, used.error().what));
    if (!fits(part.offset, part.size, e.unpacked_size()))
      part.limitations.push_back(Limitation::part_outside);
    e.parts.push_back(std::move(part));
    records = records.subspan(*used);
    at += *used;
  }
  if (!records.empty())
    damaged(Errc::bad_value, at, "parts: bytes after the last record");
}

// The entry at `offset`, which must lie before `end`.
Result<Entry> read_entry(Window &window, std::uint64_t offset,
                         std::uint64_t end) {
  if (!fits(offset, kEntryHeader, end))
    return fail(Errc::truncated, offset, "header");
  GANTRY_TRY(Bytes fixed, window.at(offset, kEntryHeader));
  Reader r(fixed);
  Entry e;
  Fields f = read_fixed(r, e);
  e.offset = offset;
  e.header_size = f.at_04;
  e.payload_size = f.at_08;
  if (e.header_size < kEntryHeader)
    return fail(Errc::bad_value, offset + 4, "header size");
  if (e.header_size > kEntryHeaderMax)
    return fail(Errc::too_large, offset + 4,
                fmt::format("header of {} bytes", e.header_size));
  if (!fits(offset, e.header_size, end))
    return fail(Errc::truncated, offset + 4, "header size");

  GANTRY_TRY(Bytes header, window.at(offset, e.header_size));
  add_limitations(e);
  if (!fits(e.payload_offset(), e.payload_size, end))
    e.limitations.push_back(Limitation::payload_outside);
  if (e.codec() != Codec::none && e.compressed_size > e.payload_size)
    e.limitations.push_back(Limitation::compressed_outside);
  read_name(header, f, e);
  if (e.kind() != Kind::concatenated)
    read_options(header, f, e);
  else
    read_parts(header, f.options, e);
  return e;
}

// Whether entries follow one another from `at` to the exact end. `steps` bounds
// the work of all such questions about one container.
bool reaches_end(Window &window, std::uint64_t at, std::uint64_t end,
                 std::uint64_t &steps) {
  while (at < end && steps > 0) {
    steps--;
    if (!fits(at, kEntryHeader, end))
      return false;
    auto fixed = window.at(at, kEntryHeader);
    if (!fixed)
      return false;
    Reader r(*fixed);
    Declaration d;
    Fields f = read_fixed(r, d);
    if (d.kind() == Kind::unknown || d.version != 0x0101 ||
        f.at_04 < kEntryHeader || f.at_04 % 8 != 0 ||
        f.at_04 > kEntryHeaderMax || !fits(at, f.at_04, end) ||
        !fits(at + f.at_04, f.at_08, end))
      return false;
    at += f.at_04 + f.at_08;
  }
  return at == end;
}

// Where entries go on after one whose payload size cannot be true: the first
// place from which they reach the exact end.
std::optional<std::uint64_t>
find_next_entry(const Source &source, std::uint64_t from, std::uint64_t end) {
  constexpr std::uint64_t kChunk = std::uint64_t{64} << 10;
  Window chunk(source, end), walk(source, end);
  std::uint64_t steps = 100'000;
  for (std::uint64_t at = from; at < end; at += kChunk) {
    auto bytes = chunk.at(at, std::min(kChunk, end - at));
    if (!bytes)
      break;
    for (std::uint64_t i = 0; fits(i, 8, bytes->size()) && steps > 0; i += 8) {
      Reader r(bytes->subspan(i, 4));
      std::uint16_t kind = r.u16("kind"), version = r.u16("version");
      if (kind != 0 && version == 0x0101 &&
          reaches_end(walk, at + i, end, steps))
        return at + i;
    }
  }
  return std::nullopt;
}

// The header at `offset`, and the size of the entries that it declares.
Result<std::uint64_t> read_header(Bytes header, std::uint64_t offset) {
  Reader r(header);
  std::uint32_t magic = r.u32("fat binary magic");
  std::uint16_t version = r.u16("fat binary version");
  std::uint16_t header_size = r.u16("fat binary header size");
  std::uint64_t size = r.u64("fat binary size");
  if (!r.ok())
    return r.error(offset);
  if (magic != kMagic)
    return fail(Errc::bad_magic, offset, "fat binary magic");
  if (version != 1)
    return fail(Errc::unsupported, offset + 4,
                fmt::format("fat binary version {}", version));
  if (header_size != kContainerHeader)
    return fail(Errc::unsupported, offset + 6,
                fmt::format("fat binary header of {} bytes", header_size));
  return size;
}

} // namespace

Result<Container> read_container(const Source &source, std::uint64_t offset,
                                 std::uint64_t end, const Limits &limits) {
  end = std::min(end, source.size());
  if (!fits(offset, kContainerHeader, end))
    return fail(Errc::truncated, offset, "fat binary header");
  Window window(source, end);
  Container c;
  c.offset = offset;
  GANTRY_TRY(Bytes header, window.at(offset, kContainerHeader));
  GANTRY_TRY(c.size, read_header(header, offset));
  const std::uint64_t room = end - offset - kContainerHeader;
  if (c.size > room)
    c.damage = Error{Errc::truncated, offset + 8, "fat binary size", {}};
  std::uint64_t at = offset + kContainerHeader;
  const std::uint64_t stop = at + std::min(c.size, room);
  bool sound = true;
  while (sound && at < stop) {
    const std::size_t index = c.entries.size();
    auto entry = index < limits.records
                     ? read_entry(window, at, stop)
                     : Result<Entry>(fail(Errc::too_large, at,
                                          "too many (limit records)"));
    sound = entry.has_value();
    if (!sound) {
      if (!c.damage) {
        c.damage = std::move(entry).error();
        c.damage->what = fmt::format("entry {}: {}", index, c.damage->what);
      }
      break;
    }
    entry->index = static_cast<std::uint32_t>(index);
    at = entry->end();
    if (entry->has(Limitation::payload_outside)) {
      // With a sound size, what follows up to the end is this container's.
      std::uint64_t otherwise = c.damage ? at : stop;
      if (!c.damage)
        c.damage = Error{Errc::truncated,
                         entry->offset + 8,
                         fmt::format("entry {}: payload size", index),
                         {}};
      at = find_next_entry(source, at, stop).value_or(otherwise);
      sound = at != otherwise;
    }
    c.entries.push_back(*std::move(entry));
  }
  c.entries_end = at;
  c.ends_exactly = sound && !c.damage;
  return c;
}

bool plausible_header(Bytes start) {
  Reader r(start);
  return r.u32("magic") == kMagic && r.u16("version") == 1 &&
         r.u16("header size") == kContainerHeader;
}

Wrappers read_wrappers(Bytes section) {
  Wrappers out;
  Reader r(section);
  while (r.left() != 0) {
    Wrapper w;
    w.offset = r.pos();
    Bytes word =
        section.subspan(w.offset, std::min<std::uint64_t>(8, r.left()));
    if (std::ranges::all_of(word,
                            [](std::byte b) { return b == std::byte{0}; })) {
      r.skip(word.size(), "padding");
      continue;
    }
    std::uint32_t magic = r.u32("wrapper: magic");
    w.version = r.u32("wrapper: version");
    w.address = r.u64("wrapper: address");
    w.second = r.u64("wrapper: second address");
    if (r.ok() && magic != kWrapperMagic) {
      out.damage = Error{Errc::bad_magic, w.offset, "wrapper: magic", {}};
      break;
    }
    if (!r.ok()) {
      out.damage = r.error().error();
      break;
    }
    out.list.push_back(w);
  }
  return out;
}

} // namespace gantry::fatbin

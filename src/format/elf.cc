// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads ELF (System V ABI, chapters 4 and 5), little-endian, 32 and 64 bit:
//
//   0   7F 45 4C 46, u8 class (1: 32, 2: 64), u8 data (1: little-endian),
//       u8 version, u8 OS/ABI, u8 ABI version, 7 zero bytes
//   16  u16 type, u16 machine, u32 version, addr entry, off phoff, off shoff,
//       u32 flags, u16 ehsize, u16 phentsize, u16 phnum, u16 shentsize,
//       u16 shnum, u16 shstrndx
//
// When a count does not fit 16 bits, section 0 holds it: shnum in its size,
// shstrndx in its link, phnum in its info.
// e_version is not checked: NVIDIA's cubins keep the toolkit version there
// (observed with ptxas 7.5 to 12.9).

#include "format/elf.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::elf {

namespace {

constexpr std::string_view kMagic = "\x7f"
                                    "ELF";
constexpr std::uint64_t kHeaderMax = 64;
constexpr std::uint64_t kNameShare = 8;
constexpr std::uint64_t kShortName = 256;
constexpr std::uint32_t kExtendedName = 0xFFFF;
constexpr std::uint32_t kExtendedSegments = 0xFFFF;

// A field that is 4 bytes wide in 32-bit files and 8 in 64-bit ones.
std::uint64_t word(Reader &r, bool is_64, const char *what) {
  return is_64 ? r.u64(what) : r.u32(what);
}

Section read_section(Reader &r, bool is_64, std::uint32_t index) {
  Section s;
  s.index = index;
  s.name = r.u32("section: name");
  s.type = r.u32("section: type");
  s.flags = word(r, is_64, "section: flags");
  s.address = word(r, is_64, "section: address");
  s.offset = word(r, is_64, "section: offset");
  s.size = word(r, is_64, "section: size");
  s.link = r.u32("section: link");
  s.info = r.u32("section: info");
  s.align = word(r, is_64, "section: alignment");
  s.entry_size = word(r, is_64, "section: entry size");
  return s;
}

Segment read_segment(Reader &r, bool is_64, std::uint32_t) {
  Segment s;
  s.type = r.u32("segment: type");
  if (is_64)
    s.flags = r.u32("segment: flags");
  s.offset = word(r, is_64, "segment: offset");
  s.address = word(r, is_64, "segment: address");
  word(r, is_64, "segment: physical address");
  s.file_size = word(r, is_64, "segment: file size");
  s.memory_size = word(r, is_64, "segment: memory size");
  if (!is_64)
    s.flags = r.u32("segment: flags");
  s.align = word(r, is_64, "segment: alignment");
  return s;
}

Symbol read_symbol(Reader &r, bool is_64, std::uint32_t index) {
  Symbol s;
  s.index = index;
  s.name = r.u32("symbol: name");
  if (!is_64) {
    s.value = r.u32("symbol: value");
    s.size = r.u32("symbol: size");
  }
  s.info = r.u8("symbol: info");
  s.other = r.u8("symbol: other");
  s.section = r.u16("symbol: section");
  if (is_64) {
    s.value = r.u64("symbol: value");
    s.size = r.u64("symbol: size");
  }
  return s;
}

// The bytes of `count` records of `stride` bytes at `offset`, of which at least
// `minimum` bytes are read each.
Result<Bytes> table(const Source &source, const Limits &limits,
                    std::uint64_t offset, std::uint64_t count,
                    std::uint64_t stride, std::uint64_t minimum,
                    std::string_view what, Buffer &scratch) {
  if (stride < minimum)
    return fail(Errc::bad_value, offset, fmt::format("{} entry size", what));
  if (count > limits.table_bytes / stride)
    return fail(
        Errc::too_large, offset,
        fmt::format("{} of {} entries (limit table_bytes)", what, count));
  if (!fits(offset, count * stride, source.size()))
    return fail(Errc::truncated, offset, std::string(what));
  return source.read(offset, count * stride, scratch);
}

struct TableAt {
  std::uint64_t offset;
  std::uint64_t count;
  std::uint64_t stride;
  std::uint64_t minimum;      // bytes of a record that are read
  std::uint64_t count_offset; // where the header has the count
  std::string_view what;
};

template <class Record>
void read_table(const Source &source, const Limits &limits, const TableAt &at,
                bool is_64,
                Record (*read)(Reader &, bool is_64, std::uint32_t index),
                std::vector<Record> &out, std::vector<Error> &damage) {
  if (at.count == 0)
    return;
  if (at.offset == 0) { // says that there is no table
    damage.push_back({Errc::bad_value,
                      at.count_offset,
                      fmt::format("{} without an offset", at.what),
                      {}});
    return;
  }
  Buffer scratch;
  auto bytes = table(source, limits, at.offset, at.count, at.stride, at.minimum,
                     at.what, scratch);
  if (!bytes) {
    damage.push_back(std::move(bytes).error());
    return;
  }
  out.reserve(at.count);
  for (std::uint64_t i = 0; i < at.count; i++) {
    Reader r(bytes->subspan(i * at.stride, at.stride));
    out.push_back(read(r, is_64, static_cast<std::uint32_t>(i)));
  }
}

// Counts that do not fit the header stand in section 0.
void read_extended_counts(const Source &source, const Limits &limits, Header &h,
                          std::vector<Error> &damage) {
  Buffer scratch;
  auto first = table(source, limits, h.section_offset, 1, h.section_size,
                     h.is_64 ? 64 : 40, "section table", scratch);
  if (!first) {
    damage.push_back(std::move(first).error());
    h.section_count = 0;
    if (h.segment_count == kExtendedSegments)
      h.segment_count = 0;
    return;
  }
  Reader r(*first);
  const Section zero = read_section(r, h.is_64, 0);
  if (h.section_count == 0)
    h.section_count = zero.size;
  if (h.names_index == kExtendedName)
    h.names_index = zero.link;
  if (h.segment_count == kExtendedSegments)
    h.segment_count = zero.info;
}

} // namespace

Strings::Strings(Bytes table, std::uint64_t limit) : limit_(limit) {
  const std::size_t last = as_text(table).rfind('\0');
  if (last != std::string_view::npos)
    table_ = table.first(last + 1);
}

std::optional<std::string_view> Strings::at(std::uint64_t offset) const {
  if (!fits(offset, 1, table_.size()))
    return std::nullopt;
  std::string_view rest = as_text(table_.subspan(offset));
  std::size_t end = rest.substr(0, limit_).find('\0');
  if (end == std::string_view::npos)
    return std::nullopt;
  return rest.substr(0, end);
}

Result<Header> read_header(Bytes start) {
  Reader r(start);
  if (r.text(4, "ELF magic") != kMagic)
    return r.ok() ? Result<Header>(fail(Errc::bad_magic, 0, "ELF magic"))
                  : Result<Header>(r.error());
  Header h;
  std::uint8_t word_class = r.u8("ELF class");
  std::uint8_t order = r.u8("ELF byte order");
  r.u8("ELF identification version");
  h.os_abi = r.u8("ELF OS/ABI");
  h.abi_version = r.u8("ELF ABI version");
  r.skip(7, "ELF identification");
  if (!r.ok())
    return r.error();
  if (word_class != 1 && word_class != 2)
    return fail(Errc::unsupported, 4, "ELF class");
  if (order != 1)
    return fail(Errc::unsupported, 5, "ELF byte order");
  h.is_64 = word_class == 2;
  h.type = r.u16("ELF type");
  h.machine = r.u16("ELF machine");
  h.version = r.u32("ELF version");
  word(r, h.is_64, "ELF entry point");
  h.segment_offset = word(r, h.is_64, "ELF program header offset");
  h.section_offset = word(r, h.is_64, "ELF section header offset");
  h.flags = r.u32("ELF flags");
  r.u16("ELF header size");
  h.segment_size = r.u16("ELF program header size");
  h.segment_count = r.u16("ELF program header count");
  h.section_size = r.u16("ELF section header size");
  h.section_count = r.u16("ELF section header count");
  h.names_index = r.u16("ELF section name index");
  if (!r.ok())
    return r.error();
  return h;
}

Result<File> File::open(const Source &source, const Limits &limits) {
  Buffer scratch;
  GANTRY_TRY(Bytes start, source.read_up_to(0, kHeaderMax, scratch));
  File f;
  f.source_ = &source;
  f.limits_ = limits;
  GANTRY_TRY(f.header_, read_header(start));
  Header &h = f.header_;
  const bool extended = h.section_count == 0 ||
                        h.names_index == kExtendedName ||
                        h.segment_count == kExtendedSegments;
  if (h.section_offset != 0 && extended)
    read_extended_counts(source, limits, h, f.damage_);

  read_table(source, limits,
             {h.section_offset, h.section_count, h.section_size,
              h.is_64 ? 64u : 40u, h.is_64 ? 60u : 48u, "section table"},
             h.is_64, read_section, f.sections_, f.damage_);
  read_table(source, limits,
             {h.segment_offset, h.segment_count, h.segment_size,
              h.is_64 ? 56u : 32u, h.is_64 ? 56u : 44u, "program header table"},
             h.is_64, read_segment, f.segments_, f.damage_);

  f.read_names();
  return f;
}

void File::read_names() {
  names_.resize(sections_.size());
  if (sections_.empty() || header_.names_index == 0)
    return;
  if (header_.names_index >= sections_.size()) {
    damage_.push_back(
        {Errc::bad_value, header_.is_64 ? 62u : 50u, "section name index", {}});
    return;
  }
  names_buffer_ = std::make_shared<Buffer>();
  auto names = strings(sections_[header_.names_index], *names_buffer_);
  if (!names) {
    damage_.push_back(std::move(names).error().in("section names"));
    return;
  }
  // Sections share names or their ends, but long ones do so only in files that
  // are made to keep readers busy.
  std::uint64_t left = kNameShare * names->size() + kShortName * names_.size();
  for (const Section &s : sections_) {
    auto name = names->at(s.name);
    const std::uint64_t cost = name                     ? name->size()
                               : s.name < names->size() ? limits_.name_bytes
                                                        : 0;
    if (cost > left) {
      damage_.push_back({Errc::too_large,
                         sections_[header_.names_index].offset,
                         "section names overlap",
                         {}});
      return;
    }
    left -= cost;
    if (name)
      names_[s.index] = *name;
  }
}

std::string_view File::name(const Section &s) const {
  return s.index < names_.size() ? names_[s.index] : std::string_view();
}

bool File::has_name(const Section &s) const { return name(s).data(); }

Result<Bytes> File::contents(const Section &s, Buffer &scratch) const {
  if (!s.has_bytes())
    return fail(Errc::bad_value, s.offset,
                fmt::format("section {} has no bytes in this file", s.index));
  if (!fits(s.offset, s.size, source_->size()))
    return fail(Errc::truncated, s.offset, fmt::format("section {}", s.index));
  if (s.size > limits_.decoded_bytes)
    return fail(Errc::too_large, s.offset,
                fmt::format("section {} (limit decoded_bytes)", s.index));
  return source_->read(s.offset, s.size, scratch);
}

Result<Strings> File::strings(const Section &s, Buffer &scratch) const {
  if (s.has_bytes() && s.size > limits_.table_bytes)
    return fail(Errc::too_large, s.offset,
                fmt::format("string table {} (limit table_bytes)", s.index));
  GANTRY_TRY(Bytes bytes, contents(s, scratch));
  return Strings(bytes, limits_.name_bytes);
}

Result<File::Symbols> File::symbols(const Section &t, Buffer &scratch) const {
  const std::uint64_t minimum = header_.is_64 ? 24 : 16;
  const std::uint64_t stride = t.entry_size ? t.entry_size : minimum;
  if (!t.has_bytes())
    return fail(
        Errc::bad_value, t.offset,
        fmt::format("symbol table {} has no bytes in this file", t.index));
  Buffer table_buffer;
  GANTRY_TRY(Bytes bytes, table(*source_, limits_, t.offset, t.size / stride,
                                stride, minimum, "symbol table", table_buffer));
  if (t.link >= sections_.size())
    return fail(Errc::bad_value, t.offset, "symbol table: string table index");
  Symbols out;
  GANTRY_TRY(out.names, strings(sections_[t.link], scratch));
  out.list.reserve(bytes.size() / stride);
  for (std::uint64_t i = 0; i < bytes.size() / stride; i++) {
    Reader r(bytes.subspan(i * stride, stride));
    out.list.push_back(
        read_symbol(r, header_.is_64, static_cast<std::uint32_t>(i)));
  }
  return out;
}

Notes read_notes(Bytes input) {
  Notes out;
  Reader r(input);
  auto pad = [&](std::uint64_t size) {
    r.skip(std::min<std::uint64_t>((4 - size % 4) % 4, r.left()), "padding");
  };
  while (r.left() != 0) {
    // Sections may end in padding that is too short for a record.
    if (r.left() < 12 &&
        std::ranges::all_of(input.subspan(r.pos()),
                            [](std::byte b) { return b == std::byte{0}; }))
      break;
    Note n;
    n.offset = r.pos();
    std::uint32_t owner_size = r.u32("note: owner size");
    std::uint32_t desc_size = r.u32("note: description size");
    n.type = r.u32("note: type");
    n.owner = r.text(owner_size, "note: owner");
    if (r.ok())
      pad(owner_size);
    n.desc = r.bytes(desc_size, "note: description");
    if (!r.ok()) {
      out.damage = r.error().error();
      break;
    }
    pad(desc_size);
    if (!n.owner.empty() && n.owner.back() == '\0')
      n.owner.remove_suffix(1);
    out.list.push_back(n);
  }
  return out;
}

} // namespace gantry::elf

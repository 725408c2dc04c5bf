// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads PE and COFF (Microsoft's "PE Format", the structures of winnt.h), all
// little-endian:
//
//   image   0   "MZ" … 60 u32 offset of the PE header:
//               "PE\0\0", COFF header, optional header, section table
//   COFF    0   u16 machine, u16 sections, u32 time, u32 symbol table,
//   header      u32 symbols, u16 size of the optional header, u16 flags;
//               in an object nothing is before it, and no optional header
//   optional 0  u16 0x10B: PE32, u32 image base at 28; 0x20B: PE32+, u64 at 24
//   bigobj  0   u16 0, u16 FFFF, u16 version (2), u16 machine, u32 time,
//               16 bytes class id, 4 × u32, u32 sections, u32 symbol table,
//               u32 symbols; section table
//   import  0   u16 0, u16 FFFF, u16 0, u16 machine, u32 time, u32 bytes of
//               data, u16 ordinal, u16 type; symbol and library, NUL-terminated
//   section 0   8 bytes name, u32 virtual size, u32 address, u32 raw size,
//               u32 raw offset, 12 bytes about relocations, u32 flags
//
// Behind the symbols (18 bytes each, 20 in a bigobj) stand a u32 size, itself
// counted, and the long names. A section refers to one by "/" and its offset in
// decimal, or by "//" and six digits of base 64 (observed with clang 14 to 22
// and GNU binutils; those also write long names into images).

#include "format/pe.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gantry::pe {

namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t kDosHeader = 64;
constexpr std::uint64_t kCoffHeader = 20;
constexpr std::uint64_t kBigobjHeader = 56;
constexpr std::uint64_t kSectionSize = 40;
constexpr std::uint32_t kObjectSectionsMax = 65279; // above, other meanings
constexpr std::uint64_t kNameShare = 8;
constexpr std::uint64_t kShortName = 256;

constexpr std::string_view kBigobjClass = "\xc7\xa1\xba\xd1\xee\xba\xa9\x4b"
                                          "\xaf\x20\xfa\xf6\x6a\xa4\xdc\xb8"sv;
// What the compiler writes for link-time code generation (/GL).
constexpr std::string_view kLtcgClass = "\x38\xfe\xb3\x0c\xa5\xd9\xab\x4d"
                                        "\xac\x9b\xd6\xb6\x22\x26\x53\xc2"sv;

constexpr std::array kMachines = {
    kMachineI386,  kMachineArm,     kMachineThumb,  kMachineArmNt,
    kMachineAmd64, kMachineArm64Ec, kMachineArm64X, kMachineArm64};

// The fields of a COFF header; returns the size of the optional header.
std::uint16_t read_coff(Reader &r, Header &h) {
  h.machine = r.u16("COFF machine");
  h.section_count = r.u16("COFF section count");
  r.skip(4, "COFF time");
  h.symbol_offset = r.u32("COFF symbol table offset");
  h.symbol_count = r.u32("COFF symbol count");
  std::uint16_t optional = r.u16("COFF optional header size");
  h.characteristics = r.u16("COFF characteristics");
  return optional;
}

Result<Header> read_image(const Source &source, std::uint64_t pe_offset) {
  constexpr std::uint64_t kSignature = 4, kOptionalPart = 32;
  Buffer scratch;
  GANTRY_TRY(Bytes bytes,
             source.read_up_to(
                 pe_offset, kSignature + kCoffHeader + kOptionalPart, scratch));
  Reader r(bytes);
  if (r.text(kSignature, "PE signature") != "PE\0\0"sv)
    return r.ok() ? Result<Header>(
                        fail(Errc::bad_magic, pe_offset, "PE signature"))
                  : Result<Header>(r.error(pe_offset));
  Header h;
  const std::uint16_t optional_size = read_coff(r, h);
  const std::uint64_t optional = pe_offset + kSignature + kCoffHeader;
  h.section_offset = optional + optional_size;
  if (r.ok() && optional_size < kOptionalPart)
    return fail(Errc::bad_value, optional - 4, "PE optional header size");
  const std::uint16_t magic = r.u16("PE optional header magic");
  h.is_64 = magic == 0x20b;
  r.skip(h.is_64 ? 22 : 26, "PE optional header");
  h.image_base = h.is_64 ? r.u64("PE image base") : r.u32("PE image base");
  if (!r.ok())
    return r.error(pe_offset);
  if (magic != 0x10b && magic != 0x20b)
    return fail(Errc::unsupported, optional, "PE optional header magic");
  return h;
}

// Whether 8 bytes of a section header are a name: printable, then NULs.
bool is_name(std::string_view field) {
  const std::size_t end = std::min(field.find('\0'), field.size());
  return end != 0 &&
         std::ranges::all_of(
             field.substr(0, end),
             [](unsigned char c) { return c >= 0x20 && c != 0x7f; }) &&
         field.find_first_not_of('\0', end) == std::string_view::npos;
}

Result<Header> read_object(const Source &source, Bytes start) {
  Reader r(start);
  Header h;
  h.kind = Kind::object;
  h.section_offset = kCoffHeader;
  const std::uint16_t optional_size = read_coff(r, h);
  const auto no = fail(Errc::bad_magic, 0, "COFF header");
  if (!r.ok() || std::ranges::find(kMachines, h.machine) == kMachines.end() ||
      optional_size != 0 || h.section_count == 0 ||
      h.section_count > kObjectSectionsMax ||
      !fits(kCoffHeader, h.section_count * kSectionSize, source.size()))
    return no;
  Buffer scratch;
  GANTRY_TRY(Bytes table,
             source.read(kCoffHeader, h.section_count * kSectionSize, scratch));
  for (std::uint64_t at = 0; at < table.size(); at += kSectionSize)
    if (!is_name(as_text(table.subspan(at, kNameBytes))))
      return no;
  return h;
}

// `r` stands behind the machine.
Result<Header> read_import(Reader r, Header h) {
  h.kind = Kind::import;
  r.skip(4, "import record time");
  const std::uint32_t size = r.u32("import record data size");
  r.skip(4, "import record type");
  Reader data(r.bytes(size, "import record data"));
  const bool named = !data.c_string(size, "symbol").empty() &&
                     !data.c_string(size, "library").empty();
  if (!r.ok() || !data.ok() || !named)
    return fail(Errc::bad_magic, 0, "import record");
  return h;
}

// What begins with 00 00 FF FF.
Result<Header> read_anonymous(const Source &source) {
  // Names of an import record are C++ symbols and can be long.
  constexpr std::uint64_t kImportMax = 64 << 10;
  Buffer scratch;
  GANTRY_TRY(Bytes start, source.read_up_to(0, kImportMax, scratch));
  Reader r(start);
  r.skip(4, "COFF signature");
  const std::uint16_t version = r.u16("COFF version");
  Header h;
  h.machine = r.u16("COFF machine");
  if (version == 0)
    return read_import(r, h);
  r.skip(4, "COFF time");
  const std::string_view class_id = r.text(16, "COFF class id");
  if (r.ok() && class_id == kLtcgClass)
    return fail(Errc::unsupported, 12, "object of link-time code generation");
  if (!r.ok() || class_id != kBigobjClass || version < 2)
    return fail(Errc::bad_magic, 12, "COFF class id");
  h.kind = Kind::bigobj;
  r.skip(16, "bigobj header");
  h.section_offset = kBigobjHeader;
  h.section_count = r.u32("bigobj section count");
  h.symbol_offset = r.u32("bigobj symbol table offset");
  h.symbol_count = r.u32("bigobj symbol count");
  if (!r.ok())
    return r.error();
  return h;
}

constexpr std::uint64_t symbol_size(Kind kind) {
  return kind == Kind::bigobj ? 20 : 18;
}

Section read_section(Reader &r, std::uint32_t index) {
  Section s;
  s.index = index;
  r.skip(kNameBytes, "section: name");
  s.virtual_size = r.u32("section: virtual size");
  s.address = r.u32("section: address");
  s.raw_size = r.u32("section: raw size");
  s.raw_offset = r.u32("section: raw offset");
  r.skip(12, "section: relocations");
  s.flags = r.u32("section: flags");
  return s;
}

// The offset that "/123" or "//AAAAAB" stands for.
std::optional<std::uint64_t> long_name_offset(std::string_view name) {
  name.remove_prefix(1);
  const bool base64 = name.starts_with('/');
  if (base64)
    name.remove_prefix(1);
  if (name.empty())
    return std::nullopt;
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kDigits64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "abcdefghijklmnopqrstuvwxyz"
                                         "0123456789+/";
  const std::string_view digits = base64 ? kDigits64 : kDigits;
  std::uint64_t value = 0;
  for (char c : name) { // at most 7
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos)
      return std::nullopt;
    value = value * digits.size() + digit;
  }
  return value;
}

} // namespace

Result<Header> read_header(const Source &source) {
  Buffer scratch;
  GANTRY_TRY(Bytes start, source.read_up_to(0, kDosHeader, scratch));
  const std::string_view text = as_text(start);
  if (text.starts_with("MZ")) {
    Reader r(start);
    r.seek(60, "PE header offset");
    const std::uint32_t pe_offset = r.u32("PE header offset");
    if (!r.ok())
      return fail(Errc::truncated, start.size(), "PE header offset");
    return read_image(source, pe_offset);
  }
  if (text.starts_with("\0\0\xff\xff"sv))
    return read_anonymous(source);
  return read_object(source, start);
}

Result<File> File::open(const Source &source, const Limits &limits) {
  File f;
  GANTRY_TRY(f.header_, read_header(source));
  if (f.header_.kind == Kind::import)
    return f;
  f.read_sections(source, limits);
  f.read_long_names(source, limits);
  return f;
}

void File::read_sections(const Source &source, const Limits &limits) {
  const std::uint64_t offset = header_.section_offset;
  std::uint64_t count = header_.section_count;
  if (count > limits.table_bytes / kSectionSize) {
    damage_.push_back(
        {Errc::too_large,
         offset,
         fmt::format("section table of {} entries (limit table_bytes)", count),
         {}});
    return;
  }
  if (!fits(offset, count * kSectionSize, source.size())) {
    damage_.push_back({Errc::truncated, offset, "section table", {}});
    count =
        offset < source.size() ? (source.size() - offset) / kSectionSize : 0;
  }
  if (count == 0)
    return;
  table_buffer_ = std::make_shared<Buffer>();
  auto bytes = source.read(offset, count * kSectionSize, *table_buffer_);
  if (!bytes) {
    damage_.push_back(std::move(bytes).error());
    return;
  }
  sections_.reserve(count);
  names_.reserve(count);
  for (std::uint64_t i = 0; i < count; i++) {
    const Bytes record = bytes->subspan(i * kSectionSize, kSectionSize);
    Reader r(record);
    sections_.push_back(read_section(r, static_cast<std::uint32_t>(i + 1)));
    const std::string_view name = as_text(record.first(kNameBytes));
    names_.push_back(name.substr(0, name.find('\0')));
  }
}

// The names behind the symbols, as many as are there.
Result<elf::Strings> File::read_strings(const Source &source,
                                        const Limits &limits) {
  GANTRY_TRY(const std::uint64_t at, symbols_end(source));
  if (header_.symbol_offset == 0)
    return fail(Errc::bad_value, header_.section_offset,
                "long section names without a symbol table");
  Buffer scratch;
  auto size_field = source.read(at, 4, scratch);
  if (!size_field)
    return fail(Errc::truncated, at, "string table");
  std::uint64_t size = Reader(*size_field).u32("string table size");
  if (size < 4)
    return fail(Errc::bad_value, at, "string table size");
  if (size > limits.table_bytes)
    return fail(Errc::too_large, at, "string table (limit table_bytes)");
  if (!fits(at, size, source.size())) {
    damage_.push_back({Errc::truncated, at, "string table", {}});
    size = source.size() - at;
  }
  strings_buffer_ = std::make_shared<Buffer>();
  GANTRY_TRY(Bytes bytes, source.read(at, size, *strings_buffer_));
  return elf::Strings(bytes, limits.name_bytes);
}

// Where the symbol table ends.
Result<std::uint64_t> File::symbols_end(const Source &source) const {
  const std::uint64_t size =
      std::uint64_t{header_.symbol_count} * symbol_size(header_.kind);
  if (!fits(header_.symbol_offset, size, source.size()))
    return fail(Errc::truncated, header_.symbol_offset, "symbol table");
  return header_.symbol_offset + size;
}

void File::read_long_names(const Source &source, const Limits &limits) {
  auto is_long = [](std::string_view name) { return name.starts_with('/'); };
  const auto count =
      static_cast<std::uint64_t>(std::ranges::count_if(names_, is_long));
  if (count == 0) {
    // Without names to read, linkers leave these fields of images to chance.
    auto end = symbols_end(source);
    if (!end && header_.kind != Kind::image)
      damage_.push_back(std::move(end).error());
    return;
  }
  auto strings = read_strings(source, limits);
  if (!strings) {
    damage_.push_back(std::move(strings).error());
    strings = elf::Strings();
  }
  // Sections share names, but long ones do so only in files that are made to
  // keep readers busy.
  std::uint64_t left = kNameShare * strings->size() + kShortName * count;
  for (std::string_view &name : names_) {
    if (!is_long(name))
      continue;
    const auto offset = long_name_offset(name);
    // The table's own size stands before the names.
    const bool inside = offset && *offset >= 4 && *offset < strings->size();
    name = {};
    if (!inside || left == 0)
      continue;
    auto found = strings->at(*offset);
    const std::uint64_t cost = found ? found->size() : limits.name_bytes;
    if (found && cost <= left)
      name = *found;
    left -= std::min(left, cost);
    if (left == 0)
      damage_.push_back({Errc::too_large,
                         header_.symbol_offset,
                         "section names overlap",
                         {}});
  }
}

std::optional<std::string_view> File::name(const Section &s) const {
  if (s.index == 0 || s.index > names_.size() || !names_[s.index - 1].data())
    return std::nullopt;
  return names_[s.index - 1];
}

} // namespace gantry::pe

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ELF: headers, sections, segments and symbols of host files, cubins and
// AMDGPU code objects. Layout: elf.cc.
#pragma once

#include "base/source.h"

#include <optional>
#include <vector>

namespace gantry::elf {

inline constexpr std::uint16_t kMachineCuda = 190;
inline constexpr std::uint16_t kMachineIntelGpu = 205;
inline constexpr std::uint16_t kMachineAmdgpu = 224;

enum : std::uint16_t { kTypeRel = 1, kTypeExec = 2, kTypeDyn = 3 };
enum : std::uint32_t {
  kSectionNull = 0,
  kSectionProgbits = 1,
  kSectionSymtab = 2,
  kSectionNote = 7,
  kSectionNobits = 8,
  kSectionDynsym = 11,
};
enum : std::uint64_t { kFlagWrite = 1, kFlagAlloc = 2, kFlagExec = 4 };
enum : std::uint32_t { kSegmentLoad = 1, kSegmentNote = 4 };
enum : std::uint8_t { kSymbolObject = 1, kSymbolFunc = 2 };

// All integers are little-endian; 32-bit fields are widened.
struct Header {
  bool is_64 = true;
  std::uint8_t os_abi = 0;
  std::uint8_t abi_version = 0;
  std::uint16_t type = 0;
  std::uint16_t machine = 0;
  std::uint32_t version = 0; // not always 1: cubins keep the toolkit here
  std::uint32_t flags = 0;
  std::uint64_t segment_offset = 0;
  std::uint64_t section_offset = 0;
  std::uint16_t segment_size = 0; // bytes of one program header
  std::uint16_t section_size = 0; // bytes of one section header
  std::uint32_t segment_count = 0;
  std::uint64_t section_count = 0;
  std::uint32_t names_index = 0; // section that holds the section names
};

// Where e_flags lie in a file, for reports that point at them.
constexpr std::uint64_t flags_offset(bool is_64) { return is_64 ? 48 : 36; }

struct Section {
  std::uint32_t index = 0;
  std::uint32_t name = 0; // offset in the section name table
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t address = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t align = 0;
  std::uint64_t entry_size = 0;

  bool has_bytes() const { return type != kSectionNobits && type != 0; }
};

struct Segment {
  std::uint32_t type = 0;
  std::uint32_t flags = 0; // 1 execute, 2 write, 4 read
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
  std::uint64_t file_size = 0;
  std::uint64_t memory_size = 0;
  std::uint64_t align = 0;
};

struct Symbol {
  std::uint32_t index = 0;
  std::uint32_t name = 0; // offset in the linked string table
  std::uint8_t info = 0;
  std::uint8_t other = 0;
  std::uint32_t section = 0; // st_shndx, extended indices not followed
  std::uint64_t value = 0;
  std::uint64_t size = 0;

  std::uint8_t type() const { return info & 0xf; }
};

// A string table: names are bounded by the table and by Limits::name_bytes.
class Strings {
public:
  Strings() = default;
  Strings(Bytes table, std::uint64_t limit);
  // Nothing when the name starts outside the table or does not end in it. Names
  // may overlap, so the sum of all is not bounded by the table: whoever reads
  // many limits the sum.
  std::optional<std::string_view> at(std::uint64_t offset) const;
  // Names start below; at() is quick beyond.
  std::uint64_t size() const { return table_.size(); }

private:
  Bytes table_; // up to its last NUL
  std::uint64_t limit_ = 0;
};

// The header alone, from the first 64 bytes (52 for 32-bit files). Errors:
// truncated, bad_magic, unsupported (big-endian, unknown class).
Result<Header> read_header(Bytes start);

// A parsed file. Views point into the source when that is in memory, else into
// buffers of the File, so they live as long as both.
class File {
public:
  // Errors: those of read_header. Damaged tables do not fail the file; they
  // are empty and stand in damage().
  static Result<File> open(const Source &source, const Limits &limits);

  const Header &header() const { return header_; }
  const std::vector<Section> &sections() const { return sections_; }
  const std::vector<Segment> &segments() const { return segments_; }
  const std::vector<Error> &damage() const { return damage_; }

  // "" for a section whose name cannot be read (has_name tells which).
  std::string_view name(const Section &s) const;
  bool has_name(const Section &s) const;

  // Contents of a section or segment: what of it lies in the file is checked.
  // Errors: truncated (outside the file), bad_value (NOBITS).
  Result<Bytes> contents(const Section &s, Buffer &scratch) const;

  // The symbols of a table section; `scratch` holds the names' bytes. Errors:
  // truncated, bad_value, too_large.
  struct Symbols {
    std::vector<Symbol> list;
    Strings names;
  };
  Result<Symbols> symbols(const Section &table, Buffer &scratch) const;

private:
  Result<Strings> strings(const Section &s, Buffer &scratch) const;
  void read_names();

  const Source *source_ = nullptr;
  Limits limits_;
  Header header_;
  std::vector<Section> sections_;
  std::vector<Segment> segments_;
  std::shared_ptr<Buffer> names_buffer_;
  std::vector<std::string_view> names_; // by section; no data: unreadable
  std::vector<Error> damage_;
};

// One record of a note section or segment. Views into the input.
struct Note {
  std::string_view owner; // without its NUL
  std::uint32_t type = 0;
  Bytes desc;
  std::uint64_t offset = 0; // of the record, from the start of the input
};

// All sound records; `damage` is where reading stopped early. Name and
// description are padded to 4 bytes whatever the section's alignment says.
struct Notes {
  std::vector<Note> list;
  std::optional<Error> damage;
};
Notes read_notes(Bytes input);

} // namespace gantry::elf

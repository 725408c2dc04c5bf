// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: ELF files built section by section.
#pragma once

#include "base/test_bytes.h"
#include "format/elf.h"

#include <string>

namespace gantry::elf {

// Sections come in the order in which they are added, then .symtab, .strtab
// (when there are symbols) and .shstrtab; the section table ends the file.
class ElfBuilder {
public:
  Header header; // what is written; counts and offsets are filled by build()
  bool with_symbols = true;

  ElfBuilder() { header.type = kTypeExec, header.version = 1; }

  // Returns the index of the section. `s.size` counts for NOBITS only.
  std::uint32_t section(std::string name, std::vector<std::byte> data,
                        Section s = {}) {
    if (s.type == kSectionNull)
      s.type = kSectionProgbits;
    s.index = static_cast<std::uint32_t>(sections_.size() + 1);
    sections_.push_back({std::move(name), std::move(data), s});
    return s.index;
  }
  // Returns the index of the symbol.
  std::uint32_t symbol(std::string name, Symbol s) {
    s.index = static_cast<std::uint32_t>(symbols_.size() + 1);
    symbols_.push_back({std::move(name), s});
    return s.index;
  }
  void segment(Segment s) { segments_.push_back(s); }

  std::vector<std::byte> build() {
    if (with_symbols && !symbols_.empty())
      add_symbols();
    Builder names;
    names.u8(0);
    section(".shstrtab", {}, {.type = 3});
    for (Named<Section> &s : sections_) {
      s.value.name = static_cast<std::uint32_t>(names.size());
      names.text(s.name).u8(0);
    }
    sections_.back().data = names.take();
    header.names_index = static_cast<std::uint32_t>(sections_.size());
    header.section_count = sections_.size() + 1;
    header.segment_count = static_cast<std::uint32_t>(segments_.size());
    header.section_size = header.is_64 ? 64 : 40;
    header.segment_size = header.is_64 ? 56 : 32;
    const std::size_t head = header.is_64 ? 64 : 52;
    header.segment_offset = segments_.empty() ? 0 : head;

    Builder out;
    out.zeros(head);
    for (const Segment &s : segments_)
      write_segment(out, s);
    for (Named<Section> &s : sections_) {
      out.pad_to(8);
      s.value.offset = out.size();
      if (s.value.type != kSectionNobits) {
        s.value.size = s.data.size();
        out.bytes(s.data);
      }
    }
    out.pad_to(8);
    header.section_offset = out.size();
    write_section(out, {});
    for (const Named<Section> &s : sections_)
      write_section(out, s.value);
    std::vector<std::byte> file = out.take();
    const std::vector<std::byte> start = header_bytes();
    std::copy(start.begin(), start.end(), file.begin());
    return file;
  }

  // Valid after build(): where a section's bytes and its header start.
  std::size_t offset(std::uint32_t section) const {
    return sections_.at(section - 1).value.offset;
  }
  std::size_t header_offset(std::uint32_t section) const {
    return header.section_offset + section * std::size_t{header.section_size};
  }
  std::uint32_t count() const {
    return static_cast<std::uint32_t>(sections_.size() + 1);
  }

private:
  template <class T> struct Named {
    std::string name;
    std::vector<std::byte> data;
    T value;
  };
  struct NamedSymbol {
    std::string name;
    Symbol value;
  };

  void word(Builder &b, std::uint64_t v) const {
    if (header.is_64)
      b.u64(v);
    else
      b.u32(static_cast<std::uint32_t>(v));
  }

  void add_symbols() {
    Builder table, names;
    names.u8(0);
    table.zeros(header.is_64 ? 24 : 16);
    for (const NamedSymbol &s : symbols_) {
      table.u32(static_cast<std::uint32_t>(names.size()));
      names.text(s.name).u8(0);
      const Symbol &v = s.value;
      const auto section = static_cast<std::uint16_t>(v.section);
      if (header.is_64)
        table.u8(v.info).u8(v.other).u16(section).u64(v.value).u64(v.size);
      else
        table.u32(static_cast<std::uint32_t>(v.value))
            .u32(static_cast<std::uint32_t>(v.size))
            .u8(v.info)
            .u8(v.other)
            .u16(section);
    }
    section(".symtab", table.take(),
            {.type = kSectionSymtab,
             .link = count() + 1,
             .entry_size = header.is_64 ? 24u : 16u});
    section(".strtab", names.take(), {.type = 3});
  }

  std::vector<std::byte> header_bytes() const {
    Builder b;
    b.u8(0x7f).text("ELF").u8(header.is_64 ? 2 : 1).u8(1).u8(1);
    b.u8(header.os_abi).u8(header.abi_version).zeros(7);
    b.u16(header.type).u16(header.machine).u32(header.version);
    word(b, 0);
    word(b, header.segment_offset);
    word(b, header.section_offset);
    b.u32(header.flags).u16(header.is_64 ? 64 : 52);
    b.u16(header.segment_size)
        .u16(static_cast<std::uint16_t>(header.segment_count));
    b.u16(header.section_size)
        .u16(static_cast<std::uint16_t>(header.section_count))
        .u16(static_cast<std::uint16_t>(header.names_index));
    return b.take();
  }
  void write_section(Builder &b, const Section &s) const {
    b.u32(s.name).u32(s.type);
    word(b, s.flags);
    word(b, s.address);
    word(b, s.offset);
    word(b, s.size);
    b.u32(s.link).u32(s.info);
    word(b, s.align);
    word(b, s.entry_size);
  }
  void write_segment(Builder &b, const Segment &s) const {
    b.u32(s.type);
    if (header.is_64)
      b.u32(s.flags);
    word(b, s.offset);
    word(b, s.address);
    word(b, s.address);
    word(b, s.file_size);
    word(b, s.memory_size);
    if (!header.is_64)
      b.u32(s.flags);
    word(b, s.align);
  }

  std::vector<Named<Section>> sections_;
  std::vector<NamedSymbol> symbols_;
  std::vector<Segment> segments_;
};

} // namespace gantry::elf

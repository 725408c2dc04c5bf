// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: PE images and COFF objects built section by section.
#pragma once

#include "base/test_bytes.h"
#include "format/pe.h"

#include <string>

namespace gantry::pe {

// Headers, section table, contents in the order in which sections are added,
// and a symbol table without symbols with its strings when a name is long.
class PeBuilder {
public:
  Header header;          // kind, is_64, machine and image_base are written
  bool long_names = true; // false: names are cut to 8 bytes
  std::size_t align = 16; // of contents; images are padded to it
  std::uint32_t symbols = 0;

  explicit PeBuilder(Kind kind = Kind::image) {
    header.kind = kind;
    header.is_64 = true;
    header.machine = kMachineAmd64;
    header.image_base = 0x180000000;
    long_names = kind != Kind::image;
  }

  // Returns the index of the section, from 1.
  std::uint32_t section(std::string name, std::vector<std::byte> data,
                        std::uint32_t flags = 0x40000040) {
    sections_.push_back({std::move(name), std::move(data), flags});
    return static_cast<std::uint32_t>(sections_.size());
  }

  std::vector<std::byte> build() {
    const bool image = header.kind == Kind::image;
    const std::uint64_t table = table_offset();
    Builder strings, contents;
    strings.u32(0);
    contents.zeros(table + 40 * sections_.size());
    Builder out, headers;
    for (Part &s : sections_) {
      contents.pad_to(align);
      s.offset = contents.size();
      contents.bytes(s.data);
      if (image)
        contents.pad_to(align);
      std::string name = s.name;
      if (name.size() > 8 && long_names) {
        name = "/" + std::to_string(strings.size());
        strings.text(s.name).u8(0);
      }
      name.resize(8);
      headers.text(name);
      headers.u32(image ? static_cast<std::uint32_t>(s.data.size()) : 0);
      headers.u32(image ? static_cast<std::uint32_t>(rva(s)) : 0);
      headers.u32(static_cast<std::uint32_t>(contents.size() - s.offset));
      headers.u32(static_cast<std::uint32_t>(s.offset));
      headers.zeros(12).u32(s.flags);
    }
    if (!image || strings.size() > 4) {
      header.symbol_offset = contents.size();
      header.symbol_count = symbols;
    }
    write_header(out);
    out.bytes(headers.bytes());
    out.bytes(contents.bytes().subspan(out.size()));
    if (header.symbol_offset != 0) {
      out.zeros(symbols * (header.kind == Kind::bigobj ? 20 : 18));
      strings_offset_ = out.size();
      strings.set_u32(0, static_cast<std::uint32_t>(strings.size()));
      out.bytes(strings.bytes());
    }
    return out.take();
  }

  // Valid after build().
  std::uint64_t offset(std::uint32_t index) const {
    return sections_.at(index - 1).offset;
  }
  std::uint64_t strings_offset() const { return strings_offset_; }
  // Of a section's header, and of its contents in memory.
  std::uint64_t header_offset(std::uint32_t index) const {
    return table_offset() + 40 * (index - 1);
  }
  std::uint64_t address(std::uint32_t index) const {
    return header.image_base + rva(sections_.at(index - 1));
  }
  // Of the COFF header.
  std::uint64_t coff_offset() const {
    return header.kind == Kind::image ? 0x84 : 0;
  }

private:
  struct Part {
    std::string name;
    std::vector<std::byte> data;
    std::uint32_t flags;
    std::uint64_t offset = 0;
  };

  static std::uint64_t rva(const Part &s) { return 0x1000 + s.offset; }

  std::uint64_t table_offset() const {
    return header.kind == Kind::image    ? 0x98 + optional_size()
           : header.kind == Kind::bigobj ? 56
                                         : 20;
  }
  std::uint16_t optional_size() const { return header.is_64 ? 112 : 96; }

  void write_coff(Builder &b, std::uint16_t optional) const {
    b.u16(header.machine).u16(static_cast<std::uint16_t>(sections_.size()));
    b.u32(0).u32(static_cast<std::uint32_t>(header.symbol_offset));
    b.u32(header.symbol_count).u16(optional).u16(header.characteristics);
  }
  void write_header(Builder &b) const {
    if (header.kind == Kind::object)
      return write_coff(b, 0);
    if (header.kind == Kind::bigobj) {
      b.u16(0).u16(0xffff).u16(2).u16(header.machine).u32(0);
      for (unsigned c : {0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b, 0xaf,
                         0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8})
        b.u8(static_cast<std::uint8_t>(c));
      b.zeros(16).u32(static_cast<std::uint32_t>(sections_.size()));
      b.u32(static_cast<std::uint32_t>(header.symbol_offset));
      b.u32(header.symbol_count);
      return;
    }
    b.text("MZ").zeros(58).u32(0x80).zeros(64).text("PE").u16(0);
    write_coff(b, optional_size());
    const std::size_t optional = b.size();
    b.u16(header.is_64 ? 0x20b : 0x10b).zeros(header.is_64 ? 22 : 26);
    if (header.is_64)
      b.u64(header.image_base);
    else
      b.u32(static_cast<std::uint32_t>(header.image_base));
    b.zeros(optional + optional_size() - b.size());
  }

  std::vector<Part> sections_;
  std::uint64_t strings_offset_ = 0;
};

// A record of an import library.
inline std::vector<std::byte> import_record(std::string_view symbol,
                                            std::string_view library) {
  Builder b;
  b.u16(0).u16(0xffff).u16(0).u16(kMachineAmd64).u32(0);
  b.u32(static_cast<std::uint32_t>(symbol.size() + library.size() + 2));
  b.u16(0).u16(4).text(symbol).u8(0).text(library).u8(0);
  return b.take();
}

} // namespace gantry::pe

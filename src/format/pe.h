// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PE images (.exe, .dll), COFF objects (.obj, also those of /bigobj) and the
// records of import libraries: headers and sections. Layout: pe.cc.
#pragma once

#include "base/source.h"
#include "format/elf.h"

namespace gantry::pe {

enum class Kind {
  image,  // PE32 or PE32+
  object, // COFF object
  bigobj, // COFF object with 32-bit section numbers
  import  // short record of an import library: names only, no sections
};

enum : std::uint16_t {
  kMachineI386 = 0x14c,
  kMachineArm = 0x1c0,
  kMachineThumb = 0x1c2,
  kMachineArmNt = 0x1c4,
  kMachineAmd64 = 0x8664,
  kMachineArm64Ec = 0xa641,
  kMachineArm64X = 0xa64e,
  kMachineArm64 = 0xaa64,
};

enum : std::uint32_t {
  kFlagUninitialized = 0x80, // no bytes in the file
  kFlagWrite = 0x80000000,
};

// Section names in images are cut to this length by linkers for Windows.
inline constexpr std::size_t kNameBytes = 8;

struct Header {
  Kind kind = Kind::image;
  bool is_64 = false; // of an image: PE32+
  std::uint16_t machine = 0;
  std::uint16_t characteristics = 0; // of images and plain objects
  std::uint64_t image_base = 0;      // of an image
  std::uint32_t section_count = 0;
  std::uint64_t section_offset = 0; // of the section table
  std::uint64_t symbol_offset = 0;  // of the symbol table; 0 none
  std::uint32_t symbol_count = 0;
};

struct Section {
  std::uint32_t index = 0;        // from 1, as symbols count
  std::uint64_t virtual_size = 0; // of an image; objects have 0
  std::uint64_t address = 0;      // of an image: from the image base
  std::uint64_t raw_size = 0;     // images: a multiple of the file alignment
  std::uint64_t raw_offset = 0;
  std::uint32_t flags = 0;

  bool has_bytes() const {
    return (flags & kFlagUninitialized) == 0 &&
           (raw_offset != 0 || raw_size == 0);
  }
  // What of raw_size is contents: the rest of an image's section is padding.
  std::uint64_t size() const {
    return virtual_size != 0 && virtual_size < raw_size ? virtual_size
                                                        : raw_size;
  }
};

// The headers. Objects have a weak magic: their section table has to lie in the
// file and its names have to be names. Errors: bad_magic (none of these
// formats); truncated, bad_value and unsupported (one of them, but damaged or
// of a kind that is not read).
Result<Header> read_header(const Source &source);

// A parsed file. Views point into the source when that is in memory, else into
// buffers of the File, so they live as long as both.
class File {
public:
  // Errors: those of read_header. Damaged tables do not fail the file; what of
  // them cannot be read is left out and stands in damage().
  static Result<File> open(const Source &source, const Limits &limits);

  const Header &header() const { return header_; }
  const std::vector<Section> &sections() const { return sections_; }
  const std::vector<Error> &damage() const { return damage_; }

  // nullopt: a long name that cannot be read.
  std::optional<std::string_view> name(const Section &s) const;

private:
  void read_sections(const Source &source, const Limits &limits);
  void read_long_names(const Source &source, const Limits &limits);
  Result<elf::Strings> read_strings(const Source &source, const Limits &limits);
  Result<std::uint64_t> symbols_end(const Source &source) const;

  Header header_;
  std::vector<Section> sections_;
  std::shared_ptr<Buffer> table_buffer_, strings_buffer_;
  std::vector<std::string_view> names_; // by section; no data: unreadable
  std::vector<Error> damage_;
};

} // namespace gantry::pe

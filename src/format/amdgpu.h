// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMDGPU code objects, versions 1 to 6: what the ELF header, the notes, the
// symbols and the descriptors say. Numbers only: names of processors and
// features are the business of gantry/target.h. Layout: amdgpu.cc.
#pragma once

#include "format/amdgpu_descriptor.h"
#include "format/amdgpu_metadata.h"

namespace gantry::amdgpu {

inline constexpr std::uint8_t kOsAbiNone = 0;
inline constexpr std::uint8_t kOsAbiHsa = 64;
inline constexpr std::uint8_t kOsAbiPal = 65;
inline constexpr std::uint8_t kOsAbiMesa = 66;

struct Header {
  bool is_64 = true;
  std::uint8_t os_abi = 0;
  std::uint8_t abi_version = 0;
  std::uint16_t type = 0; // ELF: 1 relocatable, 3 shared object
  std::uint32_t e_flags = 0;
  std::uint64_t e_flags_offset = 0;
  // By OS/ABI and ABI version alone: 3 to 6. Versions 1 and 2 share an ABI
  // version, so they are unknown here; so are those of other systems.
  std::optional<std::uint32_t> code_object_version;
};

// From the first 64 bytes. Errors: those of elf::read_header; bad_magic at 18
// when the machine is not AMDGPU.
Result<Header> read_header(Bytes start);

// One note; views into the image.
struct Note {
  std::string_view owner;
  std::uint32_t type = 0;
  Bytes description;
  std::uint64_t offset = 0; // of the record, in the image
};

// Note 3 of code objects 1 and 2.
struct IsaNote {
  std::string_view vendor;       // "AMD"
  std::string_view architecture; // "AMDGPU"
  std::uint32_t major = 0, minor = 0, stepping = 0;
};

enum class KernelOrigin : std::uint8_t {
  metadata, // declared
  symbol,   // derived from a descriptor's symbol
};

struct Range {
  std::uint64_t offset = 0; // in the image
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

struct Kernel {
  // The declared name, else the symbol's without its ".kd"; "" when metadata
  // has neither.
  std::string_view name;
  // The descriptor's symbol as declared, else as found; "" when unknown. Of
  // version 2 "k@kd", which is in no symbol table; of version 1 the symbol.
  std::string_view symbol;
  KernelOrigin origin = KernelOrigin::metadata;
  KernelMetadata metadata;               // nothing known for origin symbol
  std::optional<Descriptor> descriptor;  // version 3 and later
  std::optional<CodeHeader> code_header; // versions 1 and 2
  // What the kernel's own symbol covers: its instructions; in versions 1 and 2
  // the code header before them, too.
  std::optional<Range> code;
};

// Views point into the image, which must outlive the object, or into texts that
// the object owns together with its copies.
struct Object {
  Header header;
  // 1 to 6: the ABI version's, for 1 and 2 decided by the notes.
  std::optional<std::uint32_t> code_object_version;
  Family family = Family::unknown;
  std::vector<Note> notes;
  bool notes_complete = true; // no damage among them
  std::optional<std::array<std::uint32_t, 2>> version_note; // 1: major, minor
  std::optional<IsaNote> isa;
  std::optional<std::string_view> isa_name; // note 11
  std::uint64_t metadata_offset = 0; // of the first metadata, in the image
  std::uint64_t metadata_bytes = 0;  // of all metadata notes
  Metadata metadata;                 // its kernels have moved into `kernels`
  std::vector<Kernel> kernels;       // metadata order, then derived ones
  // `kernels` is the whole list, by the metadata or by a sound symbol table.
  bool kernels_complete = false;
  Limitations limitations;
};

// Reads a whole code object. Only a damaged ELF header fails; all other damage
// is in limitations. Errors: those of read_header.
Result<Object> read_object(Bytes image, const Limits &limits);

} // namespace gantry::amdgpu

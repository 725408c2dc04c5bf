// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cubin: NVIDIA's ELF, machine code for one target. Layout: cubin.cc.
//
// All views (names, payloads, notes) point into the image given to
// read_cubin(), and all offsets count from its start. An optional that is empty
// is a fact that is not known; `limitations` says why.
#pragma once

#include "format/cubin_notes.h"
#include "format/nvinfo.h"

#include <array>
#include <optional>
#include <vector>

namespace gantry::cubin {

// How OS/ABI and e_flags are to be read.
enum class Layout : std::uint8_t {
  unknown, // header kept, no statement about the target
  a,       // OS/ABI 0x33: SM in bits 0 to 7
  b,       // OS/ABI 0x41, ABI 8: SM in bits 8 to 15
};

// What the first 64 bytes prove.
struct Header {
  bool is_64 = true;
  std::uint8_t os_abi = 0;
  std::uint8_t abi_version = 0;
  std::uint16_t type = 0; // ELF: 1 relocatable, 2 linked
  std::uint32_t version = 0;
  std::uint32_t flags = 0; // e_flags as they stand
  std::uint64_t flags_offset = 0;
  Layout layout = Layout::unknown;

  // Base architecture, 90 for sm_90 and sm_90a. Nothing in an unknown layout.
  std::optional<std::uint32_t> sm;
  std::optional<std::uint32_t> virtual_sm; // layout A
  // Does e_flags say 'a'? Nothing where they do not decide: SM below 90 in
  // layout A, a clear bit in layout B.
  std::optional<bool> flag_a;
  std::optional<Version> toolkit; // out of e_version, layout A

  bool relocatable() const { return type == 1; }
};

// Why a fact is missing or only partly known.
enum class Gap : std::uint8_t {
  unknown_layout,     // OS/ABI or ABI version: target not known
  damaged_tables,     // ELF tables that cannot be read
  no_symbol_table,    // names come from section names
  no_sections,        // nothing but the header
  unreadable_name,    // of a section or symbol
  damaged_section,    // contents outside the image, or not readable
  damaged_attributes, // an .nv.info or .nv.compat ends in a bad record
  damaged_note,       // a toolkit note that cannot be read
  conflicting_facts,  // two records contradict each other
  bad_attribute,      // a record of an unexpected form
  missing_attributes, // a kernel without .nv.info section
  missing_registers,  // a kernel without register count
  missing_parameters, // parameter records do not cover all parameters
  limit,              // one of the Limits was hit
};
std::string_view word(Gap gap); // "no-symbol-table"

struct Limitation {
  Gap gap = Gap::damaged_section;
  std::string message;
  std::uint64_t offset = 0;
  std::optional<std::uint32_t> kernel; // index in Cubin::kernels
};

// Bytes of one constant bank.
struct Bank {
  std::uint32_t number = 0;
  std::uint64_t bytes = 0;
};

struct Parameter {
  std::uint32_t ordinal = 0;
  // Empty where two records contradict each other.
  std::optional<std::uint32_t> offset; // from the parameter base
  std::optional<std::uint32_t> size;
  std::uint8_t align_log2 = 0; // of what a pointer points to (.ptr .align)
  std::uint8_t space = 0;      // of .ptr, see nvinfo::Parameter
  std::optional<bool> in_shared;
};

using Dimensions = std::array<std::uint32_t, 3>;

struct Kernel {
  std::string_view name;
  bool derived_name = false; // out of a section name: may be a device function
  std::optional<std::uint32_t> symbol;      // index in the symbol table
  std::optional<std::uint32_t> section;     // index of its .text
  std::optional<std::uint64_t> code_offset; // of its code in the image
  std::optional<std::uint64_t> code_bytes;

  std::optional<std::uint32_t> registers; // per thread; may grow when linked
  std::optional<std::uint32_t> barriers;
  // What the source declares, without the 1024 reserved bytes that a linked
  // cubin for SM 90 and later counts in; and the section as it is.
  std::optional<std::uint64_t> static_shared_bytes;
  std::optional<std::uint64_t> shared_section_bytes; // empty: no section
  // Does its code name an `extern __shared__` variable? Only relocatable
  // cubins record that.
  std::optional<bool> dynamic_shared;
  std::optional<std::uint64_t> local_bytes; // .nv.local, else the frame
  std::optional<std::uint64_t> frame_bytes;
  std::optional<std::uint64_t> stack_bytes; // linked cubins only
  bool stack_unbounded = false; // the tool says "not known": recursion
  std::vector<Bank> constants;  // by number

  std::optional<std::uint64_t> parameter_base; // in constant bank 0
  std::optional<std::uint64_t> parameter_bytes;
  std::optional<std::uint32_t> parameter_count;
  std::vector<Parameter> parameters; // by ordinal; those that are known

  std::optional<Dimensions> max_threads;       // .maxntid
  std::optional<Dimensions> required_threads;  // .reqntid
  std::optional<std::uint32_t> register_limit; // empty: none
  std::optional<Dimensions> cluster;           // .reqnctapercluster
  std::optional<std::uint32_t> max_cluster_rank;
  bool explicit_cluster = false;
  bool blocks_are_clusters = false;
  std::optional<std::uint32_t> language;         // nvinfo::language_name
  std::optional<std::uint32_t> cuda_api_version; // 130

  // All records of .nv.info.<kernel>, in file order. Complete only when
  // attributes_complete: else an attribute that is not here is not known.
  std::vector<nvinfo::Record> attributes;
  bool attributes_complete = false;
};

enum class ToolkitSource : std::uint8_t {
  none,
  elf_version, // e_version
  tool_note,   // .note.nv.tkinfo
  cuda_note,   // .note.nv.cuinfo
  attribute,   // the newest CUDA_API_VERSION of the kernels
};

struct Cubin {
  Header header;

  // Evidence for the suffix of the target, each for itself. 'f' can only be
  // seen in suffix_hint.
  std::optional<bool> flag_a; // Header::flag_a, and clear in 12.8 and 12.9
  std::optional<std::uint16_t> compat_accelerator; // .nv.compat 9: 1 is 'a'
  // Of the command line of the tool that wrote the object ("sm_100f"), and its
  // letter ('a', 'f', or '\0' for none) when the number is that of the header.
  std::string_view note_architecture;
  std::optional<char> suffix_hint;

  std::optional<std::uint32_t> virtual_sm; // header or .note.nv.cuinfo
  std::optional<Version> toolkit;
  ToolkitSource toolkit_source = ToolkitSource::none;
  CudaNotes notes;
  std::vector<nvinfo::Record> compat;     // .nv.compat
  std::vector<nvinfo::Record> attributes; // .nv.info of the module

  std::vector<Bank> constants;    // of the module, by number
  std::uint64_t global_bytes = 0; // .nv.global and .nv.global.init
  std::vector<Kernel> kernels;    // in order of the symbol table
  bool has_symbols = false;       // false: kernels are derived, and partial

  std::vector<Limitation> limitations; // empty: all was read

  // The note of the tool that wrote the object: the linker's, else the first.
  const ToolNote *author() const;
};

// The header alone. Errors: those of elf::read_header, bad_magic (ELF for
// another machine).
Result<Header> read_cubin_header(Bytes first_64_bytes);

// Errors: those of read_cubin_header. Everything else that is damaged stands
// in Cubin::limitations.
Result<Cubin> read_cubin(Bytes image, const Limits &limits);

} // namespace gantry::cubin

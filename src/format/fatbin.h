// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA fat binary: containers with their entries, and the wrappers that point
// at containers. Headers only; payloads are located, never read. Layout:
// fatbin.cc.
#pragma once

#include "base/decompress.h"

#include <optional>
#include <vector>

namespace gantry::fatbin {

inline constexpr std::uint32_t kMagic = 0xBA55ED50;
inline constexpr std::uint32_t kWrapperMagic = 0x466243B1;
inline constexpr std::uint64_t kContainerHeader = 16;
inline constexpr std::uint64_t kEntryHeader = 64; // the fixed part
inline constexpr std::uint64_t kWrapperSize = 24;

enum : std::uint64_t {
  kFlag64Bit = 0x1,
  kFlagDebug = 0x2,
  kFlagCuda = 0x4,
  kFlagOpenCl = 0x8,
  kFlagLinux = 0x10,
  kFlagMac = 0x20,
  kFlagWindows = 0x40,
  kFlagZlib = 0x1000,
  kFlagLz4Block = 0x2000,
  kFlagLz4Frame = 0x4000,
  kFlagZstd = 0x8000,
  kFlagObfuscated = 0x10000,
  kFlagArchSpecific = 0x100000,   // 'a'
  kFlagFamilySpecific = 0x200000, // 'f'
  kFlagCompat = 0x1000000,

  kCodecFlags = kFlagZlib | kFlagLz4Block | kFlagLz4Frame | kFlagZstd,
  kSuffixFlags = kFlagArchSpecific | kFlagFamilySpecific,
};

enum class Kind : std::uint8_t {
  unknown,
  ptx, // also the relocatable kind 0x40
  cubin,
  lto_ir,
  tile_ir,
  index,
  concatenated,
};

// The word reports use: unknown, ptx, cubin, lto-ir, tile-ir, index,
// concatenated.
std::string_view word(Kind kind);

// What is odd about a declaration that could be read all the same.
enum class Limitation : std::uint8_t {
  unknown_kind,
  unknown_version,    // entry version other than 0x0101
  unknown_flags,      // a flag bit of unknown meaning
  several_codecs,     // more than one compression bit
  several_suffixes,   // both 'a' and 'f'
  obsolete_cubin,     // kind 4: a text format from before ELF
  name_outside,       // the name does not lie in the header
  options_unreadable, // nor do the options, or they are no compat record
  compressed_outside, // the compressed size is larger than the payload
  part_outside,       // the part does not lie in the decoded payload
  payload_outside,    // the payload does not lie in the container
};

// The word reports use: unknown-kind, several-codecs, …
std::string_view word(Limitation limitation);

// What an entry, or a part of a concatenated entry, says about itself. Raw
// values, and what they mean.
struct Declaration {
  std::uint16_t raw_kind = 0;
  std::uint16_t version = 0; // 0x0101
  // PTX: version of the instruction set. Cubin: 1.<ABI version>. LTO-IR:
  // version of the intermediate language.
  std::uint16_t major = 0;
  std::uint16_t minor = 0;
  std::uint32_t arch = 0; // 90 for sm_90; 0 in a concatenated entry
  std::uint64_t flags = 0;
  std::uint64_t key = 0; // of obfuscated LTO-IR
  std::uint64_t decoded_size = 0;
  std::uint32_t compressed_size = 0;
  std::string name;
  std::string options;           // of the compiler, as written
  std::vector<std::byte> compat; // copy of the cubin's .nv.compat, kFlagCompat
  // What CUDA 12.8 wrote in place of the copy: its records 2, 3 and 5, a byte
  // each.
  std::vector<std::byte> short_compat;
  std::vector<Limitation> limitations; // each at most once

  Kind kind() const;
  bool is_relocatable_ptx() const { return raw_kind == 0x40; }
  Codec codec() const;
  bool is_obfuscated() const { return (flags & kFlagObfuscated) != 0; }
  // 'a', 'f', '\0' for neither; nothing when both are declared.
  std::optional<char> suffix() const;
  bool has(Limitation l) const;
};

// A code object inside the decoded payload of a concatenated entry.
struct Part : Declaration {
  std::uint64_t record_offset = 0; // of its record, in the source
  std::uint64_t offset = 0;        // in the decoded payload
  std::uint64_t size = 0;          // exact
};

struct Entry : Declaration {
  std::uint32_t index = 0;
  std::uint64_t offset = 0; // of the header, in the source
  std::uint32_t header_size = 0;
  std::uint64_t payload_size = 0;    // as stored, padded to 8
  std::vector<Part> parts;           // of a concatenated entry, in their order
  std::optional<Error> parts_damage; // why `parts` ends early

  std::uint64_t payload_offset() const { return offset + header_size; }
  // Of a payload outside the container nothing can be said but where it starts.
  std::uint64_t end() const {
    return payload_offset() +
           (has(Limitation::payload_outside) ? 0 : payload_size);
  }
  // Bytes of the payload to hand to the decoder; never more than the payload.
  std::uint64_t stored_size() const;
  // Size after decoding. Without compression the payload as stored, so a text
  // still has its padding.
  std::uint64_t unpacked_size() const;
};

struct Container {
  std::uint64_t offset = 0;      // of the header, in the source
  std::uint64_t size = 0;        // of all entries, as declared
  std::uint64_t entries_end = 0; // where reading entries ended
  std::vector<Entry> entries;    // those that can be read, in file order
  // Whether the entries end where the header says. A find by content alone is
  // only believed when they do.
  bool ends_exactly = false;
  // Why the entries end early, or why the declared size cannot be true.
  std::optional<Error> damage;
};

// The container at `offset`, which must lie in [offset, end) of `source`. All
// offsets, also those of errors, count in the source. Reads headers through
// small windows, so the cost follows the number of entries only. Errors are
// those of the container's own header: truncated, bad_magic, unsupported
// (another version or header size), and io; all else is Container::damage.
Result<Container> read_container(const Source &source, std::uint64_t offset,
                                 std::uint64_t end, const Limits &limits);

// Whether 16 bytes look like a container's header: for a search by content.
bool plausible_header(Bytes start);

struct Wrapper {
  std::uint64_t offset = 0;  // in the section
  std::uint32_t version = 0; // 1: one container; 2: device-linked
  std::uint64_t address = 0; // of the container; 0 before relocation
  // Version 1: of a file name, usually 0. Version 2: of an array of addresses
  // of the containers that were linked.
  std::uint64_t second = 0;
};

struct Wrappers {
  std::vector<Wrapper> list;
  std::optional<Error> damage; // where reading stopped early
};

// The wrappers of a .nvFatBinSegment section; zero bytes between them are
// padding.
Wrappers read_wrappers(Bytes section);

} // namespace gantry::fatbin

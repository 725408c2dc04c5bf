// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM offload binaries: device images with their properties, which clang puts
// into .llvm.offloading. Layout: offload_binary.cc.
#pragma once

#include "base/decompress.h"

#include <optional>
#include <vector>

namespace gantry::offload_binary {

inline constexpr std::string_view kMagic = "\x10\xff\x10\xad";
inline constexpr std::uint64_t kHeaderMax = 40; // version 3; before: 32
// Where the next one starts when several stand in a row.
inline constexpr std::uint64_t kAlignment = 8;

enum : std::uint16_t { // of Entry::image_kind
  kImageNone = 0,      // not stated
  kImageObject = 1,    // ELF
  kImageBitcode = 2,
  kImageCubin = 3,
  kImageFatbinary = 4,
  kImagePtx = 5,
  kImageSpirv = 6,
};

enum : std::uint32_t { kFlagMetadata = 1 }; // of Entry::flags: no image

struct Header {
  std::uint32_t version = 0;
  std::uint64_t size = 0; // of the whole binary as it is stored
  std::uint64_t entries_offset = 0;
  std::uint64_t entry_count = 0;   // version 1 holds one entry
  std::uint64_t inflated_size = 0; // of the restored whole; 0: not compressed

  bool compressed() const { return inflated_size != 0; }
  std::uint64_t header_size() const { return version < 3 ? 32 : kHeaderMax; }
  // All offsets of entries count in so many bytes.
  std::uint64_t whole_size() const {
    return compressed() ? inflated_size : size;
  }
};

struct Entry {
  std::uint16_t image_kind = 0;   // raw
  std::uint16_t offload_kind = 0; // raw, see offload_kind_words()
  std::uint32_t flags = 0;        // raw
  // Key → value in the order of the table: "triple", "arch", others.
  std::vector<std::pair<std::string, std::string>> strings;
  std::uint64_t image_offset = 0; // in the whole
  std::uint64_t image_size = 0;
  std::uint64_t record_offset = 0;     // of its record, in the whole
  std::optional<Error> strings_damage; // `strings` ends early
  // The image does not lie in the whole; offset and size are then only what
  // the binary says.
  std::optional<Error> image_damage;

  bool metadata_only() const { return (flags & kFlagMetadata) != 0; }
  // The value of the first string of that key; "" none.
  std::string_view find(std::string_view key) const;
};

struct Binary {
  std::vector<Entry> entries;
  // Why `entries` ends early, or that the binary is longer than its region
  // (then what lies outside is damaged, the rest is read).
  std::optional<Error> damage;
  // From its first byte: the header's size if the region has so many bytes,
  // else the end of the last sound part.
  std::uint64_t extent = 0;
};

// "openmp", "cuda", "hip", "sycl", several with "+"; "none"; "0x10" for unknown
// bits. And "object", "bitcode" …, "none", or the number of an unknown kind.
std::string offload_kind_word(std::uint16_t raw);
std::string image_kind_word(std::uint16_t raw);

// Reads and checks the header at the front of `start`; kHeaderMax bytes are
// enough. Whether the binary ends inside its region is not looked at. Errors,
// with offsets from there: bad_magic, truncated, unsupported (version),
// bad_value (sizes, offsets and counts that cannot be).
Result<Header> read_header(Bytes start);

// The codec of a compressed binary by the first bytes behind its header.
Codec body_codec(Bytes body);

// The entries of a binary that is not compressed, starts at `begin` of the
// source and should end before `end` (at most the source's size). Images are
// not read. Errors and damage count from the source's start. Errors: too_large
// (limit records). Damage: truncated, bad_value, too_large, and those of
// reading.
Result<Binary> read(const Source &source, std::uint64_t begin,
                    std::uint64_t end, const Header &header,
                    const Limits &limits);

// What follows the header of a compressed binary (all of its `size` bytes),
// restored into `out`: the first byte is header_size() of the whole. Errors as
// of Decompressor::decode(), with offsets in the binary.
Result<Bytes> inflate(Bytes binary, const Header &header,
                      Decompressor &decompressor, const Limits &limits,
                      Buffer &out);

// The same as read() for the restored bytes; offsets of errors count in the
// whole.
Result<Binary> read_inflated(Bytes body, const Header &header,
                             const Limits &limits);

} // namespace gantry::offload_binary

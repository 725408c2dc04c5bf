// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The index of a kpack archive: which code object for which binary and target
// lies where. Layout: kpack_index.cc.
#pragma once

#include "base/decompress.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gantry::kpack {

inline constexpr std::string_view kMagic = "KPAK";
inline constexpr std::uint64_t kHeaderSize = 16; // fields; blobs start at 64
inline constexpr std::uint64_t kBlobStart = 64;

struct Header {
  std::uint32_t version = 0;    // 1
  std::uint64_t toc_offset = 0; // of the index, from the archive's start
};

// Errors: truncated, bad_magic, unsupported (another version). Offsets count in
// `start`, of which kHeaderSize bytes are enough.
Result<Header> read_header(Bytes start);

// A stretch of stored bytes, counted from the archive's start.
struct Blob {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  bool outside = false; // it does not lie in the archive, or says no place
};

struct Entry {
  std::uint32_t binary = 0;  // in Index::binaries
  std::uint32_t target = 0;  // in Index::targets
  std::uint32_t type = 0;    // in Index::types
  std::uint32_t ordinal = 0; // of its blob; several entries can share one
  std::optional<std::uint64_t> original_size;
  // Of the entry's own map, in Index::metadata.
  std::uint32_t metadata_first = 0, metadata_count = 0;
  // A later entry for the same binary and target counts instead.
  bool replaced = false;
  // The key whose value is missing or cannot be ("ordinal"); "" none. Without a
  // sound ordinal the entry has no blob.
  std::string_view wrong = "";
};

struct Index {
  Header header;
  std::uint64_t end = 0; // of the index, from the archive's start
  std::optional<std::uint64_t> format_version; // as the index repeats it
  std::string group_name;
  std::string arch_family;
  std::vector<std::string> arches; // gfx_arches, as written
  std::string scheme_text; // "none", "zstd-per-kernel"; "" missing: none
  // Of the blobs: none or zstd. Nothing: an unknown scheme; then no blob is
  // known.
  std::optional<Codec> codec;
  std::uint64_t zstd_offset = 0, zstd_size = 0; // the area of zstd frames

  // Texts of entries, in order of appearance. Of equal ones entries name the
  // first.
  std::vector<std::string> binaries; // "lib/libx.so#0"
  std::vector<std::string> targets;  // "gfx90a:xnack+"
  std::vector<std::string> types;    // "hsaco"; "" missing
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<Entry> entries; // in the order of the index
  // By ordinal. With zstd empty until locate_frames().
  std::vector<Blob> blobs;
  // What cannot be read, beside what entries and blobs say of themselves. The
  // first few, with offsets in the source.
  std::vector<Error> damage;
};

// Reads header and index of the archive that begins at `begin` and ends before
// `end` (at most the source's size). Blobs are not read. Errors, with offsets
// in the source: those of read_header(), truncated and bad_value (the index
// lies outside or over the header), too_large (limit table_bytes), bad_value
// (the index is no map), and those of reading.
Result<Index> read_index(const Source &source, std::uint64_t begin,
                         std::uint64_t end, const Limits &limits);

// Finds the zstd frames of an archive, reading one length after the other.
// Fills index.blobs; what ends it early is added to index.damage. Does nothing
// for other schemes.
void locate_frames(const Source &source, std::uint64_t begin,
                   const Limits &limits, Index &index);

// The blob of an entry; null without a sound ordinal, or when there are not so
// many.
const Blob *blob_of(const Index &index, const Entry &entry);

} // namespace gantry::kpack

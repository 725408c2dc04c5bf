// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: kpack archives, sound unless a test says otherwise.
#pragma once

#include "base/test_bytes.h"
#include "base/test_msgpack.h"

namespace gantry::kpack {

struct ArchiveEntry {
  std::string binary = "a#0";
  std::string target = "gfx900";
  std::vector<std::byte> blob = {}; // as stored
  std::string type = "hsaco";
  unsigned original_size = 0; // of zstd
};

// Header and blobs before an index.
inline std::vector<std::byte> archive_around(Bytes blobs, const Packer &index,
                                             std::uint32_t version = 1) {
  Builder b;
  b.text("KPAK").u32(version).u64(64 + blobs.size()).zeros(48).bytes(blobs);
  return b.text(index.str()).take();
}

inline void pack_head(Packer &p, unsigned keys,
                      const std::vector<ArchiveEntry> &entries) {
  p.map(keys).pair("format_version", 1).pair("group_name", "test");
  p.pair("gfx_arch_family", "gfx900X").text("gfx_arches").array(1);
  p.text("gfx900").text("toc").map(static_cast<unsigned>(entries.size()));
  unsigned ordinal = 0;
  for (const ArchiveEntry &e : entries) {
    p.text(e.binary).map(1).text(e.target).map(3).pair("type", e.type);
    p.pair("ordinal", ordinal++);
    p.pair("original_size", e.original_size
                                ? e.original_size
                                : static_cast<unsigned>(e.blob.size()));
  }
}

inline std::vector<std::byte>
plain_archive(const std::vector<ArchiveEntry> &entries) {
  Packer p;
  pack_head(p, 7, entries);
  p.pair("compression_scheme", "none").text("blobs");
  p.array(static_cast<unsigned>(entries.size()));
  Builder blobs;
  for (const ArchiveEntry &e : entries) {
    p.map(2).pair("offset", static_cast<unsigned>(64 + blobs.size()));
    p.pair("size", static_cast<unsigned>(e.blob.size()));
    blobs.bytes(e.blob);
  }
  return archive_around(blobs.bytes(), p);
}

inline std::vector<std::byte>
zstd_archive(const std::vector<ArchiveEntry> &entries) {
  Builder blobs;
  blobs.u32(static_cast<std::uint32_t>(entries.size()));
  for (const ArchiveEntry &e : entries)
    blobs.u32(static_cast<std::uint32_t>(e.blob.size())).bytes(e.blob);
  Packer p;
  pack_head(p, 8, entries);
  p.pair("compression_scheme", "zstd-per-kernel").pair("zstd_offset", 64);
  p.pair("zstd_size", static_cast<unsigned>(blobs.size()));
  return archive_around(blobs.bytes(), p);
}

} // namespace gantry::kpack

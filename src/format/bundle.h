// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang offload bundles: one device image per target behind a table of names.
// Layout: bundle.cc.
#pragma once

#include "base/source.h"

#include <optional>
#include <vector>

namespace gantry::bundle {

inline constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";

struct Entry {
  std::string id; // "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"
  std::uint64_t header_offset =
      0;                    // of its record, from the bundle's first byte
  std::uint64_t offset = 0; // of its image, from the bundle's first byte
  std::uint64_t size = 0;   // 0: an empty image; usual for the host's
  // Set when the image does not lie in the region; offset and size are then
  // only what the bundle says.
  std::optional<Error> damage;
};

struct Bundle {
  std::vector<Entry> entries;    // in the order of the table
  std::optional<Error> damage;   // why `entries` ends early
  std::uint64_t header_size = 0; // magic, count and table, as far as it is read
  std::uint64_t extent = 0; // the header and all images that lie in the region
};

// Reads the table of the bundle that starts at `begin`; it must end, with its
// images, before `end` (which is at most the source's size). Images are not
// read. Errors, with offsets in the source: bad_magic, truncated, bad_value (a
// count that cannot be), too_large (limit records), and those of reading.
// Damage: truncated, bad_value (an id length that cannot be), and those of
// reading.
Result<Bundle> read(const Source &source, std::uint64_t begin,
                    std::uint64_t end, const Limits &limits);

// For a search by content: whether bytes with the magic look like a bundle of
// which `available` bytes exist, and not like a string in a tool. `start` holds
// as many of them as are at hand; kPlausibleBytes decide.
inline constexpr std::uint64_t kPlausibleBytes = 24 + 8 + 24 + 64;
bool plausible_header(Bytes start, std::uint64_t available);

} // namespace gantry::bundle

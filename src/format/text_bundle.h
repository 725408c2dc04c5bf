// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang offload bundles of text files (assembly, LLVM IR, preprocessed source):
// one stretch of lines per target, between comments. Layout: text_bundle.cc.
#pragma once

#include "base/source.h"

#include <optional>
#include <vector>

namespace gantry::text_bundle {

struct Entry {
  std::string id;                  // "hip-amdgcn-amd-amdhsa--gfx90a"
  std::uint64_t marker_offset = 0; // of its START line
  std::uint64_t offset = 0;        // of its text
  std::uint64_t size = 0;
};

struct Bundle {
  std::string_view leader; // of the comments: "#", ";" or "//"
  std::vector<Entry> entries;
  std::optional<Error> damage; // why `entries` ends early
  // Behind the line break of the last END line that was read; the source's size
  // if nothing but white space follows.
  std::uint64_t end = 0;
};

// Whether a file begins with a START line, white space before it aside.
// kProbeBytes of it are enough.
inline constexpr std::uint64_t kProbeBytes = 128;
bool probe(Bytes start);

// Reads the markers of all of the source. Errors: bad_magic (no bundle), and
// those of reading. Damage: truncated (a missing END line), bad_value (an id
// that is too long, an END line of another id, text between entries), too_large
// (limit records).
Result<Bundle> read(const Source &source, const Limits &limits);

} // namespace gantry::text_bundle

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang offload bundles of text files (assembly, LLVM IR, preprocessed source):
// the lines of each target between two comments. Layout: text_bundle.cc.
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
  // No END line (truncated; the text then goes up to the next START line or the
  // end of the file), or one of another id (bad_value).
  std::optional<Error> damage;
};

struct Bundle {
  std::string_view leader; // of the comments: "#", ";" or "//"
  std::vector<Entry> entries;
  // The first of: an END line without START, an id that is too long (bad_value,
  // the line is passed over), limit records (too_large, the rest is not read).
  std::optional<Error> damage;
};

// Whether a file begins with a START line, white space before it aside.
// kProbeBytes of it are enough.
inline constexpr std::uint64_t kProbeBytes = 128;
bool probe(Bytes start);

// Looks for the START and END lines of the first one's leader in all of the
// source. Errors: bad_magic (no bundle), and those of reading.
Result<Bundle> read(const Source &source, const Limits &limits);

} // namespace gantry::text_bundle

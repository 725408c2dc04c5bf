// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference that a kpack-split binary keeps to its archives. Layout:
// kpack_marker.cc.
#pragma once

#include "base/reader.h"

#include <optional>
#include <string>
#include <vector>

namespace gantry::kpack {

inline constexpr std::string_view kMarkerSection = ".rocm_kpack_ref";
inline constexpr std::string_view kMarkerSectionPe = ".kpackrf";
// Real ones have about 100 bytes; runtimes look at so many at most.
inline constexpr std::uint64_t kMarkerMax = 65536;

struct Marker {
  // Relative to the folder of the binary, or absolute; "@GFXARCH@" stands for a
  // target. At least one.
  std::vector<std::string> search_paths;
  std::string kernel_name; // "lib/libx.so": key of the archive, without "#N"
  std::uint64_t size = 0;  // of the marker, in bytes
};

// Reads the marker at the front of `bytes`; what follows it is ignored, and so
// are unknown keys. Errors: truncated, bad_value (not a map, a key missing or
// of the wrong type), too_large (deeper than MessagePack is read).
Result<Marker> read_marker(Bytes bytes, const Limits &limits);

} // namespace gantry::kpack

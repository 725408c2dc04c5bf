// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 24-byte records by which a HIP program names its device code.
// Layout: hip_wrapper.cc.
#pragma once

#include "base/reader.h"

#include <optional>
#include <vector>

namespace gantry::hip {

inline constexpr std::uint32_t kMagicFatbin = 0x48495046; // bytes "FPIH"
inline constexpr std::uint32_t kMagicKpack = 0x4b504948;  // bytes "HIPK"
inline constexpr std::uint64_t kWrapperSize = 24;

struct Wrapper {
  std::uint64_t offset = 0; // of the record, from the start of the input
  std::uint32_t magic = 0;  // kMagicFatbin or kMagicKpack
  std::uint32_t version = 0;
  // Of the bundle or, in a kpack-split file, of the reference to the archive.
  // 0 where a relocation fills it in.
  std::uint64_t address = 0;
  std::uint64_t reserved = 0; // 0 so far

  bool is_kpack() const { return magic == kMagicKpack; }
};

struct Wrappers {
  std::vector<Wrapper> list;
  // The first of what could not be read: a foreign magic (bad_magic), an
  // unknown version (unsupported; its record is listed), a record cut short
  // (truncated).
  std::optional<Error> damage;
};

// All records of a section .hipFatBinSegment (.hipFatB). Zeros between and
// after them are skipped.
Wrappers read_wrappers(Bytes section);

} // namespace gantry::hip

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outline of a Zstandard frame, read without decoding it: how long it is
// and what it decodes to. Layout: zstd_frame.cc.
#pragma once

#include "base/source.h"

#include <optional>

namespace gantry::zstd_frame {

inline constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";

struct Frame {
  std::uint64_t size = 0;                    // encoded, header and checksum too
  std::optional<std::uint64_t> decoded_size; // as the header states it
};

// The frame at `begin`, which must end before `end` (at most the source's
// size). Reads the header of the frame and of each block only. Errors, with
// offsets in the source: bad_magic, truncated, bad_value (a reserved block
// type or bit), and those of reading.
Result<Frame> read(const Source &source, std::uint64_t begin,
                   std::uint64_t end);

} // namespace gantry::zstd_frame

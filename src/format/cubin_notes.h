// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The notes that NVIDIA's tools leave in a cubin. Layout: cubin_notes.cc.
#pragma once

#include "base/reader.h"

#include <optional>
#include <vector>

namespace gantry::cubin {

struct Version {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  bool operator==(const Version &) const = default;
};

// One tool that worked on the object (.note.nv.tkinfo). A device-linked cubin
// holds one per input and one of the linker. Views into the image.
struct ToolNote {
  std::uint32_t version = 0;     // of the note
  std::string_view object;       // file name given to the tool, often empty
  std::string_view tool;         // "ptxas", "nvlink", …
  std::string_view version_text; // "Cuda compilation tools, release 13.0, …"
  std::string_view build;
  std::string_view command_line;
  std::uint64_t offset = 0; // of the note in the image

  std::optional<Version> release() const; // out of version_text
  std::string_view architecture() const;  // "sm_100f" of the command line
};

// .note.nv.cuinfo, or .note.nv.cuver of 12.8 and 12.9.
struct CudaNote {
  std::uint16_t version = 0; // of the note: 2 (cuinfo), 1 (cuver)
  std::uint16_t virtual_sm = 0;
  std::optional<std::uint32_t> api_version; // 130; cuinfo only
  std::uint64_t offset = 0;
};

struct CudaNotes {
  std::vector<ToolNote> tools;
  std::vector<CudaNote> cuda;
  std::vector<Error> damage; // records that cannot be read, the first of them
  std::uint64_t damage_dropped = 0;

  static constexpr std::size_t kKeptDamage = 1000;
  void damaged(Error error);
};

// Adds the records of one note section that starts at `base` in the image.
void read_notes(Bytes section, std::uint64_t base, CudaNotes &out);

} // namespace gantry::cubin

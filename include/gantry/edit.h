// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taking code objects out of files.
//
// Nothing here changes its input. Every file that is written appears complete
// or not at all, and none is ever overwritten.
#pragma once

#include "gantry/inspect.h"

namespace gantry::edit {

struct ExtractOptions {
  // What to extract: `objects` with `expect_sha256`, `targets`, `kinds`; empty
  // lists mean everything. `payload` and `done` are extract's own.
  inspect::Options inspect;
  std::string folder; // created when something is written to it
  // The bytes as they are stored, perhaps compressed, instead of decoded.
  bool stored = false;
  bool dry_run = false; // decode and name, but write nothing
};

// One code object.
struct Extracted {
  std::string id;
  // Below the folder: "lib/libx.so/4cbd50.3.sm_90a.cubin". Member paths are
  // folders; "." and ".." in them are percent-encoded, so that nothing leaves
  // the folder.
  std::string path;
  std::uint64_t size = 0;
  std::string sha256;           // of the bytes written
  std::optional<Error> failure; // it was not written: damaged, exists already
};

struct Extraction {
  inspect::Report report;
  // In the order of the report. After an interrupt those that it kept from
  // being written are only counted.
  std::vector<Extracted> objects;
  std::uint64_t not_reached = 0;
};

// Every file is read back and compared with its digest before it counts. One
// object that fails does not keep the others. Errors: those of inspect::file().
Result<Extraction> extract(const std::string &path,
                           const ExtractOptions &options);

// The same for bytes in memory; `path` is only a name.
Result<Extraction> extract(Bytes bytes, const std::string &path,
                           const ExtractOptions &options);

} // namespace gantry::edit

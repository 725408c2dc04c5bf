// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM bitcode: what a file says about itself before any function. Layout:
// bitcode.cc.
#pragma once

#include "base/reader.h"

#include <optional>
#include <string>
#include <vector>

namespace gantry::bitcode {

// The header that Apple's tools put before a file.
struct Wrapper {
  std::uint32_t version = 0;
  std::uint32_t offset = 0; // of the bitcode
  std::uint32_t size = 0;
  std::uint32_t cpu_type = 0; // Mach-O's
};

// Texts are as written; "" where the module has none.
struct Module {
  std::uint64_t offset = 0; // of its block
  std::string triple;
  std::string data_layout;
  std::string source_file;
  // Of the identification block before it. LLVM before 3.8 writes none.
  std::string producer;               // "LLVM22.1.0"
  std::optional<std::uint64_t> epoch; // 0 so far
};

struct File {
  std::optional<Wrapper> wrapper;
  std::vector<Module> modules; // one, but for files put together
  // Why reading ended early; what was read before is kept. Codes: truncated,
  // bad_value, too_large.
  std::optional<Error> damage;
};

// Function bodies and all other inner blocks are skipped by their lengths.
// Errors: truncated, bad_magic, bad_value (a wrapper that says what cannot
// be). Offsets count in `image`.
Result<File> read(Bytes image, const Limits &limits);

} // namespace gantry::bitcode

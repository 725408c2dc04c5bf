// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files that a command line means.
#pragma once

#include "gantry/base.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace gantry::cli {

inline constexpr std::string_view kStandardInput = "-";

struct InputFile {
  std::string path;
  std::optional<Error> failure; // a folder that cannot be read
};

struct Inputs {
  std::vector<InputFile> files;
  // Whether the command line can mean more than one: several operands, or a
  // folder, however much is in it.
  bool several = false;
};

// Each folder stands for the regular files below it, sorted by their paths;
// symbolic links in it are not followed. Ends early when `stop` says so.
Inputs find_inputs(const std::vector<std::string> &operands,
                   const std::stop_token &stop);

// All of standard input. Errors: too_large (limit member_bytes, or no memory),
// io, interrupted.
Result<std::vector<std::byte>> read_standard_input(const Limits &limits,
                                                   const std::stop_token &stop);

} // namespace gantry::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Completion scripts for shells, out of the tables of the verbs.
#pragma once

#include "cli/verb.h"

#include <string>

namespace gantry::cli {

// What can be offered for a value; empty for files and free text.
std::vector<std::string> offered(ValueKind kind,
                                 std::span<const std::string_view> choices);
inline bool takes_files(ValueKind kind) { return kind == ValueKind::path; }

// One verb's name for scripts: "explain_load" for explain-load.
std::string identifier(std::string_view verb);

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

} // namespace gantry::cli

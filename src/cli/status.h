// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exit statuses of verbs that look at inputs (docs/design.md 5).
#pragma once

#include "cli/verb.h"
#include "gantry/inspect.h"

#include <optional>

namespace gantry::cli {

inline constexpr int kStatusFound = 0;
inline constexpr int kStatusNone = 1;
inline constexpr int kStatusError = 2;
inline constexpr int kStatusSomeFailed = 3;
inline constexpr int kStatusUnknown = 4;

// What became of one input.
enum class Answer {
  found,
  none,    // nothing found, and everything was looked at
  unknown, // nothing found, but not all was looked at
  partial, // not all was looked at, and --strict makes that a failure
  failed,  // could not be read at all
};

// Whether a file has what was looked for: one of the kernels, when they were
// named (`named`: how many of those it has), else a code object that the
// selection takes.
bool is_found(const inspect::Report &report,
              std::optional<std::uint64_t> named);

Answer answer(inspect::Coverage coverage, bool found, bool strict);

// Of all inputs together: error if nothing could be done, else the first that
// any input has of: some failed, none, unknown, found.
int exit_status(std::span<const Answer> answers);

} // namespace gantry::cli

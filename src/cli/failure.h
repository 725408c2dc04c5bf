// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What went wrong, and what to do about it, in words for the user.
#pragma once

#include "gantry/base.h"

#include <span>

namespace gantry::cli {

struct Failure {
  Errc code = Errc::invalid_argument;
  std::string message;
  std::string hint; // may be empty
};

inline std::unexpected<Failure> refuse(std::string message,
                                       std::string hint = {}) {
  return std::unexpected(
      Failure{Errc::invalid_argument, std::move(message), std::move(hint)});
}

// `path` is named where the error does not name its file itself. Made
// printable; a limit that was hit has a hint.
Failure failure_from(const Error &error, const std::string &path = {});

// "did you mean inspect?", or `otherwise` when no candidate is near.
std::string did_you_mean(std::string_view word,
                         std::span<const std::string_view> candidates,
                         std::string_view otherwise);

} // namespace gantry::cli

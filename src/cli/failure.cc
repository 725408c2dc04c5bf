// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/failure.h"

#include "base/text.h"

#include <fmt/core.h>

namespace gantry::cli {

Failure failure_from(const Error &error) {
  return {error.code, error.text(), {}};
}

std::string did_you_mean(std::string_view word,
                         std::span<const std::string_view> candidates,
                         std::string_view otherwise) {
  if (const auto near = closest(word, candidates))
    return fmt::format("did you mean {}?", *near);
  return std::string(otherwise);
}

} // namespace gantry::cli

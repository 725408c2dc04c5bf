// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/failure.h"

#include "base/text.h"

#include <fmt/core.h>

namespace gantry::cli {

namespace {
constexpr std::size_t kPrefix = 3; // shorter words fit too much
}

Failure failure_from(const Error &error, const std::string &path) {
  const std::string text = error.context.empty() && !path.empty()
                               ? Error(error).in(path).text()
                               : error.text();
  Failure failure{error.code, printable(text), {}};
  for (const LimitName &limit : limit_names())
    if (text.find(fmt::format("(limit {})", limit.name)) != text.npos)
      failure.hint = fmt::format("raise it with --budget {}=…", limit.name);
  return failure;
}

std::string did_you_mean(std::string_view word,
                         std::span<const std::string_view> candidates,
                         std::string_view otherwise) {
  std::optional<std::string_view> near;
  // What was cut short comes before what was mistyped: gfx94 is gfx940, not
  // gfx904.
  if (word.size() >= kPrefix)
    for (std::string_view candidate : candidates)
      if (!near && candidate.starts_with(word))
        near = candidate;
  if (!near)
    near = closest(word, candidates);
  return near ? fmt::format("did you mean {}?", *near) : std::string(otherwise);
}

} // namespace gantry::cli

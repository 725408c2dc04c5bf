// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/status.h"

#include <algorithm>

namespace gantry::cli {

bool is_found(const inspect::Report &report,
              std::optional<std::uint64_t> named) {
  return named
             ? *named != 0
             : std::ranges::any_of(report.objects, &inspect::Object::selected);
}

Answer answer(inspect::Coverage coverage, bool found, bool strict) {
  const bool complete = coverage == inspect::Coverage::complete;
  if (strict && !complete)
    return Answer::partial;
  if (found)
    return Answer::found;
  return complete ? Answer::none : Answer::unknown;
}

int exit_status(std::span<const Answer> answers) {
  const auto any = [&](Answer wanted) {
    return std::ranges::find(answers, wanted) != answers.end();
  };
  const bool all_failed = std::ranges::all_of(
      answers, [](Answer one) { return one == Answer::failed; });
  if (all_failed)
    return kStatusError;
  if (any(Answer::failed) || any(Answer::partial))
    return kStatusSomeFailed;
  if (any(Answer::none))
    return kStatusNone;
  if (any(Answer::unknown))
    return kStatusUnknown;
  return kStatusFound;
}

} // namespace gantry::cli

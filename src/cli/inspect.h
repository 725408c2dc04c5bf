// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of `gantry inspect`, understood.
#pragma once

#include "cli/inputs.h"
#include "cli/question.h"

#include <chrono>

namespace gantry::cli {

struct InspectRequest {
  Question question; // its options are complete
  bool strict = false;
  std::string evidence; // path of the record to write, "" none
  std::optional<std::chrono::nanoseconds> timeout;
};

// Reads the record that --from names.
std::expected<InspectRequest, Failure>
inspect_request(const Arguments &arguments);

// Parts of it that other verbs share: --expect-sha256, --from and the digests
// of ids; --budget.
std::expected<void, Failure> take_digest(const Arguments &arguments,
                                         Question &out);
std::expected<void, Failure> take_budgets(const Arguments &arguments,
                                          inspect::Options &options);

// What depends on which files there are: --output and --evidence must not
// replace one, and what is bound to one file needs exactly one.
std::expected<void, Failure> check_inputs(const Arguments &arguments,
                                          const Inputs &inputs);

} // namespace gantry::cli

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

// What depends on which files there are: --output and --evidence must not
// replace one, and what is bound to one file needs exactly one.
std::expected<void, Failure> check_inputs(const Arguments &arguments,
                                          const Inputs &inputs);

} // namespace gantry::cli

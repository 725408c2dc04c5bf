// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of `gantry inspect`, understood.
#pragma once

#include "cli/parse.h"
#include "gantry/report.h"

namespace gantry::cli {

inline constexpr std::string_view kKindWords[] = {
    "cubin", "ptx",        "lto-ir",  "amdgpu", "bitcode",
    "spirv", "sycl-image", "tile-ir", "unknown"};

struct InspectRequest {
  inspect::Options options;
  report::View view; // width and color are the console's affair
};

std::expected<InspectRequest, Failure>
inspect_request(const Arguments &arguments);

} // namespace gantry::cli

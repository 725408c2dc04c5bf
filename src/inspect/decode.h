// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes the payloads that are asked for, each once, on several threads.
#pragma once

#include "base/source.h"
#include "inspect/select.h"
#include "inspect/unit.h"

namespace gantry::inspect {

// Marks what is selected, decodes what the analysis needs and fills the slots.
// Adds to `decoded_bytes` what decoders produced. Errors: no memory, or
// interrupted (what was done until then stands).
Result<void> decode(const Source &source, std::vector<Region> &regions,
                    const Selection &selection, const Options &options,
                    std::uint64_t &decoded_bytes);

// How many threads `options.threads` means.
unsigned thread_count(const Options &options);

} // namespace gantry::inspect

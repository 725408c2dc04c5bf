// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over one input that is looked at as it stands: a file, or the
// unpacked bytes of a member. Packages are opened around it.
#pragma once

#include "base/source.h"
#include "gantry/inspect.h"

namespace gantry::inspect {

struct Allowance; // decode.h

// Checks expect_sha256, and what has to come with Options::objects, for the
// file that the caller named; then, when a digest is expected, reads all of
// `source` and compares. Before any payload is decoded and any member unpacked.
// The file's SHA-256 when it had to be computed, else "". Errors:
// invalid_argument, changed, interrupted, those of the source.
Result<std::string> verify(const Source &source, const Options &options);

// As file() and memory(), with these differences: expect_sha256 is not looked
// at (see verify()); ids, in Options::objects and in the report, count from the
// start of `source`; Usage::bytes_read stays 0. An id of Options::objects that
// is not there is not_found. An interrupt is no error: the report has the
// limitation `interrupted` once and says of each object what is known of it.
// Members of a package share an allowance.
Result<Report> walk(const Source &source, const std::string &path,
                    const Options &options, Allowance *shared = nullptr);

} // namespace gantry::inspect

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What rows of a saved record say about each other.
#pragma once

#include "report/evidence_rows.h"

namespace gantry::report {

// That the claims of a row are what the report gives for it. `except`: fields
// whose other rows the report does not have.
Result<void> check_claims(const EvidenceLine &, const std::vector<Claim> &,
                          Collection, const inspect::Report &, std::size_t row,
                          std::string_view except = {});

// That a container or an object of the report lies inside what it names, and
// the header of a cubin inside its object. Its containers are in the report.
Result<void> check_container(const EvidenceLine &, const inspect::Report &,
                             std::size_t container);
Result<void> check_object(const EvidenceLine &, const inspect::Report &,
                          std::size_t object);

} // namespace gantry::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a collection as text: a table, or a block of lines for each.
#pragma once

#include "report/fields.h"
#include "report/table.h"

namespace gantry::report {

std::string grouped(std::uint64_t value); // "1,296,596,185"
std::string percent(double share);        // "12.7%"

// Those of rows() that a terminal shows.
std::vector<std::size_t> shown_rows(const inspect::Report &, Collection,
                                    const View &);

void write_rows(const inspect::Report &, Collection, const View &, Sink &);

} // namespace gantry::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Internal to format/cubin: finds the kernels of an object and gathers what its
// sections say about each.
#pragma once

#include "format/cubin.h"
#include "format/elf.h"

namespace gantry::cubin {

// Fills kernels, attributes, constants, global_bytes and has_symbols of `out`,
// whose header is there already. `file` reads from `image`; `all_names` says
// whether all of its sections have readable names.
void read_kernels(const elf::File &file, Bytes image, bool all_names,
                  const Limits &limits, Cubin &out);

// Appends the records of an attribute section; false when it could not be read
// to its end. At most `left` records are kept, which it reduces.
bool read_attributes(Bytes section, std::uint64_t offset, std::string_view name,
                     std::uint64_t &left, std::vector<nvinfo::Record> &out,
                     std::vector<Limitation> &limitations,
                     std::optional<std::uint32_t> kernel = std::nullopt);

} // namespace gantry::cubin

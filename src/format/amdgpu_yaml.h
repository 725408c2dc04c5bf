// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The YAML metadata of AMDGPU code object version 2. Layout: amdgpu_yaml.cc.
#pragma once

#include "format/amdgpu_metadata.h"

namespace gantry::amdgpu {

// Like read_metadata(), for the text of a version 2 note.
void read_yaml_metadata(Bytes note, std::uint64_t base, const Limits &limits,
                        Metadata &out, Limitations &limitations);

} // namespace gantry::amdgpu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "input/package.h"

namespace gantry::input {

// Static libraries, thin archives, Debian packages: members are slices of the
// source.
Result<std::unique_ptr<Package>> open_ar(const Source &source,
                                         const Settings &settings);

} // namespace gantry::input

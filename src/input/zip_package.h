// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "input/package.h"

namespace gantry::input {

Result<std::unique_ptr<Package>> open_zip(const Source &source,
                                          const Settings &settings);

} // namespace gantry::input

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where an extracted code object goes.
#pragma once

#include "gantry/inspect.h"

namespace gantry::edit {

// A relative path that stays below its folder, whatever members are called, and
// that no other object has:
//   "lib/x.so!4cbd50.3", sm_90a → "lib/x.so/4cbd50.3.sm_90a.cubin"
// With `stored` the compression follows: "4cbd50.3.sm_90a.cubin.zstd".
std::string object_path(const inspect::Object &object, bool stored = false);

} // namespace gantry::edit

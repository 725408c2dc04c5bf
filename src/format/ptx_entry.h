// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel of PTX, for ptx.cc.
#pragma once

#include "format/ptx.h"
#include "format/ptx_lexer.h"

namespace gantry::ptx {

// What stands before a kernel in its module.
struct Before {
  Linkage linkage = Linkage::internal;
  bool body_parameters = false; // PTX 1.0 to 1.3
  bool dynamic_shared = false;
};

// At .entry. Nothing when it is only declared, has no name, or there is no room
// for it.
std::optional<Kernel> read_entry(Cursor &cursor, const Before &before);

} // namespace gantry::ptx

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work on several threads, with results that do not depend on how many.
#pragma once

#include "gantry/base.h"

#include <functional>

namespace gantry {

// Calls fn(index, worker) once for each index in [0, count), on up to `threads`
// threads of which the caller's is one; `worker` is below max(threads, 1) and
// tells them apart, so that each can have scratch memory of its own. Indices
// are handed out in order. With one thread everything runs in the caller's.
//
// fn keeps its results by index and must not throw; only std::bad_alloc is
// caught: work that has not begun is then dropped and the call fails
// (too_large, offset = the index). When the system gives fewer threads the
// others do the work. All writes of fn are visible when the call returns.
Result<void> parallel_for(
    std::uint64_t count, unsigned threads,
    const std::function<void(std::uint64_t index, unsigned worker)> &fn);

} // namespace gantry

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packages that can only be read from the front: tar, cpio, rpm, 7z, and single
// compressed files.
#pragma once

#include "input/package.h"
#include "input/stream.h"

namespace gantry::input {

// `format` is that of package_format().
Result<std::unique_ptr<Package>> open_stream(const Source &source,
                                             std::string_view format,
                                             std::string_view name,
                                             const Settings &settings);

// All that is left of the present entry, behind what `buffer` has of it.
Result<Content> read_entry(Stream &stream, GrowingBuffer &buffer,
                           const Allowance &allowance);

} // namespace gantry::input

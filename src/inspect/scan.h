// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the magics of containers and code objects among arbitrary bytes.
#pragma once

#include "base/reader.h"

#include <functional>
#include <optional>

namespace gantry::inspect {

enum class Magic : std::uint8_t { fatbin, bundle, ccob, offload_binary, elf };

// So many bytes from a magic on decide whether a header is plausible.
inline constexpr std::uint64_t kLookAhead = 128;

// The kind of container that `start` begins with, by the magic alone.
std::optional<Magic> container_magic(Bytes start);

// Which magic `start` begins with, if its header is plausible too. `available`
// is how many bytes follow in the input from there. ELF: only the machines of
// GPUs.
std::optional<Magic> recognise(Bytes start, std::uint64_t available);

// Calls found(offset) for each place where one of the magics' first four bytes
// stand, at any alignment. The last three bytes cannot start a hit.
void scan(Bytes window, const std::function<void(std::uint64_t)> &found);

} // namespace gantry::inspect

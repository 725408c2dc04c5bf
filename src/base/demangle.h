// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ names as people write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gantry {

// Longer names are answered with "": so are names whose readable form would be
// longer, as a few hundred bytes can stand for gigabytes.
inline constexpr std::size_t kMangledLimit = 8 << 10;
inline constexpr std::size_t kDemangledLimit = 64 << 10;

// "_Z4axpyfPf" is "axpy(float, float*)". The suffix ".kd" of AMD's kernel
// descriptors is dropped. "" for everything that is not a mangled name of the
// Itanium C++ ABI, as are C names and NVIDIA's "$kernel$function". The result
// is as trustworthy as the name: printable() makes it safe for a terminal.
// Needs up to 4 MB of stack for hostile names, a few KB else.
std::string demangle(std::string_view name);

} // namespace gantry

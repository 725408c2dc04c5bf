// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIR-V modules: header, capabilities, entry points and their local sizes.
// Layout: spirv.cc.
#pragma once

#include "base/reader.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace gantry::spirv {

inline constexpr std::uint32_t kMagic = 0x07230203;
inline constexpr std::uint64_t kHeaderSize = 20;

// Execution models that run without a graphics pipeline.
enum : std::uint32_t { kGlCompute = 5, kKernel = 6 };

struct Header {
  bool big_endian = false;
  std::uint32_t raw_version = 0;
  std::uint8_t major = 0, minor = 0;
  std::uint32_t generator = 0; // the tool in the upper, its version in the
                               // lower half
  std::uint32_t bound = 0;     // all ids are below
  std::uint32_t schema = 0;    // 0 so far
};

using Extent3 = std::array<std::uint32_t, 3>;

struct EntryPoint {
  std::uint32_t model = 0; // raw
  std::uint32_t id = 0;    // of its function
  std::string name;
  std::uint32_t interface_count = 0;
  std::uint64_t offset = 0; // of its instruction
  // Execution modes LocalSize and LocalSizeHint. Sizes that specialisation can
  // change are unknown.
  std::optional<Extent3> local_size, local_size_hint;
  std::optional<std::uint32_t> subgroup_size;
  // Of its function, when that is in the module.
  std::optional<std::uint32_t> parameter_count;
};

struct SourceLanguage {
  std::uint32_t language = 0; // raw
  std::uint32_t version = 0;
};

struct Module {
  Header header;
  std::vector<std::uint32_t> capabilities; // raw, in order, each once
  std::vector<std::string> extensions;     // in order, each once
  std::vector<std::string> imports; // sets of extended instructions, each once
  std::optional<std::uint32_t> addressing_model, memory_model; // raw
  std::vector<EntryPoint> entry_points;
  std::vector<SourceLanguage> sources; // each once
  // Why the walk ended early; what stands before is kept. Codes: truncated,
  // bad_value, too_large.
  std::optional<Error> damage;
};

// Errors: truncated, bad_magic.
Result<Header> read_header(Bytes start);
Result<Module> read_module(Bytes image, const Limits &limits);

// Whether the module is AMD's flavour: what amdgcnspirv stands for.
bool is_amd_flavour(const Module &module);

// "Kernel", "Physical64", "OpenCL_C" …; values that are not known as numbers.
std::string capability_name(std::uint32_t value);
std::string execution_model_name(std::uint32_t value);
std::string addressing_model_name(std::uint32_t value);
std::string memory_model_name(std::uint32_t value);
std::string source_language_name(std::uint32_t value);
// "Khronos SPIR-V Tools Assembler"; the version is not part of it.
std::string generator_name(std::uint32_t generator);

} // namespace gantry::spirv

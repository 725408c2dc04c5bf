// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX text: version, targets and kernels of a module. What is read how: ptx.cc.
#pragma once

#include "base/reader.h"

#include <array>
#include <optional>
#include <vector>

namespace gantry::ptx {

// Offsets count in the text, views point into it: both live as long as the
// text that was read.

struct Version {
  std::string_view text; // "8.7"
  std::uint64_t offset = 0;
  std::optional<std::uint32_t> major; // nothing when the text is not M.m
  std::optional<std::uint32_t> minor;
};

// One module-scope .target directive.
struct Target {
  std::string_view name; // "compute_90a", as written
  std::vector<std::string_view> options;
  std::uint64_t offset = 0; // of the directive
  // Of names like sm_90a and compute_90a; nothing for other names.
  std::optional<std::uint32_t> arch;
  std::string_view suffix; // "", "a", "f" or whatever is written there
};

enum class Linkage : std::uint8_t { internal, visible, weak, external };

// The word reports use: internal, visible, weak, extern.
std::string_view word(Linkage linkage);

// What cannot be told of a kernel or of the module.
enum class Gap : std::uint8_t {
  parameter_layout, // sizes or offsets of parameters
  register_count,
  shared_size,
  directive,       // a directive that is not known for kernels
  directive_value, // operands of a known one that cannot be read
};

// The code reports use: "unknown-parameter-layout" …
std::string_view word(Gap gap);

struct Limitation {
  Gap gap = Gap::parameter_layout;
  const char *message = ""; // static
  std::uint64_t offset = 0;
};

struct Parameter {
  std::string_view name; // "" when none is written
  std::string_view type; // "u64"; "" when none is written
  // Nothing from the first parameter on whose size is not known.
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> size;
  // What it points to: "global", "const", "local", "shared", or "generic" for a
  // .ptr without a space; "" without .ptr.
  std::string_view space;
  std::optional<std::uint64_t> pointee_align; // as stated
};

// Registers declared of one type. A vector counts once: 3 for .v4 .b32 %q<3>.
struct Registers {
  std::string_view vector; // "v4"; "" scalar
  std::string_view type;   // "b32"
  std::uint64_t count = 0;
};

// What stands between parameters and body, as written.
struct Directive {
  std::string_view name;     // ".maxntid"
  std::string_view operands; // "128, 1, 1", "\"nounroll\""; "" none
};

using Extent3 = std::array<std::uint32_t, 3>;

// A kernel: an .entry that is defined here. Declarations are no kernels.
struct Kernel {
  std::string_view name;
  Linkage linkage = Linkage::internal;
  std::uint64_t offset = 0; // of .entry in the definition
  // In order; the whole list unless parameters_complete is false.
  std::vector<Parameter> parameters;
  bool parameters_complete = true;
  std::optional<std::uint64_t> parameter_bytes; // without padding at the end
  // Of the body with its inner scopes, in the order of the first declaration.
  std::optional<std::vector<Registers>> registers;
  std::optional<std::uint64_t> shared_bytes; // static, of the body
  // Memory sized at launch is declared in the body or before it in the module.
  bool dynamic_shared = false;
  std::optional<Extent3> max_threads;            // .maxntid
  std::optional<Extent3> required_threads;       // .reqntid
  std::optional<Extent3> cluster;                // .reqnctapercluster
  std::optional<std::uint32_t> register_limit;   // .maxnreg
  std::optional<std::uint32_t> max_cluster_rank; // .maxclusterrank
  std::vector<Directive> directives;             // all of them, in order
  std::vector<Limitation> limitations;           // at most one of each gap
};

struct Module {
  Version version;
  std::vector<Target> targets; // in order; also those after entries
  std::optional<std::uint32_t> address_size;
  // Static shared memory declared outside kernels and functions; it counts for
  // a kernel only when the kernel uses it.
  std::optional<std::uint64_t> shared_bytes;
  bool dynamic_shared = false; // .extern .shared without a size
  std::vector<Kernel> kernels; // in the order of their definitions
  std::uint64_t text_size = 0; // up to the first NUL, or all
  std::vector<Limitation> limitations;
  // The first thing that is wrong with the text. What was read before and
  // after it stands all the same.
  std::optional<Error> damage;
};

// Reads a module's text; a NUL ends it. Error: bad_magic when the first thing
// after comments and white space is not .version.
Result<Module> read_module(Bytes text, const Limits &limits);

// Whether the ISA version is one that this reader was checked against.
bool known(const Version &version);

// The target that counts: the highest number. Nothing without a target, with a
// name that has no number, or when two targets differ in their suffix.
struct EffectiveTarget {
  std::uint32_t arch = 0;
  std::string_view suffix;
};
std::optional<EffectiveTarget> effective_target(const Module &module);

// Whether a text that starts with `start` is PTX. Leading comments may be
// longer than what was read: then more bytes decide, and without any it is
// none.
enum class Probe : std::uint8_t { no, yes, needs_more };
Probe probe(Bytes start);

} // namespace gantry::ptx

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX text: version, targets and kernels of a module. What is read how: ptx.cc.
#pragma once

#include "base/reader.h"

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

enum class Linkage : std::uint8_t { internal, visible, weak };

// The word reports use: internal, visible, weak.
std::string_view word(Linkage linkage);

// A kernel: an .entry that is defined here. Its declarations are merged into
// it; names that are only declared are no kernels of this module.
struct Kernel {
  std::string_view name;
  Linkage linkage = Linkage::internal;
  std::uint64_t offset = 0; // of .entry in the definition
};

struct Module {
  Version version;
  std::vector<Target> targets; // in order; also those after entries
  std::optional<std::uint32_t> address_size;
  std::vector<Kernel> kernels; // in the order of their definitions
  std::uint64_t text_size = 0; // up to the first NUL, or all
  // The first thing that is wrong with the text. What was read before and
  // after it stands all the same.
  std::optional<Error> damage;
};

// Reads a module's text; a NUL ends it. Error: bad_magic when the first thing
// after comments and white space is not .version.
Result<Module> read_module(Bytes text, const Limits &limits);

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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Internal to format/cubin: what records say about a kernel.
#pragma once

#include "format/cubin.h"

namespace gantry::cubin {

// A fact that several records may state. Equal statements are one, different
// ones leave the fact unknown.
template <class T> class Fact {
public:
  void see(const T &value) {
    if (!value_)
      value_ = value;
    else if (*value_ != value)
      conflict_ = true;
  }
  bool conflict() const { return conflict_; }
  bool seen() const { return value_.has_value(); }
  std::optional<T> get() const { return conflict_ ? std::nullopt : value_; }

private:
  std::optional<T> value_;
  bool conflict_ = false;
};

// What sections say about one kernel, before it is settled.
struct Draft {
  Fact<std::uint64_t> shared, local, frame; // bytes
  Fact<std::uint32_t> registers, stack;
  bool has_attributes = false; // an .nv.info.<kernel>
  bool attributes_readable = true;
  bool relocations_readable = true;
  std::uint32_t code_info = 0; // sh_info and sh_flags of the code section
  std::uint64_t code_flags = 0;
};

// Fills the facts of kernel `index` of `cubin` from its attributes and from
// `draft`, with a limitation for each that should be there and is not.
// `all_names`: a section that was not found is known to be absent.
void settle_kernel(Cubin &cubin, std::uint32_t index, const Draft &draft,
                   bool all_names);

} // namespace gantry::cubin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What PTX declares after .param, .reg and .shared, for ptx.cc and
// ptx_entry.cc.
#pragma once

#include "format/ptx.h"
#include "format/ptx_lexer.h"

namespace gantry::ptx {

// 16, 0x10, 0b10000 and 020, each also with a U.
std::optional<std::uint64_t> number(const Token &token);

// The first reason why something is not known.
struct Reason {
  const char *message = nullptr;
  std::uint64_t offset = 0;

  void set(const char *text, std::uint64_t at) {
    if (!message)
      *this = {text, at};
  }
  // Adds the reason, if there is one.
  void to(std::vector<Limitation> &list, Gap gap) const {
    if (message)
      list.push_back({gap, message, offset});
  }
};

// Where one thing after another lies, each aligned.
class Layout {
public:
  // The next one's offset; nothing from the first one on whose size is not
  // known, or that ends beyond what 64 bits can count.
  std::optional<std::uint64_t> place(std::uint64_t align,
                                     std::optional<std::uint64_t> size);
  // Where the last one ends.
  const std::optional<std::uint64_t> &end() const { return end_; }

private:
  std::optional<std::uint64_t> end_ = 0;
};

// What stands between .param, .reg or .shared and the first name.
struct Type {
  std::string_view type;   // "f32", also one that is not known; "" none
  std::string_view vector; // "v4"; "" none
  std::uint64_t size = 0;  // of a whole vector; 0: unknown, or .pred
  std::uint64_t align = 1; // natural, or what .align in front demands if larger
  std::string_view space;  // of what it points to; "" no .ptr
  std::optional<std::uint64_t> pointee_align;
  Reason problem;
};
Type read_type(Cursor &cursor);

// [4][2] after a name.
struct Extents {
  std::uint64_t dimensions = 0;
  bool open = false; // the first is [] or [0]
  // Of all elements; nothing when it is not written in plain numbers.
  std::optional<std::uint64_t> count = 1;
};
Extents read_extents(Cursor &cursor);

// .shared declarations of a module or a body, one after another.
struct Shared {
  Layout layout;
  bool dynamic = false;
  Reason problem; // why layout has no end
};
// At .shared. `external`: .extern stands in front of it.
void read_shared(Cursor &cursor, bool external, Shared &shared);

// .reg declarations of a body.
struct RegisterList {
  std::vector<Registers> list;
  Reason problem; // why the list is not to be trusted
};
// At .reg.
void read_registers(Cursor &cursor, RegisterList &registers);

} // namespace gantry::ptx

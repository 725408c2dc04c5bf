// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// YAML as LLVM's writer puts it, for metadata that is kept in it. Subset:
// yaml.cc.
#pragma once

#include "base/reader.h"

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace gantry::yaml {

enum class Kind : std::uint8_t { scalar, sequence, map };

// "a scalar", …: for messages.
std::string_view word(Kind kind);

// In pre-order: the children follow, `next` is the node after them.
struct Node {
  Kind kind = Kind::scalar;
  bool quoted = false;
  std::string_view key;     // in a map
  std::string_view text;    // of a scalar, quotes and escapes replaced
  std::uint64_t offset = 0; // of the value in the text
  std::size_t next = 0;

  // Nothing stands where a value should.
  bool empty() const { return kind == Kind::scalar && !quoted && text.empty(); }
};

// Texts are views into the input, or into `owned` where escapes were replaced.
// With `damage` the document ends before what could not be read: bad_value,
// truncated, unsupported (other YAML), too_large (deeper than kMaxDepth; more
// than note_bytes of nodes).
struct Document {
  std::vector<Node> nodes;
  std::shared_ptr<std::deque<std::string>> owned;
  std::optional<Error> damage;

  // Calls f(const Node &, index) for the children of a node.
  template <class F> void each(std::size_t parent, F f) const {
    for (std::size_t i = parent + 1; i < nodes[parent].next; i = nodes[i].next)
      f(nodes[i], i);
  }
};

inline constexpr std::uint32_t kMaxDepth = 16;

// The first document of the text, which ends at a NUL.
Document parse(std::string_view text, const Limits &limits);

} // namespace gantry::yaml

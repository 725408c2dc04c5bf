// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MessagePack as a flat tree, for formats that keep their facts in it.
//
//   Parsed p = msgpack::parse(bytes, limits);
//   p.document.root().each_pair([&](Value key, Value value) { … });
#pragma once

#include "base/reader.h"

#include <optional>
#include <vector>

namespace gantry::msgpack {

enum class Kind : std::uint8_t {
  nil,
  boolean,
  integer,  // zero or positive
  negative, // below zero
  real,     // 32 or 64 bit
  text,     // str, and the raw of older writers
  binary,
  extension,
  array,
  map,
};

// "integer", "text", …: for messages.
std::string_view word(Kind kind);

// One value, in pre-order: the children of an array or map follow it, a map's
// as key, value, key, value. What `size` and `bits` hold depends on the kind.
struct Node {
  Kind kind = Kind::nil;
  std::uint32_t size = 0; // bytes of text, elements of an array, pairs of a map
  std::uint64_t bits = 0; // the number; offset of text; node after an array/map
};

class Value;

// A document and the input it views, which must outlive it.
struct Document {
  Bytes input;
  std::vector<Node> nodes;
  std::uint64_t end = 0; // where the document ends in the input

  bool empty() const { return nodes.empty(); }
  Value root() const; // only when !empty()
};

// A place in a Document, which must stay where it is. Cheap to copy.
class Value {
public:
  Value(const Document &document, std::size_t index)
      : document_(&document), index_(index) {}

  Kind kind() const { return node().kind; }

  // Nothing when the value is of another kind or does not fit.
  std::optional<bool> boolean() const;
  std::optional<std::uint64_t> unsigned_integer() const {
    return kind() == Kind::integer ? std::optional(node().bits) : std::nullopt;
  }
  std::optional<std::int64_t> signed_integer() const;
  std::optional<double> real() const;
  // str and bin alike: old writers know one kind for both.
  std::optional<std::string_view> text() const {
    if (kind() != Kind::text && kind() != Kind::binary)
      return std::nullopt;
    return as_text(document_->input.subspan(node().bits, node().size));
  }

  // Elements of an array, pairs of a map; 0 for all others.
  std::uint32_t count() const { return is_nested() ? node().size : 0; }
  // The value for a text key of a map, the first one when it is repeated.
  std::optional<Value> find(std::string_view key) const;

  // Calls f(Value) for the elements of an array, in order; no array, no call.
  template <class F> void each(F f) const {
    if (kind() != Kind::array)
      return;
    Value v(*document_, index_ + 1);
    for (std::uint32_t i = 0; i < node().size; i++, v = v.next())
      f(v);
  }

  // Calls f(Value key, Value value) for the pairs of a map.
  template <class F> void each_pair(F f) const {
    if (kind() != Kind::map)
      return;
    Value key(*document_, index_ + 1);
    for (std::uint32_t i = 0; i < node().size; i++) {
      Value value = key.next();
      f(key, value);
      key = value.next();
    }
  }

private:
  const Node &node() const { return document_->nodes[index_]; }
  bool is_nested() const {
    return kind() == Kind::array || kind() == Kind::map;
  }
  Value next() const {
    return {*document_, is_nested() ? std::size_t(node().bits) : index_ + 1};
  }

  const Document *document_;
  std::size_t index_;
};

inline constexpr std::uint32_t kMaxDepth = 32;

// Always a sound tree. With `damage` it ends before the damaged value: arrays
// and maps that were open hold what had been read of them. Damage codes:
// truncated, bad_value (a byte that starts nothing), too_large (deeper than
// kMaxDepth; more than note_bytes of nodes). The offset is that of the field
// that cannot be read.
// Bytes after the document are no damage: document.end tells.
struct Parsed {
  Document document;
  std::optional<Error> damage;
};

Parsed parse(Bytes input, const Limits &limits);

} // namespace gantry::msgpack

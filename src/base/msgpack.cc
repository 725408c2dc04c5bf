// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decoding is msgpack-cxx's (its visitor parser, which allocates nothing
// but one word per open array or map); this file limits it and makes the tree.

#include "base/msgpack.h"

// The library needs Boost only for variants, which are not used here.
#define MSGPACK_NO_BOOST
#include <msgpack/null_visitor.hpp>
#include <msgpack/unpack.hpp>

#include <algorithm>
#include <bit>
#include <exception>

namespace gantry::msgpack {

namespace {

// Called by the library for every value. Returning false stops it.
class TreeBuilder : public ::msgpack::null_visitor {
public:
  TreeBuilder(Document &document, std::uint64_t max_nodes)
      : nodes_(document.nodes), base_(as_text(document.input).data()),
        max_nodes_(max_nodes) {
    open_.reserve(kMaxDepth);
  }

  bool visit_nil() { return add(Kind::nil, 0, 0); }
  bool visit_boolean(bool v) { return add(Kind::boolean, 0, v); }
  bool visit_positive_integer(std::uint64_t v) {
    return add(Kind::integer, 0, v);
  }
  // Also called for signed encodings of positive numbers.
  bool visit_negative_integer(std::int64_t v) {
    return add(v < 0 ? Kind::negative : Kind::integer, 0,
               static_cast<std::uint64_t>(v));
  }
  bool visit_float32(float v) { return visit_float64(v); }
  bool visit_float64(double v) {
    return add(Kind::real, 0, std::bit_cast<std::uint64_t>(v));
  }
  bool visit_str(const char *v, std::uint32_t n) {
    return add_text(Kind::text, v, n);
  }
  bool visit_bin(const char *v, std::uint32_t n) {
    return add_text(Kind::binary, v, n);
  }
  bool visit_ext(const char *v, std::uint32_t n) {
    return add_text(Kind::extension, v, n);
  }
  bool start_array(std::uint32_t) { return open(Kind::array); }
  bool start_map(std::uint32_t) { return open(Kind::map); }
  bool end_array_item() {
    open_.back().done++;
    return true;
  }
  bool end_array() { return close(); }
  bool start_map_key() {
    open_.back().key = nodes_.size();
    open_.back().in_key = true;
    return true;
  }
  bool start_map_value() {
    open_.back().in_key = false;
    return true;
  }
  bool end_map_value() {
    open_.back().done++;
    return true;
  }
  bool end_map() { return close(); }
  void parse_error(std::size_t, std::size_t at) {
    damage = {Errc::bad_value, at, "MessagePack: type byte", {}};
  }
  void insufficient_bytes(std::size_t, std::size_t at) {
    damage = {Errc::truncated, at, "MessagePack value", {}};
  }

  // After damage: everything that is still open ends here. An array or map that
  // was being read counts as an element of the one around it; a key whose value
  // was not reached is taken back.
  void cut() {
    bool inner = false; // an array or map inside this one was being read
    while (!open_.empty()) {
      Frame &f = open_.back();
      if (nodes_[f.node].kind == Kind::array || (!f.in_key && inner))
        f.done += inner ? 1 : 0;
      else
        nodes_.resize(f.key);
      close();
      inner = true;
    }
  }

  Error damage;

private:
  // An array or map whose elements are being read.
  struct Frame {
    std::size_t node = 0;
    std::uint32_t done = 0; // complete elements or pairs
    bool in_key = true;
    std::size_t key = 0; // where the current pair starts
  };

  bool add(Kind kind, std::uint32_t size, std::uint64_t bits) {
    if (nodes_.size() >= max_nodes_) {
      damage = {
          Errc::too_large, 0, "MessagePack values (limit note_bytes)", {}};
      return false;
    }
    nodes_.push_back({kind, size, bits});
    return true;
  }
  bool add_text(Kind kind, const char *v, std::uint32_t n) {
    return add(kind, n, n == 0 ? 0 : static_cast<std::uint64_t>(v - base_));
  }
  bool open(Kind kind) {
    if (open_.size() >= kMaxDepth) {
      damage = {Errc::too_large, 0, "MessagePack depth", {}};
      return false;
    }
    if (!add(kind, 0, 0))
      return false;
    open_.push_back({nodes_.size() - 1, 0, true, nodes_.size()});
    return true;
  }
  bool close() {
    Node &n = nodes_[open_.back().node];
    n.size = open_.back().done;
    n.bits = nodes_.size();
    open_.pop_back();
    return true;
  }

  std::vector<Node> &nodes_;
  const char *base_;
  std::uint64_t max_nodes_;
  std::vector<Frame> open_;
};

} // namespace

std::string_view word(Kind kind) {
  switch (kind) {
  case Kind::nil:
    return "nil";
  case Kind::boolean:
    return "boolean";
  case Kind::integer:
  case Kind::negative:
    return "integer";
  case Kind::real:
    return "real";
  case Kind::text:
    return "text";
  case Kind::binary:
    return "binary";
  case Kind::extension:
    return "extension";
  case Kind::array:
    return "array";
  case Kind::map:
    return "map";
  }
  return "unknown";
}

Value Document::root() const { return Value(*this, 0); }

std::optional<bool> Value::boolean() const {
  if (kind() != Kind::boolean)
    return std::nullopt;
  return node().bits != 0;
}

std::optional<std::int64_t> Value::signed_integer() const {
  auto v = static_cast<std::int64_t>(node().bits);
  if (kind() == Kind::negative || (kind() == Kind::integer && v >= 0))
    return v;
  return std::nullopt;
}

std::optional<double> Value::real() const {
  if (kind() != Kind::real)
    return std::nullopt;
  return std::bit_cast<double>(node().bits);
}

std::optional<Value> Value::find(std::string_view wanted) const {
  std::optional<Value> found;
  each_pair([&](Value key, Value value) {
    if (!found && key.text() == wanted)
      found = value;
  });
  return found;
}

Parsed parse(Bytes input, const Limits &limits) {
  Parsed out;
  out.document.input = input;
  std::uint64_t max_nodes =
      std::min<std::uint64_t>(limits.note_bytes / sizeof(Node), UINT32_MAX - 1);
  TreeBuilder builder(out.document, max_nodes);
  std::size_t end = 0;
  bool whole = false;
  try {
    // Real documents have a value in about eight bytes; the input's own size
    // and a constant bound what is taken in advance.
    out.document.nodes.reserve(
        std::min<std::uint64_t>({input.size() / 8, max_nodes, 1 << 20}));
    whole = ::msgpack::parse(as_text(input).data(), input.size(), end, builder);
  } catch (const std::exception &) {
    builder.damage = {Errc::too_large, end, "MessagePack: out of memory", {}};
  }
  if (!whole) {
    builder.cut();
    // The builder's own refusals do not know where they happened.
    if (builder.damage.code == Errc::too_large)
      builder.damage.offset = end;
    out.damage = std::move(builder.damage);
  }
  out.document.end = end;
  return out;
}

} // namespace gantry::msgpack

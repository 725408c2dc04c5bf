// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations of PTX:
//
//   .param  [.align N] .type [.ptr [.space]] [.align N] name [extent]
//   .reg    [.vN] .type name [<N>], …
//   .shared [.align N] [.vN] .type name [extent]…, …
//
// Each thing has its natural alignment (a vector its size), or the one that
// .align in front of the type demands if that is larger. Behind the type, and
// so behind .ptr, .align is that of what a parameter points to. Observed with
// ptxas 13.0 and 13.5: offsets and sizes in their cubins are those computed
// here.

#include "format/ptx_declare.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace gantry::ptx {

namespace {

struct Scalar {
  std::string_view name;
  std::uint64_t size; // 0: predicates have none
};
constexpr Scalar kScalars[] = {
    {"b8", 1},   {"b16", 2},    {"b32", 4},  {"b64", 8}, {"b128", 16},
    {"u8", 1},   {"u16", 2},    {"u32", 4},  {"u64", 8}, {"s8", 1},
    {"s16", 2},  {"s32", 4},    {"s64", 8},  {"f16", 2}, {"f16x2", 4},
    {"bf16", 2}, {"bf16x2", 4}, {"tf32", 4}, {"f32", 4}, {"f64", 8},
    {"pred", 0},
};

constexpr Scalar kVectors[] = {{"v2", 2}, {"v4", 4}, {"v8", 8}};

const Scalar *find(std::span<const Scalar> table, std::string_view name) {
  auto it = std::ranges::find(table, name, &Scalar::name);
  return it == table.end() ? nullptr : &*it;
}

bool is_space(std::string_view name) {
  return name == "global" || name == "const" || name == "local" ||
         name == "shared";
}

// Nothing when it does not fit into 64 bits.
std::optional<std::uint64_t> product(std::optional<std::uint64_t> a,
                                     std::optional<std::uint64_t> b) {
  if (!a || !b || (*b != 0 && *a > UINT64_MAX / *b))
    return std::nullopt;
  return *a * *b;
}

// At .align.
void read_align(Cursor &c, Type &t) {
  c.advance();
  auto n = number(c.at());
  if (!n || !std::has_single_bit(*n))
    t.problem.set("an alignment is no power of two", c.at().offset);
  else if (t.type.empty())
    t.align = std::max(t.align, *n);
  else
    t.pointee_align = *n;
  if (c.is(TokenKind::number))
    c.advance();
}

// At .ptr, behind which its space may stand.
void read_pointer(Cursor &c, Type &t) {
  c.advance();
  t.space = "generic";
  std::string_view word = c.at().text;
  if (c.is(TokenKind::directive) && is_space(word.substr(1))) {
    t.space = word.substr(1);
    c.advance();
  }
}

// One qualifier without operands.
void read_word(Cursor &c, Type &t, std::uint64_t &lanes) {
  std::string_view word = c.at().text.substr(1);
  const Scalar *vector = find(kVectors, word), *scalar = find(kScalars, word);
  if (vector && t.vector.empty()) {
    t.vector = word;
    lanes = vector->size;
  } else if (t.type.empty()) {
    t.type = word;
    t.size = scalar ? scalar->size : 0;
    if (!scalar)
      t.problem.set("a type is not known", c.at().offset);
  } else {
    t.problem.set("a qualifier is not known", c.at().offset);
  }
  c.advance();
}

void count(RegisterList &registers, const Type &t, std::uint64_t n,
           std::uint64_t offset) {
  auto it = std::ranges::find_if(registers.list, [&](const Registers &r) {
    return r.vector == t.vector && r.type == t.type;
  });
  if (it == registers.list.end())
    it = registers.list.insert(it, {t.vector, t.type, 0});
  if (it->count > UINT64_MAX - n)
    registers.problem.set("the registers are too many", offset);
  else
    it->count += n;
}

// The number of registers that a name with <N> stands for.
std::optional<std::uint64_t> read_range(Cursor &c) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  if (!c.is('<'))
    return 1;
  c.advance();
  auto n = number(c.at());
  c.advance();
  if (!n || *n > kMost || !c.is('>'))
    return std::nullopt;
  c.advance();
  return n;
}

} // namespace

std::optional<std::uint64_t> number(const Token &token) {
  std::string_view text = token.text;
  if (token.kind != TokenKind::number)
    return std::nullopt;
  if (text.ends_with('U'))
    text.remove_suffix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X"))
    base = 16;
  else if (text.starts_with("0b") || text.starts_with("0B"))
    base = 2;
  else if (text.starts_with('0'))
    base = 8;
  if (base == 16 || base == 2)
    text.remove_prefix(2);
  std::uint64_t value = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stop != end)
    return std::nullopt;
  return value;
}

std::optional<std::uint64_t> Layout::place(std::uint64_t align,
                                           std::optional<std::uint64_t> size) {
  std::optional<std::uint64_t> at = end_;
  end_.reset();
  if (!at || !size || *at > UINT64_MAX - (align - 1))
    return std::nullopt;
  at = (*at + (align - 1)) & ~(align - 1);
  if (*size > UINT64_MAX - *at)
    return std::nullopt;
  end_ = *at + *size;
  return at;
}

Type read_type(Cursor &c) {
  Type t;
  std::uint64_t lanes = 1;
  while (c.is(TokenKind::directive)) {
    if (c.is(".align")) {
      read_align(c, t);
    } else if (c.is(".ptr") && !t.type.empty() && t.space.empty()) {
      read_pointer(c, t);
    } else if (c.is(".attribute")) {
      c.advance();
      if (c.is('(')) {
        c.advance();
        c.leave_group('(', ')');
      }
    } else {
      read_word(c, t, lanes);
    }
  }
  if (t.type.empty())
    t.problem.set("a declaration without a type", c.at().offset);
  t.size *= lanes;
  t.align = std::max(t.align, t.size);
  return t;
}

Extents read_extents(Cursor &c) {
  Extents out;
  while (c.is('[')) {
    c.advance();
    std::optional<std::uint64_t> n = 0;
    if (!c.is(']')) {
      n = number(c.at());
      c.advance();
    }
    if (!c.is(']'))
      n.reset();
    if (n == 0 && out.dimensions == 0)
      out.open = true;
    out.count = n == 0 ? std::nullopt : product(out.count, n);
    out.dimensions++;
    c.leave_group('[', ']');
  }
  return out;
}

void read_shared(Cursor &c, bool external, Shared &shared) {
  c.advance();
  Type t = read_type(c);
  if (t.size == 0)
    t.problem.set("shared memory of a type without a size", c.at().offset);
  if (!t.space.empty() || t.pointee_align)
    t.problem.set("a qualifier is not known", c.at().offset);
  while (c.is(TokenKind::word)) {
    const std::uint64_t offset = c.at().offset;
    c.advance();
    Extents extents = read_extents(c);
    if (external && extents.open) {
      shared.dynamic = true;
    } else {
      auto size =
          t.problem.message ? std::nullopt : product(t.size, extents.count);
      if (!shared.layout.place(t.align, size))
        shared.problem.set(t.problem.message ? t.problem.message
                                             : "an extent is no plain number",
                           offset);
    }
    if (!c.is(','))
      break;
    c.advance();
  }
  if (!c.is(';')) {
    shared.layout.place(1, std::nullopt);
    shared.problem.set("a declaration of shared memory cannot be read",
                       c.at().offset);
  }
}

void read_registers(Cursor &c, RegisterList &registers) {
  c.advance();
  Type t = read_type(c);
  if (t.problem.message)
    registers.problem.set(t.problem.message, t.problem.offset);
  while (c.is(TokenKind::word)) {
    const std::uint64_t offset = c.at().offset;
    c.advance();
    auto n = read_range(c);
    if (!n)
      registers.problem.set("a number of registers cannot be read", offset);
    else if (!t.problem.message)
      count(registers, t, *n, offset);
    if (!c.is(','))
      break;
    c.advance();
  }
  if (!c.is(';'))
    registers.problem.set("a declaration of registers cannot be read",
                          c.at().offset);
}

} // namespace gantry::ptx

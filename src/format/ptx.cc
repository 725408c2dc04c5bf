// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX text, as NVIDIA's "PTX ISA" describes it and ptxas 13.0 accepts it:
//
//   .version 8.7
//   .target sm_90a, debug        once or more; not only at the top
//   .address_size 64
//   [.visible|.weak] .entry name ( parameters ) directives { body }
//   .entry name ( parameters );  a declaration, as is every .extern .entry
//
// Anything else at module scope (functions, variables, debug sections) is
// passed over. Comments (// and /* */) may stand between any two tokens.
// Strings know no escapes. A .pragma between parameters and body has a
// semicolon of its own. ptxas refuses a text in which a kernel is declared and
// not defined, so a declaration alone is no kernel.

#include "format/ptx.h"

#include "format/ptx_lexer.h"

#include <algorithm>
#include <charconv>

namespace gantry::ptx {

namespace {

constexpr std::string_view kFirst = ".version";

std::optional<std::uint32_t> decimal(std::string_view text) {
  std::uint32_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

// sm_90a and compute_90a: 90 and "a".
void parse_name(Target &t) {
  for (std::string_view prefix : {"sm_", "compute_"}) {
    if (!t.name.starts_with(prefix))
      continue;
    std::string_view rest = t.name.substr(prefix.size());
    std::size_t digits =
        std::min(rest.find_first_not_of("0123456789"), rest.size());
    t.arch = decimal(rest.substr(0, digits));
    if (t.arch)
      t.suffix = rest.substr(digits);
  }
}

// Text up to the first NUL.
std::string_view cut(Bytes text) {
  std::string_view all = as_text(text);
  return all.substr(0, all.find('\0'));
}

// Each read_ function starts at its directive and leaves token_ at the first
// token that it does not understand.
class Parser {
public:
  Parser(std::string_view text, const Limits &limits)
      : lexer_(text), room_(limits.records) {
    module_.text_size = text.size();
  }

  Result<Module> read() {
    advance();
    if (!token_.is(kFirst))
      return fail(Errc::bad_magic, token_.offset, "PTX: first directive");
    read_version();
    while (token_.kind != TokenKind::end)
      read_statement();
    drop_doubles();
    module_.damage = lexer_.damage();
    return std::move(module_);
  }

private:
  void advance() { token_ = lexer_.next(); }

  // Whether one more record may be kept.
  bool take() {
    if (room_ == 0) {
      lexer_.note(Errc::too_large, token_.offset, "too many (limit records)");
      return false;
    }
    room_--;
    return true;
  }

  // After `open`, which is token_.
  void skip_block(char open, char close) {
    lexer_.skip_block(open, close, token_.offset);
    advance();
  }

  void read_statement() {
    if (token_.kind == TokenKind::directive) {
      if (token_.is(".target"))
        return read_target();
      if (token_.is(".entry"))
        return read_entry();
      if (token_.is(".address_size"))
        return read_address_size();
      if (token_.is(".visible"))
        linkage_ = Linkage::visible;
      else if (token_.is(".weak"))
        linkage_ = Linkage::weak;
    } else if (token_.is('{')) {
      linkage_ = Linkage::internal;
      return skip_block('{', '}');
    } else if (token_.is('(')) {
      return skip_block('(', ')');
    } else if (token_.is(';')) {
      linkage_ = Linkage::internal;
    } else if (token_.is('}') || token_.is(')')) {
      lexer_.note(Errc::bad_value, token_.offset, "end without a block");
    }
    advance();
  }

  void read_version() {
    module_.version.offset = token_.offset;
    advance();
    if (token_.kind != TokenKind::number)
      return lexer_.note(Errc::bad_value, token_.offset, "version");
    Version &v = module_.version;
    v.text = token_.text;
    std::size_t dot = v.text.find('.');
    if (dot != v.text.npos) {
      v.major = decimal(v.text.substr(0, dot));
      v.minor = decimal(v.text.substr(dot + 1));
    }
    if (!v.major || !v.minor) {
      v.major = v.minor = std::nullopt;
      lexer_.note(Errc::bad_value, token_.offset, "version");
    }
    advance();
  }

  void read_target() {
    Target t;
    t.offset = token_.offset;
    advance();
    if (token_.kind != TokenKind::word)
      return lexer_.note(Errc::bad_value, token_.offset, "target");
    t.name = token_.text;
    parse_name(t);
    advance();
    while (token_.is(',')) {
      advance();
      if (token_.kind != TokenKind::word) {
        lexer_.note(Errc::bad_value, token_.offset, "target option");
        break;
      }
      if (take())
        t.options.push_back(token_.text);
      advance();
    }
    if (take())
      module_.targets.push_back(std::move(t));
  }

  void read_address_size() {
    advance();
    if (auto size = decimal(token_.text)) {
      module_.address_size = size;
      return advance();
    }
    lexer_.note(Errc::bad_value, token_.offset, "address size");
  }

  void read_entry() {
    Kernel k;
    k.linkage = std::exchange(linkage_, Linkage::internal);
    k.offset = token_.offset;
    advance();
    if (token_.kind != TokenKind::word)
      return lexer_.note(Errc::bad_value, token_.offset, "entry name");
    k.name = token_.text;
    advance();
    if (token_.is('('))
      skip_block('(', ')');
    read_entry_directives();
    if (token_.is('{')) {
      if (take())
        module_.kernels.push_back(k);
      skip_block('{', '}');
    } else if (token_.is(';')) {
      advance();
    } else {
      lexer_.note(Errc::bad_value, token_.offset, "entry without a body");
    }
  }

  // What stands between the parameters and the body, or the semicolon of a
  // declaration.
  void read_entry_directives() {
    while (token_.kind != TokenKind::end && !token_.is('{') &&
           !token_.is(';') && !starts_statement()) {
      if (token_.is(".pragma")) {
        do
          advance();
        while (token_.kind == TokenKind::string || token_.is(','));
        if (!token_.is(';'))
          continue;
      }
      advance();
    }
  }

  bool starts_statement() const {
    static constexpr std::string_view kStarts[] = {
        ".entry", ".func", ".visible", ".weak", ".extern", ".target"};
    return std::ranges::find(kStarts, token_.text) != std::end(kStarts);
  }

  // A name stands for one kernel; ptxas refuses a second definition.
  void drop_doubles() {
    std::vector<Kernel> &all = module_.kernels;
    std::vector<std::uint32_t> order(all.size());
    for (std::uint32_t i = 0; i < order.size(); i++)
      order[i] = i;
    std::ranges::sort(
        order, {}, [&](std::uint32_t i) { return std::pair(all[i].name, i); });
    bool any = false;
    std::string_view first;
    for (std::uint32_t i : order) {
      if (all[i].name == first) {
        lexer_.note(Errc::bad_value, all[i].offset, "kernel defined twice");
        all[i].name = {};
        any = true;
      } else {
        first = all[i].name;
      }
    }
    if (any)
      std::erase_if(all, [](const Kernel &k) { return k.name.empty(); });
  }

  Lexer lexer_;
  std::uint64_t room_;
  Token token_;
  Linkage linkage_ = Linkage::internal; // in front of the next declaration
  Module module_;
};

} // namespace

std::string_view word(Linkage linkage) {
  switch (linkage) {
  case Linkage::internal:
    return "internal";
  case Linkage::visible:
    return "visible";
  case Linkage::weak:
    return "weak";
  }
  return "unknown";
}

Result<Module> read_module(Bytes text, const Limits &limits) {
  return Parser(cut(text), limits).read();
}

std::optional<EffectiveTarget> effective_target(const Module &module) {
  std::optional<EffectiveTarget> out;
  for (const Target &t : module.targets) {
    if (!t.arch || (out && out->suffix != t.suffix))
      return std::nullopt;
    if (!out || *t.arch > out->arch)
      out = EffectiveTarget{*t.arch, t.suffix};
  }
  return out;
}

Probe probe(Bytes start) {
  std::string_view text = cut(start);
  const bool ended = text.size() != start.size();
  Lexer lexer(text);
  Token token = lexer.next();
  const bool at_end = token.offset + token.text.size() == text.size();
  if (!ended && at_end && (kFirst.starts_with(token.text) || token.is('/')))
    return Probe::needs_more;
  return token.is(kFirst) ? Probe::yes : Probe::no;
}

} // namespace gantry::ptx

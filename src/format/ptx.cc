// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX text, as NVIDIA's "PTX ISA" describes it and ptxas 13.0 and 13.5 accept
// it:
//
//   .version 8.7
//   .target sm_90a, debug        once or more; not only at the top
//   .address_size 64
//   .shared .align 4 .b8 s[100];        static shared memory of the module
//   .extern .shared .align 16 .b8 d[];  its size is chosen at launch
//   [.visible|.weak] .entry …           a kernel: ptx_entry.cc
//   .extern .entry …                    a declaration
//
// Anything else at module scope (functions, variables, debug sections) is
// passed over. Comments (// and /* */) may stand between any two tokens.
// Strings know no escapes. A kernel that is only declared is no kernel of this
// module: where it is called, another module defines it. .extern .shared with a
// size is placed by ptxas like any other.

#include "format/ptx.h"

#include "format/ptx_declare.h"
#include "format/ptx_entry.h"

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

class Parser {
public:
  Parser(std::string_view text, const Limits &limits) : c_(text, limits) {
    module_.text_size = text.size();
  }

  Result<Module> read() {
    if (!c_.is(kFirst))
      return fail(Errc::bad_magic, c_.at().offset, "PTX: first directive");
    read_version();
    while (!c_.is(TokenKind::end))
      read_statement();
    drop_doubles();
    module_.shared_bytes = shared_.layout.end();
    module_.dynamic_shared = shared_.dynamic;
    shared_.problem.to(module_.limitations, Gap::shared_size);
    module_.damage = c_.damage();
    return std::move(module_);
  }

private:
  void read_statement() {
    if (c_.is(TokenKind::directive))
      return read_directive();
    if (c_.is('{') || c_.is(';'))
      linkage_ = Linkage::internal;
    if (c_.is('{'))
      return c_.skip_block('{', '}');
    if (c_.is('('))
      return c_.skip_block('(', ')');
    if (c_.is('}') || c_.is(')'))
      c_.note(Errc::bad_value, "end without a block");
    c_.advance();
  }

  void read_directive() {
    if (c_.is(".target"))
      return read_target();
    if (c_.is(".entry"))
      return add_kernel();
    if (c_.is(".address_size"))
      return read_address_size();
    if (c_.is(".shared"))
      return read_shared(c_, linkage_ == Linkage::external, shared_);
    if (c_.is(".visible"))
      linkage_ = Linkage::visible;
    else if (c_.is(".weak"))
      linkage_ = Linkage::weak;
    else if (c_.is(".extern"))
      linkage_ = Linkage::external;
    else if (c_.is(kFirst))
      c_.note(Errc::bad_value, "second version");
    c_.advance();
  }

  void read_version() {
    Version &v = module_.version;
    v.offset = c_.at().offset;
    c_.advance();
    if (!c_.is(TokenKind::number))
      return c_.note(Errc::bad_value, "version");
    v.text = c_.at().text;
    std::size_t dot = v.text.find('.');
    if (dot != v.text.npos) {
      v.major = decimal(v.text.substr(0, dot));
      v.minor = decimal(v.text.substr(dot + 1));
    }
    if (!v.major || !v.minor) {
      v.major = v.minor = std::nullopt;
      c_.note(Errc::bad_value, "version");
    }
    c_.advance();
  }

  void read_target() {
    Target t;
    t.offset = c_.at().offset;
    c_.advance();
    if (!c_.is(TokenKind::word))
      return c_.note(Errc::bad_value, "target");
    t.name = c_.at().text;
    parse_name(t);
    c_.advance();
    while (c_.is(',')) {
      c_.advance();
      if (!c_.is(TokenKind::word)) {
        c_.note(Errc::bad_value, "target option");
        break;
      }
      if (c_.take())
        t.options.push_back(c_.at().text);
      c_.advance();
    }
    if (c_.take())
      module_.targets.push_back(std::move(t));
  }

  void read_address_size() {
    c_.advance();
    if (auto size = decimal(c_.at().text)) {
      module_.address_size = size;
      return c_.advance();
    }
    c_.note(Errc::bad_value, "address size");
  }

  void add_kernel() {
    const Version &v = module_.version;
    Before before;
    before.linkage = std::exchange(linkage_, Linkage::internal);
    before.body_parameters = v.major == 1 && v.minor < 4;
    before.dynamic_shared = shared_.dynamic;
    if (auto kernel = read_entry(c_, before))
      module_.kernels.push_back(std::move(*kernel));
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
        c_.note(Errc::bad_value, all[i].offset, "kernel defined twice");
        all[i].name = {};
        any = true;
      } else {
        first = all[i].name;
      }
    }
    if (any)
      std::erase_if(all, [](const Kernel &k) { return k.name.empty(); });
  }

  Cursor c_;
  Linkage linkage_ = Linkage::internal; // in front of the next declaration
  Shared shared_;
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
  case Linkage::external:
    return "extern";
  }
  return "unknown";
}

std::string_view word(Gap gap) {
  switch (gap) {
  case Gap::parameter_layout:
    return "unknown-parameter-layout";
  case Gap::register_count:
    return "unknown-register-count";
  case Gap::shared_size:
    return "unknown-shared-size";
  case Gap::directive:
    return "unknown-directive";
  case Gap::directive_value:
    return "bad-attribute";
  }
  return "unknown";
}

Result<Module> read_module(Bytes text, const Limits &limits) {
  return Parser(cut(text), limits).read();
}

bool known(const Version &version) {
  // The last minor version of each major one, and so far.
  constexpr std::uint32_t kLast[] = {0, 5, 3, 2, 3, 1, 5, 8, 8, 5};
  return version.major && version.minor && *version.major != 0 &&
         *version.major < std::size(kLast) &&
         *version.minor <= kLast[*version.major];
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of PTX:
//
//   .entry name [( .param …, … )] directives { body }
//   .entry name [( .param …, … )] directives ;
//
// Directives (.maxntid 128, 1, 1) come in any order and have at most numbers;
// of one that stands twice ptxas takes the last. .pragma has strings and a
// semicolon of its own. In a body only declarations matter: directives at the
// start of a statement, also those of inner scopes. .param is the parameter of
// a call there; before PTX 1.4, which has no such calls, it is the kernel's.
// Instructions, labels and .callprototype are passed over up to their
// semicolon; .loc has none.
//
// Shared memory has no padding at the end. In a module with .extern .shared
// ptxas adds some, so that what is sized at launch begins at a multiple of 16.

#include "format/ptx_entry.h"

#include "format/ptx_declare.h"

#include <algorithm>
#include <array>

namespace gantry::ptx {

namespace {

constexpr std::string_view kStatements[] = {".entry", ".func",   ".visible",
                                            ".weak",  ".extern", ".target"};

// Directives whose operands have no member of their own in Kernel.
constexpr std::string_view kOthers[] = {".minnctapersm", ".maxnctapersm",
                                        ".explicitcluster",
                                        ".blocksareclusters", ".pragma"};

// Numbers with commas between them, none of them 0.
struct Operands {
  Extent3 numbers = {1, 1, 1};
  std::uint32_t count = 0;
  bool plain = true; // one to three, and nothing else
};

class Entry {
public:
  Entry(Cursor &cursor, const Before &before) : c_(cursor), before_(before) {}

  std::optional<Kernel> read() {
    k_.linkage = before_.linkage;
    k_.offset = c_.at().offset;
    c_.advance();
    if (!c_.is(TokenKind::word)) {
      c_.note(Errc::bad_value, "entry name");
      return std::nullopt;
    }
    const std::uint64_t room = c_.records();
    k_.name = c_.name();
    c_.advance();
    if (c_.is('('))
      read_list();
    read_directives();
    if (!c_.is('{')) {
      if (!c_.is(';'))
        c_.note(Errc::bad_value, "entry without a body");
      c_.give_back(room);
      return std::nullopt;
    }
    const bool keep = c_.take() && !k_.name.empty();
    read_body();
    finish();
    if (!keep)
      return std::nullopt;
    return std::move(k_);
  }

private:
  // At the parenthesis.
  void read_list() {
    const std::uint64_t start = c_.at().offset;
    c_.advance();
    while (!c_.is(')')) {
      if (c_.is(TokenKind::end))
        return break_list(Errc::truncated, start, "block without an end");
      if (c_.at_statement_end())
        return break_list(Errc::bad_value, c_.at().offset, "parameter list");
      const Token first = c_.at();
      if (first.is(".param"))
        read_parameters(false);
      skip_to_comma();
      if (!first.is(".param") && !c_.is(TokenKind::end))
        break_list(Errc::bad_value, first.offset, "parameter");
      if (c_.is(','))
        c_.advance();
    }
    c_.advance();
  }

  void break_list(Errc code, std::uint64_t offset, const char *what) {
    c_.note(code, offset, what);
    k_.parameters_complete = false;
    lose_layout("the list of parameters is not whole", offset);
  }

  // Passes over what a parameter may not have behind it.
  void skip_to_comma() {
    const std::uint64_t start = c_.at().offset;
    while (!c_.is(',') && !c_.is(')') && !c_.at_statement_end()) {
      lose_layout("a parameter cannot be read", start);
      bool group = c_.is('(');
      c_.advance();
      if (group)
        c_.leave_group('(', ')');
    }
  }

  // At .param. In a list it has one name, in a body perhaps several.
  void read_parameters(bool in_body) {
    c_.advance();
    const Type type = read_type(c_);
    read_parameter(type);
    while (in_body && c_.is(',')) {
      c_.advance();
      read_parameter(type);
    }
  }

  void read_parameter(const Type &type) {
    const std::uint64_t offset = c_.at().offset;
    Parameter p;
    p.type = type.type;
    p.space = type.space;
    p.pointee_align = type.pointee_align;
    if (c_.is(TokenKind::word)) {
      p.name = c_.name();
      c_.advance();
    } else {
      lose_layout("a parameter has no name", offset);
    }
    const Extents extents = read_extents(c_);
    if (type.problem.message)
      lose_layout(type.problem.message, type.problem.offset);
    else if (!type.vector.empty() || type.size == 0)
      lose_layout("a parameter is a vector or a predicate", offset);
    else if (!extents.count || extents.dimensions > 1)
      lose_layout("an extent is no plain number", offset);
    else if (*extents.count <= UINT64_MAX / type.size)
      p.size = type.size * *extents.count;
    p.offset = layout_.place(type.align, p.size);
    if (!p.offset)
      lose_layout("the parameters are too large", offset);
    if (c_.take())
      k_.parameters.push_back(p);
    else
      k_.parameters_complete = false;
    if (!k_.parameters_complete)
      lose_layout("the list of parameters is not whole", offset);
  }

  // From here on offsets of parameters are not known.
  void lose_layout(const char *why, std::uint64_t offset) {
    layout_.place(1, std::nullopt);
    layout_problem_.set(why, offset);
  }

  // What stands between the parameters and the body, or the semicolon of a
  // declaration.
  void read_directives() {
    while (!c_.at_statement_end()) {
      if (std::ranges::find(kStatements, c_.at().text) != std::end(kStatements))
        return;
      if (c_.is(TokenKind::directive)) {
        read_directive();
      } else {
        c_.note(Errc::bad_value, "between parameters and body");
        c_.advance();
      }
    }
  }

  void read_directive() {
    const Token name = c_.at();
    c_.advance();
    const std::uint64_t start = c_.at().offset;
    std::uint64_t end = start;
    const Operands operands = read_operands(end);
    if (name.is(".pragma") && c_.is(';'))
      c_.advance();
    apply(name, operands);
    if (c_.take())
      k_.directives.push_back({name.text, c_.text(start, end)});
  }

  // `end` becomes that of the last operand.
  Operands read_operands(std::uint64_t &end) {
    Operands out;
    bool wants_number = true;
    for (; !c_.at_statement_end() && !c_.is(TokenKind::directive);
         c_.advance()) {
      end = c_.at().offset + c_.at().text.size();
      auto n = number(c_.at());
      if (wants_number && n && *n != 0 && *n <= UINT32_MAX && out.count < 3)
        out.numbers[out.count++] = static_cast<std::uint32_t>(*n);
      else if (wants_number || !c_.is(','))
        out.plain = false;
      wants_number = !wants_number;
    }
    out.plain = out.plain && !wants_number;
    return out;
  }

  void apply(const Token &name, const Operands &o) {
    if (auto extent = extent_of(name.text))
      set(*extent, o.plain, o.numbers, name.offset);
    else if (auto value = value_of(name.text))
      set(*value, o.plain && o.count == 1, o.numbers[0], name.offset);
    else if (std::ranges::find(kOthers, name.text) == std::end(kOthers))
      unknown_directive_.set("a directive is not known for kernels",
                             name.offset);
  }

  std::optional<Extent3> *extent_of(std::string_view name) {
    return name == ".maxntid"             ? &k_.max_threads
           : name == ".reqntid"           ? &k_.required_threads
           : name == ".reqnctapercluster" ? &k_.cluster
                                          : nullptr;
  }

  std::optional<std::uint32_t> *value_of(std::string_view name) {
    return name == ".maxnreg"          ? &k_.register_limit
           : name == ".maxclusterrank" ? &k_.max_cluster_rank
                                       : nullptr;
  }

  template <class T>
  void set(std::optional<T> &member, bool good, const T &value,
           std::uint64_t offset) {
    member = good ? std::optional(value) : std::nullopt;
    if (!good)
      bad_operands_.set("operands of a directive cannot be read", offset);
  }

  // At the brace.
  void read_body() {
    const std::uint64_t start = c_.at().offset;
    c_.next_in_body();
    for (std::uint64_t depth = 1; depth != 0;) {
      if (c_.is(TokenKind::end)) {
        c_.note(Errc::truncated, start, "block without an end");
        registers_.problem.set("the body has no end", start);
        shared_.layout.place(1, std::nullopt);
        shared_.problem.set("the body has no end", start);
        return;
      }
      if (!c_.is('{') && !c_.is('}')) {
        read_statement();
        continue;
      }
      depth += c_.is('{');
      depth -= c_.is('}');
      if (depth != 0)
        c_.next_in_body();
    }
    c_.advance();
  }

  // At a directive.
  void read_statement() {
    if (c_.is(".reg")) {
      read_registers(c_, registers_);
    } else if (c_.is(".shared")) {
      read_shared(c_, false, shared_);
    } else if (c_.is(".extern")) {
      c_.advance();
      if (c_.is(".shared"))
        read_shared(c_, true, shared_);
    } else if (c_.is(".param") && before_.body_parameters) {
      read_parameters(true);
      if (!c_.is(';'))
        lose_layout("a parameter cannot be read", c_.at().offset);
    } else if (c_.is(".loc")) {
      read_loc();
      if (c_.is(TokenKind::directive))
        return; // the next statement
    }
    c_.next_statement();
  }

  // .loc 1 2 3[, function_name label[+4], inlined_at 1 2 3]
  void read_loc() {
    c_.advance();
    while (c_.is(TokenKind::number))
      c_.advance();
    while (c_.is(',')) {
      c_.advance();
      if (c_.is("function_name"))
        c_.advance();
      if (c_.is(TokenKind::word))
        c_.advance();
      while (c_.is(TokenKind::number) || c_.is('+'))
        c_.advance();
    }
  }

  void finish() {
    if (k_.parameters_complete)
      k_.parameter_bytes = layout_.end();
    if (!registers_.problem.message)
      k_.registers = std::move(registers_.list);
    k_.shared_bytes = shared_.layout.end();
    k_.dynamic_shared = before_.dynamic_shared || shared_.dynamic;
    layout_problem_.to(k_.limitations, Gap::parameter_layout);
    registers_.problem.to(k_.limitations, Gap::register_count);
    shared_.problem.to(k_.limitations, Gap::shared_size);
    unknown_directive_.to(k_.limitations, Gap::directive);
    bad_operands_.to(k_.limitations, Gap::directive_value);
  }

  Cursor &c_;
  const Before &before_;
  Kernel k_;
  Layout layout_; // of the parameters
  Reason layout_problem_;
  RegisterList registers_;
  Shared shared_;
  Reason unknown_directive_;
  Reason bad_operands_;
};

} // namespace

std::optional<Kernel> read_entry(Cursor &cursor, const Before &before) {
  return Entry(cursor, before).read();
}

} // namespace gantry::ptx

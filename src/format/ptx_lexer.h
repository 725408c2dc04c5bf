// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tokens of a PTX text, for ptx.cc.
#pragma once

#include "base/reader.h"

#include <optional>

namespace gantry::ptx {

enum class TokenKind : std::uint8_t {
  end,
  directive, // .name
  word,      // identifier
  number,    // also 8.7 and 16U
  string,    // with its quotes
  symbol,    // one character
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  std::uint64_t offset = 0;

  bool is(char c) const { return kind == TokenKind::symbol && text[0] == c; }
  bool is(std::string_view s) const { return text == s; }
};

// Cuts a text into tokens; each call moves forwards.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next();

  // Skips to after the `close` that belongs to the `open` that next() has just
  // returned; `start` is where that stands.
  void skip_block(char open, char close, std::uint64_t start);

  // At the start of a statement of a body: passes over instructions and labels
  // to the next brace, or directive that starts a statement.
  Token next_in_body();

  // Skips to after the next semicolon or colon, or to the next brace.
  void skip_statement();

  // Bytes [from, to).
  std::string_view text(std::uint64_t from, std::uint64_t to) const {
    return text_.substr(from, to - from);
  }

  // Keeps the first thing that is wrong.
  void note(Errc code, std::uint64_t offset, const char *what);
  const std::optional<Error> &damage() const { return damage_; }

private:
  void skip_while(unsigned classes);
  void skip_until(unsigned classes);
  void skip_blanks();
  bool skip_comment();
  void skip_string();

  std::string_view text_;
  std::size_t pos_ = 0;
  std::optional<Error> damage_;
};

// The token that a parser stands at, and how much it may still keep. Functions
// that read something start at its first token and leave the cursor at the
// first that they do not understand.
class Cursor {
public:
  Cursor(std::string_view text, const Limits &limits)
      : lexer_(text), records_(limits.records), name_bytes_(limits.name_bytes) {
    advance();
  }

  const Token &at() const { return token_; }
  bool is(char c) const { return token_.is(c); }
  bool is(std::string_view s) const { return token_.is(s); }
  bool is(TokenKind kind) const { return token_.kind == kind; }
  void advance() { token_ = lexer_.next(); }

  // Whether no statement goes on here: ';', a brace or the end of the text.
  bool at_statement_end() const;

  // Passes over the rest of a statement of a body.
  void next_statement();
  // The same after a brace.
  void next_in_body() { token_ = lexer_.next_in_body(); }

  // Passes over a block of module scope and all that is in it.
  void skip_block(char open, char close);
  // Inside ( … ) or [ … ] of a statement: passes over the rest with the end.
  // The end of the statement ends it, too.
  void leave_group(char open, char close);

  std::string_view text(std::uint64_t from, std::uint64_t to) const {
    return lexer_.text(from, to);
  }

  // The word here as a name; "" when it is longer than names may be.
  std::string_view name();

  // Whether one more record may be kept.
  bool take();
  std::uint64_t records() const { return records_; }
  // What was kept since records() was `records` is dropped again.
  void give_back(std::uint64_t records) { records_ = records; }

  void note(Errc code, const char *what) { note(code, token_.offset, what); }
  void note(Errc code, std::uint64_t offset, const char *what) {
    lexer_.note(code, offset, what);
  }
  const std::optional<Error> &damage() const { return lexer_.damage(); }

private:
  Lexer lexer_;
  Token token_;
  std::uint64_t records_;
  std::uint64_t name_bytes_;
};

} // namespace gantry::ptx

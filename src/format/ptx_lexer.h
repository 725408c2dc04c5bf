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

  // Keeps the first thing that is wrong.
  void note(Errc code, std::uint64_t offset, const char *what);
  const std::optional<Error> &damage() const { return damage_; }

private:
  void skip_while(unsigned classes);
  void skip_blanks();
  bool skip_comment();
  void skip_string();

  std::string_view text_;
  std::size_t pos_ = 0;
  std::optional<Error> damage_;
};

} // namespace gantry::ptx

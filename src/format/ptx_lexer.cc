// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/ptx_lexer.h"

#include <algorithm>
#include <array>
#include <bit>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gantry::ptx {

namespace {

enum : std::uint8_t {
  kSpace = 1,
  kDigit = 2,
  kLetter = 4,
  kBlock = 8,      // matters when a block is skipped
  kStatement = 16, // matters when a statement is skipped
};

constexpr std::string_view kBlockStops = "{}()\"/";
constexpr std::string_view kStatementStops = ";:{}\"/";

// What a byte is.
constexpr auto kClasses = [] {
  std::array<std::uint8_t, 256> table{};
  for (unsigned char c : {' ', '\t', '\r', '\n', '\v', '\f'})
    table[c] = kSpace;
  for (unsigned char c = '0'; c <= '9'; c++)
    table[c] = kDigit;
  for (unsigned char c = 'a'; c <= 'z'; c++)
    table[c] = table[c - 'a' + 'A'] = kLetter;
  for (unsigned char c : {'_', '$', '%'})
    table[c] = kLetter;
  for (char c : kBlockStops)
    table[static_cast<unsigned char>(c)] = kBlock;
  for (char c : kStatementStops)
    table[static_cast<unsigned char>(c)] |= kStatement;
  return table;
}();

std::uint8_t class_of(char c) {
  return kClasses[static_cast<unsigned char>(c)];
}

#ifdef __SSE2__
// Each of six characters, 16 times.
struct Stops {
  explicit constexpr Stops(std::string_view characters) {
    for (std::size_t i = 0; i < 6; i++)
      each[i].fill(characters[i]);
  }
  alignas(16) std::array<std::array<char, 16>, 6> each{};
};
constexpr Stops kBlockStops16(kBlockStops), kStatementStops16(kStatementStops);

__m128i load(const char *from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
}

// How many of the 16 bytes at `from` stand before the first of `stops`.
std::size_t prefix_without(const Stops &stops, const char *from) {
  const __m128i bytes = load(from);
  const auto hit = [&](std::size_t i) {
    return _mm_cmpeq_epi8(bytes, load(stops.each[i].data()));
  };
  const __m128i hits = _mm_or_si128(
      _mm_or_si128(_mm_or_si128(hit(0), hit(1)), _mm_or_si128(hit(2), hit(3))),
      _mm_or_si128(hit(4), hit(5)));
  return static_cast<std::size_t>(std::countr_zero(
      static_cast<unsigned>(_mm_movemask_epi8(hits)) | 1u << 16));
}
#endif

} // namespace

Token Lexer::next() {
  skip_blanks();
  std::size_t start = pos_;
  if (start == text_.size())
    return {TokenKind::end, {}, start};
  char c = text_[start];
  pos_++;
  TokenKind kind = TokenKind::symbol;
  if (class_of(c) & kLetter) {
    kind = TokenKind::word;
    skip_while(kLetter | kDigit);
  } else if (class_of(c) & kDigit) {
    kind = TokenKind::number;
    skip_while(kLetter | kDigit);
    if (pos_ < text_.size() && text_[pos_] == '.') {
      pos_++;
      skip_while(kLetter | kDigit);
    }
  } else if (c == '.' && pos_ < text_.size() &&
             (class_of(text_[pos_]) & kLetter)) {
    kind = TokenKind::directive;
    skip_while(kLetter | kDigit);
  } else if (c == '"') {
    kind = TokenKind::string;
    pos_ = start;
    skip_string();
  }
  return {kind, text_.substr(start, pos_ - start), start};
}

void Lexer::skip_block(char open, char close, std::uint64_t start) {
  for (std::uint64_t depth = 1; depth != 0;) {
    skip_until(kBlock);
    if (pos_ == text_.size())
      return note(Errc::truncated, start, "block without an end");
    char c = text_[pos_];
    if (c == '"') {
      skip_string();
    } else if (c != '/' || !skip_comment()) {
      pos_++;
      depth += c == open;
      depth -= c == close;
    }
  }
}

Token Lexer::next_in_body() {
  for (;;) {
    skip_blanks();
    if (pos_ == text_.size() || text_[pos_] == '.' || text_[pos_] == '{' ||
        text_[pos_] == '}')
      return next();
    skip_statement();
  }
}

void Lexer::skip_statement() {
  for (;;) {
    skip_until(kStatement);
    if (pos_ == text_.size() || text_[pos_] == '{' || text_[pos_] == '}')
      return;
    char c = text_[pos_];
    if (c == '"') {
      skip_string();
    } else if (c != '/' || !skip_comment()) {
      pos_++;
      if (c != '/')
        return;
    }
  }
}

void Lexer::note(Errc code, std::uint64_t offset, const char *what) {
  if (!damage_)
    damage_ = Error{code, offset, what, {}};
}

void Lexer::skip_while(unsigned classes) {
  while (pos_ < text_.size() && (class_of(text_[pos_]) & classes))
    pos_++;
}

// Bodies are most of a text, and most of them is passed over here.
void Lexer::skip_until(unsigned classes) {
#ifdef __SSE2__
  const Stops &stops = classes == kBlock ? kBlockStops16 : kStatementStops16;
  while (text_.size() - pos_ >= 16) {
    const std::size_t passed = prefix_without(stops, text_.data() + pos_);
    pos_ += passed;
    if (passed != 16)
      return;
  }
#endif
  while (pos_ < text_.size() && !(class_of(text_[pos_]) & classes))
    pos_++;
}

void Lexer::skip_blanks() {
  do
    skip_while(kSpace);
  while (pos_ < text_.size() && text_[pos_] == '/' && skip_comment());
}

// At a slash: skips the comment, if it starts one.
bool Lexer::skip_comment() {
  std::size_t start = pos_;
  char second = start + 1 < text_.size() ? text_[start + 1] : '\0';
  if (second == '/') {
    pos_ = std::min(text_.find('\n', start), text_.size());
  } else if (second == '*') {
    std::size_t end = text_.find("*/", start + 2);
    pos_ = end == text_.npos ? text_.size() : end + 2;
    if (end == text_.npos)
      note(Errc::truncated, start, "comment without an end");
  }
  return pos_ != start;
}

// At a quote.
void Lexer::skip_string() {
  std::size_t start = pos_;
  std::size_t end = text_.find('"', start + 1);
  pos_ = end == text_.npos ? text_.size() : end + 1;
  if (end == text_.npos)
    note(Errc::truncated, start, "string without an end");
}

bool Cursor::at_statement_end() const {
  return token_.kind == TokenKind::end || is(';') || is('{') || is('}');
}

void Cursor::next_statement() {
  if (is('{') || is('}'))
    return; // a declaration that a brace broke off
  if (!is(';'))
    lexer_.skip_statement();
  next_in_body();
}

void Cursor::skip_block(char open, char close) {
  lexer_.skip_block(open, close, token_.offset);
  advance();
}

void Cursor::leave_group(char open, char close) {
  for (std::uint64_t depth = 1; depth != 0; advance()) {
    if (at_statement_end())
      return is(TokenKind::end)
                 ? note(Errc::truncated, "bracket without an end")
                 : note(Errc::bad_value, "bracket without an end");
    depth += is(open);
    depth -= is(close);
  }
}

std::string_view Cursor::name() {
  if (token_.text.size() <= name_bytes_)
    return token_.text;
  note(Errc::too_large, "name too long (limit name_bytes)");
  return {};
}

bool Cursor::take() {
  if (records_ == 0) {
    note(Errc::too_large, "too many (limit records)");
    return false;
  }
  records_--;
  return true;
}

} // namespace gantry::ptx

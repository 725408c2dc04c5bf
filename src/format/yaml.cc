// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The subset of YAML 1.2 that LLVM's yaml::Output writes (observed with clang
// 14): one document between `---` and `...`; maps and sequences in blocks (a
// sequence may stand at its key's own indent); flow sequences of scalars, also
// over several lines; empty flow maps; plain scalars on one line; scalars in
// single or double quotes; comments. Anything else (anchors, tags, block
// scalars, nested flow) ends the reading where it stands.

#include "format/yaml.h"

#include <algorithm>
#include <charconv>

namespace gantry::yaml {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && is_blank(s.back()))
    s.remove_suffix(1);
  return s;
}

class Parser {
public:
  Parser(std::string_view text, std::uint64_t max_nodes,
         std::deque<std::string> &owned)
      : text_(text.substr(0, text.find('\0'))), max_nodes_(max_nodes),
        owned_(owned) {}

  // What could be read, and damage() when that is not all.
  std::vector<Node> parse();
  const std::optional<Error> &damage() const { return damage_; }

private:
  // The rest of the current line, which is at `at_` in column `column_`.
  std::string_view rest() const { return text_.substr(at_, end_ - at_); }
  bool at_dash() const {
    std::string_view r = rest();
    return r.starts_with('-') && (r.size() == 1 || is_blank(r[1]));
  }
  bool at_end_of_line() const { return at_ == end_ || text_[at_] == '#'; }
  void skip_blanks() {
    while (at_ < end_ && is_blank(text_[at_]))
      at_++;
  }

  bool next_line();
  void fail(Errc code, std::string_view what);
  bool open(Kind kind, std::string_view key);
  void close(std::size_t node) { nodes_[node].next = nodes_.size(); }
  void block(std::string_view key, std::uint32_t depth);
  void sequence(std::uint64_t column, std::uint32_t depth);
  void map(std::uint64_t column, std::uint32_t depth);
  void value(std::string_view key);
  void flow_sequence(std::string_view key);
  std::optional<std::string_view> key();
  std::string_view scalar(bool in_flow, bool &quoted);
  std::string_view double_quoted();
  std::string_view single_quoted();
  void escape(std::string &out);

  std::string_view text_;
  std::uint64_t max_nodes_;
  std::deque<std::string> &owned_;
  std::vector<Node> nodes_;
  std::optional<Error> damage_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;      // of the line
  std::size_t next_ = 0;     // start of the next line
  std::uint64_t column_ = 0; // of at_ where a block item starts
  bool more_ = false;        // there is a line
};

std::vector<Node> Parser::parse() {
  next_line();
  if (more_ && rest().starts_with("---"))
    next_line();
  if (more_)
    block({}, 0);
  if (more_ && !damage_)
    fail(Errc::bad_value, "YAML: text after the document");
  return std::move(nodes_);
}

// Goes to the next line that has more than blanks and comments. Sets more_.
bool Parser::next_line() {
  more_ = false;
  while (!damage_ && next_ < text_.size()) {
    std::size_t start = next_;
    end_ = std::min(text_.find('\n', start), text_.size());
    next_ = std::min(end_ + 1, text_.size());
    if (end_ > start && text_[end_ - 1] == '\r')
      end_--;
    at_ = start;
    while (at_ < end_ && text_[at_] == ' ')
      at_++;
    column_ = at_ - start;
    if (at_end_of_line())
      continue;
    if (column_ == 0 && rest().starts_with("..."))
      return false;
    more_ = true;
    return true;
  }
  return false;
}

void Parser::fail(Errc code, std::string_view what) {
  if (!damage_)
    damage_ = Error{code, at_, std::string(what), {}};
  more_ = false;
}

bool Parser::open(Kind kind, std::string_view key) {
  if (nodes_.size() >= max_nodes_) {
    fail(Errc::too_large, "YAML values (limit note_bytes)");
    return false;
  }
  nodes_.push_back({kind, false, key, {}, at_, nodes_.size() + 1});
  return true;
}

// A sequence or map whose first item starts here, at column_.
void Parser::block(std::string_view key, std::uint32_t depth) {
  if (depth >= kMaxDepth)
    return fail(Errc::too_large, "YAML depth");
  std::size_t node = nodes_.size();
  bool is_sequence = at_dash();
  if (!open(is_sequence ? Kind::sequence : Kind::map, key))
    return;
  if (is_sequence)
    sequence(column_, depth);
  else
    map(column_, depth);
  close(node);
}

void Parser::sequence(std::uint64_t column, std::uint32_t depth) {
  while (more_ && column_ == column && at_dash()) {
    std::size_t dash = at_;
    at_++;
    skip_blanks();
    if (at_end_of_line()) {
      if (next_line() && column_ > column)
        block({}, depth + 1);
      else if (!damage_)
        open(Kind::scalar, {});
      continue;
    }
    column_ += at_ - dash;
    std::size_t start = at_;
    bool is_block = at_dash() || key().has_value();
    at_ = start;
    if (damage_)
      return;
    if (is_block)
      block({}, depth + 1);
    else
      value({});
  }
  if (more_ && column_ > column)
    fail(Errc::bad_value, "YAML: indent");
}

void Parser::map(std::uint64_t column, std::uint32_t depth) {
  while (more_ && column_ == column && !at_dash()) {
    std::size_t start = at_;
    std::optional<std::string_view> name = key();
    if (!name) {
      at_ = start;
      return fail(Errc::bad_value, "YAML: key");
    }
    skip_blanks();
    if (!at_end_of_line()) {
      value(*name);
      continue;
    }
    std::size_t key_line = at_;
    bool nested =
        next_line() && (column_ > column || (column_ == column && at_dash()));
    if (nested)
      block(*name, depth + 1);
    else if (!damage_ && open(Kind::scalar, *name))
      nodes_.back().offset = key_line;
  }
  if (more_ && column_ > column)
    fail(Errc::bad_value, "YAML: indent");
}

// "key:", followed by a blank or the end of the line. Moves behind the colon.
// Nothing when the line starts with no key.
std::optional<std::string_view> Parser::key() {
  std::string_view name;
  if (text_[at_] == '\'' || text_[at_] == '"') {
    bool quoted = false;
    name = scalar(false, quoted);
    if (damage_ || at_ == end_ || text_[at_] != ':')
      return std::nullopt;
  } else {
    std::string_view r = rest();
    std::size_t colon = r.find(':');
    while (colon != std::string_view::npos && colon + 1 < r.size() &&
           !is_blank(r[colon + 1]))
      colon = r.find(':', colon + 1);
    if (colon == std::string_view::npos || r.starts_with('[') ||
        r.starts_with('{') || r.substr(0, colon).contains(" #"))
      return std::nullopt;
    name = trimmed(r.substr(0, colon));
    at_ += colon;
  }
  at_++;
  if (at_ < end_ && !is_blank(text_[at_]))
    return std::nullopt;
  return name;
}

// A value on the key's or dash's own line; goes to the next line.
void Parser::value(std::string_view name) {
  std::size_t start = at_;
  if (text_[at_] == '[') {
    flow_sequence(name);
  } else if (rest().starts_with("{}")) {
    if (!open(Kind::map, name))
      return;
    at_ += 2;
  } else if (std::string_view("{&*!|>%@`").contains(text_[at_])) {
    return fail(Errc::unsupported, "YAML: value");
  } else {
    bool quoted = false;
    std::string_view s = scalar(false, quoted);
    if (damage_ || !open(Kind::scalar, name))
      return;
    nodes_.back().text = s;
    nodes_.back().quoted = quoted;
    nodes_.back().offset = start;
  }
  if (damage_)
    return;
  skip_blanks();
  if (!at_end_of_line())
    return fail(Errc::bad_value, "YAML: text after a value");
  next_line();
}

// "[ a, b ]", over several lines when it is long.
void Parser::flow_sequence(std::string_view name) {
  std::size_t node = nodes_.size();
  if (!open(Kind::sequence, name))
    return;
  at_++;
  bool needs_comma = false;
  while (!damage_) {
    skip_blanks();
    if (at_end_of_line()) {
      if (!next_line())
        fail(Errc::truncated, "YAML: flow sequence");
      continue;
    }
    char c = text_[at_];
    if (c == ']') {
      at_++;
      break;
    }
    if (c == ',' && needs_comma) {
      at_++;
      needs_comma = false;
      continue;
    }
    if (needs_comma || std::string_view(",[{}&*!|>%@`").contains(c)) {
      fail(Errc::unsupported, "YAML: flow sequence");
      break;
    }
    std::size_t start = at_;
    bool quoted = false;
    std::string_view s = scalar(true, quoted);
    if (damage_ || !open(Kind::scalar, {}))
      break;
    nodes_.back().text = s;
    nodes_.back().quoted = quoted;
    nodes_.back().offset = start;
    needs_comma = true;
  }
  close(node);
}

std::string_view Parser::scalar(bool in_flow, bool &quoted) {
  quoted = text_[at_] == '\'' || text_[at_] == '"';
  if (quoted)
    return text_[at_] == '"' ? double_quoted() : single_quoted();
  std::string_view r = rest();
  if (in_flow) // first, so that a long line is looked at once
    r = r.substr(0, r.find_first_of(",]"));
  r = r.substr(0, r.find(" #"));
  at_ += r.size();
  return trimmed(r);
}

// 'it''s'
std::string_view Parser::single_quoted() {
  std::size_t start = ++at_;
  std::string copy; // of what precedes the last doubled quote
  bool copied = false;
  while (true) {
    std::size_t quote = text_.substr(0, end_).find('\'', at_);
    if (quote == std::string_view::npos) {
      fail(Errc::bad_value, "YAML: quote without an end");
      return {};
    }
    std::string_view part = text_.substr(start, quote - start);
    at_ = quote + 1;
    if (at_ == end_ || text_[at_] != '\'') {
      if (!copied)
        return part;
      return owned_.emplace_back(copy.append(part));
    }
    copied = true;
    copy.append(part).push_back('\'');
    start = ++at_;
  }
}

// "a\n"
std::string_view Parser::double_quoted() {
  std::size_t start = ++at_;
  std::string copy;
  bool copied = false;
  while (true) {
    std::size_t stop = text_.substr(0, end_).find_first_of("\"\\", at_);
    if (stop == std::string_view::npos) {
      fail(Errc::bad_value, "YAML: quote without an end");
      return {};
    }
    std::string_view part = text_.substr(start, stop - start);
    at_ = stop + 1;
    if (text_[stop] == '"') {
      if (!copied)
        return part;
      return owned_.emplace_back(copy.append(part));
    }
    copied = true;
    copy.append(part);
    escape(copy);
    if (damage_)
      return {};
    start = at_;
  }
}

void append_utf8(std::string &out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (code >> 18 & 7));
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// What follows a backslash.
void Parser::escape(std::string &out) {
  static constexpr std::string_view kNames = "0abtnvfre\"/\\ ";
  static constexpr std::string_view kValues{"\0\a\b\t\n\v\f\r\x1b\"/\\ ", 13};
  if (at_ == end_)
    return fail(Errc::bad_value, "YAML: escape");
  char c = text_[at_];
  if (std::size_t i = kNames.find(c); i != std::string_view::npos) {
    at_++;
    out += kValues[i];
    return;
  }
  std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  std::string_view hex = rest().substr(1, digits);
  std::uint32_t code = 0;
  auto [stop, error] =
      std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
  if (digits == 0 || hex.size() != digits || error != std::errc() ||
      stop != hex.data() + hex.size() || code > 0x10ffff)
    return fail(Errc::bad_value, "YAML: escape");
  at_ += 1 + digits;
  append_utf8(out, code);
}

} // namespace

std::string_view word(Kind kind) {
  switch (kind) {
  case Kind::scalar:
    return "a scalar";
  case Kind::sequence:
    return "a sequence";
  case Kind::map:
    return "a map";
  }
  return "nothing";
}

Document parse(std::string_view text, const Limits &limits) {
  Document out;
  out.owned = std::make_shared<std::deque<std::string>>();
  Parser parser(text, limits.note_bytes / sizeof(Node), *out.owned);
  out.nodes = parser.parse();
  out.damage = parser.damage();
  return out;
}

} // namespace gantry::yaml

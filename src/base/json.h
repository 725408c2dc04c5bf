// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON, written as a stream: memory does not grow with the document.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

// Calls must form a document: in an object every value follows a key, what is
// begun is ended. Breaking that is a bug of the caller (assert).
//
//   JsonWriter json(out);
//   json.begin_object();
//   json.member("schema", "gantry.inspect/1");
//   json.key("targets");
//   json.begin_array();
//   for (…) {
//     json.begin_object(JsonWriter::Lines::one);
//     json.member("target", row.target);
//     json.end_object();
//   }
//   json.end_array();
//   json.end_object(); // ends the document: "\n" follows, all of it is out
//
// Several documents may follow each other; in the compact style each is one
// line, which makes them NDJSON.
class JsonWriter {
public:
  enum class Style {
    pretty, // two spaces per level
    compact // no space at all
  };
  // How a container is laid out in the pretty style. Within a container on one
  // line all inner ones are, too: rows of an array are best on a line each.
  enum class Lines { many, one };
  // Receives the text in pieces of about 64 KiB.
  using Emit = std::function<void(std::string_view)>;

  explicit JsonWriter(Emit emit, Style style = Style::pretty);
  // Appends to `out`, which must outlive the writer.
  explicit JsonWriter(std::string &out, Style style = Style::pretty);

  void begin_object(Lines lines = Lines::many) { begin('{', lines); }
  void end_object() { end('}'); }
  void begin_array(Lines lines = Lines::many) { begin('[', lines); }
  void end_array() { end(']'); }

  void key(std::string_view name);

  // Text that is not UTF-8 gets U+FFFD for its bad bytes: the document stays
  // valid. Escape it beforehand (printable()) to keep what it was.
  void value(std::string_view text);
  void value(const char *text) { value(std::string_view(text)); }
  void value(const std::string &text) { value(std::string_view(text)); }
  void value(double number); // null when not finite
  void value(std::integral auto number) {
    if constexpr (std::same_as<decltype(number), bool>)
      raw(number ? "true" : "false");
    else if constexpr (std::signed_integral<decltype(number)>)
      integer(static_cast<std::int64_t>(number));
    else
      integer(static_cast<std::uint64_t>(number));
  }
  void null() { raw("null"); }
  template <class T> void value(const std::optional<T> &maybe) {
    maybe ? value(*maybe) : null();
  }

  template <class T> void member(std::string_view name, const T &content) {
    key(name);
    value(content);
  }
  void null_member(std::string_view name) {
    key(name);
    null();
  }

private:
  struct Level {
    bool object = false;
    bool one_line = false;
    bool empty = true;
  };

  void begin(char bracket, Lines lines);
  void end(char bracket);
  void raw(std::string_view token);
  void integer(std::uint64_t number);
  void integer(std::int64_t number);
  void before_item();  // comma and line break before a key or an element
  void before_value(); // the same, unless a key came before
  void after_value();
  void new_line();
  void quote(std::string_view text);

  Emit emit_;
  Style style_;
  std::string buffer_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

} // namespace gantry

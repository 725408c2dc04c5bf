// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON (RFC 8259), read into a tree. No number, name or nesting in a hostile
// text makes it throw or grow beyond its limits.
#pragma once

#include "gantry/base.h"

#include <variant>
#include <vector>

namespace gantry {

class JsonValue {
public:
  using Array = std::vector<JsonValue>;
  struct Member;
  using Object = std::vector<Member>; // in the text's order, no key twice

  JsonValue(); // null
  ~JsonValue();
  JsonValue(const JsonValue &);
  JsonValue(JsonValue &&) noexcept;
  JsonValue &operator=(const JsonValue &);
  JsonValue &operator=(JsonValue &&) noexcept;
  explicit JsonValue(bool);
  explicit JsonValue(std::uint64_t);
  explicit JsonValue(double);
  explicit JsonValue(std::string);
  explicit JsonValue(Array);
  explicit JsonValue(Object);

  bool is_null() const { return std::holds_alternative<Null>(value_); }
  // Each is nullptr when the value is something else. Numbers are unsigned when
  // they are written without sign, fraction and exponent and fit; else real.
  const bool *boolean() const { return std::get_if<bool>(&value_); }
  const std::uint64_t *number() const {
    return std::get_if<std::uint64_t>(&value_);
  }
  const double *real() const { return std::get_if<double>(&value_); }
  const std::string *text() const { return std::get_if<std::string>(&value_); }
  const Array *array() const { return std::get_if<Array>(&value_); }
  const Object *object() const { return std::get_if<Object>(&value_); }

  // A member of an object; nullptr when there is none.
  const JsonValue *find(std::string_view key) const;

  bool operator==(const JsonValue &) const;

private:
  using Null = std::monostate;
  std::variant<Null, bool, std::uint64_t, double, std::string, Array, Object>
      value_;
};

struct JsonValue::Member {
  std::string key;
  JsonValue value;
  bool operator==(const Member &) const = default;
};

inline constexpr std::uint32_t kJsonDepth = 32;

struct JsonLimits {
  std::uint64_t values = std::uint64_t{1} << 20; // keys are none
  std::string_view values_name = "json values";  // for the refusal
  std::uint32_t depth = kJsonDepth;
};

// One document, with nothing but white space around it. Errors, whose offsets
// count in `text`: bad_value (not JSON, not UTF-8, a key twice in one object),
// too_large (a limit, no memory).
Result<JsonValue> parse_json(std::string_view text,
                             const JsonLimits &limits = {});

} // namespace gantry

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/json_reader.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace gantry {

// Here, where the type of members is complete.
JsonValue::JsonValue() = default;
JsonValue::~JsonValue() = default;
JsonValue::JsonValue(const JsonValue &) = default;
JsonValue::JsonValue(JsonValue &&) noexcept = default;
JsonValue &JsonValue::operator=(const JsonValue &) = default;
JsonValue &JsonValue::operator=(JsonValue &&) noexcept = default;
JsonValue::JsonValue(bool v) : value_(v) {}
JsonValue::JsonValue(std::uint64_t v) : value_(v) {}
JsonValue::JsonValue(double v) : value_(v) {}
JsonValue::JsonValue(std::string v) : value_(std::move(v)) {}
JsonValue::JsonValue(Array v) : value_(std::move(v)) {}
JsonValue::JsonValue(Object v) : value_(std::move(v)) {}
bool JsonValue::operator==(const JsonValue &) const = default;

const JsonValue *JsonValue::find(std::string_view key) const {
  const Object *members = object();
  if (members == nullptr)
    return nullptr;
  auto at = std::ranges::find(*members, key, &Member::key);
  return at == members->end() ? nullptr : &at->value;
}

namespace {

using Json = nlohmann::json;

// What the library's parser calls. Its own tree would let the last of equal
// keys win and knows no limits.
class Builder {
public:
  explicit Builder(const JsonLimits &limits) : limits_(limits) {}

  bool null() { return add(JsonValue()); }
  bool boolean(bool v) { return add(JsonValue(v)); }
  // Called for negative numbers only.
  bool number_integer(std::int64_t v) {
    return add(JsonValue(static_cast<double>(v)));
  }
  bool number_unsigned(std::uint64_t v) { return add(JsonValue(v)); }
  bool number_float(double v, const std::string &) { return add(JsonValue(v)); }
  bool string(std::string &v) { return add(JsonValue(std::string(v))); }
  bool binary(Json::binary_t &) { return false; } // not in JSON text
  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool key(std::string &name) {
    open_.back().members.push_back({std::string(name), {}});
    return true;
  }
  bool end_object() {
    JsonValue::Object members = std::move(open_.back().members);
    open_.pop_back();
    if (has_equal_keys(members)) {
      damage_ = {Errc::bad_value, 0, "JSON: a key twice in one object", {}};
      return false;
    }
    return place(JsonValue(std::move(members)));
  }
  bool end_array() {
    JsonValue::Array items = std::move(open_.back().items);
    open_.pop_back();
    return place(JsonValue(std::move(items)));
  }
  bool parse_error(std::size_t position, const std::string &,
                   const Json::exception &) {
    damage_ = {Errc::bad_value, position == 0 ? 0 : position - 1, "JSON", {}};
    return false;
  }

  JsonValue take() { return std::move(root_); }
  const Error &damage() const { return damage_; }

private:
  struct Level {
    bool object = false;
    JsonValue::Array items;
    JsonValue::Object members;
  };

  bool refuse(std::string what) {
    damage_ = {Errc::too_large, 0, std::move(what), {}};
    return false;
  }
  bool count() {
    return ++values_ <= limits_.values ||
           refuse(fmt::format("JSON (limit {})", limits_.values_name));
  }
  bool add(JsonValue v) { return count() && place(std::move(v)); }
  bool open(bool object) {
    if (open_.size() >= limits_.depth)
      return refuse("JSON depth");
    open_.emplace_back().object = object;
    return count();
  }
  bool place(JsonValue v) {
    if (open_.empty())
      root_ = std::move(v);
    else if (open_.back().object)
      open_.back().members.back().value = std::move(v);
    else
      open_.back().items.push_back(std::move(v));
    return true;
  }
  bool has_equal_keys(const JsonValue::Object &members) {
    keys_.clear();
    for (const JsonValue::Member &m : members)
      keys_.push_back(m.key);
    std::ranges::sort(keys_);
    return std::ranges::adjacent_find(keys_) != keys_.end();
  }

  const JsonLimits &limits_;
  std::uint64_t values_ = 0;
  std::vector<Level> open_;
  std::vector<std::string_view> keys_;
  JsonValue root_;
  Error damage_{Errc::bad_value, 0, "JSON", {}};
};

} // namespace

Result<JsonValue> parse_json(std::string_view text, const JsonLimits &limits) {
  try {
    Builder builder(limits);
    if (!Json::sax_parse(text.begin(), text.end(), &builder))
      return std::unexpected(builder.damage());
    return builder.take();
  } catch (const std::exception &) {
    return fail(Errc::too_large, 0, "JSON: no memory");
  }
}

} // namespace gantry

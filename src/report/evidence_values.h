// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strict reading of JSON values into members of the model: every member is
// there once, has its type and range, and there is no other. The first fault
// sticks, so that a group of members is read and then checked once.
#pragma once

#include "base/json_reader.h"
#include "gantry/inspect.h"

#include <functional>
#include <limits>

namespace gantry::report {

// How much JSON one row, or the index, may hold.
JsonLimits row_limits(const Limits &limits);

// A value and the way to it, which the message names when the value is wrong.
struct Item {
  const JsonValue &value;
  const Item *outer = nullptr;
  std::string_view name = {};            // in an object
  std::optional<std::size_t> index = {}; // in a list

  std::string path() const; // "value.parameters[3].size"
};

// Targets of reading that need more than their type.
struct Id { // a text as it is, not empty
  std::string &out;
};
struct Digest { // 64 hexadecimal digits, or null for ""
  std::string &out;
  bool may_be_null = false;
};
template <class E> struct Choice { // an enumerator by its word
  E &out;
  std::span<const std::string_view> words;
};
template <class E, class W> Choice(E &, const W &) -> Choice<E>;
struct StaticWord { // one of these words, or null for ""
  std::string_view &out;
  std::span<const std::string_view> words;
  bool may_be_null = false;
};

class Values {
public:
  // `what` is read, from `offset` of the file.
  Values(std::string what, std::uint64_t offset)
      : what_(std::move(what)), offset_(offset) {}

  bool ok() const { return !fault_; }
  Result<void> result() const;
  // What is wrong about a value: "kernel 12: value.registers: not a number".
  void refuse(const Item &at, std::string_view why);

  void read(const Item &at, bool &out);
  void read(const Item &at, std::uint64_t &out);
  void read(const Item &at, std::uint32_t &out);
  // As printable() wrote it; null is "".
  void read(const Item &at, std::string &out);
  void read(const Item &at, Id out);
  void read(const Item &at, Digest out);
  void read(const Item &at, StaticWord out);
  void read(const Item &at, inspect::Extent3 &out);
  void read(const Item &at, inspect::Coverage &out);
  void read(const Item &at, inspect::ObjectKind &out);
  void read(const Item &at, inspect::ContainerKind &out);
  void read(const Item &at, inspect::FoundBy &out);
  void read(const Item &at, inspect::Analysis &out);
  void read(const Item &at, inspect::Location &out);
  void read(const Item &at, inspect::Limitation &out);
  void read(const Item &at, inspect::CudaTargetHeader &out);
  void read(const Item &at, inspect::Parameter &out);
  // {"name": …, "value": …}
  void read(const Item &at, std::pair<std::string, std::string> &out);
  // {"name": number, …}
  void read(const Item &at,
            std::vector<std::pair<std::string, std::uint64_t>> &out);
  void read(const Item &at,
            std::vector<std::pair<std::uint32_t, std::uint64_t>> &out);

  template <class E> void read(const Item &at, Choice<E> choice) {
    if (auto index = word_index(at, choice.words))
      choice.out = static_cast<E>(*index);
  }
  template <class T> void read(const Item &at, std::optional<T> &out) {
    if (!at.value.is_null())
      read(at, out.emplace());
  }
  template <class T> void read(const Item &at, std::vector<T> &out) {
    list(at, [&](const Item &item) { read(item, out.emplace_back()); });
  }

  // Calls `each` with every element of a list, or refuses.
  template <class Each> void list(const Item &at, Each each) {
    const JsonValue::Array *items = at.value.array();
    if (items == nullptr)
      return refuse(at, "not a list");
    for (std::size_t i = 0; i < items->size() && ok(); i++)
      each(Item{(*items)[i], &at, {}, i});
  }

private:
  std::optional<std::size_t>
  word_index(const Item &at, std::span<const std::string_view> words);

  std::string what_;
  std::uint64_t offset_ = 0;
  std::optional<Error> fault_;
};

// The members of one object, asked for by name. What its text has in the order
// in which it is asked for is found at once.
class Members {
public:
  Members(Values &values, const Item &at);

  // Reads a member; refuses when there is none.
  template <class T> void operator()(std::string_view name, T &&out) {
    if (const JsonValue *value = take(name))
      values_.read(Item{*value, &at_, name, {}}, std::forward<T>(out));
  }
  template <class Each> void list(std::string_view name, Each each) {
    if (const JsonValue *value = take(name))
      values_.list(Item{*value, &at_, name, {}}, each);
  }
  // Hands a member to `read`.
  template <class Read> void with(std::string_view name, Read read) {
    if (const JsonValue *value = take(name))
      read(Item{*value, &at_, name, {}});
  }
  Values &values() { return values_; }
  // Refuses members that nobody asked for.
  void end();

private:
  const JsonValue *take(std::string_view name);

  Values &values_;
  const Item &at_;
  const JsonValue::Object *members_ = nullptr;
  std::vector<bool> taken_;
  std::size_t next_ = 0;
};

} // namespace gantry::report

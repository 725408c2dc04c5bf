// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/evidence_values.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace gantry::report {

namespace {

// The enumerator that `text` is the word of.
template <class E> std::optional<E> enumerator(std::string_view text, E last) {
  for (int i = 0; i <= static_cast<int>(last); i++)
    if (word(static_cast<E>(i)) == text)
      return static_cast<E>(i);
  return std::nullopt;
}

template <class E>
void read_word(Values &values, const Item &at, E last, E &out) {
  const std::string *text = at.value.text();
  auto found = text ? enumerator(*text, last) : std::nullopt;
  if (!found)
    return values.refuse(at, "not a known word");
  out = *found;
}

bool is_digest(std::string_view text) {
  return text.size() == 64 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// "a.b[3]" of "a", then "b", then 3.
void append_path(const Item &item, std::string &out) {
  if (item.outer != nullptr)
    append_path(*item.outer, out);
  if (item.index)
    out += fmt::format("[{}]", *item.index);
  else if (!item.name.empty())
    out += fmt::format("{}{}", out.empty() ? "" : ".", item.name);
}

} // namespace

JsonLimits row_limits(const Limits &limits) {
  JsonLimits out;
  out.values = limits.records;
  out.values_name = "records";
  return out;
}

std::string Item::path() const {
  std::string out;
  append_path(*this, out);
  return out;
}

Result<void> Values::result() const {
  if (fault_)
    return std::unexpected(*fault_);
  return {};
}

void Values::refuse(const Item &at, std::string_view why) {
  if (fault_)
    return;
  std::string path = at.path();
  fault_ = Error{
      Errc::bad_value,
      offset_,
      fmt::format("{}: {}{}{}", what_, path, path.empty() ? "" : ": ", why),
      {}};
}

void Values::read(const Item &at, bool &out) {
  const bool *value = at.value.boolean();
  if (value == nullptr)
    return refuse(at, "neither true nor false");
  out = *value;
}

void Values::read(const Item &at, std::uint64_t &out) {
  const std::uint64_t *value = at.value.number();
  if (value == nullptr)
    return refuse(at, "not a number from 0 on");
  out = *value;
}

void Values::read(const Item &at, std::uint32_t &out) {
  std::uint64_t wide = 0;
  read(at, wide);
  if (wide > UINT32_MAX)
    return refuse(at, "a number of more than 32 bits");
  out = static_cast<std::uint32_t>(wide);
}

void Values::read(const Item &at, std::string &out) {
  const std::string *value = at.value.text();
  if (value == nullptr && !at.value.is_null())
    return refuse(at, "not a text");
  out = value ? unprintable(*value) : "";
}

void Values::read(const Item &at, Id id) {
  const std::string *value = at.value.text();
  if (value == nullptr || value->empty())
    return refuse(at, "not an id");
  id.out = *value;
}

void Values::read(const Item &at, Digest digest) {
  if (digest.may_be_null && at.value.is_null())
    return digest.out.clear();
  const std::string *value = at.value.text();
  if (value == nullptr || !is_digest(*value))
    return refuse(at, "not a SHA-256");
  digest.out = *value;
}

std::optional<std::size_t>
Values::word_index(const Item &at, std::span<const std::string_view> words) {
  const std::string *value = at.value.text();
  auto found = value ? std::ranges::find(words, *value) : words.end();
  if (found == words.end()) {
    refuse(at, "not a known word");
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - words.begin());
}

void Values::read(const Item &at, StaticWord word) {
  if (word.may_be_null && at.value.is_null())
    word.out = "";
  else if (auto index = word_index(at, word.words))
    word.out = word.words[*index];
}

void Values::read(const Item &at, inspect::Extent3 &out) {
  std::vector<std::uint32_t> list;
  read(at, list);
  if (list.size() != out.size())
    return refuse(at, "not three numbers");
  std::ranges::copy(list, out.begin());
}

void Values::read(const Item &at, inspect::Coverage &out) {
  read_word(*this, at, inspect::Coverage::complete, out);
}
void Values::read(const Item &at, inspect::ObjectKind &out) {
  read_word(*this, at, inspect::ObjectKind::unknown, out);
}
void Values::read(const Item &at, inspect::ContainerKind &out) {
  read_word(*this, at, inspect::ContainerKind::member, out);
}
void Values::read(const Item &at, inspect::FoundBy &out) {
  read_word(*this, at, inspect::FoundBy::content, out);
}
void Values::read(const Item &at, inspect::Analysis &out) {
  read_word(*this, at, inspect::Analysis::kernels, out);
}

void Values::read(const Item &at, inspect::Location &out) {
  Members m(*this, at);
  m.with("in", [&](const Item &in) {
    if (!in.value.is_null())
      read(in, Id{out.in});
  });
  m("offset", out.offset);
  m("size", out.size);
  m.end();
}

void Values::read(const Item &at, inspect::Limitation &out) {
  Members m(*this, at);
  m("code", Id{out.code});
  m("message", out.message);
  m("offset", out.offset);
  m.end();
}

void Values::read(const Item &at, inspect::CudaTargetHeader &out) {
  Members m(*this, at);
  m("os_abi", out.os_abi);
  m("e_flags", out.e_flags);
  m("location", out.location);
  m.end();
}

void Values::read(const Item &at, inspect::Parameter &out) {
  Members m(*this, at);
  m("name", out.name);
  m("offset", out.offset);
  m("size", out.size);
  m("kind", out.kind);
  m("address_space", out.address_space);
  m("type_name", out.type_name);
  m("access", out.access);
  m("pointee_align", out.pointee_align);
  m("hidden", out.hidden);
  m.end();
}

void Values::read(const Item &at, std::pair<std::string, std::string> &out) {
  Members m(*this, at);
  m("name", out.first);
  m("value", out.second);
  m.end();
}

void Values::read(const Item &at,
                  std::vector<std::pair<std::string, std::uint64_t>> &out) {
  const JsonValue::Object *members = at.value.object();
  if (members == nullptr)
    return refuse(at, "not an object");
  for (const JsonValue::Member &m : *members)
    read(Item{m.value, &at, m.key, {}},
         out.emplace_back(unprintable(m.key), 0).second);
}

void Values::read(const Item &at,
                  std::vector<std::pair<std::uint32_t, std::uint64_t>> &out) {
  const JsonValue::Object *members = at.value.object();
  if (members == nullptr)
    return refuse(at, "not an object");
  for (const JsonValue::Member &m : *members) {
    auto &[key, number] = out.emplace_back();
    const char *end = m.key.data() + m.key.size();
    auto [stop, error] = std::from_chars(m.key.data(), end, key);
    if (error != std::errc() || stop != end || std::to_string(key) != m.key)
      return refuse(at, "a name that is no number");
    read(Item{m.value, &at, m.key, {}}, number);
  }
}

Members::Members(Values &values, const Item &at) : values_(values), at_(at) {
  members_ = at.value.object();
  if (members_ == nullptr)
    values.refuse(at, "not an object");
  else
    taken_.resize(members_->size());
}

const JsonValue *Members::take(std::string_view name) {
  if (!values_.ok())
    return nullptr;
  const auto &all = *members_;
  if (next_ >= all.size() || all[next_].key != name)
    next_ = static_cast<std::size_t>(
        std::ranges::find(all, name, &JsonValue::Member::key) - all.begin());
  if (next_ == all.size()) {
    values_.refuse(at_, fmt::format("no member {}", name));
    return nullptr;
  }
  taken_[next_] = true;
  return &all[next_++].value;
}

void Members::end() {
  if (!values_.ok())
    return;
  auto other = std::ranges::find(taken_, false);
  if (other != taken_.end()) {
    const std::string &key =
        (*members_)[static_cast<std::size_t>(other - taken_.begin())].key;
    values_.refuse(
        at_, fmt::format("unknown member {}", printable(key.substr(0, 64))));
  }
}

} // namespace gantry::report

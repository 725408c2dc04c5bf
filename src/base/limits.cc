// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gantry/base.h"

#include <algorithm>
#include <array>
#include <limits>

namespace gantry {

namespace {

template <auto Member> constexpr LimitName named(std::string_view name) {
  using Value =
      std::remove_reference_t<decltype(std::declval<Limits>().*Member)>;
  return {name, [](const Limits &l) { return std::uint64_t{l.*Member}; },
          [](Limits &l, std::uint64_t value) {
            l.*Member = static_cast<Value>(std::min<std::uint64_t>(
                value, std::numeric_limits<Value>::max()));
          }};
}

constexpr std::array kNames = {
    named<&Limits::decoded_bytes>("decoded_bytes"),
    named<&Limits::decoded_ratio>("decoded_ratio"),
    named<&Limits::ratio_floor>("ratio_floor"),
    named<&Limits::table_bytes>("table_bytes"),
    named<&Limits::note_bytes>("note_bytes"),
    named<&Limits::name_bytes>("name_bytes"),
    named<&Limits::records>("records"),
    named<&Limits::candidates>("candidates"),
    named<&Limits::depth>("depth"),
    named<&Limits::members>("members"),
    named<&Limits::member_bytes>("member_bytes"),
};

} // namespace

std::span<const LimitName> limit_names() { return kNames; }

} // namespace gantry

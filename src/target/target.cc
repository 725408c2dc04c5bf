// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of targets, in and out.
//
//   NVIDIA  ("sm_" | "compute_" | "lto_") number [ "a" | "f" ]
//   AMD     amd_name.cc, "amdgpu" version, or a triple with a target id
//   other   a few names of what is compiled later or elsewhere

#include "gantry/target.h"

#include "target/amd_name.h"
#include "target/amd_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace gantry {

namespace {

// Names without a vendor's grammar that bundles and SYCL libraries carry.
constexpr std::string_view kOthers[] = {
    "amdgcnspirv", "spirv64", "spir64", "spir64_gen", "spir64_x86_64", "host",
};

constexpr std::string_view kSubPrefix = "amdgpu";

struct Prefix {
  std::string_view text;
  Spelling spelling;
};
constexpr Prefix kPrefixes[] = {
    {"sm_", Spelling::sm},
    {"compute_", Spelling::compute},
    {"lto_", Spelling::lto},
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The part behind the prefix, which starts at `offset` of the whole text.
Result<Target> parse_sm(std::string_view text, std::size_t offset) {
  constexpr std::size_t kDigits = 5; // the number has two in its lowest form
  const std::size_t digits =
      std::ranges::find_if_not(text, is_digit) - text.begin();
  if (digits == 0 || text[0] == '0')
    return fail(Errc::invalid_argument, offset, "target: SM number");
  if (digits < 2 || digits > kDigits)
    return fail(Errc::invalid_argument, offset + std::min(digits, kDigits),
                "target: SM number");
  std::uint32_t sm = 0;
  std::from_chars(text.data(), text.data() + digits, sm);
  std::string_view suffix = text.substr(digits);
  if (suffix.empty())
    return nvidia_target(sm);
  if (suffix[0] != 'a' && suffix[0] != 'f')
    return fail(Errc::invalid_argument, offset + digits, "target: suffix");
  if (suffix.size() > 1)
    return fail(Errc::invalid_argument, offset + digits + 1,
                "target: text after the suffix");
  return nvidia_target(sm, suffix[0] == 'a' ? Suffix::a : Suffix::f);
}

Result<ParsedTarget> with(Result<Target> target, Spelling spelling) {
  if (!target)
    return std::unexpected(std::move(target).error());
  return ParsedTarget{*std::move(target), spelling};
}

} // namespace

Target nvidia_target(std::uint32_t sm, Suffix suffix) {
  Target t;
  t.vendor = Vendor::nvidia;
  t.sm = sm;
  t.suffix = suffix;
  return t;
}

Target other_target(std::string_view spelling) {
  Target t;
  t.processor = spelling;
  return t;
}

std::string target_name(const Target &t) {
  if (t.vendor == Vendor::amd)
    return amd::name(t);
  if (t.vendor == Vendor::other)
    return t.processor;
  std::string_view suffix = t.suffix == Suffix::a   ? "a"
                            : t.suffix == Suffix::f ? "f"
                                                    : "";
  return fmt::format("sm_{}{}", t.sm, suffix);
}

Result<ParsedTarget> parse_target(std::string_view text) {
  for (const Prefix &p : kPrefixes)
    if (text.starts_with(p.text))
      return with(parse_sm(text.substr(p.text.size()), p.text.size()),
                  p.spelling);
  if (std::ranges::find(kOthers, text) != std::end(kOthers))
    return ParsedTarget{other_target(text), Spelling::other};
  if (text.starts_with("amdgcn-") || text.starts_with(kSubPrefix)) {
    std::size_t dash = text.find('-');
    if (dash != text.npos) {
      if (auto t = amd_target_from_text(text, 0))
        return ParsedTarget{*std::move(t), Spelling::processor};
      return fail(Errc::invalid_argument, dash, "target: triple");
    }
    std::string_view version = text.substr(kSubPrefix.size());
    std::string_view processor = amd::sub_processor(version);
    if (processor.empty())
      return fail(Errc::invalid_argument, kSubPrefix.size(),
                  "target: subarchitecture");
    return ParsedTarget{amd::target(processor), Spelling::sub_processor};
  }
  return with(amd::parse_id(text), Spelling::processor);
}

std::vector<std::string> known_target_names() {
  std::vector<std::string> out;
  for (const SmInfo &sm : known_sms()) {
    out.push_back(target_name(nvidia_target(sm.sm)));
    if (sm.has_a)
      out.push_back(target_name(nvidia_target(sm.sm, Suffix::a)));
    if (sm.has_f)
      out.push_back(target_name(nvidia_target(sm.sm, Suffix::f)));
  }
  for (const AmdProcessor &p : known_amd_processors())
    out.emplace_back(p.name);
  out.insert(out.end(), std::begin(kOthers), std::end(kOthers));
  return out;
}

std::string_view word(Vendor vendor) {
  switch (vendor) {
  case Vendor::nvidia:
    return "nvidia";
  case Vendor::amd:
    return "amd";
  case Vendor::other:
    return "other";
  }
  return "unknown";
}

std::string_view word(Feature feature) {
  switch (feature) {
  case Feature::unspecified:
    return "unspecified";
  case Feature::any:
    return "any";
  case Feature::off:
    return "off";
  case Feature::on:
    return "on";
  case Feature::on_or_any:
    return "on-or-any";
  }
  return "unknown";
}

bool is_triple(std::string_view text) {
  constexpr std::string_view kArchitectures[] = {
      "nvptx", "amdgcn", "amdgpu", "r600", "spir", "x86_64", "aarch64"};
  return std::ranges::count(text, '-') >= 2 &&
         std::ranges::any_of(kArchitectures, [&](std::string_view a) {
           return text.starts_with(a);
         });
}

} // namespace gantry

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD target ids (LLVM, "User Guide for AMDGPU Backend", Target ID):
//
//   id        = processor feature…
//   processor = "gfx" major minor stepping [ "-strict" ]
//             | "gfx" number [ "-" number ]… "-generic"
//             | an older name: "fiji"
//   feature   = ":" name ("+" | "-")      V4 and later
//             | "+" name                  V2 and V3: on or any
//   name      = "sramecc" | "xnack"       V2 and V3 also "sram-ecc"
//
// minor and stepping are one hexadecimal digit each, major is decimal. Names
// contain dashes, so an id is never split at them. Processors that are not in
// the table are accepted when they are well-formed; features are not: leaving
// one out would name another target.

#include "target/amd_name.h"

#include "target/amd_table.h"

#include <algorithm>

namespace gantry::amd {

namespace {

constexpr std::string_view kPrefix = "gfx";
constexpr std::string_view kGeneric = "-generic";
constexpr std::string_view kStrict = "-strict";
constexpr std::size_t kMajorDigits = 3;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// Each returns where the text stops being well-formed, and nothing when all of
// it is.
using BadAt = std::optional<std::size_t>;

// Major, minor and stepping.
BadAt check_version(std::string_view version) {
  if (version.empty() || !is_digit(version[0]) || version[0] == '0')
    return 0;
  std::size_t hex = std::ranges::find_if_not(version, is_hex) - version.begin();
  if (hex < version.size() || hex < 3)
    return hex;
  std::string_view major = version.substr(0, version.size() - 2);
  std::size_t decimal =
      std::ranges::find_if_not(major, is_digit) - major.begin();
  if (decimal < major.size())
    return decimal;
  return major.size() > kMajorDigits ? BadAt(kMajorDigits) : std::nullopt;
}

// The numbers of a generic processor, one dash between two of them.
BadAt check_numbers(std::string_view version) {
  bool digit_before = false;
  for (std::size_t i = 0; i < version.size(); i++) {
    if (!is_digit(version[i]) && !(version[i] == '-' && digit_before))
      return i;
    digit_before = version[i] != '-';
  }
  return digit_before ? BadAt() : version.size();
}

BadAt check_processor(std::string_view text) {
  constexpr std::size_t kLongest = 32;
  if (!text.starts_with(kPrefix))
    return 0;
  if (text.size() > kLongest)
    return kLongest;
  std::string_view version = text.substr(kPrefix.size());
  bool generic = version.ends_with(kGeneric);
  if (generic)
    version.remove_suffix(kGeneric.size());
  else if (version.ends_with(kStrict))
    version.remove_suffix(kStrict.size());
  BadAt bad = generic ? check_numbers(version) : check_version(version);
  return bad ? kPrefix.size() + *bad : bad;
}

Feature *feature(Target &t, std::string_view name) {
  if (name == "sramecc")
    return &t.sramecc;
  return name == "xnack" ? &t.xnack : nullptr;
}

// Drops what the processor has no choice in. "off" stays where the feature is
// always on: it is a contradiction, which must not become a sound target.
Feature settle(Feature stated, Selectable selectable) {
  if (selectable == Selectable::yes)
    return stated;
  bool contradicts =
      selectable == Selectable::always_on && stated == Feature::off;
  return contradicts ? stated : Feature::unspecified;
}

// Colon features or "+" features, as `legacy` says.
void append(std::string &out, std::string_view name, Feature f, bool legacy) {
  if (legacy && f == Feature::on_or_any)
    out += '+' + std::string(name);
  if (!legacy && f == Feature::on)
    out += ':' + std::string(name) + '+';
  if (!legacy && f == Feature::off)
    out += ':' + std::string(name) + '-';
}

} // namespace

Selectable sramecc_of(std::string_view processor) {
  const AmdProcessor *p = find_amd_processor(processor);
  return p ? p->sramecc : Selectable::yes;
}

Selectable xnack_of(std::string_view processor) {
  const AmdProcessor *p = find_amd_processor(processor);
  return p ? p->xnack : Selectable::yes;
}

Target target(std::string_view processor, Feature sramecc, Feature xnack) {
  Target t;
  t.vendor = Vendor::amd;
  t.processor = processor;
  t.sramecc = settle(sramecc, sramecc_of(processor));
  t.xnack = settle(xnack, xnack_of(processor));
  return t;
}

void omitted_means_any(Target &t) {
  const AmdProcessor *p = find_amd_processor(t.processor);
  if (p == nullptr)
    return;
  if (p->sramecc == Selectable::yes && t.sramecc == Feature::unspecified)
    t.sramecc = Feature::any;
  if (p->xnack == Selectable::yes && t.xnack == Feature::unspecified)
    t.xnack = Feature::any;
}

Result<Target> parse_id(std::string_view text) {
  auto refuse = [](std::size_t at, std::string what) {
    return fail(Errc::invalid_argument, at, std::move(what));
  };
  std::size_t pos = std::min(text.find_first_of(":+"), text.size());
  std::string_view processor = text.substr(0, pos);
  auto older = std::ranges::find(aliases(), processor, &Alias::name);
  if (older != aliases().end())
    processor = older->processor;
  else if (BadAt bad = check_processor(processor))
    return refuse(*bad, "target: processor");

  Target stated;
  while (pos < text.size()) {
    const std::size_t start = pos + 1;
    const bool legacy = text[pos] == '+';
    const std::size_t end =
        std::min(text.find_first_of(legacy ? ":+" : ":+-", start), text.size());
    std::string_view name = text.substr(start, end - start);
    if (legacy && name == "sram-ecc")
      name = "sramecc";
    Feature *f = feature(stated, name);
    if (f == nullptr)
      return refuse(start, "target: feature");
    if (*f != Feature::unspecified)
      return refuse(start, "target: feature given twice");
    if (legacy) {
      *f = Feature::on_or_any;
      pos = end;
    } else {
      if (end == text.size() || text[end] == ':')
        return refuse(end, "target: sign of a feature");
      *f = text[end] == '+' ? Feature::on : Feature::off;
      pos = end + 1;
      if (pos < text.size() && text[pos] != ':' && text[pos] != '+')
        return refuse(pos, "target: text after a feature");
    }
  }
  return target(processor, stated.sramecc, stated.xnack);
}

std::string name(const Target &t) {
  // Where there is no choice nothing is appended, not even a contradiction: no
  // registry knows "gfx1250:xnack+", and nothing is named "gfx1250:xnack-".
  const Feature none = Feature::unspecified;
  const Feature sramecc =
      sramecc_of(t.processor) == Selectable::yes ? t.sramecc : none;
  const Feature xnack =
      xnack_of(t.processor) == Selectable::yes ? t.xnack : none;
  std::string out = t.processor;
  for (bool legacy : {false, true}) {
    append(out, "sramecc", sramecc, legacy);
    append(out, "xnack", xnack, legacy);
  }
  return out;
}

} // namespace gantry::amd

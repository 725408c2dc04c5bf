// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declared against observed.
//
// An object has up to two identities: what its container declares and what its
// payload shows. Neither is corrected by the other. What a payload can show
// differs: a cubin's header proves the base SM, 'a' only in some layouts, 'f'
// nowhere; an AMDGPU object's flags show features as far as its version can say
// them (amd_object.cc).

#include "gantry/target.h"

#include "target/amd_name.h"

#include <algorithm>

namespace gantry {

namespace {

// Ordered: with several answers about one object the highest rules.
enum class Match { equal, unknown, mismatch };

Match match(Feature a, Feature b) {
  if (a == Feature::unspecified || b == Feature::unspecified)
    return Match::unknown;
  if (a == b)
    return Match::equal;
  bool overlap = a == Feature::on_or_any || b == Feature::on_or_any;
  bool off = a == Feature::off || b == Feature::off;
  return overlap && !off ? Match::unknown : Match::mismatch;
}

// One feature of the same processor on both sides.
Match match_feature(Feature a, Feature b, Selectable selectable, bool v4) {
  if (selectable == Selectable::no)
    return Match::equal;
  // Left out: by an id of V4 or where there is no choice, that is a statement.
  auto meant = [&](Feature f) {
    if (f != Feature::unspecified)
      return f;
    if (selectable == Selectable::always_on)
      return Feature::on;
    return v4 ? Feature::any : f;
  };
  return match(meant(a), meant(b));
}

constexpr bool is_v4(const AmdEvidence &e) {
  constexpr std::uint8_t kV4 = 2;
  return e.abi_version >= kV4;
}

Consistency compare(const Target &a, const Target &b, bool v4) {
  if (a.vendor == Vendor::other || b.vendor == Vendor::other)
    return Consistency::unknown;
  if (a.vendor != b.vendor || a.processor != b.processor)
    return Consistency::conflict;
  Match m = std::max(
      match_feature(a.sramecc, b.sramecc, amd::sramecc_of(a.processor), v4),
      match_feature(a.xnack, b.xnack, amd::xnack_of(a.processor), v4));
  if (m == Match::equal)
    return Consistency::equal;
  return m == Match::mismatch ? Consistency::feature_mismatch
                              : Consistency::unknown;
}

// The features of a V1 or V2 note are how a runtime reads numbers and names
// that could not state them, so they contradict nothing.
Consistency compare_with_note(const Target &a, const Target &note, bool v4) {
  Consistency c = compare(a, note, v4);
  return c == Consistency::feature_mismatch && !v4 ? Consistency::unknown : c;
}

// From agreement to contradiction.
int severity(Consistency c) {
  switch (c) {
  case Consistency::equal:
    return 0;
  case Consistency::unknown:
    return 1;
  case Consistency::feature_mismatch:
    return 2;
  default:
    return 3;
  }
}

} // namespace

std::optional<Suffix> observed_suffix(const NvidiaEvidence &e) {
  const bool is_a = e.a_bit == true || e.compat_a == true;
  const bool not_a = e.a_bit == false || e.compat_a == false;
  if (is_a && not_a)
    return std::nullopt;
  if (is_a)
    return Suffix::a;
  if (e.note_suffix && !(not_a && e.note_suffix == Suffix::a))
    return e.note_suffix;
  // Without variants, or with 'a' ruled out and no 'f', only one is left.
  const SmInfo *sm = e.sm ? find_sm(*e.sm) : nullptr;
  if (sm != nullptr && !sm->has_f && (!sm->has_a || not_a))
    return Suffix::none;
  return std::nullopt;
}

Consistency compare_nvidia(const std::optional<Target> &declared,
                           const std::optional<NvidiaEvidence> &observed) {
  if (!observed)
    return Consistency::unexamined;
  if (!observed->sm)
    return Consistency::unknown;
  if (!declared)
    return Consistency::single_source;
  if (declared->vendor == Vendor::other)
    return Consistency::unknown;
  if (declared->vendor != Vendor::nvidia || declared->sm != *observed->sm)
    return Consistency::conflict;
  if (auto suffix = observed_suffix(*observed))
    return *suffix == declared->suffix ? Consistency::equal
                                       : Consistency::conflict;
  const bool is_a = observed->a_bit == true || observed->compat_a == true;
  const bool not_a = observed->a_bit == false || observed->compat_a == false;
  return declared->suffix == Suffix::a && not_a && !is_a
             ? Consistency::conflict
             : Consistency::base_only;
}

Consistency compare_ptx(const std::optional<Target> &declared,
                        const std::optional<PtxEvidence> &observed) {
  if (!observed)
    return Consistency::unexamined;
  if (!observed->target || observed->target->vendor != Vendor::nvidia)
    return Consistency::unknown;
  if (!declared)
    return Consistency::single_source;
  if (declared->vendor == Vendor::other)
    return Consistency::unknown;
  return *declared == *observed->target ? Consistency::equal
                                        : Consistency::conflict;
}

Consistency compare_amd(const std::optional<Target> &declared,
                        const std::optional<AmdEvidence> &observed) {
  if (!observed)
    return Consistency::unexamined;
  const std::optional<Target> &flags = observed->flags;
  const std::optional<Target> &note = observed->note;
  if (!flags && !note)
    return Consistency::unknown;
  if (!declared)
    return Consistency::single_source;
  const bool v4 = is_v4(*observed);
  if (!note)
    return compare(*declared, *flags, v4);
  Consistency by_note = compare_with_note(*declared, *note, v4);
  if (!flags)
    return by_note;
  Consistency by_flags = compare(*declared, *flags, v4);
  // Before V4 the bits are the better witness; the note can only object to the
  // processor.
  if (!v4 && by_note != Consistency::conflict)
    return by_flags;
  return severity(by_note) > severity(by_flags) ? by_note : by_flags;
}

Consistency compare_amd_object(const AmdEvidence &e) {
  if (!e.flags && !e.note)
    return Consistency::unknown;
  if (!e.flags || !e.note)
    return Consistency::single_source;
  return compare_with_note(*e.flags, *e.note, is_v4(e));
}

std::string_view word(Consistency consistency) {
  switch (consistency) {
  case Consistency::equal:
    return "equal";
  case Consistency::base_only:
    return "base-only";
  case Consistency::conflict:
    return "conflict";
  case Consistency::feature_mismatch:
    return "feature-mismatch";
  case Consistency::unknown:
    return "unknown";
  case Consistency::unexamined:
    return "unexamined";
  case Consistency::single_source:
    return "single-source";
  }
  return "unknown";
}

} // namespace gantry

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SM numbers that are known, as data. Unknown numbers are read all the
// same; a row adds what can be said about one.
//
// Sources: the release history in NVIDIA's PTX ISA manual (numbers and the
// toolkit that brought them), `ptxas --help` of 11.8, 12.0, 12.4, 12.8, 12.9
// and 13.0, and NVIDIA's release notes for what was dropped: 1.x in 7.0, 2.x in
// 9.0, 30 and 32 in 11.0, 35 and 37 in 12.0, everything below 75 and the name
// 101 in 13.0. Families as observed with ptxas 13.0 and 13.5: 100f compiles for
// 103 and 107, 120f for 121.

#include "gantry/target.h"

#include <algorithm>

namespace gantry {

namespace {

constexpr Toolkit kStill = {0, 0};
constexpr Toolkit kNone = {0, 0};

constexpr SmInfo plain(std::uint32_t sm, Toolkit first, Toolkit last,
                       std::string_view devices, bool tegra = false) {
  return {sm, 0, false, false, tegra, first, last, kNone, kNone, devices};
}

constexpr SmInfo in_family(std::uint32_t sm, std::uint32_t family,
                           Toolkit first, Toolkit last, Toolkit first_f,
                           std::string_view devices, bool tegra = false) {
  return {sm, family, true, true, tegra, first, last, first, first_f, devices};
}

constexpr SmInfo kSms[] = {
    plain(10, {1, 0}, {6, 5}, "Tesla"),
    plain(11, {1, 0}, {6, 5}, "Tesla"),
    plain(12, {2, 0}, {6, 5}, "Tesla"),
    plain(13, {2, 0}, {6, 5}, "Tesla"),
    plain(20, {3, 0}, {8, 0}, "Fermi"),
    plain(21, {3, 2}, {8, 0}, "Fermi"),
    plain(30, {4, 2}, {10, 2}, "Kepler"),
    plain(32, {6, 0}, {10, 2}, "Kepler, Tegra K1", true),
    plain(35, {5, 0}, {11, 8}, "Kepler"),
    plain(37, {6, 5}, {11, 8}, "Kepler, K80"),
    plain(50, {6, 0}, {12, 9}, "Maxwell"),
    plain(52, {6, 5}, {12, 9}, "Maxwell"),
    plain(53, {7, 0}, {12, 9}, "Maxwell, Tegra X1", true),
    plain(60, {8, 0}, {12, 9}, "Pascal"),
    plain(61, {8, 0}, {12, 9}, "Pascal"),
    plain(62, {8, 0}, {12, 9}, "Pascal, Tegra X2", true),
    plain(70, {9, 0}, {12, 9}, "Volta"),
    plain(72, {9, 1}, {12, 9}, "Volta, Xavier", true),
    plain(75, {10, 0}, kStill, "Turing"),
    plain(80, {11, 0}, kStill, "Ampere"),
    plain(86, {11, 1}, kStill, "Ampere"),
    plain(87, {11, 4}, kStill, "Ampere, Orin", true),
    plain(88, {13, 0}, kStill, "Ampere, the second Tegra", true),
    plain(89, {11, 8}, kStill, "Ada"),
    {90, 0, true, false, false, {11, 8}, kStill, {12, 0}, kNone, "Hopper"},
    in_family(100, 100, {12, 8}, kStill, {12, 9}, "Blackwell, data centre"),
    // Renamed to 110 in 13.0: the same chip, hence the same family.
    in_family(101, 110, {12, 8}, {12, 9}, {12, 9}, "Thor, old name", true),
    in_family(103, 100, {12, 9}, kStill, {12, 9}, "Blackwell Ultra"),
    // Not in 13.0; the earliest release that was seen with it is 13.4.
    in_family(107, 100, {13, 4}, kStill, {13, 4}, "Rubin"),
    in_family(110, 110, {13, 0}, kStill, {13, 0}, "Thor", true),
    in_family(120, 120, {12, 8}, kStill, {12, 9}, "Blackwell, client"),
    in_family(121, 120, {12, 9}, kStill, {12, 9}, "GB10"),
};

static_assert(std::ranges::is_sorted(kSms, {}, &SmInfo::sm));

} // namespace

std::span<const SmInfo> known_sms() { return kSms; }

const SmInfo *find_sm(std::uint32_t sm) {
  auto at = std::ranges::lower_bound(kSms, sm, {}, &SmInfo::sm);
  return at != std::end(kSms) && at->sm == sm ? &*at : nullptr;
}

} // namespace gantry

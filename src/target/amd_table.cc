// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD's processors, as data.
//
// Sources: LLVM's "User Guide for AMDGPU Backend" (processors, alternative
// names, machine numbers, features, generic members) and LLVM's own tests for
// what is newer than release 22: subarchitectures in triples, gfx1250-strict
// (e_flags 0x4EB), gfx1154, gfx117x, gfx11-7-generic, gfx12-5-generic,
// gfx13-generic. Machine numbers and features up to LLVM 22 were compared with
// clang 22: it accepts ":xnack+" and ":sramecc+" for exactly the rows that say
// kYes, but for these:
//  * gfx940 and gfx941, which it no longer knows. Objects of both were seen
//    with e_flags 0x540 and 0x54B, xnack and sramecc "any".
//  * sramecc of the gfx125x group, which newer LLVM made selectable. clang 22
//    writes "any" there and refuses the suffix.
// The gfx125x group has xnack in hardware, always on; compilers wrote that down
// as "any", "on" and "unsupported" in turn.

#include "target/amd_table.h"

#include <algorithm>

namespace gantry {

namespace {

constexpr Selectable kNo = Selectable::no;
constexpr Selectable kYes = Selectable::yes;
constexpr Selectable kOn = Selectable::always_on;

// name, mach, xnack, sramecc, generic, devices
constexpr AmdProcessor kProcessors[] = {
    {"gfx600", 0x20, kNo, kNo, "", "GCN 1, Tahiti"},
    {"gfx601", 0x21, kNo, kNo, "", "GCN 1, Pitcairn, Verde"},
    {"gfx602", 0x3A, kNo, kNo, "", "GCN 1, Hainan, Oland"},
    {"gfx700", 0x22, kNo, kNo, "", "GCN 2, Kaveri"},
    {"gfx701", 0x23, kNo, kNo, "", "GCN 2, Hawaii"},
    {"gfx702", 0x24, kNo, kNo, "", "GCN 2, Hawaii"},
    {"gfx703", 0x25, kNo, kNo, "", "GCN 2, Kabini, Mullins"},
    {"gfx704", 0x26, kNo, kNo, "", "GCN 2, Bonaire"},
    {"gfx705", 0x3B, kNo, kNo, "", "GCN 2"},
    {"gfx801", 0x28, kYes, kNo, "", "GCN 3, Carrizo"},
    {"gfx802", 0x29, kNo, kNo, "", "GCN 3, Iceland, Tonga"},
    {"gfx803", 0x2A, kNo, kNo, "", "GCN 3 and 4, Fiji, Polaris"},
    {"gfx805", 0x3C, kNo, kNo, "", "GCN 3, Tonga Pro"},
    {"gfx810", 0x2B, kYes, kNo, "", "GCN 3, Stoney"},
    {"gfx900", 0x2C, kYes, kNo, "gfx9-generic", "Vega 10"},
    {"gfx902", 0x2D, kYes, kNo, "gfx9-generic", "Vega, Raven"},
    {"gfx904", 0x2E, kYes, kNo, "gfx9-generic", "Vega 12"},
    {"gfx906", 0x2F, kYes, kYes, "gfx9-generic",
     "Vega 20, Instinct MI50 and MI60"},
    {"gfx908", 0x30, kYes, kYes, "", "CDNA 1, Instinct MI100"},
    {"gfx909", 0x31, kYes, kNo, "gfx9-generic", "Vega, Raven 2"},
    {"gfx90a", 0x3F, kYes, kYes, "", "CDNA 2, Instinct MI200"},
    {"gfx90c", 0x32, kYes, kNo, "gfx9-generic", "Vega, Renoir"},
    {"gfx940", 0x40, kYes, kYes, "", "CDNA 3, withdrawn"},
    {"gfx941", 0x4B, kYes, kYes, "", "CDNA 3, withdrawn"},
    {"gfx942", 0x4C, kYes, kYes, "gfx9-4-generic", "CDNA 3, Instinct MI300"},
    {"gfx950", 0x4F, kYes, kYes, "gfx9-4-generic", "CDNA 4, Instinct MI350"},
    {"gfx1010", 0x33, kYes, kNo, "gfx10-1-generic", "RDNA 1, Navi 10"},
    {"gfx1011", 0x34, kYes, kNo, "gfx10-1-generic", "RDNA 1, Navi 12"},
    {"gfx1012", 0x35, kYes, kNo, "gfx10-1-generic", "RDNA 1, Navi 14"},
    {"gfx1013", 0x42, kYes, kNo, "gfx10-1-generic", "RDNA 1, Cyan Skillfish"},
    {"gfx1030", 0x36, kNo, kNo, "gfx10-3-generic", "RDNA 2, Navi 21"},
    {"gfx1031", 0x37, kNo, kNo, "gfx10-3-generic", "RDNA 2, Navi 22"},
    {"gfx1032", 0x38, kNo, kNo, "gfx10-3-generic", "RDNA 2, Navi 23"},
    {"gfx1033", 0x39, kNo, kNo, "gfx10-3-generic", "RDNA 2, Van Gogh"},
    {"gfx1034", 0x3E, kNo, kNo, "gfx10-3-generic", "RDNA 2, Navi 24"},
    {"gfx1035", 0x3D, kNo, kNo, "gfx10-3-generic", "RDNA 2, Rembrandt"},
    {"gfx1036", 0x45, kNo, kNo, "gfx10-3-generic", "RDNA 2, Raphael"},
    {"gfx1100", 0x41, kNo, kNo, "gfx11-generic", "RDNA 3, Navi 31"},
    {"gfx1101", 0x46, kNo, kNo, "gfx11-generic", "RDNA 3, Navi 32"},
    {"gfx1102", 0x47, kNo, kNo, "gfx11-generic", "RDNA 3, Navi 33"},
    {"gfx1103", 0x44, kNo, kNo, "gfx11-generic", "RDNA 3, Phoenix"},
    {"gfx1150", 0x43, kNo, kNo, "gfx11-generic", "RDNA 3.5, Strix Point"},
    {"gfx1151", 0x4A, kNo, kNo, "gfx11-generic", "RDNA 3.5, Strix Halo"},
    {"gfx1152", 0x55, kNo, kNo, "gfx11-generic", "RDNA 3.5, Krackan Point"},
    {"gfx1153", 0x58, kNo, kNo, "gfx11-generic", "RDNA 3.5"},
    {"gfx1154", 0x57, kNo, kNo, "gfx11-generic", "RDNA 3.5"},
    {"gfx1170", 0x5D, kNo, kNo, "gfx11-7-generic", "GFX11.7"},
    {"gfx1171", 0x5E, kNo, kNo, "gfx11-7-generic", "GFX11.7"},
    {"gfx1172", 0x5C, kNo, kNo, "gfx11-7-generic", "GFX11.7"},
    {"gfx1200", 0x48, kNo, kNo, "gfx12-generic", "RDNA 4, Navi 44"},
    {"gfx1201", 0x4E, kNo, kNo, "gfx12-generic", "RDNA 4, Navi 48"},
    {"gfx1250", 0x49, kOn, kYes, "gfx12-5-generic", "GFX12.5"},
    {"gfx1250-strict", 0xEB, kOn, kYes, "", "GFX12.5, first stepping"},
    {"gfx1251", 0x5A, kOn, kYes, "gfx12-5-generic", "GFX12.5"},
    {"gfx1310", 0x50, kNo, kNo, "gfx13-generic", "GFX13"},
    {"gfx9-generic", 0x51, kYes, kNo, "", "Vega"},
    {"gfx9-4-generic", 0x5F, kYes, kYes, "", "CDNA 3 and 4"},
    {"gfx10-1-generic", 0x52, kYes, kNo, "", "RDNA 1"},
    {"gfx10-3-generic", 0x53, kNo, kNo, "", "RDNA 2"},
    {"gfx11-generic", 0x54, kNo, kNo, "", "RDNA 3 and 3.5"},
    {"gfx11-7-generic", 0x62, kNo, kNo, "", "GFX11.7"},
    {"gfx12-generic", 0x59, kNo, kNo, "", "RDNA 4"},
    {"gfx12-5-generic", 0x5B, kOn, kYes, "", "GFX12.5"},
    {"gfx13-generic", 0x63, kNo, kNo, "", "GFX13"},
};

constexpr AmdGenericMember kMembers[] = {
    {"gfx9-generic", "gfx900", 1},     {"gfx9-generic", "gfx902", 1},
    {"gfx9-generic", "gfx904", 1},     {"gfx9-generic", "gfx906", 1},
    {"gfx9-generic", "gfx909", 1},     {"gfx9-generic", "gfx90c", 1},
    {"gfx9-4-generic", "gfx942", 1},   {"gfx9-4-generic", "gfx950", 1},
    {"gfx10-1-generic", "gfx1010", 1}, {"gfx10-1-generic", "gfx1011", 1},
    {"gfx10-1-generic", "gfx1012", 1}, {"gfx10-1-generic", "gfx1013", 1},
    {"gfx10-3-generic", "gfx1030", 1}, {"gfx10-3-generic", "gfx1031", 1},
    {"gfx10-3-generic", "gfx1032", 1}, {"gfx10-3-generic", "gfx1033", 1},
    {"gfx10-3-generic", "gfx1034", 1}, {"gfx10-3-generic", "gfx1035", 1},
    {"gfx10-3-generic", "gfx1036", 1}, {"gfx11-generic", "gfx1100", 1},
    {"gfx11-generic", "gfx1101", 1},   {"gfx11-generic", "gfx1102", 1},
    {"gfx11-generic", "gfx1103", 1},   {"gfx11-generic", "gfx1150", 1},
    {"gfx11-generic", "gfx1151", 1},   {"gfx11-generic", "gfx1152", 1},
    {"gfx11-generic", "gfx1153", 1},   {"gfx11-generic", "gfx1154", 1},
    {"gfx11-7-generic", "gfx1170", 1}, {"gfx11-7-generic", "gfx1171", 1},
    {"gfx11-7-generic", "gfx1172", 1}, {"gfx12-generic", "gfx1200", 1},
    {"gfx12-generic", "gfx1201", 1},   {"gfx12-5-generic", "gfx1250", 1},
    {"gfx12-5-generic", "gfx1251", 1}, {"gfx13-generic", "gfx1310", 1},
};

constexpr amd::Alias kAliases[] = {
    {"tahiti", "gfx600"},    {"pitcairn", "gfx601"}, {"verde", "gfx601"},
    {"hainan", "gfx602"},    {"oland", "gfx602"},    {"kaveri", "gfx700"},
    {"hawaii", "gfx701"},    {"kabini", "gfx703"},   {"mullins", "gfx703"},
    {"bonaire", "gfx704"},   {"carrizo", "gfx801"},  {"iceland", "gfx802"},
    {"tonga", "gfx802"},     {"fiji", "gfx803"},     {"polaris10", "gfx803"},
    {"polaris11", "gfx803"}, {"tongapro", "gfx805"}, {"stoney", "gfx810"},
};

// Two characters after the dot name one processor, fewer a family. Families 6,
// 7 and 8 have no generic processor.
constexpr amd::Alias kSubProcessors[] = {
    {"6.00", "gfx600"},           {"6.01", "gfx601"},
    {"6.02", "gfx602"},           {"7.00", "gfx700"},
    {"7.01", "gfx701"},           {"7.02", "gfx702"},
    {"7.03", "gfx703"},           {"7.04", "gfx704"},
    {"7.05", "gfx705"},           {"8.01", "gfx801"},
    {"8.02", "gfx802"},           {"8.03", "gfx803"},
    {"8.05", "gfx805"},           {"8.10", "gfx810"},
    {"9.00", "gfx900"},           {"9.02", "gfx902"},
    {"9.04", "gfx904"},           {"9.06", "gfx906"},
    {"9.08", "gfx908"},           {"9.09", "gfx909"},
    {"9.0a", "gfx90a"},           {"9.0c", "gfx90c"},
    {"9.42", "gfx942"},           {"9.50", "gfx950"},
    {"10.10", "gfx1010"},         {"10.11", "gfx1011"},
    {"10.12", "gfx1012"},         {"10.13", "gfx1013"},
    {"10.30", "gfx1030"},         {"10.31", "gfx1031"},
    {"10.32", "gfx1032"},         {"10.33", "gfx1033"},
    {"10.34", "gfx1034"},         {"10.35", "gfx1035"},
    {"10.36", "gfx1036"},         {"11.00", "gfx1100"},
    {"11.01", "gfx1101"},         {"11.02", "gfx1102"},
    {"11.03", "gfx1103"},         {"11.50", "gfx1150"},
    {"11.51", "gfx1151"},         {"11.52", "gfx1152"},
    {"11.53", "gfx1153"},         {"11.54", "gfx1154"},
    {"11.70", "gfx1170"},         {"11.71", "gfx1171"},
    {"11.72", "gfx1172"},         {"12.00", "gfx1200"},
    {"12.01", "gfx1201"},         {"12.50", "gfx1250"},
    {"12.51", "gfx1251"},         {"13.10", "gfx1310"},
    {"12.50s", "gfx1250-strict"}, {"9", "gfx9-generic"},
    {"9.4", "gfx9-4-generic"},    {"9.5", "gfx9-4-generic"},
    {"10", "gfx10-1-generic"},    {"10.1", "gfx10-1-generic"},
    {"10.3", "gfx10-3-generic"},  {"11", "gfx11-generic"},
    {"11.7", "gfx11-7-generic"},  {"12", "gfx12-generic"},
    {"12.5", "gfx12-5-generic"},  {"13", "gfx13-generic"},
};

} // namespace

std::span<const AmdProcessor> known_amd_processors() { return kProcessors; }

const AmdProcessor *find_amd_processor(std::string_view name) {
  auto at = std::ranges::find(kProcessors, name, &AmdProcessor::name);
  return at != std::end(kProcessors) ? &*at : nullptr;
}

std::span<const AmdGenericMember> amd_generic_members() { return kMembers; }

namespace amd {

const AmdProcessor *find_mach(std::uint8_t mach) {
  auto at = std::ranges::find(kProcessors, mach, &AmdProcessor::mach);
  return at != std::end(kProcessors) ? &*at : nullptr;
}

std::span<const Alias> aliases() { return kAliases; }

std::string_view sub_processor(std::string_view version) {
  auto at = std::ranges::find(kSubProcessors, version, &Alias::name);
  return at != std::end(kSubProcessors) ? at->processor : std::string_view();
}

std::span<const Alias> sub_processors() { return kSubProcessors; }

} // namespace amd

} // namespace gantry

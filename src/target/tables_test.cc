// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gantry/target.h"

#include "target/amd_table.h"

#include <gtest/gtest.h>

#include <set>

using namespace gantry;

namespace {

TEST(Tables, KnowsEverySm) {
  struct {
    std::uint32_t sm, family;
    bool a, f;
    Toolkit last;
  } const all[] = {
      {50, 0, false, false, {12, 9}},  {52, 0, false, false, {12, 9}},
      {53, 0, false, false, {12, 9}},  {60, 0, false, false, {12, 9}},
      {61, 0, false, false, {12, 9}},  {62, 0, false, false, {12, 9}},
      {70, 0, false, false, {12, 9}},  {72, 0, false, false, {12, 9}},
      {75, 0, false, false, {}},       {80, 0, false, false, {}},
      {86, 0, false, false, {}},       {87, 0, false, false, {}},
      {88, 0, false, false, {}},       {89, 0, false, false, {}},
      {90, 0, true, false, {}},        {100, 100, true, true, {}},
      {101, 110, true, true, {12, 9}}, {103, 100, true, true, {}},
      {107, 100, true, true, {}},      {110, 110, true, true, {}},
      {120, 120, true, true, {}},      {121, 120, true, true, {}},
  };
  for (const auto &c : all) {
    const SmInfo *sm = find_sm(c.sm);
    ASSERT_NE(sm, nullptr) << c.sm;
    EXPECT_EQ(sm->sm, c.sm);
    EXPECT_EQ(sm->family, c.family) << c.sm;
    EXPECT_EQ(sm->has_a, c.a) << c.sm;
    EXPECT_EQ(sm->has_f, c.f) << c.sm;
    EXPECT_EQ(sm->last, c.last) << c.sm;
    EXPECT_FALSE(sm->devices.empty()) << c.sm;
  }
  for (std::uint32_t sm : {0u, 9u, 74u, 99u, 102u, 122u, UINT32_MAX})
    EXPECT_EQ(find_sm(sm), nullptr) << sm;
}

TEST(Tables, KnowsWhichToolkitBroughtAnSmAndItsVariants) {
  EXPECT_EQ(find_sm(75)->first, (Toolkit{10, 0}));
  EXPECT_EQ(find_sm(80)->first, (Toolkit{11, 0}));
  EXPECT_EQ(find_sm(88)->first, (Toolkit{13, 0}));
  EXPECT_EQ(find_sm(89)->first, (Toolkit{11, 8}));
  EXPECT_EQ(find_sm(90)->first, (Toolkit{11, 8}));
  EXPECT_EQ(find_sm(90)->first_a, (Toolkit{12, 0}));
  EXPECT_EQ(find_sm(90)->first_f, (Toolkit{}));
  EXPECT_EQ(find_sm(100)->first, (Toolkit{12, 8}));
  EXPECT_EQ(find_sm(100)->first_a, (Toolkit{12, 8}));
  EXPECT_EQ(find_sm(100)->first_f, (Toolkit{12, 9}));
  EXPECT_EQ(find_sm(103)->first, (Toolkit{12, 9}));
  EXPECT_EQ(find_sm(110)->first_f, (Toolkit{13, 0}));
  EXPECT_EQ(find_sm(120)->first, (Toolkit{12, 8}));
  EXPECT_EQ(find_sm(121)->first, (Toolkit{12, 9}));
  EXPECT_GT(find_sm(107)->first, (Toolkit{13, 0}));
}

TEST(Tables, KeepsSmRowsConsistent) {
  for (const SmInfo &sm : known_sms()) {
    EXPECT_EQ(sm.has_a, sm.first_a != Toolkit{}) << sm.sm;
    EXPECT_EQ(sm.has_f, sm.first_f != Toolkit{}) << sm.sm;
    EXPECT_EQ(sm.has_f, sm.family != 0) << sm.sm;
    if (sm.last != Toolkit{}) {
      EXPECT_LT(sm.first, sm.last) << sm.sm;
    }
  }
  for (std::uint32_t tegra : {53u, 62u, 72u, 87u, 88u, 101u, 110u})
    EXPECT_TRUE(find_sm(tegra)->tegra) << tegra;
  EXPECT_FALSE(find_sm(90)->tegra);
}

TEST(Tables, KnowsEveryAmdMachine) {
  const std::pair<std::uint8_t, std::string_view> all[] = {
      {0x20, "gfx600"},          {0x21, "gfx601"},
      {0x22, "gfx700"},          {0x23, "gfx701"},
      {0x24, "gfx702"},          {0x25, "gfx703"},
      {0x26, "gfx704"},          {0x28, "gfx801"},
      {0x29, "gfx802"},          {0x2A, "gfx803"},
      {0x2B, "gfx810"},          {0x2C, "gfx900"},
      {0x2D, "gfx902"},          {0x2E, "gfx904"},
      {0x2F, "gfx906"},          {0x30, "gfx908"},
      {0x31, "gfx909"},          {0x32, "gfx90c"},
      {0x33, "gfx1010"},         {0x34, "gfx1011"},
      {0x35, "gfx1012"},         {0x36, "gfx1030"},
      {0x37, "gfx1031"},         {0x38, "gfx1032"},
      {0x39, "gfx1033"},         {0x3A, "gfx602"},
      {0x3B, "gfx705"},          {0x3C, "gfx805"},
      {0x3D, "gfx1035"},         {0x3E, "gfx1034"},
      {0x3F, "gfx90a"},          {0x40, "gfx940"},
      {0x41, "gfx1100"},         {0x42, "gfx1013"},
      {0x43, "gfx1150"},         {0x44, "gfx1103"},
      {0x45, "gfx1036"},         {0x46, "gfx1101"},
      {0x47, "gfx1102"},         {0x48, "gfx1200"},
      {0x49, "gfx1250"},         {0x4A, "gfx1151"},
      {0x4B, "gfx941"},          {0x4C, "gfx942"},
      {0x4E, "gfx1201"},         {0x4F, "gfx950"},
      {0x50, "gfx1310"},         {0x51, "gfx9-generic"},
      {0x52, "gfx10-1-generic"}, {0x53, "gfx10-3-generic"},
      {0x54, "gfx11-generic"},   {0x55, "gfx1152"},
      {0x57, "gfx1154"},         {0x58, "gfx1153"},
      {0x59, "gfx12-generic"},   {0x5A, "gfx1251"},
      {0x5B, "gfx12-5-generic"}, {0x5C, "gfx1172"},
      {0x5D, "gfx1170"},         {0x5E, "gfx1171"},
      {0x5F, "gfx9-4-generic"},  {0x62, "gfx11-7-generic"},
      {0x63, "gfx13-generic"},   {0xEB, "gfx1250-strict"},
  };
  EXPECT_EQ(std::size(all), known_amd_processors().size());
  for (auto [mach, name] : all) {
    const AmdProcessor *p = amd::find_mach(mach);
    ASSERT_NE(p, nullptr) << name;
    EXPECT_EQ(p->name, name);
    EXPECT_EQ(find_amd_processor(name), p);
    EXPECT_FALSE(p->devices.empty()) << name;
  }
  EXPECT_EQ(find_amd_processor("gfx907"), nullptr);
  EXPECT_EQ(find_amd_processor(""), nullptr);
}

TEST(Tables, KnowsWhichFeaturesAreSelectable) {
  const std::set<std::string_view> xnack = {
      "gfx801",          "gfx810",  "gfx900",  "gfx902",       "gfx904",
      "gfx906",          "gfx908",  "gfx909",  "gfx90a",       "gfx90c",
      "gfx940",          "gfx941",  "gfx942",  "gfx950",       "gfx1010",
      "gfx1011",         "gfx1012", "gfx1013", "gfx9-generic", "gfx9-4-generic",
      "gfx10-1-generic",
  };
  const std::set<std::string_view> always = {"gfx1250", "gfx1250-strict",
                                             "gfx1251", "gfx12-5-generic"};
  const std::set<std::string_view> sramecc = {
      "gfx906",  "gfx908",         "gfx90a",  "gfx940",
      "gfx941",  "gfx942",         "gfx950",  "gfx9-4-generic",
      "gfx1250", "gfx1250-strict", "gfx1251", "gfx12-5-generic"};
  for (const AmdProcessor &p : known_amd_processors()) {
    Selectable expected = xnack.contains(p.name)    ? Selectable::yes
                          : always.contains(p.name) ? Selectable::always_on
                                                    : Selectable::no;
    EXPECT_EQ(p.xnack, expected) << p.name;
    EXPECT_EQ(p.sramecc == Selectable::yes, sramecc.contains(p.name)) << p.name;
  }
}

TEST(Tables, KnowsMembersOfGenericProcessors) {
  const std::pair<std::string_view, std::set<std::string_view>> all[] = {
      {"gfx9-generic",
       {"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"}},
      {"gfx9-4-generic", {"gfx942", "gfx950"}},
      {"gfx10-1-generic", {"gfx1010", "gfx1011", "gfx1012", "gfx1013"}},
      {"gfx10-3-generic",
       {"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035",
        "gfx1036"}},
      {"gfx11-generic",
       {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151",
        "gfx1152", "gfx1153", "gfx1154"}},
      {"gfx11-7-generic", {"gfx1170", "gfx1171", "gfx1172"}},
      {"gfx12-generic", {"gfx1200", "gfx1201"}},
      {"gfx12-5-generic", {"gfx1250", "gfx1251"}},
      {"gfx13-generic", {"gfx1310"}},
  };
  std::size_t rows = 0;
  for (const auto &[generic, expected] : all) {
    std::set<std::string_view> members;
    for (const AmdGenericMember &m : amd_generic_members())
      if (m.generic == generic) {
        members.insert(m.processor);
        EXPECT_EQ(m.minimum_version, 1);
        rows++;
      }
    EXPECT_EQ(members, expected) << generic;
    EXPECT_NE(find_amd_processor(generic), nullptr) << generic;
  }
  EXPECT_EQ(rows, amd_generic_members().size());
  // Both tables say the same.
  for (const AmdProcessor &p : known_amd_processors()) {
    bool listed = false;
    for (const AmdGenericMember &m : amd_generic_members())
      listed |= m.processor == p.name && m.generic == p.generic;
    EXPECT_EQ(listed, !p.generic.empty()) << p.name;
  }
  for (std::string_view none : {"gfx803", "gfx908", "gfx90a", "gfx600"})
    EXPECT_EQ(find_amd_processor(none)->generic, "") << none;
}

TEST(Tables, KnowsEverySubarchitecture) {
  const std::pair<std::string_view, std::string_view> exact[] = {
      {"6.00 6.01 6.02", "6"},
      {"7.00 7.01 7.02 7.03 7.04 7.05", "7"},
      {"8.01 8.02 8.03 8.05 8.10", "8"},
      {"9.00 9.02 9.04 9.06 9.08 9.09 9.0a 9.0c 9.42 9.50", "9"},
      {"10.10 10.11 10.12 10.13 10.30 10.31 10.32 10.33 10.34 10.35 10.36",
       "10"},
      {"11.00 11.01 11.02 11.03 11.50 11.51 11.52 11.53 11.54 11.70 11.71 "
       "11.72",
       "11"},
      {"12.00 12.01 12.50 12.51", "12"},
      {"13.10", "13"},
  };
  for (auto [list, major] : exact)
    for (std::string_view rest = list; !rest.empty();) {
      std::size_t end = std::min(rest.find(' '), rest.size());
      std::string_view version = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      std::string name = "gfx" + std::string(major) +
                         std::string(version.substr(version.find('.') + 1));
      EXPECT_EQ(amd::sub_processor(version), name);
    }
  const std::pair<std::string_view, std::string_view> others[] = {
      {"12.50s", "gfx1250-strict"}, {"9", "gfx9-generic"},
      {"9.4", "gfx9-4-generic"},    {"9.5", "gfx9-4-generic"},
      {"10", "gfx10-1-generic"},    {"10.1", "gfx10-1-generic"},
      {"10.3", "gfx10-3-generic"},  {"11", "gfx11-generic"},
      {"11.7", "gfx11-7-generic"},  {"12", "gfx12-generic"},
      {"12.5", "gfx12-5-generic"},  {"13", "gfx13-generic"},
  };
  for (auto [version, name] : others)
    EXPECT_EQ(amd::sub_processor(version), name);
  for (auto [version, name] : amd::sub_processors())
    EXPECT_NE(find_amd_processor(name), nullptr) << version;
  for (std::string_view none : {"", "6", "7", "8", "9.40", "942"})
    EXPECT_EQ(amd::sub_processor(none), "") << none;
}

TEST(Tables, KeepsAliasesOnKnownProcessors) {
  for (auto [alias, processor] : amd::aliases())
    EXPECT_NE(find_amd_processor(processor), nullptr) << alias;
}

} // namespace

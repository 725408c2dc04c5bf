// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gantry/target.h"

#include <gtest/gtest.h>

#include <set>

using namespace gantry;

namespace {

std::string canonical(std::string_view text) {
  auto r = parse_target(text);
  return r ? target_name(r->target) : "refused: " + r.error().what;
}

// What is refused and at which character.
struct Refused {
  std::string_view text;
  std::uint64_t offset;
};

TEST(Target, ReadsNvidiaNamesAndTheirSpelling) {
  auto sm = parse_target("sm_90a");
  ASSERT_TRUE(sm);
  EXPECT_EQ(sm->target, nvidia_target(90, Suffix::a));
  EXPECT_EQ(sm->spelling, Spelling::sm);
  auto compute = parse_target("compute_100f");
  ASSERT_TRUE(compute);
  EXPECT_EQ(compute->target, nvidia_target(100, Suffix::f));
  EXPECT_EQ(compute->spelling, Spelling::compute);
  auto lto = parse_target("lto_90");
  ASSERT_TRUE(lto);
  EXPECT_EQ(lto->target, nvidia_target(90));
  EXPECT_EQ(lto->spelling, Spelling::lto);
}

TEST(Target, ReadsNumbersThatNobodyKnows) {
  for (std::uint32_t sm : {10u, 99u, 130u, 1234u, 99999u}) {
    auto r = parse_target("sm_" + std::to_string(sm) + "a");
    ASSERT_TRUE(r) << sm;
    EXPECT_EQ(r->target, nvidia_target(sm, Suffix::a));
  }
}

TEST(Target, RefusesDamagedNvidiaNamesAtTheCharacter) {
  const Refused all[] = {
      {"sm_", 3},       {"sm_a", 3},          {"sm_9", 4},       {"sm_090", 3},
      {"sm_90b", 5},    {"sm_90aa", 6},       {"sm_90 ", 5},     {"sm_90+", 5},
      {"sm_123456", 8}, {"compute_", 8},      {"compute_-9", 8}, {"lto_90x", 6},
      {"SM_90", 0},     {"sm90", 0},          {"90", 0},         {"", 0},
      {"sm_90A", 5},    {"sm_4294967386", 8},
  };
  for (const Refused &c : all) {
    auto r = parse_target(c.text);
    ASSERT_FALSE(r) << c.text;
    EXPECT_EQ(r.error().code, Errc::invalid_argument) << c.text;
    EXPECT_EQ(r.error().offset, c.offset) << c.text;
  }
}

TEST(Target, ReadsAmdNamesIntoOneCanonicalForm) {
  const std::pair<std::string_view, std::string_view> all[] = {
      {"gfx90a", "gfx90a"},
      {"gfx90a:xnack+", "gfx90a:xnack+"},
      {"gfx90a:xnack-:sramecc+", "gfx90a:sramecc+:xnack-"},
      {"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"},
      {"gfx906+sramecc+xnack", "gfx906+sramecc+xnack"},
      {"gfx906+xnack+sram-ecc", "gfx906+sramecc+xnack"},
      {"gfx906:sramecc-+xnack", "gfx906:sramecc-+xnack"},
      {"gfx9-4-generic", "gfx9-4-generic"},
      {"gfx9-4-generic:xnack+", "gfx9-4-generic:xnack+"},
      {"gfx11-generic", "gfx11-generic"},
      {"gfx12-5-generic:xnack+", "gfx12-5-generic"},
      {"gfx1250-strict", "gfx1250-strict"},
      {"fiji", "gfx803"},
      {"carrizo:xnack+", "gfx801:xnack+"},
      {"amdgpu9.42", "gfx942"},
      {"amdgpu12.50s", "gfx1250-strict"},
      {"amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"},
      {"amdgpu9.42-amd-amdhsa--", "gfx942"},
      {"amdgcnspirv", "amdgcnspirv"},
      {"spir64_gen", "spir64_gen"},
      // Not in the table, but well-formed: kept, with what was stated.
      {"gfx2010", "gfx2010"},
      {"gfx2010:xnack-", "gfx2010:xnack-"},
      {"gfx99f", "gfx99f"},
      {"gfx14-3-generic", "gfx14-3-generic"},
  };
  for (auto [text, name] : all)
    EXPECT_EQ(canonical(text), name) << text;
}

TEST(Target, AppendsFeaturesOnlyWhereTheyAreSelectable) {
  for (std::string_view text :
       {"gfx1250:xnack+", "gfx1250:xnack-", "gfx1251:xnack+",
        "gfx1250-strict:xnack+", "gfx1100:xnack+", "gfx1030:sramecc-:xnack-",
        "gfx900:sramecc+"}) {
    std::string_view processor = text.substr(0, text.find(':'));
    EXPECT_EQ(canonical(text), processor);
  }
  // A feature without a choice is not part of the value …
  EXPECT_EQ(parse_target("gfx1250:xnack+")->target,
            parse_target("gfx1250")->target);
  // … unless it contradicts the processor.
  EXPECT_EQ(parse_target("gfx1250:xnack-")->target.xnack, Feature::off);
}

TEST(Target, LeavesOmittedFeaturesUnspecified) {
  Target t = parse_target("gfx90a:xnack-")->target;
  EXPECT_EQ(t.vendor, Vendor::amd);
  EXPECT_EQ(t.processor, "gfx90a");
  EXPECT_EQ(t.xnack, Feature::off);
  EXPECT_EQ(t.sramecc, Feature::unspecified);
  EXPECT_FALSE(t.generic_version);
  EXPECT_EQ(parse_target("gfx906+xnack")->target.xnack, Feature::on_or_any);
}

TEST(Target, TellsTheSpellingOfAmdNames) {
  EXPECT_EQ(parse_target("gfx90a")->spelling, Spelling::processor);
  EXPECT_EQ(parse_target("amdgpu9.0a")->spelling, Spelling::sub_processor);
  EXPECT_EQ(parse_target("amdgcnspirv")->spelling, Spelling::other);
}

TEST(Target, RefusesDamagedAmdNamesAtTheCharacter) {
  const Refused all[] = {
      {"gfx", 3},
      {"gfx9", 4},
      {"gfx90", 5},
      {"gfx090", 3},
      {"gfx90g", 5},
      {"gfx9a0a", 4},
      {"gfx11xx", 5},
      {"gfx1234567", 6},
      {"gfxabc", 3},
      {"gfx90a-", 6},
      {"gfx90a-xnack", 6},
      {"gfx90A", 5},
      {"gfx-generic", 3},
      {"gfx9--generic", 5},
      {"gfx9--4-generic", 5},
      {"gfxx-generic", 3},
      {"gfx-strict", 3},
      {"gfx90a:", 7},
      {"gfx90a:xnack", 12},
      {"gfx90a:xnack:sramecc+", 12},
      {"gfx90a:xnack+x", 13},
      {"gfx90a:xnack+:", 14},
      {"gfx90a:xnack+:xnack-", 14},
      {"gfx90a:sram-ecc+", 7},
      {"gfx90a:foo+", 7},
      {"gfx90a+", 7},
      {"gfx90a+foo", 7},
      {"gfx90a+xnack+xnack", 13},
      {"gfx90a+xnack-", 7},
      {" gfx90a", 0},
      {"gfx9-00000000000000000000000000-generic", 32},
      {"amdgpu", 6},
      {"amdgpu9.4x", 6},
      {"amdgpu6", 6},
      {"amdgcn-amd-amdhsa", 6},
      {"amdgcn", 0},
      {"skylake", 0},
  };
  for (const Refused &c : all) {
    auto r = parse_target(c.text);
    ASSERT_FALSE(r) << c.text;
    EXPECT_EQ(r.error().code, Errc::invalid_argument) << c.text;
    EXPECT_EQ(r.error().offset, c.offset) << c.text;
  }
}

TEST(Target, ReadsBackWhatItPrints) {
  const Feature all[] = {Feature::unspecified, Feature::any, Feature::off,
                         Feature::on, Feature::on_or_any};
  for (const AmdProcessor &p : known_amd_processors())
    for (Feature xnack : all)
      for (Feature sramecc : all) {
        Target t;
        t.vendor = Vendor::amd;
        t.processor = p.name;
        t.xnack = xnack;
        t.sramecc = sramecc;
        EXPECT_EQ(canonical(target_name(t)), target_name(t)) << p.name;
      }
}

TEST(Target, OffersEveryNameItKnows) {
  std::vector<std::string> names = known_target_names();
  std::set<std::string> distinct(names.begin(), names.end());
  EXPECT_EQ(distinct.size(), names.size());
  for (std::string_view name : {"sm_75", "sm_90a", "sm_100f", "gfx90a",
                                "gfx9-4-generic", "amdgcnspirv"})
    EXPECT_TRUE(distinct.contains(std::string(name))) << name;
  EXPECT_FALSE(distinct.contains("sm_75a"));
  EXPECT_FALSE(distinct.contains("sm_90f"));
  for (const std::string &name : names)
    EXPECT_EQ(canonical(name), name);
}

TEST(Target, HasStableWords) {
  EXPECT_EQ(word(Vendor::nvidia), "nvidia");
  EXPECT_EQ(word(Vendor::amd), "amd");
  EXPECT_EQ(word(Vendor::other), "other");
  EXPECT_EQ(word(Feature::unspecified), "unspecified");
  EXPECT_EQ(word(Feature::any), "any");
  EXPECT_EQ(word(Feature::off), "off");
  EXPECT_EQ(word(Feature::on), "on");
  EXPECT_EQ(word(Feature::on_or_any), "on-or-any");
}

TEST(Target, TellsTriples) {
  for (std::string_view yes :
       {"nvptx64-nvidia-gpulibs", "amdgcn-amd-amdhsa", "x86_64-pc-linux-gnu"})
    EXPECT_TRUE(is_triple(yes)) << yes;
  for (std::string_view no :
       {"sm_90", "gfx9-4-generic", "foo-bar-baz", "nvptx64", "amdgcn-amd", ""})
    EXPECT_FALSE(is_triple(no)) << no;
}

} // namespace

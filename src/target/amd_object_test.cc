// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gantry/target.h"

#include <gtest/gtest.h>

using namespace gantry;

namespace {

using enum Feature;

std::string name(const std::optional<Target> &t) {
  return t ? target_name(*t) : "-";
}

struct Flags {
  std::uint32_t e_flags;
  std::uint8_t abi_version;
  std::string_view processor;
  Feature sramecc, xnack;
};

// Objects of clang 14 to 22 and of ROCm 7.14 and 10.1.
const Flags kSeen[] = {
    {0x12C, 4, "gfx900", unspecified, any},
    {0x133, 4, "gfx1010", unspecified, any},
    {0x134, 4, "gfx1011", unspecified, any},
    {0x135, 4, "gfx1012", unspecified, any},
    {0x540, 3, "gfx940", any, any},
    {0x54B, 3, "gfx941", any, any},
    {0x449, 4, "gfx1250", any, unspecified},
    {0x549, 4, "gfx1250", any, unspecified},
    {0x749, 4, "gfx1250", any, unspecified},
    {0x649, 4, "gfx1250", any, off},
    {0xC49, 4, "gfx1250", on, unspecified},
    {0x4EB, 4, "gfx1250-strict", any, unspecified},
    {0x52F, 2, "gfx906", any, any},
    {0x32F, 1, "gfx906", on_or_any, on_or_any},
    {0x32F, 0, "gfx906", on_or_any, on_or_any},
    {0x53F, 2, "gfx90a", any, any},
    {0x73F, 2, "gfx90a", any, on},
    {0x63F, 3, "gfx90a", any, off},
    {0xD30, 2, "gfx908", on, any},
    {0x930, 2, "gfx908", off, any},
    {0x54C, 4, "gfx942", any, any},
    {0x04C, 4, "gfx942", unspecified, unspecified},
    {0x54F, 4, "gfx950", any, any},
    {0x36, 2, "gfx1030", unspecified, unspecified},
    {0x41, 4, "gfx1100", unspecified, unspecified},
    // One bit a feature; clear means off where there is a choice.
    {0x12F, 1, "gfx906", off, on_or_any},
    {0x02F, 1, "gfx906", off, off},
    {0x336, 1, "gfx1030", unspecified, unspecified},
    {0x049, 1, "gfx1250", off, unspecified},
};

TEST(AmdFlags, ReadsFeaturesAsFarAsTheVersionSaysThem) {
  for (const Flags &c : kSeen) {
    auto t = amd_target_from_flags(c.e_flags, c.abi_version);
    ASSERT_TRUE(t) << std::hex << c.e_flags;
    EXPECT_EQ(t->vendor, Vendor::amd);
    EXPECT_EQ(t->processor, c.processor) << std::hex << c.e_flags;
    EXPECT_EQ(t->sramecc, c.sramecc) << std::hex << c.e_flags;
    EXPECT_EQ(t->xnack, c.xnack) << std::hex << c.e_flags;
    EXPECT_FALSE(t->generic_version) << std::hex << c.e_flags;
  }
}

TEST(AmdFlags, ReadsTheVersionOfGenericProcessorsInVersionSix) {
  const std::pair<std::uint32_t, std::string_view> all[] = {
      {0x01000151, "gfx9-generic"},    {0x01000053, "gfx10-3-generic"},
      {0x01000054, "gfx11-generic"},   {0x01000059, "gfx12-generic"},
      {0x0100055F, "gfx9-4-generic"},  {0x01000152, "gfx10-1-generic"},
      {0x0100045B, "gfx12-5-generic"},
  };
  for (auto [e_flags, processor] : all) {
    auto t = amd_target_from_flags(e_flags, 4);
    ASSERT_TRUE(t) << processor;
    EXPECT_EQ(t->processor, processor);
    EXPECT_EQ(t->generic_version, 1) << processor;
    EXPECT_EQ(target_name(*t), processor);
  }
  EXPECT_EQ(amd_target_from_flags(0x02000054, 4)->generic_version, 2);
  EXPECT_FALSE(amd_target_from_flags(0x01000054, 3)->generic_version);
  EXPECT_FALSE(amd_target_from_flags(0x01000041, 4)->generic_version);
}

TEST(AmdFlags, KeepsUnknownMachinesUnknown) {
  for (std::uint32_t mach = 0; mach < 0x100; mach++) {
    const AmdProcessor *known = nullptr;
    for (const AmdProcessor &p : known_amd_processors())
      if (p.mach == mach)
        known = &p;
    auto t = amd_target_from_flags(mach | 0x500, 4);
    EXPECT_EQ(t.has_value(), known != nullptr) << mach;
    if (t && known) {
      EXPECT_EQ(t->processor, known->name);
    }
  }
  for (std::uint32_t mach :
       {0x00u, 0x01u, 0x10u, 0x27u, 0x4Du, 0x56u, 0x60u, 0x61u, 0x6Au, 0xFFu})
    EXPECT_FALSE(amd_target_from_flags(mach, 2)) << mach;
  EXPECT_FALSE(amd_target_from_flags(0x53F, 5));
  EXPECT_FALSE(amd_target_from_flags(0x53F, 255));
  EXPECT_EQ(amd_mach_text(0x0100056A), "mach 0x6A");
  EXPECT_EQ(amd_mach_text(0x1), "mach 0x01");
}

TEST(AmdIsaNote, MapsAsTheRuntimeDoes) {
  struct {
    std::uint32_t major, minor, stepping;
    std::string_view name;
  } const all[] = {
      {7, 0, 0, "gfx700"},
      {7, 0, 1, "gfx701"},
      {7, 0, 2, "gfx702"},
      {7, 0, 3, "gfx703"},
      {7, 0, 4, "gfx704"},
      {7, 0, 5, "gfx705"},
      {8, 0, 0, "gfx802"},
      {8, 0, 1, "gfx801:xnack+"},
      {8, 0, 2, "gfx802"},
      {8, 0, 3, "gfx803"},
      {8, 0, 4, "gfx803"},
      {8, 0, 5, "gfx805"},
      {8, 1, 0, "gfx810:xnack+"},
      {9, 0, 0, "gfx900:xnack-"},
      {9, 0, 1, "gfx900:xnack+"},
      {9, 0, 2, "gfx902:xnack-"},
      {9, 0, 3, "gfx902:xnack+"},
      {9, 0, 4, "gfx904:xnack-"},
      {9, 0, 5, "gfx904:xnack+"},
      {9, 0, 6, "gfx906:sramecc-:xnack-"},
      {9, 0, 7, "gfx906:sramecc-:xnack+"},
      {9, 0, 8, "gfx908"},
      {9, 0, 10, "gfx90a"},
      {9, 0, 12, "gfx90c"},
      {10, 3, 0, "gfx1030"},
      {12, 0, 1, "gfx1201"},
      {99, 15, 15, "gfx99ff"},
      {5, 0, 0, "-"},
      {0, 0, 0, "-"},
      {100, 0, 0, "-"},
      {9, 16, 0, "-"},
      {9, 0, 16, "-"},
      {UINT32_MAX, UINT32_MAX, UINT32_MAX, "-"},
  };
  for (auto &c : all)
    EXPECT_EQ(name(amd_target_from_isa_note(c.major, c.minor, c.stepping)),
              c.name)
        << c.major << ':' << c.minor << ':' << c.stepping;
}

TEST(AmdText, ReadsTargetTexts) {
  EXPECT_EQ(name(amd_target_from_text("amdgcn-amd-amdhsa--gfx90a:xnack+", 2)),
            "gfx90a:xnack+");
  EXPECT_EQ(name(amd_target_from_text("amdgpu9.42-amd-amdhsa--", 4)), "gfx942");
  EXPECT_EQ(name(amd_target_from_text("amdgcn-amd-amdhsa-unknown-gfx90a", 2)),
            "gfx90a");
  EXPECT_EQ(name(amd_target_from_text("gfx11-generic", 4)), "gfx11-generic");
  EXPECT_EQ(
      name(amd_target_from_text("amdgcn-amd-amdhsa--gfx9-4-generic:xnack+", 4)),
      "gfx9-4-generic:xnack+");
  EXPECT_EQ(name(amd_target_from_text("amdgcn-amd-amdhsa--gfx1250:xnack+", 4)),
            "gfx1250");
}

TEST(AmdText, TakesOmittedFeaturesForAnyFromVersionFourOn) {
  constexpr std::string_view kText = "amdgcn-amd-amdhsa--gfx90a:xnack+";
  EXPECT_EQ(amd_target_from_text(kText, 2)->sramecc, any);
  EXPECT_EQ(amd_target_from_text(kText, 4)->sramecc, any);
  EXPECT_EQ(amd_target_from_text(kText, 1)->sramecc, unspecified);
  EXPECT_EQ(amd_target_from_text(kText, 0)->sramecc, unspecified);
}

TEST(AmdText, ReadsTheOldNamesOfProcessorsWithXnack) {
  const std::pair<std::string_view, std::string_view> all[] = {
      {"gfx901", "gfx900"},
      {"gfx903", "gfx902"},
      {"gfx905", "gfx904"},
      {"gfx907", "gfx906"},
  };
  for (auto [old, processor] : all) {
    std::string text = "amdgcn-amd-amdhsa--" + std::string(old);
    auto t = amd_target_from_text(text, 0);
    ASSERT_TRUE(t) << old;
    EXPECT_EQ(t->processor, processor);
    EXPECT_EQ(t->xnack, on_or_any);
    EXPECT_EQ(amd_target_from_text(text, 2)->processor, old);
  }
}

TEST(AmdText, RefusesWhatNamesNoProcessor) {
  for (std::string_view text :
       {"", "-", "amdgcn", "amdgcn-amd-amdhsa", "amdgcn-amd-amdhsa--",
        "amdgcn-amd-amdhsa--gfx", "amdgcn-amd-amdhsa--sm_90",
        "nvptx64-nvidia-cuda--sm_90", "spirv64-amd-amdhsa--amdgcnspirv",
        "x86_64-pc-linux-gnu-gfx90a", "-amd-amdhsa--gfx90a"})
    for (std::uint8_t abi = 0; abi < 6; abi++)
      EXPECT_EQ(name(amd_target_from_text(text, abi)), "-") << text;
}

} // namespace

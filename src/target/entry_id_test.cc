// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gantry/target.h"

#include "target/amd_table.h"

#include <gtest/gtest.h>

using namespace gantry;

namespace {

// "-" for none.
std::string name(const std::optional<Target> &t) {
  return t ? target_name(*t) : "-";
}

struct Row {
  std::string_view id;
  OffloadKind kind;
  std::string_view arch, vendor, os, environment, target_id;
  std::string_view target;
};
using enum OffloadKind;

const Row kRows[] = {
    {"host-x86_64-unknown-linux", host, "x86_64", "unknown", "linux", "", "",
     "host"},
    {"host-x86_64-unknown-linux--", host, "x86_64", "unknown", "linux", "", "",
     "host"},
    {"host-x86_64-unknown-linux-gnu-", host, "x86_64", "unknown", "linux",
     "gnu", "", "host"},
    {"host-x86_64-pc-linux-gnu-", host, "x86_64", "pc", "linux", "gnu", "",
     "host"},
    {"host-x86_64-unknown-linux-gnu", host, "x86_64", "unknown", "linux", "gnu",
     "", "host"},
    {"host-x86_64-pc-windows-msvc--", host, "x86_64", "pc", "windows", "msvc",
     "", "host"},
    {"hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", hipv4, "amdgcn", "amd",
     "amdhsa", "", "gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"},
    {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-:sramecc+", hipv4, "amdgcn", "amd",
     "amdhsa", "", "gfx90a:xnack-:sramecc+", "gfx90a:sramecc+:xnack-"},
    {"hip-amdgcn-amd-amdhsa--gfx906", hip, "amdgcn", "amd", "amdhsa", "",
     "gfx906", "gfx906"},
    {"hip-amdgcn-amd-amdhsa-gfx1030", hip, "amdgcn", "amd", "amdhsa", "",
     "gfx1030", "gfx1030"},
    {"hip-amdgcn-amd-amdhsa-gfx9-4-generic:xnack+", hip, "amdgcn", "amd",
     "amdhsa", "", "gfx9-4-generic:xnack+", "gfx9-4-generic:xnack+"},
    {"hip-amdgcn-amd-amdhsa--gfx906+sramecc+xnack", hip, "amdgcn", "amd",
     "amdhsa", "", "gfx906+sramecc+xnack", "gfx906+sramecc+xnack"},
    {"hip-amdgcn-amd-amdhsa--gfx906+sram-ecc+xnack", hip, "amdgcn", "amd",
     "amdhsa", "", "gfx906+sram-ecc+xnack", "gfx906+sramecc+xnack"},
    {"hipv4-amdgcn-amd-amdhsa-unknown-gfx906", hipv4, "amdgcn", "amd", "amdhsa",
     "unknown", "gfx906", "gfx906"},
    {"hipv4-amdgcn-amd-amdhsa-unknown--gfx1100", hipv4, "amdgcn", "amd",
     "amdhsa", "unknown", "gfx1100", "gfx1100"},
    {"hcc-amdgcn-amd-amdhsa--gfx803", hcc, "amdgcn", "amd", "amdhsa", "",
     "gfx803", "gfx803"},
    {"hcc-amdgcn--amdhsa-gfx803", hcc, "amdgcn", "", "amdhsa", "", "gfx803",
     "gfx803"},
    {"hipv4-amdgcn-amd-amdhsa--gfx11-generic", hipv4, "amdgcn", "amd", "amdhsa",
     "", "gfx11-generic", "gfx11-generic"},
    {"hipv4-amdgcn-amd-amdhsa--gfx9-4-generic:xnack+", hipv4, "amdgcn", "amd",
     "amdhsa", "", "gfx9-4-generic:xnack+", "gfx9-4-generic:xnack+"},
    {"hip-spirv64-amd-amdhsa--amdgcnspirv", hip, "spirv64", "amd", "amdhsa", "",
     "amdgcnspirv", "amdgcnspirv"},
    {"hip-spirv64-amd-amdhsa-unknown-amdgcnspirv", hip, "spirv64", "amd",
     "amdhsa", "unknown", "amdgcnspirv", "amdgcnspirv"},
    {"hip-spirv64-amd-amdhsa-amdgcnspirv", hip, "spirv64", "amd", "amdhsa", "",
     "amdgcnspirv", "amdgcnspirv"},
    {"hipv4-amdgpu9.42-amd-amdhsa--", hipv4, "amdgpu9.42", "amd", "amdhsa", "",
     "", "gfx942"},
    {"hipv4-amdgpu9.42-amd-amdhsa", hipv4, "amdgpu9.42", "amd", "amdhsa", "",
     "", "gfx942"},
    {"hipv4-amdgpu-amd-amdhsa--gfx90c", hipv4, "amdgpu", "amd", "amdhsa", "",
     "gfx90c", "gfx90c"},
    {"hipv4-amdgpu9-amd-amdhsa--gfx906:xnack+", hipv4, "amdgpu9", "amd",
     "amdhsa", "", "gfx906:xnack+", "gfx906:xnack+"},
    {"openmp-amdgcn-amd-amdhsa--gfx90a", openmp, "amdgcn", "amd", "amdhsa", "",
     "gfx90a", "gfx90a"},
    {"openmp-nvptx64-nvidia-cuda--sm_80", openmp, "nvptx64", "nvidia", "cuda",
     "", "sm_80", "sm_80"},
    {"openmp-nvptx64-nvidia-cuda-sm_80", openmp, "nvptx64", "nvidia", "cuda",
     "", "sm_80", "sm_80"},
    {"hip-nvptx64-nvidia-cuda-unknown-sm_90a", hip, "nvptx64", "nvidia", "cuda",
     "unknown", "sm_90a", "sm_90a"},
    {"sycl-spir64", sycl, "spir64", "", "", "", "", "spir64"},
    {"sycl-spir64_gen-unknown-unknown--pvc", sycl, "spir64_gen", "unknown",
     "unknown", "", "pvc", "pvc"},
    {"openmp-x86_64-pc-linux-gnu", openmp, "x86_64", "pc", "linux", "gnu", "",
     "x86_64"},
    {"hsaco2-amdgcn-amd-amdhsa--gfx1201", other, "amdgcn", "amd", "amdhsa", "",
     "gfx1201", "gfx1201"},
    // Nothing exposes a target, or nothing that can be read.
    {"hipv4-amdgcn-amd-amdhsa--", hipv4, "amdgcn", "amd", "amdhsa", "", "",
     "-"},
    {"hipv4-amdgpu-amd-amdhsa--", hipv4, "amdgpu", "amd", "amdhsa", "", "",
     "-"},
    {"hipv4-amdgpu8-amd-amdhsa--", hipv4, "amdgpu8", "amd", "amdhsa", "", "",
     "-"},
    {"hip-amdgcn-amd-amdhsa", hip, "amdgcn", "amd", "amdhsa", "", "", "-"},
    {"openmp-nvptx64-nvidia-cuda", openmp, "nvptx64", "nvidia", "cuda", "", "",
     "-"},
    {"hipv4-amdgcn-amd-amdhsa--gfx90a:cumode+", hipv4, "amdgcn", "amd",
     "amdhsa", "", "gfx90a:cumode+", "-"},
    {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack", hipv4, "amdgcn", "amd", "amdhsa",
     "", "gfx90a:xnack", "-"},
    {"hipv4-amdgcn-amd-amdhsa--sm_80", hipv4, "amdgcn", "amd", "amdhsa", "",
     "sm_80", "-"},
    {"hip-amdgcn-amd-amdhsa--generic", hip, "amdgcn", "amd", "amdhsa", "",
     "generic", "-"},
    {"openmp-nvptx64-nvidia-cuda--gtx", openmp, "nvptx64", "nvidia", "cuda", "",
     "gtx", "-"},
    {"gfx9-4-generic", other, "4", "generic", "", "", "", "-"},
    {"gfx90a", other, "", "", "", "", "", "-"},
    {"", other, "", "", "", "", "", "-"},
    {"hip", hip, "", "", "", "", "", "-"},
    {"hip----------", hip, "", "", "", "", "", "-"},
};

TEST(EntryId, ReadsEverySpelling) {
  for (const Row &row : kRows) {
    EntryId e = parse_entry_id(row.id);
    EXPECT_EQ(e.raw, row.id);
    EXPECT_EQ(e.kind, row.kind) << row.id;
    EXPECT_EQ(e.kind_text, row.id.substr(0, row.id.find('-'))) << row.id;
    EXPECT_EQ(e.arch, row.arch) << row.id;
    EXPECT_EQ(e.vendor, row.vendor) << row.id;
    EXPECT_EQ(e.os, row.os) << row.id;
    EXPECT_EQ(e.environment, row.environment) << row.id;
    EXPECT_EQ(e.target_id, row.target_id) << row.id;
    EXPECT_EQ(name(e.target), row.target) << row.id;
    EXPECT_EQ(e.is_host, row.kind == host) << row.id;
  }
}

TEST(EntryId, SurvivesEveryTruncation) {
  for (const Row &row : kRows)
    for (std::size_t n = 0; n < row.id.size(); n++) {
      EntryId e = parse_entry_id(row.id.substr(0, n));
      EXPECT_EQ(e.raw, row.id.substr(0, n));
      // A shorter id may name another target, never a damaged one.
      if (e.target && e.target->vendor != Vendor::other) {
        auto again = parse_target(target_name(*e.target));
        ASSERT_TRUE(again) << e.raw;
        EXPECT_EQ(target_name(again->target), target_name(*e.target));
      }
    }
}

TEST(EntryId, ReadsEverySubarchitecture) {
  for (auto [version, processor] : amd::sub_processors()) {
    std::string id = "hipv4-amdgpu" + std::string(version) + "-amd-amdhsa--";
    EntryId e = parse_entry_id(id);
    EXPECT_EQ(e.target_id, "");
    EXPECT_EQ(name(e.target), processor) << id;
  }
  // Families without a generic processor, and versions nobody knows.
  for (std::string_view version :
       {"", "6", "7", "8", "9.99", "14", "9.", "12.50x"})
    EXPECT_EQ(name(parse_entry_id("hipv4-amdgpu" + std::string(version) +
                                  "-amd-amdhsa--")
                       .target),
              "-")
        << version;
}

TEST(EntryId, TakesOmittedFeaturesForAnyOnlyInIdsOfVersionFour) {
  auto of = [](std::string_view id) { return *parse_entry_id(id).target; };
  EXPECT_EQ(of("hipv4-amdgcn-amd-amdhsa--gfx90a").xnack, Feature::any);
  EXPECT_EQ(of("hipv4-amdgcn-amd-amdhsa--gfx90a").sramecc, Feature::any);
  EXPECT_EQ(of("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-").sramecc, Feature::any);
  EXPECT_EQ(of("hipv4-amdgpu9.42-amd-amdhsa--").xnack, Feature::any);
  // The new driver of clang 22 writes "hip"; the colon gives the version away.
  EXPECT_EQ(of("hip-amdgcn-amd-amdhsa--gfx90a:xnack+").sramecc, Feature::any);
  EXPECT_EQ(of("hip-amdgcn-amd-amdhsa--gfx906").xnack, Feature::unspecified);
  EXPECT_EQ(of("openmp-amdgcn-amd-amdhsa--gfx90a").xnack, Feature::unspecified);
  EXPECT_EQ(of("hip-amdgcn-amd-amdhsa--gfx906+xnack").xnack,
            Feature::on_or_any);
  EXPECT_EQ(of("hip-amdgcn-amd-amdhsa--gfx906+xnack").sramecc,
            Feature::unspecified);
  EXPECT_EQ(of("hipv4-amdgcn-amd-amdhsa--gfx1030").xnack, Feature::unspecified);
}

TEST(EntryId, HasStableKindWords) {
  EXPECT_EQ(word(host), "host");
  EXPECT_EQ(word(hip), "hip");
  EXPECT_EQ(word(hipv4), "hipv4");
  EXPECT_EQ(word(openmp), "openmp");
  EXPECT_EQ(word(sycl), "sycl");
  EXPECT_EQ(word(hcc), "hcc");
  EXPECT_EQ(word(other), "other");
}

TEST(Triple, LeavesTheTargetToTheIdWhenThereIsOne) {
  EXPECT_EQ(name(target_from_triple("amdgcn-amd-amdhsa", "gfx90a:xnack+")),
            "gfx90a:xnack+");
  EXPECT_EQ(name(target_from_triple("amdgpu9.42-amd-amdhsa", "")), "gfx942");
  EXPECT_EQ(name(target_from_triple("nvptx64-nvidia-cuda", "sm_90a")),
            "sm_90a");
  EXPECT_EQ(name(target_from_triple("spir64", "")), "spir64");
  EXPECT_EQ(name(target_from_triple("x86_64-unknown-linux-gnu", "skylake")),
            "skylake");
  EXPECT_EQ(name(target_from_triple("amdgcn-amd-amdhsa", "")), "-");
  EXPECT_EQ(name(target_from_triple("nvptx64-nvidia-cuda", "")), "-");
  EXPECT_EQ(name(target_from_triple("", "")), "-");
  EXPECT_EQ(name(target_from_triple("", "gfx1030")), "gfx1030");
}

} // namespace

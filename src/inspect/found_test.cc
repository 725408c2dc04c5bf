// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/found.h"

#include "inspect/discover.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

Report look(const Image &file, Options options = {}) {
  auto r = memory(file, "test", options);
  EXPECT_TRUE(r);
  EXPECT_EQ(broken_rule(*r), "");
  return r ? std::move(*r) : Report{};
}

// A host whose section .rodata has 100 bytes of text before `what`.
Image in_rodata(const Image &what) {
  return host_with(".rodata", text(std::string(100, 'x')) + what +
                                  text(std::string(50, 'y')));
}
constexpr std::uint64_t kAt = 64 + 100;

TEST(SearchByContent, FindsContainersOutsideNamedSections) {
  Image b = bundle_of({{amd_id("gfx1030"), amdgpu_image()}});
  for (auto [image, kind] :
       {std::pair{fatbin_of({cubin_entry(80)}), ContainerKind::fatbin},
        {b, ContainerKind::bundle},
        {ccob_of(b), ContainerKind::ccob}}) {
    Report r = look(in_rodata(image));
    EXPECT_TRUE(r.searched);
    EXPECT_EQ(r.coverage, Coverage::complete);
    ASSERT_EQ(r.objects.size(), 1u);
    EXPECT_EQ(r.objects[0].found_by, FoundBy::content);
    ASSERT_FALSE(r.containers.empty());
    EXPECT_EQ(r.containers[0].kind, kind);
    EXPECT_EQ(r.containers[0].found_by, FoundBy::content);
    EXPECT_EQ(r.containers[0].section, ".rodata");
    EXPECT_EQ(r.containers[0].location.offset, kAt);
    EXPECT_EQ(r.containers[0].location.size, image.size());
  }
}

TEST(SearchByContent, FindsBareCodeObjects) {
  for (auto [image, kind, target] :
       {std::tuple{cubin_image(80), ObjectKind::cubin, "sm_80"},
        {amdgpu_image(), ObjectKind::amdgpu, "gfx1030"}}) {
    Report r = look(in_rodata(image));
    ASSERT_EQ(r.objects.size(), 1u);
    EXPECT_EQ(r.objects[0].kind, kind);
    EXPECT_EQ(r.objects[0].target, target);
    EXPECT_EQ(r.objects[0].target_consistency, "single-source");
    EXPECT_EQ(r.objects[0].location.offset, kAt);
    EXPECT_EQ(r.objects[0].location.size, image.size())
        << "what follows does not belong to it";
    EXPECT_EQ(r.containers[0].kind, ContainerKind::bare);
  }
}

TEST(SearchByContent, FindsCodeInFilesOfUnknownFormats) {
  Report r = look(text("!<arch>\n") + cubin_image() + amdgpu_image());
  EXPECT_EQ(r.objects.size(), 2u);
  EXPECT_EQ(r.objects[0].id, "8");
  EXPECT_EQ(r.containers[0].section, "");
}

TEST(SearchByContent, TakesNoMagicForAFind) {
  Image strings;
  for (std::string_view magic :
       {std::string_view("\x50\xed\x55\xba\1\0\x10\0", 8),
        std::string_view("__CLANG_OFFLOAD_BUNDLE__"), std::string_view("CCOB"),
        std::string_view("CCOB\3\0\1\0", 8),
        std::string_view("\x7f"
                         "ELF\2\1\1\x40")})
    strings = std::move(strings) + as_bytes(magic) + zeros(9);
  Report r = look(in_rodata(strings));
  EXPECT_TRUE(r.objects.empty());
  EXPECT_TRUE(r.containers.empty());
  EXPECT_EQ(r.coverage, Coverage::complete) << "it is certain";
}

TEST(SearchByContent, TakesNothingDamagedForAFind) {
  Image f = fatbin_of({cubin_entry(), cubin_entry(80)});
  Image entry = f;
  entry[16 + 4] = std::byte{7};
  Image stream = ccob_of(bundle_of({{amd_id("gfx1030"), amdgpu_image()}}));
  stream[32 + 5] ^= std::byte{1}; // the frame's size
  Image elf = cubin_image();
  elf[47] = std::byte{1}; // offset of the section table
  for (const Image &image : {entry, stream, elf, fatbin_of({}),
                             bundle_of({{std::string(kHostId), {}}})}) {
    Report r = look(in_rodata(image));
    // What is sound inside is a find all the same.
    for (const Container &c : r.containers)
      EXPECT_NE(c.location.offset, kAt) << word(c.kind);
  }
}

// The frame says as much as the header, so it is no chance find.
TEST(SearchByContent, ReportsACompressedBundleThatIsDamaged) {
  Image hash = ccob_of(bundle_of({{amd_id("gfx1030"), amdgpu_image()}}));
  hash[24] ^= std::byte{1};
  Report r = look(in_rodata(hash));
  ASSERT_EQ(r.containers.size(), 1u);
  EXPECT_EQ(r.containers[0].location.offset, kAt);
  EXPECT_TRUE(find(r.containers[0].limitations, "corrupt"));
  EXPECT_EQ(r.coverage, Coverage::partial);
}

TEST(SearchByContent, FindsNoSecondObjectInsideAContainer) {
  // Entries that hold containers, in a named section and elsewhere.
  Image inner = fatbin_of({cubin_entry(80)});
  Image outer = fatbin_of({{.payload = inner}, cubin_entry(90)});
  Image b = bundle_of({{amd_id("gfx1030"), amdgpu_image() + outer}});
  EXPECT_EQ(look(in_rodata(outer)).objects.size(), 2u);
  EXPECT_EQ(look(host_with(".nv_fatbin", outer)).objects.size(), 2u);
  EXPECT_EQ(look(host_with(".hip_fatbin", b)).objects.size(), 1u);
  EXPECT_EQ(look(in_rodata(b)).objects.size(), 1u);
  EXPECT_EQ(look(b).objects.size(), 1u);
}

TEST(SearchByContent, FindsWhatStandsBesideNamedSections) {
  elf::ElfBuilder b = host_builder();
  b.section(".cask_resource", fatbin_of({cubin_entry(80)}));
  b.section(".nv_fatbin", fatbin_of({cubin_entry(90)}));
  b.section(".ldata", fatbin_of({cubin_entry(100)}));
  Report r = look(b.build());
  ASSERT_EQ(r.objects.size(), 3u);
  EXPECT_EQ(r.objects[0].target, "sm_80"); // file order, however found
  EXPECT_EQ(r.objects[0].found_by, FoundBy::content);
  EXPECT_EQ(r.objects[1].found_by, FoundBy::section);
  EXPECT_EQ(r.objects[2].target, "sm_100");
  EXPECT_EQ(r.containers.back().section, ".ldata");
}

TEST(SearchByContent, FindsWhatASectionTableCuts) {
  elf::ElfBuilder b = host_builder();
  Image f = fatbin_of({cubin_entry(80)});
  std::uint32_t index = b.section(".a", f);
  Image file = b.build();
  std::size_t size_at = b.header_offset(index) + 32;
  file[size_at] = static_cast<std::byte>(f.size() - 8);
  file[size_at + 1] = static_cast<std::byte>((f.size() - 8) >> 8);
  Report r = look(file);
  ASSERT_EQ(r.objects.size(), 1u);
  EXPECT_EQ(r.containers[0].kind, ContainerKind::fatbin);
  EXPECT_EQ(r.containers[0].section, "") << "it reaches beyond it";
}

TEST(SearchByContent, IsNotStoppedByACompressedBundleThatClaimsTooMuch) {
  Image sound = fatbin_of({cubin_entry(80)});
  for (std::uint64_t decoded : {std::uint64_t{1} << 33, std::uint64_t{1} << 60})
    for (int fakes : {1, 40}) {
      Image file = text(std::string(64, 'x'));
      for (int i = 0; i < fakes; i++)
        file = std::move(file) + ccob_around(zeros(16), decoded, {});
      Report r = look(std::move(file) + sound);
      EXPECT_TRUE(r.searched);
      ASSERT_EQ(r.objects.size(), 1u) << decoded << " " << fakes;
      EXPECT_EQ(r.objects[0].target, "sm_80");
    }
}

TEST(SearchByContent, ShowsSoundEntriesOfADamagedContainer) {
  Image f = fatbin_of({cubin_entry(80), cubin_entry(90)});
  f[16 + 64 + cubin_image(80).size() + 4] = std::byte{7}; // header size
  Report r = look(in_rodata(f));
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_EQ(r.objects[0].target, "sm_80");
  EXPECT_EQ(r.containers[0].coverage, Coverage::partial);
  EXPECT_EQ(r.objects[1].target, "sm_90");
  EXPECT_EQ(r.containers[1].kind, ContainerKind::bare)
      << "of the other the payload is whole";
  EXPECT_EQ(r.coverage, Coverage::partial);
}

TEST(SearchByContent, FindsTheNeighbourThatADamagedSizeSwallows) {
  Image first = fatbin_of({cubin_entry(80)});
  Image second = fatbin_of({cubin_entry(90)});
  Image file = first + second;
  std::uint64_t size = file.size() - 16;
  for (int i = 0; i < 4; i++)
    file[8 + i] = static_cast<std::byte>(size >> (8 * i));
  for (const Image &host :
       {host_with(".nv_fatbin", file), in_rodata(file), file}) {
    Report r = look(host);
    ASSERT_EQ(r.objects.size(), 2u);
    EXPECT_EQ(r.objects[0].target, "sm_80");
    EXPECT_EQ(r.objects[1].target, "sm_90");
    EXPECT_EQ(r.objects[1].found_by, FoundBy::content);
    EXPECT_EQ(r.coverage, Coverage::partial);
  }
}

TEST(SearchByContent, IsLeftOutOnlyWhenNobodyWantsIt) {
  Image file = in_rodata(fatbin_of({cubin_entry()}));
  Options none;
  none.digest = false;
  Report r = look(file, none);
  EXPECT_TRUE(r.objects.empty());
  EXPECT_FALSE(r.searched);
  EXPECT_EQ(r.coverage, Coverage::partial);
  EXPECT_TRUE(find(r.limitations, "not-searched"));
  EXPECT_EQ(r.sha256, "");

  Options deep = none;
  deep.deep = true;
  r = look(file, deep);
  EXPECT_EQ(r.objects.size(), 1u);
  EXPECT_TRUE(r.searched);
  EXPECT_EQ(r.coverage, Coverage::complete);
  EXPECT_EQ(r.sha256, "");

  // A file that is a container is walked from end to end anyway.
  r = look(fatbin_of({cubin_entry()}), none);
  EXPECT_TRUE(r.searched);
  EXPECT_EQ(r.coverage, Coverage::complete);
}

TEST(SearchByContent, SaysWhenThereAreTooManyCandidates) {
  Image file = text("....");
  for (int i = 0; i < 20; i++)
    file = std::move(file) + fatbin_of({cubin_entry()});
  Options options;
  options.limits.candidates = 5;
  Report r = look(file, options);
  EXPECT_EQ(r.objects.size(), 3u) << "candidates are code objects, too";
  EXPECT_FALSE(r.searched);
  EXPECT_TRUE(find(r.limitations, "too-large"));
  EXPECT_EQ(r.coverage, Coverage::partial);
}

TEST(SearchByContent, EndsQuicklyOnFilesFullOfHeaders) {
  // Bundles whose tables run through each other.
  Report chained = look(text("....") + chained_bundles(5000));
  EXPECT_TRUE(chained.objects.empty());
  EXPECT_TRUE(find(chained.limitations, "too-large"));
  EXPECT_FALSE(chained.searched);

  // Compressed bundles that decode to much and have wrong checksums.
  Image bomb = ccob_around(zstd_bomb(8 << 20), 8 << 20, {});
  Image bombs = text("....");
  for (int i = 0; i < 1000; i++)
    bombs = std::move(bombs) + bomb;
  Report bombed = look(bombs);
  EXPECT_TRUE(bombed.objects.empty());
  EXPECT_TRUE(find(bombed.limitations, "too-large"));
}

} // namespace
} // namespace gantry::inspect

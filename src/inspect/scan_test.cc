// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/scan.h"

#include "format/test_offload.h"
#include "inspect/test_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace gantry::inspect {
namespace {

constexpr std::array<std::string_view, 5> kStarts = {"\x50\xed\x55\xba", "__CL",
                                                     "CCOB", "\x10\xff\x10\xad",
                                                     "\x7f"
                                                     "ELF"};

std::vector<std::uint64_t> offsets(Bytes window) {
  std::vector<std::uint64_t> out;
  scan(window, [&](std::uint64_t at) { out.push_back(at); });
  return out;
}

TEST(Scan, FindsEachMagicAtEveryAlignment) {
  for (std::string_view magic : kStarts)
    for (std::size_t at = 0; at < 64; at++)
      for (std::size_t after = 0; after < 20; after++) {
        Image window = zeros(at) + as_bytes(magic) + zeros(after);
        EXPECT_EQ(offsets(window), std::vector<std::uint64_t>{at})
            << at << " of " << window.size();
      }
}

TEST(Scan, FindsNoMagicThatTheWindowCutsOff) {
  for (std::string_view magic : kStarts)
    for (std::size_t at = 0; at < 40; at++)
      for (std::size_t kept = 0; kept < 4; kept++)
        EXPECT_TRUE(
            offsets(zeros(at) + as_bytes(magic.substr(0, kept))).empty());
}

TEST(Scan, FindsMagicsThatStandCloseTogether) {
  EXPECT_EQ(offsets(text("__CL__CLCCOBCCOCCOB\x7f\x7f"
                         "ELF_CCOB")),
            (std::vector<std::uint64_t>{0, 4, 8, 15, 20, 25}));
}

// Bytes that magics are made of, so that there are hits, halves of hits and
// hits at every place in a vector register.
TEST(Scan, AgreesWithANaiveSearchOnRandomBytes) {
  std::string letters;
  for (std::string_view magic : kStarts)
    letters += magic;
  std::mt19937 random(1);
  std::size_t found = 0;
  for (int round = 0; round < 2000; round++) {
    std::string window(random() % 200, '\0');
    for (std::size_t i = 0; i < window.size(); i++)
      if (random() % 8 == 0)
        window.replace(
            i, std::min<std::size_t>(4, window.size() - i),
            kStarts[random() % kStarts.size()].substr(0, window.size() - i));
      else if (random() % 2 == 0)
        window[i] = letters[random() % letters.size()];
    std::vector<std::uint64_t> naive;
    for (std::size_t i = 0; i + 4 <= window.size(); i++)
      if (std::ranges::find(kStarts, std::string_view(window).substr(i, 4)) !=
          kStarts.end())
        naive.push_back(i);
    found += naive.size();
    ASSERT_EQ(offsets(as_bytes(window)), naive) << round;
  }
  EXPECT_GT(found, 2000u);
}

std::optional<Magic> recognised(const Image &image) {
  return recognise(
      Bytes(image).first(std::min<std::size_t>(kLookAhead, image.size())),
      image.size());
}

TEST(Recognise, KnowsEachKindByItsHeader) {
  EXPECT_EQ(recognised(fatbin_of({cubin_entry()})), Magic::fatbin);
  Image b = bundle_of({{amd_id("gfx1030"), amdgpu_image()}});
  EXPECT_EQ(recognised(b), Magic::bundle);
  EXPECT_EQ(recognised(ccob_of(b)), Magic::ccob);
  EXPECT_EQ(recognised(offload_binary::binary(2, {{.bytes = "x"}})),
            Magic::offload_binary);
  EXPECT_EQ(recognised(cubin_image()), Magic::elf);
  EXPECT_EQ(recognised(amdgpu_image()), Magic::elf);
}

TEST(Recognise, RefusesMagicsThatStandAlone) {
  for (std::string_view magic : kStarts) {
    EXPECT_EQ(recognised(text(magic)), std::nullopt);
    EXPECT_EQ(recognised(text(magic) + zeros(200)), std::nullopt);
    EXPECT_EQ(recognised(text(magic) + text(std::string(200, 'x'))),
              std::nullopt);
  }
  EXPECT_EQ(recognised(text("__CLANG_OFFLOAD_BUNDLE__") + zeros(100)),
            std::nullopt);
}

TEST(Recognise, RefusesElfFilesOfOtherMachines) {
  EXPECT_EQ(recognised(host_with(".text", text("code"))), std::nullopt);
  Image cubin = cubin_image();
  cubin[7] = std::byte{0}; // not an OS/ABI of cubins
  EXPECT_EQ(recognised(cubin), std::nullopt);
  Image core = amdgpu_image();
  core[16] = std::byte{4};
  EXPECT_EQ(recognised(core), std::nullopt);
  elf::ElfBuilder small;
  small.header.is_64 = false;
  small.header.machine = elf::kMachineAmdgpu;
  EXPECT_EQ(recognised(small.build()), std::nullopt);
}

TEST(Recognise, RefusesACompressedBundleThatTheFileCannotHold) {
  Image whole = ccob_of(bundle_of({{amd_id("gfx1030"), amdgpu_image()}}));
  EXPECT_EQ(recognise(Bytes(whole).first(32), whole.size()), Magic::ccob);
  EXPECT_EQ(recognise(Bytes(whole).first(32), whole.size() - 1), std::nullopt);
  whole[4] = std::byte{9}; // version
  EXPECT_EQ(recognised(whole), std::nullopt);
}

TEST(Recognise, RefusesAnOffloadBinaryThatTheFileCannotHold) {
  Image whole = offload_binary::binary(2, {{.bytes = "x"}});
  EXPECT_EQ(recognise(whole, whole.size()), Magic::offload_binary);
  EXPECT_EQ(recognise(whole, whole.size() - 1), std::nullopt);
  EXPECT_EQ(recognised(offload_binary::binary(2, {})), std::nullopt);
  whole[4] = std::byte{4}; // version
  EXPECT_EQ(recognised(whole), std::nullopt);
}

TEST(Recognise, RefusesHeadersThatAreCutOff) {
  for (const Image &image :
       {fatbin_of({cubin_entry()}), bundle_of({{amd_id("gfx1030"), zeros(8)}}),
        ccob_of(bundle_of({})), Image(offload_binary::binary(1, {{}})),
        cubin_image(), amdgpu_image()}) {
    ASSERT_TRUE(recognised(image));
    for (std::size_t n = 0; n < 8; n++)
      EXPECT_EQ(recognise(Bytes(image).first(n), n), std::nullopt) << n;
  }
}

} // namespace
} // namespace gantry::inspect

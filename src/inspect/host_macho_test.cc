// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/test_macho.h"
#include "inspect/test_discovery.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

Image wrapper(std::uint64_t address) {
  return Builder().u32(0x466243B1).u32(1).u64(address).u64(0).take();
}

// A library with code in a section of the name that clang gives.
Image library(std::uint32_t sm = 90, bool is_64 = true) {
  macho::MachoBuilder b;
  b.header.is_64 = is_64;
  b.section("__TEXT", "__text", text("code"));
  b.section("__NV_CUDA", "__nv_fatbin", fatbin_of({cubin_entry(sm)}));
  return b.build();
}

TEST(HostMacho, ReadsTheSectionsOfALibrary) {
  for (bool is_64 : {true, false}) {
    Image file = library(90, is_64);
    Discovery d = look(file);
    EXPECT_EQ(d.format, "macho");
    EXPECT_TRUE(d.limitations.empty());
    const Container *c = section(d, "__NV_CUDA,__nv_fatbin");
    ASSERT_TRUE(c);
    EXPECT_EQ(c->id, "s2");
    EXPECT_EQ(c->location.offset + c->location.size, file.size());
    EXPECT_EQ(units(d).size(), 1u);
    ASSERT_EQ(d.sections.size(), 2u);
    EXPECT_EQ(d.sections[0].name, "__TEXT,__text");
  }
}

TEST(HostMacho, ReadsObjects) {
  macho::MachoBuilder b;
  b.header.type = macho::kTypeObject;
  b.section("__NV_CUDA", "__nv_relfatbin", fatbin_of({cubin_entry()}));
  b.section("__NV_CUDA", "__fatbin", wrapper(0));
  b.section("__NV_CUDA", "__nv_fatbin", zeros(64), 1); // zero-filled
  Discovery d = look(b.build());
  EXPECT_TRUE(d.limitations.empty());
  ASSERT_EQ(units(d).size(), 1u);
  EXPECT_EQ(units(d)[0]->slots.at(0).object.relocatable, true);
  EXPECT_EQ(section(d, "__NV_CUDA,__fatbin")->wrappers, 1u);
  EXPECT_TRUE(
      find(section(d, "__NV_CUDA,__nv_fatbin")->limitations, "no-bytes"));
}

TEST(HostMacho, FollowsWrappers) {
  auto build = [](std::uint64_t address) {
    macho::MachoBuilder b;
    b.section("__DATA", "__const", fatbin_of({cubin_entry()}));
    b.section("__NV_CUDA", "__fatbin", wrapper(address), 0, 3);
    Image file = b.build();
    return std::tuple(file, b.offset(1), b.address(1));
  };
  auto [unlinked, offset, address] = build(0);
  EXPECT_TRUE(units(look(unlinked)).empty());
  Image file = std::get<0>(build(address));
  Discovery d = look(file);
  ASSERT_EQ(units(d).size(), 1u);
  EXPECT_EQ(units(d)[0]->offset, offset);
  EXPECT_EQ(units(d)[0]->containers[0].found_by, FoundBy::wrapper);

  // In a universal file addresses count in the slice.
  Image whole = macho::universal_of({library(), file});
  d = look(whole);
  ASSERT_EQ(units(d).size(), 2u);
  EXPECT_EQ(units(d)[1]->containers[0].found_by, FoundBy::wrapper);
  EXPECT_EQ(units(d)[1]->offset, whole.size() - file.size() + offset);
}

TEST(HostMacho, ReadsEachPartOfAUniversalFile) {
  for (bool is_64 : {true, false}) {
    Image file = macho::universal_of({library(80), library(90, false)}, is_64);
    Discovery d = look(file);
    EXPECT_EQ(d.format, "macho");
    EXPECT_TRUE(d.limitations.empty());
    ASSERT_EQ(units(d).size(), 2u);
    EXPECT_EQ(units(d)[0]->slots.at(0).object.target, "sm_80");
    EXPECT_EQ(units(d)[1]->slots.at(0).object.target, "sm_90");
    ASSERT_EQ(d.regions.size(), 2u);
    EXPECT_EQ(d.regions[0].section->id, "s0.2");
    EXPECT_EQ(d.regions[1].section->id, "s1.2");
    const Location &last = d.regions[1].section->location;
    EXPECT_EQ(last.offset + last.size, file.size());
  }
}

TEST(HostMacho, StaysInsideAPartOfAUniversalFile) {
  // The section of the first part reaches into the second.
  macho::MachoBuilder b;
  Image f = fatbin_of({cubin_entry()});
  b.section("__NV_CUDA", "__nv_fatbin", f);
  Image first = b.build();
  first.at(b.command_offset(1) + 72 + 40 + 3) = std::byte{1}; // its size
  Discovery d = look(macho::universal_of({first, library()}));
  ASSERT_EQ(units(d).size(), 2u);
  const Container &c = *d.regions[0].section;
  EXPECT_TRUE(find(c.limitations, "truncated"));
  EXPECT_EQ(c.location.size, f.size());
}

TEST(HostMacho, NamesThePartsThatItCannotRead) {
  Discovery d = look(macho::universal_of(
      {text("!<arch>\nand so on, whatever may be in it"), library()}));
  EXPECT_EQ(units(d).size(), 1u);
  ASSERT_EQ(d.limitations.size(), 1u);
  EXPECT_EQ(d.limitations[0].code, "unopened-format");
  EXPECT_EQ(d.limitations[0].offset, 48u);

  Image file = macho::universal_of({library(), library()});
  file.at(8 + 20 + 8) = std::byte{0x7f}; // the second's offset
  d = look(file);
  EXPECT_EQ(units(d).size(), 1u);
  ASSERT_EQ(d.limitations.size(), 1u);
  EXPECT_EQ(d.limitations[0].code, "truncated");
}

TEST(HostMacho, RefusesBigEndianFiles) {
  Discovery d = look(text("\xfe\xed\xfa\xce") + zeros(100));
  EXPECT_EQ(d.format, "macho");
  ASSERT_EQ(d.limitations.size(), 1u);
  EXPECT_EQ(d.limitations[0].code, "unsupported");
  EXPECT_EQ(d.limitations[0].message, "big-endian Mach-O");
}

TEST(HostMacho, KeepsTheDamageOfAHost) {
  Image file = library();
  for (std::size_t n = 4; n < file.size() - 600; n++) {
    Discovery d =
        look(Image(file.begin(), file.begin() + static_cast<long>(n)));
    EXPECT_EQ(d.format, "macho");
    const Container *c = section(d, "__NV_CUDA,__nv_fatbin");
    EXPECT_TRUE(!d.limitations.empty() || (c && !c->limitations.empty())) << n;
  }
  // In a universal file offsets of damage count in the whole.
  file.at(20) = std::byte{0xff}; // bytes of load commands
  file.at(22) = std::byte{0x01};
  Discovery d = look(macho::universal_of({library(), file}));
  ASSERT_FALSE(d.limitations.empty());
  EXPECT_EQ(d.limitations[0].code, "truncated");
  EXPECT_GT(d.limitations[0].offset, library().size());
}

TEST(HostMacho, LeavesOtherFilesAlone) {
  for (const Image &file :
       {text("\xca\xfe\xba\xbe") + Image(4, std::byte{1}) + zeros(90),
        text("\xce\xfa\xed"), text("\xcf\xfa\xed\xff")}) {
    Discovery d = look(file);
    EXPECT_EQ(d.format, "");
    EXPECT_TRUE(d.limitations.empty());
  }
}

} // namespace
} // namespace gantry::inspect

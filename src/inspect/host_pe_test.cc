// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/hip_wrapper.h"
#include "format/test_pe.h"
#include "inspect/test_discovery.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

constexpr std::uint32_t kCuda = 0x466243B1;

Image wrapper(std::uint32_t magic, std::uint64_t address) {
  return Builder().u32(magic).u32(1).u64(address).u64(0).take();
}

TEST(HostPe, ReadsTheSectionsOfAnImage) {
  pe::PeBuilder b;
  b.align = 512;
  Image f = fatbin_of({cubin_entry()});
  Image bundle = bundle_of(
      {{std::string(kHostId), {}}, {amd_id("gfx1030"), amdgpu_image()}});
  b.section(".text", text("code"));
  b.section(".nv_fatbin", f + zeros(8) + f);
  b.section("__nv_relfatbin", fatbin_of({cubin_entry(80)}));
  b.section(".hip_fatbin", bundle);
  b.section(".nvFatBinSegment", wrapper(kCuda, 0x180001000));
  b.section(".hipFatBinSegment", wrapper(hip::kMagicFatbin, 0x180001000));
  Discovery d = look(b.build());
  EXPECT_EQ(d.format, "pe");
  EXPECT_TRUE(d.limitations.empty());
  const Container *nv = section(d, ".nv_fatb");
  ASSERT_TRUE(nv);
  EXPECT_EQ(nv->id, "s2");
  EXPECT_EQ(nv->found_by, FoundBy::section);
  EXPECT_EQ(nv->location.offset, b.offset(2));
  EXPECT_EQ(nv->location.size, 2 * f.size() + 8) << "without file alignment";
  EXPECT_EQ(nv->entries, 2u);
  EXPECT_EQ(nv->padding_bytes, 8u);
  EXPECT_TRUE(nv->limitations.empty());
  auto found = units(d);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[2]->slots.at(0).object.relocatable, true) << "__nv_rel";
  EXPECT_EQ(found[3]->slots.at(0).object.target, "gfx1030");
  ASSERT_TRUE(section(d, ".nvFatBi"));
  EXPECT_EQ(section(d, ".nvFatBi")->wrappers, 1u);
  ASSERT_TRUE(section(d, ".hipFatB"));
  EXPECT_EQ(section(d, ".hipFatB")->wrappers, 1u);
  EXPECT_EQ(d.sections.size(), 6u) << "for the search by content";
  EXPECT_EQ(d.sections[0].name, ".text");
}

TEST(HostPe, KnowsNoOtherNamesThatAreCut) {
  for (auto name : {".nv_fat", ".nv_fatX", ".hip_fac", "", ".text"}) {
    pe::PeBuilder b;
    b.section(name, fatbin_of({cubin_entry()}));
    EXPECT_TRUE(look(b.build()).regions.empty()) << name;
  }
  // Objects keep full names: there the cut name means something else.
  pe::PeBuilder b(pe::Kind::object);
  b.section(".nv_fatb", fatbin_of({cubin_entry()}));
  EXPECT_TRUE(look(b.build()).regions.empty());
}

TEST(HostPe, ReadsLongNamesInImages) {
  pe::PeBuilder b;
  b.long_names = true;
  b.section(".nv_fatbin", fatbin_of({cubin_entry()}));
  Discovery d = look(b.build());
  EXPECT_TRUE(section(d, ".nv_fatbin"));
  EXPECT_EQ(units(d).size(), 1u);
}

TEST(HostPe, ReadsTheSectionsOfObjects) {
  for (pe::Kind kind : {pe::Kind::object, pe::Kind::bigobj}) {
    pe::PeBuilder b(kind);
    b.section(".nv_fatbin", fatbin_of({cubin_entry()}));
    // What the records point to is for the linker to say.
    b.section(".nvFatBinSegment", wrapper(kCuda, 0));
    b.section(".rdata", fatbin_of({cubin_entry()}));
    Discovery d = look(b.build());
    EXPECT_EQ(d.format, "coff");
    EXPECT_TRUE(d.limitations.empty());
    ASSERT_EQ(units(d).size(), 1u);
    EXPECT_EQ(units(d)[0]->containers[0].section, ".nv_fatbin");
    ASSERT_TRUE(section(d, ".nvFatBinSegment"));
    EXPECT_EQ(section(d, ".nvFatBinSegment")->id, "s2");
    EXPECT_EQ(section(d, ".nvFatBinSegment")->wrappers, 1u);
  }
}

TEST(HostPe, FollowsWrappers) {
  for (bool is_64 : {true, false}) {
    auto build = [&](std::uint64_t address) {
      pe::PeBuilder b;
      b.header.is_64 = is_64;
      b.header.image_base = 0x10000000;
      b.section(".rdata", text("constant") + fatbin_of({cubin_entry()}));
      b.section(".nvFatBinSegment", wrapper(kCuda, address), 0xC0000040);
      Image file = b.build();
      return std::tuple(file, b.offset(1), b.address(1));
    };
    auto [unlinked, offset, address] = build(0);
    EXPECT_TRUE(units(look(unlinked)).empty());
    Discovery d = look(std::get<0>(build(address + 8)));
    ASSERT_EQ(units(d).size(), 1u);
    EXPECT_EQ(units(d)[0]->offset, offset + 8);
    EXPECT_EQ(units(d)[0]->containers[0].found_by, FoundBy::wrapper);
    // Without the base it leads nowhere.
    EXPECT_TRUE(
        units(look(std::get<0>(build(address + 8 - 0x10000000)))).empty());
  }
}

TEST(HostPe, FindsNothingInImportRecords) {
  Discovery d = look(pe::import_record("hipLaunchKernel", "amdhip64.dll"));
  EXPECT_EQ(d.format, "coff-import");
  EXPECT_TRUE(d.regions.empty());
  EXPECT_TRUE(d.limitations.empty());
}

TEST(HostPe, KeepsTheDamageOfAHost) {
  pe::PeBuilder b;
  b.section(".nv_fatbin", fatbin_of({cubin_entry()}));
  Image file = b.build();
  file.at(0x86) = std::byte{3}; // sections
  Discovery d = look(file);
  EXPECT_EQ(d.format, "pe");
  EXPECT_EQ(units(d).size(), 1u);

  file = b.build();
  file.at(60 + 3) = std::byte{0x7f}; // place of the PE header
  d = look(file);
  ASSERT_EQ(d.limitations.size(), 1u);
  EXPECT_EQ(d.limitations[0].code, "truncated");
  EXPECT_EQ(d.limitations[0].offset, 0x7f000080u);
}

TEST(HostPe, SaysWhatIsMissingOfATruncatedFile) {
  for (pe::Kind kind : {pe::Kind::image, pe::Kind::bigobj}) {
    pe::PeBuilder b(kind);
    b.section(".nv_fatbin", fatbin_of({cubin_entry()}));
    Image file = b.build();
    const std::size_t end = b.offset(1) + 16 + 64 + cubin_image().size();
    for (std::size_t n = 30; n < end; n++) {
      Discovery d =
          look(Image(file.begin(), file.begin() + static_cast<long>(n)));
      const Container *c = section(d, ".nv_fatbin");
      if (!c)
        c = section(d, ".nv_fatb");
      EXPECT_TRUE(!d.limitations.empty() || (c && !c->limitations.empty()))
          << n;
    }
  }
}

TEST(HostPe, LeavesOtherFilesAlone) {
  // A DOS program has no PE header where one would be named.
  Image dos = text("MZ") + zeros(200);
  dos[60] = std::byte{0x80};
  for (const Image &file : {dos, text("\x64\x86") + zeros(100)}) {
    Discovery d = look(file);
    EXPECT_EQ(d.format, "");
    EXPECT_TRUE(d.limitations.empty());
  }
}

} // namespace
} // namespace gantry::inspect

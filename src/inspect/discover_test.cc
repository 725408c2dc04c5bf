// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/discover.h"

#include "format/hip_wrapper.h"
#include "inspect/test_discovery.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

TEST(Discover, ReadsTheNamedSectionsOfAHost) {
  elf::ElfBuilder b = host_builder();
  b.section(".text", text("code"));
  Image f = fatbin_of({cubin_entry()});
  b.section(".nv_fatbin", f + zeros(8) + f);
  b.section("__nv_relfatbin", fatbin_of({cubin_entry(80)}));
  b.section(".hip_fatbin", bundle_of({{std::string(kHostId), {}},
                                      {amd_id("gfx1030"), amdgpu_image()}}));
  Discovery d = look(b.build());
  EXPECT_TRUE(d.limitations.empty());
  EXPECT_FALSE(d.whole_file);
  const Container *nv = section(d, ".nv_fatbin");
  ASSERT_TRUE(nv);
  EXPECT_EQ(nv->id, "s2");
  EXPECT_EQ(nv->kind, ContainerKind::section);
  EXPECT_EQ(nv->found_by, FoundBy::section);
  EXPECT_EQ(nv->location.offset, b.offset(2));
  EXPECT_EQ(nv->location.size, 2 * f.size() + 8);
  EXPECT_EQ(nv->entries, 2u);
  EXPECT_EQ(nv->padding_bytes, 8u);
  auto found = units(d);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0]->slots.at(0).object.relocatable, std::nullopt)
      << ".nv_fatbin holds linked and relocatable cubins";
  EXPECT_EQ(found[2]->containers[0].section, "__nv_relfatbin");
  EXPECT_EQ(found[2]->slots.at(0).object.relocatable, true);
  EXPECT_EQ(found[3]->containers[0].entries, 2u);
  EXPECT_EQ(found[3]->containers[0].host_entries, 1u);
  ASSERT_EQ(found[3]->slots.size(), 1u) << "a host entry is no object";
  EXPECT_EQ(found[3]->slots[0].object.target, "gfx1030");
  // For the search by content: all sections with bytes.
  ASSERT_GE(d.sections.size(), 4u);
  EXPECT_EQ(d.sections[0].name, ".text");
}

TEST(Discover, ReadsHostsOf32Bits) {
  elf::ElfBuilder b = host_builder();
  b.header.is_64 = false;
  b.header.machine = 3;
  b.section(".nv_fatbin", fatbin_of({cubin_entry()}));
  Discovery d = look(b.build());
  EXPECT_EQ(units(d).size(), 1u);
  EXPECT_TRUE(d.limitations.empty());
}

TEST(Discover, FindsNothingInAHostWithoutGpuCode) {
  Discovery d = look(host_with(".text", text("code")));
  EXPECT_TRUE(d.regions.empty());
  EXPECT_TRUE(d.limitations.empty());
}

TEST(Discover, TellsTheSectionsOfASeparatedDebugFileFromEmptyOnes) {
  elf::ElfBuilder b = host_builder();
  b.section(".nv_fatbin", {},
            {.type = elf::kSectionNobits, .offset = 0, .size = 5000});
  b.section(".nvFatBinSegment", {}, {.type = elf::kSectionNobits, .size = 24});
  Discovery d = look(b.build());
  EXPECT_TRUE(units(d).empty());
  const Container *c = section(d, ".nv_fatbin");
  ASSERT_TRUE(c);
  EXPECT_TRUE(find(c->limitations, "no-bytes"));
  EXPECT_EQ(c->location.size, 0u);
  EXPECT_EQ(c->coverage, Coverage::partial);
  EXPECT_TRUE(find(section(d, ".nvFatBinSegment")->limitations, "no-bytes"));

  Discovery empty = look(host_with(".nv_fatbin", {}));
  ASSERT_TRUE(section(empty, ".nv_fatbin"));
  EXPECT_TRUE(section(empty, ".nv_fatbin")->limitations.empty());
}

TEST(Discover, ReadsWhatIsLeftOfASectionThatEndsOutsideTheFile) {
  elf::ElfBuilder b = host_builder();
  Image f = fatbin_of({cubin_entry()});
  std::uint32_t index = b.section(".nv_fatbin", f);
  Image file = b.build();
  std::size_t size_at = b.header_offset(index) + 32;
  file[size_at + 5] = std::byte{1};
  Discovery d = look(file);
  const Container *c = section(d, ".nv_fatbin");
  ASSERT_TRUE(c);
  EXPECT_TRUE(find(c->limitations, "truncated"));
  EXPECT_EQ(c->location.offset + c->location.size, file.size());
  ASSERT_FALSE(units(d).empty());
  EXPECT_EQ(units(d)[0]->containers[0].coverage, Coverage::complete);

  std::size_t offset_at = b.header_offset(index) + 24;
  file[offset_at + 6] = std::byte{1};
  d = look(file);
  EXPECT_EQ(section(d, ".nv_fatbin")->location.size, 0u);
  EXPECT_TRUE(units(d).empty());
}

TEST(Discover, ReadsOverlappingSectionsOnce) {
  elf::ElfBuilder b = host_builder();
  Image f = fatbin_of({cubin_entry()});
  b.section(".nv_fatbin", f + f);
  b.section(".nv_fatbin", {}); // will cover the second container
  Image file = b.build();
  auto set = [&](std::uint32_t index, std::size_t field, std::uint64_t value) {
    for (unsigned i = 0; i < 8; i++)
      file[b.header_offset(index) + field + i] =
          static_cast<std::byte>(value >> (8 * i));
  };
  set(2, 24, b.offset(1) + f.size());
  set(2, 32, f.size());
  Discovery d = look(file);
  EXPECT_EQ(units(d).size(), 2u);
  EXPECT_TRUE(find(d.regions[1].section->limitations, "overlap"));

  // Reaching beyond the one before, it is read from there on.
  set(1, 32, f.size());
  set(2, 24, b.offset(1) + 8);
  set(2, 32, 2 * f.size() - 8);
  d = look(file);
  EXPECT_EQ(units(d).size(), 2u);
  EXPECT_EQ(units(d)[1]->offset, b.offset(1) + f.size());
}

TEST(Discover, BoundsTheSectionsOfHostileFiles) {
  // So many headers, all of the same section.
  constexpr std::uint64_t kCount = 200'000;
  elf::ElfBuilder b = host_builder();
  Image f = fatbin_of({cubin_entry()});
  std::uint32_t index = b.section(".nv_fatbin", f);
  Image file = b.build();
  Image header(file.begin() + static_cast<long>(b.header_offset(index)),
               file.begin() + static_cast<long>(b.header_offset(index)) + 64);
  Image names(file.begin() + static_cast<long>(b.header_offset(index + 1)),
              file.begin() + static_cast<long>(b.header_offset(index + 1)) +
                  64);
  std::size_t table = file.size();
  file.reserve(file.size() + 64 * kCount);
  file = std::move(file) +
         Builder().zeros(32).u64(kCount).zeros(24).bytes(names).bytes();
  for (std::uint64_t i = 2; i < kCount; i++)
    file.insert(file.end(), header.begin(), header.end());
  Builder patch;
  patch.u64(table);
  std::ranges::copy(patch.bytes(), file.begin() + 40);
  file[60] = file[61] = std::byte{0}; // the count stands in section 0
  file[62] = std::byte{1};
  Discovery d = look(file);
  EXPECT_EQ(units(d).size(), 1u);
  EXPECT_LE(d.regions.size(), 65'536u);
  const Limitation *l = find(d.limitations, "too-large");
  ASSERT_TRUE(l);
  EXPECT_NE(l->message.find("134462 sections"), std::string::npos)
      << l->message;
}

TEST(Discover, SaysWhenNamesOfSectionsCannotBeRead) {
  elf::ElfBuilder b = host_builder();
  std::uint32_t index = b.section(".nv_fatbin", fatbin_of({cubin_entry()}));
  Image file = b.build();
  file[b.header_offset(index) + 3] = std::byte{1}; // the name's offset
  Discovery d = look(file);
  EXPECT_TRUE(d.regions.empty());
  const Limitation *l = find(d.limitations, "unreadable-name");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->message.substr(0, 2), "1 ");
}

TEST(Discover, KeepsTheDamageOfAHost) {
  Image file = host_with(".nv_fatbin", fatbin_of({cubin_entry()}));
  file[47] = std::byte{0x7f}; // offset of the section table
  Discovery d = look(file);
  EXPECT_TRUE(d.regions.empty());
  EXPECT_TRUE(find(d.limitations, "truncated"));
}

// ---- registration records

constexpr std::uint64_t kBase = 0x400000;
constexpr std::uint64_t kDataAt = 120; // behind both headers

constexpr std::uint32_t kCuda = 0x466243B1;

// A host with records in a section of that name and the container in .rodata,
// both in one writable segment. Addresses of the records are places in the
// container.
Image host_with_wrappers(const std::vector<hip::Wrapper> &records,
                         const Image &container, std::string name = ".data") {
  std::uint64_t container_at = kDataAt + 24 * records.size();
  Builder data;
  for (const hip::Wrapper &w : records)
    data.u32(w.magic)
        .u32(w.version)
        .u64(kBase + container_at + w.address)
        .u64(0);
  elf::ElfBuilder b = host_builder();
  b.section(std::move(name), data.take());
  b.section(".rodata", container);
  b.segment({.type = 1,
             .flags = 6,
             .offset = 0,
             .address = kBase,
             .file_size = container_at + container.size()});
  return b.build();
}

TEST(Discover, FollowsWrappersOfAFileWithoutSections) {
  Image f = fatbin_of({cubin_entry()});
  Image b = bundle_of({{amd_id("gfx1030"), amdgpu_image()}});
  for (auto [magic, version, container] : {std::tuple{kCuda, 1u, &f},
                                           {kCuda, 2u, &f},
                                           {hip::kMagicFatbin, 1u, &b}}) {
    Image file = host_with_wrappers(
        {{.magic = magic, .version = version, .address = 0}}, *container);
    Discovery d = look(strip_sections(file));
    ASSERT_EQ(units(d).size(), 1u);
    EXPECT_EQ(units(d)[0]->offset, kDataAt + 24);
    EXPECT_EQ(units(d)[0]->containers[0].found_by, FoundBy::wrapper);
    EXPECT_EQ(units(d)[0]->slots.at(0).object.found_by, FoundBy::wrapper);
    EXPECT_EQ(units(d)[0]->slots.at(0).object.relocatable.has_value(),
              container == &b)
        << "of cubins only the payload says it";
    // With sections only those with the records' names are believed.
    EXPECT_TRUE(look(file).regions.empty());
  }
}

TEST(Discover, FollowsWrappersOfNamedSections) {
  Image f = fatbin_of({cubin_entry()});
  Image file =
      host_with_wrappers({{.magic = kCuda, .version = 1, .address = 0},
                          {.magic = kCuda, .version = 1, .address = f.size()},
                          {.magic = kCuda, .version = 1, .address = 0}},
                         f + f, ".nvFatBinSegment");
  Discovery d = look(file);
  EXPECT_EQ(units(d).size(), 2u) << "each container once";
  ASSERT_TRUE(section(d, ".nvFatBinSegment"));
  EXPECT_EQ(section(d, ".nvFatBinSegment")->wrappers, 3u);
}

TEST(Discover, FollowsNoWrapperIntoAKnownContainer) {
  Image f =
      fatbin_of({cubin_entry(), {.payload = fatbin_of({cubin_entry(80)})}});
  // 2nd record: the payload of the 2nd entry, a container like any other.
  std::uint64_t inner = 16 + 64 + cubin_image().size() + 64;
  Image file =
      host_with_wrappers({{.magic = kCuda, .version = 1, .address = 0},
                          {.magic = kCuda, .version = 1, .address = inner}},
                         f);
  Discovery d = look(strip_sections(file));
  EXPECT_EQ(units(d).size(), 1u);
}

TEST(Discover, IgnoresWrappersThatLeadNowhere) {
  Image f = text("no container at all ....");
  for (std::uint64_t address : {std::uint64_t{0}, std::uint64_t{1} << 40}) {
    Image file = host_with_wrappers(
        {{.magic = kCuda, .version = 1, .address = address}}, f);
    EXPECT_TRUE(look(strip_sections(file)).regions.empty());
  }
}

TEST(Discover, SaysThatCodeLiesInAKpack) {
  hip::Wrapper kpack{.magic = hip::kMagicKpack, .version = 1, .address = 0};
  Image file = host_with_wrappers(
      {kpack, {.magic = hip::kMagicFatbin, .version = 1, .address = 8}},
      text("marker.."), ".hipFatBinSegment");
  Discovery named = look(file);
  const Limitation *l = find(named.limitations, "kpack-reference");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->message.substr(0, 6), "1 of 2");
  EXPECT_TRUE(find(look(strip_sections(file)).limitations, "kpack-reference"));
}

TEST(Discover, ReportsForeignRecordsAmongWrappers) {
  Image file =
      host_with(".nvFatBinSegment", Builder().u64(1).u64(2).u64(3).take());
  Discovery d = look(file);
  ASSERT_TRUE(section(d, ".nvFatBinSegment"));
  EXPECT_EQ(section(d, ".nvFatBinSegment")->coverage, Coverage::partial);
}

// Every record leads to another place with a magic, and none to code.
TEST(Discover, GivesUpOnWrappersWithoutEnd) {
  Image container = endless_headers(6'000);
  std::vector<hip::Wrapper> records;
  for (std::uint64_t at = 0; at < container.size(); at += 128)
    records.push_back(
        {.magic = hip::kMagicFatbin, .version = 1, .address = at});
  Image file = host_with_wrappers(records, container);
  Discovery d = look(strip_sections(file));
  EXPECT_TRUE(find(d.limitations, "too-large"));
}

// ---- files that are containers or code objects themselves

TEST(Discover, ReadsFilesThatAreContainers) {
  Image f = fatbin_of({cubin_entry()});
  Image b = bundle_of({{amd_id("gfx1030"), amdgpu_image()}});
  for (const Image &file : {f, b, ccob_of(b), f + zeros(40) + f}) {
    Discovery d = look(file);
    EXPECT_TRUE(d.whole_file);
    ASSERT_FALSE(units(d).empty());
    EXPECT_EQ(units(d)[0]->offset, 0u);
    EXPECT_EQ(units(d)[0]->containers[0].found_by, FoundBy::file);
    EXPECT_TRUE(d.limitations.empty());
  }
  Discovery d = look(f + text("tail"));
  EXPECT_TRUE(find(d.limitations, "unrecognised-bytes"));
}

TEST(Discover, ReadsFilesThatAreCodeObjects) {
  for (auto [image, kind] :
       {std::pair{cubin_image(), ObjectKind::cubin},
        {amdgpu_image(), ObjectKind::amdgpu},
        {text(ptx_text()), ObjectKind::ptx},
        {text("// a licence\n") + text(std::string(10'000, ' ')) +
             text(ptx_text()),
         ObjectKind::ptx},
        {text("BC\xc0\xde") + zeros(60), ObjectKind::bitcode},
        {text("\x03\x02\x23\x07") + zeros(60), ObjectKind::spirv}}) {
    Discovery d = look(image);
    EXPECT_TRUE(d.whole_file);
    ASSERT_EQ(units(d).size(), 1u) << static_cast<int>(kind);
    const Unit &unit = *units(d)[0];
    EXPECT_EQ(unit.containers[0].kind, ContainerKind::bare);
    EXPECT_EQ(unit.size, image.size());
    EXPECT_EQ(unit.slots.at(0).object.kind, kind);
    EXPECT_EQ(unit.slots[0].object.id, "0");
  }
}

TEST(Discover, KnowsNothingAboutOtherFiles) {
  for (const Image &file :
       {Image(), text("x"), text("#!/bin/sh\n"), zeros(5000)}) {
    Discovery d = look(file);
    EXPECT_TRUE(d.regions.empty());
    EXPECT_TRUE(d.limitations.empty());
    EXPECT_FALSE(d.whole_file);
  }
}

TEST(Discover, JoinsTheExtentsOfUnits) {
  auto region = [](std::uint64_t offset, std::uint64_t size) {
    Region r;
    r.units.emplace_back().offset = offset;
    r.units.back().size = size;
    r.units.back().containers.emplace_back();
    return r;
  };
  std::vector<Region> regions;
  regions.push_back(region(100, 50));
  regions.push_back(region(10, 5));
  regions.push_back(region(120, 10));
  regions.push_back(region(150, 1));
  auto extents = known_extents(regions);
  ASSERT_EQ(extents.size(), 2u);
  EXPECT_EQ(extents[0].offset, 10u);
  EXPECT_EQ(extents[0].size, 5u);
  EXPECT_EQ(extents[1].offset, 100u);
  EXPECT_EQ(extents[1].size, 51u);

  sort_regions(regions);
  EXPECT_EQ(regions[0].units[0].offset, 10u);
  EXPECT_EQ(regions[3].units[0].offset, 150u);

  // Of a damaged one its header and what was read of it.
  Unit &damaged = regions[0].units[0];
  damaged.size = 80;
  damaged.containers[0].coverage = Coverage::partial;
  damaged.slots.emplace_back().object.encoded_location = {{}, 40, 20};
  extents = known_extents(regions);
  ASSERT_EQ(extents.size(), 3u);
  EXPECT_EQ(extents[0].size, 16u);
  EXPECT_EQ(extents[1].offset, 40u);
  EXPECT_EQ(extents[1].size, 20u);
}

} // namespace
} // namespace gantry::inspect

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kpack archives, and the hosts whose code went into them.
#include "format/kpack_marker.h"
#include "format/test_kpack.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

using kpack::ArchiveEntry;

Report look(const Image &file, Analysis analysis = Analysis::kernels) {
  Options options;
  options.analysis = analysis;
  auto r = memory(file, "test", options);
  EXPECT_TRUE(r) << r.error().text();
  EXPECT_EQ(r ? broken_rule(*r) : "", "");
  return r ? std::move(*r) : Report{};
}

Image code(std::string_view target, std::uint32_t e_flags) {
  return amdgpu_image({.e_flags = e_flags,
                       .target = "amdgcn-amd-amdhsa--" + std::string(target),
                       .kernels = {"axpy"}});
}

std::vector<ArchiveEntry> two() {
  return {{.binary = "lib/a.so#0",
           .target = "gfx1030",
           .blob = code("gfx1030", kGfx1030)},
          {.binary = "lib/a.so#1",
           .target = "gfx90a",
           .blob = code("gfx90a", kGfx90a)}};
}

std::vector<ArchiveEntry> compressed(std::vector<ArchiveEntry> entries) {
  for (ArchiveEntry &e : entries) {
    e.original_size = static_cast<unsigned>(e.blob.size());
    e.blob = zstd_stored(e.blob);
  }
  return entries;
}

const Object &only(const Report &r) {
  static const Object none;
  EXPECT_EQ(r.objects.size(), 1u);
  return r.objects.empty() ? none : r.objects[0];
}

TEST(UnitKpack, ListsEntriesOfEitherScheme) {
  for (bool zstd : {false, true}) {
    std::vector<ArchiveEntry> entries = two();
    Image file = zstd ? kpack::zstd_archive(compressed(entries))
                      : kpack::plain_archive(entries);
    Report r = look(file);
    ASSERT_EQ(r.containers.size(), 1u);
    const Container &c = r.containers[0];
    EXPECT_EQ(c.kind, ContainerKind::kpack);
    EXPECT_EQ(c.found_by, FoundBy::file);
    EXPECT_EQ(c.version, 1u);
    EXPECT_EQ(c.compression, zstd ? "zstd" : "none");
    EXPECT_EQ(c.entries, 2u);
    EXPECT_EQ(c.location.size, file.size());
    ASSERT_EQ(r.objects.size(), 2u);
    const Object &o = r.objects[1];
    EXPECT_EQ(o.id, "0.1");
    EXPECT_EQ(o.name, "lib/a.so#1");
    EXPECT_EQ(o.kind, ObjectKind::amdgpu);
    EXPECT_EQ(o.declared, "gfx90a");
    EXPECT_EQ(o.target, "gfx90a");
    EXPECT_EQ(o.target_consistency, "equal");
    EXPECT_EQ(o.decoded_bytes, entries[1].blob.size());
    EXPECT_EQ(o.encoded_bytes, o.encoded_location.size);
    EXPECT_EQ(o.location.in, zstd ? "0.1" : "");
    EXPECT_EQ(o.kernels, 1u);
    EXPECT_TRUE(o.limitations.empty());
    EXPECT_EQ(r.kernels.size(), 2u);
    EXPECT_EQ(c.coverage, Coverage::complete);
    EXPECT_TRUE(r.searched);
    EXPECT_EQ(r.usage.other_bytes, 0u);
  }
}

TEST(UnitKpack, LeavesPayloadsAloneForAnInventory) {
  Report r = look(kpack::zstd_archive(compressed(two())), Analysis::inventory);
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_EQ(r.usage.decoded_bytes, 0u);
  EXPECT_EQ(r.objects[0].kind, ObjectKind::amdgpu);
  EXPECT_EQ(r.objects[0].kernel_analysis, Coverage::not_requested);
  EXPECT_EQ(r.coverage, Coverage::complete);
}

TEST(UnitKpack, LooksIntoPayloadsOfUnknownKind) {
  ArchiveEntry e = {
      .target = "amdgcnspirv",
      .blob = Builder().u32(0x07230203).u32(0x10400).zeros(12).take()};
  for (bool zstd : {false, true}) {
    Report r = look(zstd ? kpack::zstd_archive(compressed({e}))
                         : kpack::plain_archive({e}),
                    Analysis::inventory);
    EXPECT_EQ(only(r).kind, ObjectKind::spirv) << zstd;
    EXPECT_EQ(only(r).target, "amdgcnspirv");
  }
}

TEST(UnitKpack, TellsWhatTheIndexStates) {
  Packer p;
  p.map(3).text("gfx_arches").array(1).text("gfx900").text("toc").map(1);
  p.text("a#0").map(1).text("gfx1030").map(4).pair("type", "hsaco");
  p.pair("ordinal", 0).pair("original_size", 99);
  p.text("metadata").map(1).pair("source_prefix", "x/stage");
  p.text("blobs").array(1).map(2).pair("offset", 64);
  Image blob = amdgpu_image();
  p.pair("size", static_cast<unsigned>(blob.size()));
  Report r = look(kpack::archive_around(blob, p), Analysis::inventory);
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(only(r).attributes, (Pairs{{"type", "hsaco"},
                                       {"ordinal", "0"},
                                       {"source_prefix", "x/stage"},
                                       {"in gfx_arches", "no"},
                                       {"original_size", "99"}}));
  EXPECT_EQ(r.coverage, Coverage::complete);
}

// An archive with the entry `write` makes, and one blob of four bytes.
Report entry_of(const std::function<void(Packer &)> &write, unsigned keys,
                std::string_view scheme = "none") {
  Packer p;
  p.map(5).text("toc").map(1).text("a").map(1).text("gfx900").map(keys);
  write(p);
  p.pair("compression_scheme", scheme).pair("zstd_offset", 64);
  p.pair("zstd_size", 12).text("blobs").array(3);
  p.map(2).pair("offset", 64).pair("size", 4);
  p.map(2).pair("offset", 1 << 20).pair("size", 4);
  p.map(2).pair("offset", 64).pair("size", 0);
  return look(
      kpack::archive_around(Builder().u32(1).u32(4).text("code").bytes(), p));
}

TEST(UnitKpack, KeepsEntriesWithoutBytes) {
  struct Case {
    std::string_view code;
    std::string_view scheme;
    unsigned keys;
    std::function<void(Packer &)> write;
  };
  for (const Case &c : std::vector<Case>{
           {"bad-value", "none", 1, [](Packer &p) { p.pair("type", "x"); }},
           {"bad-value", "none", 1, [](Packer &p) { p.pair("ordinal", 9); }},
           {"truncated", "none", 1, [](Packer &p) { p.pair("ordinal", 1); }},
           {"empty-image", "none", 1, [](Packer &p) { p.pair("ordinal", 2); }},
           {"bad-value", "zstd-per-kernel", 1,
            [](Packer &p) { p.pair("ordinal", 0); }},
           {"bad-value", "zstd-per-kernel", 2,
            [](Packer &p) { p.pair("ordinal", 0).pair("original_size", "4"); }},
           {"unsupported", "lzma", 1,
            [](Packer &p) { p.pair("ordinal", 0); }}}) {
    Report r = entry_of(c.write, c.keys, c.scheme);
    EXPECT_TRUE(find(only(r).limitations, c.code)) << c.code << c.scheme;
    EXPECT_EQ(only(r).name, "a");
    EXPECT_EQ(only(r).target, "gfx900");
    EXPECT_EQ(r.coverage, Coverage::partial);
  }
}

TEST(UnitKpack, RefusesBombs) {
  ArchiveEntry e = {.target = "gfx1030",
                    .blob = zstd_bomb(1 << 20),
                    .original_size = 0xf0000000};
  Report r = look(kpack::zstd_archive({e}));
  EXPECT_TRUE(find(only(r).limitations, "too-large"));
  EXPECT_EQ(r.usage.decoded_bytes, 0u);
}

TEST(UnitKpack, SaysThatALaterEntryCounts) {
  std::vector<ArchiveEntry> entries = two();
  entries[1].binary = entries[0].binary;
  entries[1].target = entries[0].target;
  entries[1].blob = entries[0].blob;
  Report r = look(kpack::plain_archive(entries));
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_TRUE(find(r.objects[0].limitations, "bad-value"));
  EXPECT_TRUE(r.objects[1].limitations.empty());
}

TEST(UnitKpack, ReportsDamagedArchives) {
  Report cut = look(text("KPAK"));
  ASSERT_EQ(cut.containers.size(), 1u);
  EXPECT_EQ(cut.containers[0].kind, ContainerKind::kpack);
  EXPECT_TRUE(find(cut.containers[0].limitations, "truncated"));
  EXPECT_TRUE(cut.objects.empty());
  Image trailing = kpack::plain_archive(two()) + as_bytes("12345678");
  Report r = look(trailing);
  EXPECT_EQ(r.containers.at(0).unrecognised_bytes, 8u);
  const Limitation *l = find(r.containers[0].limitations, "unrecognised-bytes");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->offset, trailing.size() - 8);
  EXPECT_EQ(r.objects.size(), 2u);
}

TEST(UnitKpack, IsNotSearchedForInHosts) {
  Image archive = kpack::plain_archive(two());
  std::fill_n(archive.begin() + 64, 200, std::byte{1}); // no ELF either
  Report r = look(host_with(".rodata", archive));
  EXPECT_TRUE(std::ranges::none_of(r.containers, [](const Container &c) {
    return c.kind == ContainerKind::kpack;
  }));
}

// ---- hosts

std::string marker() {
  Packer p;
  p.map(2).text("kpack_search_paths").array(1).text(".kpack/t_@GFXARCH@.kpack");
  return p.pair("kernel_name", "libk3.so").str();
}

Builder record(std::uint64_t address) {
  return Builder().u32(0x4b504948).u32(1).u64(address).u64(0);
}

TEST(KpackHost, SaysWhereItsCodeIs) {
  for (std::string_view name :
       {kpack::kMarkerSection, kpack::kMarkerSectionPe}) {
    elf::ElfBuilder b = host_builder();
    b.section(".hipFatBinSegment", record(0).take());
    b.section(std::string(name), text(marker()));
    Report r = look(b.build());
    const Limitation *l = find(r.limitations, "kpack-reference");
    ASSERT_TRUE(l) << name;
    EXPECT_EQ(l->message,
              "1 of 1 registration records refer to kpack archives: that "
              "device code is not in this file, but in "
              ".kpack/t_@GFXARCH@.kpack, named libk3.so#N");
    EXPECT_TRUE(std::ranges::any_of(r.containers, [&](const Container &c) {
      return c.section == name && c.coverage == Coverage::complete;
    }));
    EXPECT_EQ(r.coverage, Coverage::partial);
  }
}

TEST(KpackHost, ReportsADamagedMarker) {
  elf::ElfBuilder b = host_builder();
  b.section(".hipFatBinSegment", record(0).take());
  b.section(std::string(kpack::kMarkerSection), text("\x82"));
  Report r = look(b.build());
  const Limitation *l = find(r.limitations, "kpack-reference");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->message.find("but in"), std::string::npos);
  ASSERT_EQ(r.containers.size(), 2u);
  EXPECT_TRUE(find(r.containers[1].limitations, "truncated"));
}

TEST(KpackHost, ReadsAMarkerWithoutRecords) {
  elf::ElfBuilder b = host_builder();
  b.section(std::string(kpack::kMarkerSection), text(marker()));
  Report r = look(b.build());
  const Limitation *l = find(r.limitations, "kpack-reference");
  ASSERT_TRUE(l);
  EXPECT_TRUE(l->message.starts_with("the file refers to kpack archives"));
}

// Files without section headers: the records lead to it.
TEST(KpackHost, FollowsARecordToItsMarker) {
  constexpr std::uint64_t kBase = 0x400000;
  constexpr std::uint64_t kDataAt = 64 + 56; // header, one segment
  elf::ElfBuilder b = host_builder();
  b.section(".data", record(kBase + kDataAt + 24).take());
  b.section(".rodata", text(marker()));
  b.segment({.type = 1,
             .flags = 6,
             .offset = 0,
             .address = kBase,
             .file_size = kDataAt + 24 + marker().size()});
  Report r = look(strip_sections(b.build()));
  const Limitation *l = find(r.limitations, "kpack-reference");
  ASSERT_TRUE(l);
  EXPECT_NE(l->message.find("named libk3.so#N"), std::string::npos)
      << l->message;
}

} // namespace
} // namespace gantry::inspect

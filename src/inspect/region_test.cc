// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/region.h"

#include "format/bundle.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

struct Walk {
  std::vector<Unit> units;
  Container section;
  std::uint64_t bytes_read = 0;
};

// Counts what is read.
class CountingSource final : public Source {
public:
  explicit CountingSource(Bytes data) : data_(data) {}
  std::uint64_t size() const override { return data_.size(); }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size,
                     Buffer &scratch) const override {
    bytes_read += size;
    return MemorySource(data_).read(offset, size, scratch);
  }
  mutable std::uint64_t bytes_read = 0;

private:
  Bytes data_;
};

Walk walk(const Image &file, std::uint64_t begin, std::uint64_t end,
          const Limits &limits = {}) {
  CountingSource counted(file);
  MeteredSource source(counted);
  Walk w;
  Origin origin{FoundBy::section, ".nv_fatbin", false};
  w.units = walk_region(source, begin, end, origin, limits, w.section);
  w.bytes_read = counted.bytes_read;
  return w;
}
Walk walk(const Image &file, const Limits &limits = {}) {
  return walk(file, 0, file.size(), limits);
}

std::vector<std::pair<std::uint64_t, ContainerKind>> kinds(const Walk &w) {
  std::vector<std::pair<std::uint64_t, ContainerKind>> out;
  for (const Unit &unit : w.units)
    out.emplace_back(unit.offset, unit.containers.at(0).kind);
  return out;
}

TEST(Region, WalksContainersOfAllKindsWithZerosBetween) {
  Image f = fatbin_of({cubin_entry()});
  Image b = bundle_of({{amd_id("gfx1030"), amdgpu_image()}});
  Image c = ccob_of(b);
  Image e = cubin_image(80);
  Image file = f + zeros(40) + b + zeros(70'000) + c + e + zeros(3);
  Walk w = walk(file);
  std::uint64_t b_at = f.size() + 40, c_at = b_at + b.size() + 70'000;
  EXPECT_EQ(kinds(w), (std::vector<std::pair<std::uint64_t, ContainerKind>>{
                          {0, ContainerKind::fatbin},
                          {b_at, ContainerKind::bundle},
                          {c_at, ContainerKind::ccob},
                          {c_at + c.size(), ContainerKind::bare}}));
  EXPECT_EQ(w.section.padding_bytes, 40u + 70'000 + 3);
  EXPECT_EQ(w.section.unrecognised_bytes, 0u);
  EXPECT_TRUE(w.section.limitations.empty());
  EXPECT_EQ(w.section.coverage, Coverage::complete);
  EXPECT_EQ(w.units[3].size, e.size());
  EXPECT_EQ(w.units[3].slots.at(0).object.id, position_id(w.units[3].offset));
}

TEST(Region, StaysInsideItsBounds) {
  Image f = fatbin_of({cubin_entry()});
  Image file = f + f + f;
  Walk w = walk(file, f.size(), 2 * f.size());
  EXPECT_EQ(kinds(w), (std::vector<std::pair<std::uint64_t, ContainerKind>>{
                          {f.size(), ContainerKind::fatbin}}));
  EXPECT_EQ(w.units[0].containers[0].coverage, Coverage::complete);
  EXPECT_TRUE(walk(file, 5, 5).units.empty());

  // A neighbour's bytes do not complete a container.
  Walk cut = walk(file, 0, f.size() - 8);
  ASSERT_EQ(cut.units.size(), 1u);
  EXPECT_LE(cut.units[0].end(), f.size() - 8);
  EXPECT_EQ(cut.units[0].containers[0].coverage, Coverage::partial);
}

TEST(Region, CountsBytesThatItDoesNotKnow) {
  Image f = fatbin_of({cubin_entry()});
  Image file = text("who knows") + f + zeros(5) + text("what") + f +
               text(std::string(100'000, 'x'));
  Walk w = walk(file);
  EXPECT_EQ(w.units.size(), 2u);
  EXPECT_EQ(w.section.unrecognised_bytes, 9u + 4 + 100'000);
  EXPECT_EQ(w.section.padding_bytes, 5u);
  EXPECT_EQ(w.section.coverage, Coverage::partial);
  ASSERT_EQ(w.section.limitations.size(), 3u);
  EXPECT_EQ(w.section.limitations[0].code, "unrecognised-bytes");
  EXPECT_EQ(w.section.limitations[0].offset, 0u);
  EXPECT_EQ(w.section.limitations[1].offset, 9 + f.size() + 5);
}

// The search for the next header reads in windows of growing size.
TEST(Region, FindsTheNextHeaderAtEveryDistance) {
  Image f = fatbin_of({});
  for (std::size_t before : {1, 127, 128, 385, 386, 500, 511, 512, 4095, 4096,
                             4500, 36'000, 70'000, 200'001}) {
    Image file = text(std::string(before, 'x')) + f;
    Walk w = walk(file);
    ASSERT_EQ(w.units.size(), 1u) << before;
    EXPECT_EQ(w.units[0].offset, before);
    EXPECT_EQ(w.section.unrecognised_bytes, before);
  }
}

TEST(Region, ReadsASoundContainerBehindADamagedOne) {
  Image sound = fatbin_of({cubin_entry(80)});
  Image version = sound, entry = sound, size = sound;
  version[4] = std::byte{2};     // of the container
  entry[16 + 4] = std::byte{63}; // header size of the first entry
  size[15] = std::byte{0x7f};    // of all entries
  Image table = bundle_of({{amd_id("gfx1030"), amdgpu_image()}});
  table[24 + 7] = std::byte{1}; // number of entries
  Image compressed = ccob_of(table);
  compressed[4] = std::byte{9}; // version
  for (const Image &damaged : {version, entry, size, table}) {
    Image file = damaged + sound;
    Walk w = walk(file);
    ASSERT_GE(w.units.size(), 2u);
    EXPECT_EQ(w.units[0].offset, 0u);
    EXPECT_EQ(w.units[0].containers[0].coverage, Coverage::partial);
    EXPECT_FALSE(w.units[0].containers[0].limitations.empty());
    const Unit &last = w.units.back();
    EXPECT_EQ(last.offset, damaged.size());
    EXPECT_EQ(last.containers[0].coverage, Coverage::complete);
    EXPECT_EQ(last.slots.at(0).object.target, "sm_80");
  }
  // One of an unknown version reaches up to the next at a page's start.
  Image file = compressed + zeros(4096 - compressed.size()) + ccob_of(table);
  Walk w = walk(file);
  ASSERT_EQ(w.units.size(), 2u);
  EXPECT_EQ(w.units[0].size, 4096u);
  EXPECT_TRUE(find(w.units[0].containers[0].limitations, "unsupported"));
  EXPECT_EQ(w.units[1].containers[0].coverage, Coverage::complete);
}

TEST(Region, EndsAContainerWhoseSizeDoesNotFitAfterItsLastSoundEntry) {
  Image one = fatbin_of({cubin_entry(80)});
  Image lying = one;
  lying[15] = std::byte{0xff};
  Image file = lying + one;
  Walk w = walk(file);
  ASSERT_EQ(w.units.size(), 2u);
  EXPECT_EQ(w.units[0].slots.size(), 1u) << "its entry is sound";
  EXPECT_EQ(w.units[0].size, one.size());
  EXPECT_EQ(w.units[1].offset, one.size());
}

TEST(Region, CoversAtLeastTheMagicOfEachContainer) {
  for (std::string_view magic :
       {"\x50\xed\x55\xba", "__CLANG_OFFLOAD_BUNDLE__", "CCOB"}) {
    Image file = text(magic);
    Walk w = walk(file);
    ASSERT_EQ(w.units.size(), 1u);
    EXPECT_EQ(w.units[0].end(), file.size());
    EXPECT_EQ(w.units[0].containers[0].coverage, Coverage::partial);
    EXPECT_TRUE(w.units[0].slots.empty());
  }
}

TEST(Region, StopsAtTheLimitOfRecords) {
  Image file;
  for (int i = 0; i < 10; i++)
    file = std::move(file) + fatbin_of({});
  Limits limits;
  limits.records = 10;
  EXPECT_EQ(walk(file, limits).section.coverage, Coverage::complete);
  limits.records = 9;
  Walk w = walk(file, limits);
  EXPECT_EQ(w.units.size(), 9u);
  const Limitation *l = find(w.section.limitations, "too-large");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->offset, 9u * 16);
}

TEST(Region, ReadsAHundredThousandContainersInLinearTime) {
  Image one = fatbin_of({});
  Image file;
  file.reserve(100'000 * 20);
  for (int i = 0; i < 100'000; i++) {
    file.insert(file.end(), one.begin(), one.end());
    file.resize(file.size() + 4);
  }
  Walk half = walk(file, 0, file.size() / 2);
  Walk whole = walk(file);
  EXPECT_EQ(half.units.size(), 50'000u);
  EXPECT_EQ(whole.units.size(), 100'000u);
  EXPECT_TRUE(whole.section.limitations.empty());
  EXPECT_LE(whole.bytes_read, 2.1 * static_cast<double>(half.bytes_read));
}

TEST(Region, ReadsChainedBundlesOnce) {
  Image file = chained_bundles(5'000);
  Walk w = walk(file);
  EXPECT_EQ(w.units.size(), 1u);
  EXPECT_EQ(w.units[0].containers[0].coverage, Coverage::partial);
  EXPECT_LT(w.bytes_read, 4 * file.size());
}

TEST(Region, GivesUpOnHeadersWithLongTables) {
  Walk w = walk(endless_headers(10'000));
  EXPECT_TRUE(w.units.empty());
  EXPECT_TRUE(find(w.section.limitations, "too-large"));
  EXPECT_LT(w.bytes_read, 100u << 20);
}

TEST(Region, SaysWhenReadingFails) {
  class HalfSource final : public Source {
  public:
    explicit HalfSource(Bytes data) : data_(data) {}
    std::uint64_t size() const override { return 2 * data_.size(); }
    Result<Bytes> read(std::uint64_t offset, std::uint64_t size,
                       Buffer &) const override {
      if (!fits(offset, size, data_.size()))
        return fail(Errc::io, offset, "Input/output error");
      return data_.subspan(offset, size);
    }

  private:
    Bytes data_;
  };
  Image file = fatbin_of({cubin_entry()});
  HalfSource half(file);
  MeteredSource source(half);
  Container section;
  auto units = walk_region(source, 0, source.size(), {}, {}, section);
  EXPECT_TRUE(find(section.limitations, "io"));
  EXPECT_EQ(section.coverage, Coverage::partial);
  EXPECT_EQ(section.padding_bytes, 0u) << "what cannot be read is no padding";
}

TEST(ElfExtent, CoversAllThatTheTablesName) {
  elf::ElfBuilder b;
  b.header.machine = elf::kMachineCuda;
  b.section(".data", text("0123456789"));
  b.section(".bss", {}, {.type = elf::kSectionNobits, .size = 1 << 30});
  b.segment({.type = 1, .offset = 0, .file_size = 80});
  Image image = b.build();
  auto extent = [&](const Image &file) {
    return elf_extent(MemorySource(file), 0, file.size(), {});
  };
  EXPECT_EQ(extent(image), image.size());
  EXPECT_EQ(extent(image + zeros(100)), image.size());
  for (std::size_t n = 0; n < image.size(); n++)
    EXPECT_FALSE(extent(
        Image(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(n))))
        << n;
  EXPECT_EQ(elf_extent(MemorySource(zeros(9) + image), 9, 9 + image.size(), {}),
            image.size());
}

} // namespace
} // namespace gantry::inspect

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/kpack_index.h"

#include "format/test_kpack.h"

#include <gtest/gtest.h>

#include <functional>

namespace gantry::kpack {
namespace {

using Image = std::vector<std::byte>;

Image image(std::string_view s) {
  Bytes b = as_bytes(s);
  return {b.begin(), b.end()};
}

Result<Index> read(Bytes bytes, const Limits &limits = {}) {
  MemorySource source(bytes);
  auto index = read_index(source, 0, bytes.size(), limits);
  if (index)
    locate_frames(source, 0, limits, *index);
  return index;
}

const std::vector<ArchiveEntry> kTwo = {
    {.blob = image("first")},
    {.binary = "b#1", .target = "gfx90a:xnack+", .blob = image("second!")}};

TEST(KpackIndex, ReadsAnArchive) {
  Image file = plain_archive(kTwo);
  auto index = read(file);
  ASSERT_TRUE(index);
  EXPECT_EQ(index->header.version, 1u);
  EXPECT_EQ(index->header.toc_offset, 64u + 12);
  EXPECT_EQ(index->end, file.size());
  EXPECT_EQ(index->format_version, 1u);
  EXPECT_EQ(index->group_name, "test");
  EXPECT_EQ(index->arch_family, "gfx900X");
  EXPECT_EQ(index->arches, std::vector<std::string>{"gfx900"});
  EXPECT_EQ(index->codec, Codec::none);
  EXPECT_EQ(index->binaries, (std::vector<std::string>{"a#0", "b#1"}));
  EXPECT_EQ(index->targets,
            (std::vector<std::string>{"gfx900", "gfx90a:xnack+"}));
  EXPECT_TRUE(index->damage.empty());
  ASSERT_EQ(index->entries.size(), 2u);
  const Entry &e = index->entries[1];
  EXPECT_EQ(e.binary, 1u);
  EXPECT_EQ(e.target, 1u);
  EXPECT_EQ(index->types[e.type], "hsaco");
  EXPECT_EQ(e.original_size, 7u);
  EXPECT_EQ(e.wrong, "");
  EXPECT_FALSE(e.replaced);
  ASSERT_TRUE(blob_of(*index, e));
  EXPECT_EQ(blob_of(*index, e)->offset, 64u + 5);
  EXPECT_EQ(blob_of(*index, e)->size, 7u);
}

TEST(KpackIndex, FindsZstdFrames) {
  auto index = read(zstd_archive(kTwo));
  ASSERT_TRUE(index);
  EXPECT_EQ(index->codec, Codec::zstd);
  EXPECT_TRUE(index->damage.empty());
  ASSERT_EQ(index->blobs.size(), 2u);
  EXPECT_EQ(index->blobs[0].offset, 64u + 8);
  EXPECT_EQ(index->blobs[0].size, 5u);
  EXPECT_EQ(index->blobs[1].offset, 64u + 8 + 5 + 4);
  EXPECT_EQ(index->blobs[1].size, 7u);
}

TEST(KpackIndex, CountsFromTheArchivesStart) {
  Image inner = zstd_archive(kTwo);
  Image file = Builder().text("0123456789").bytes(inner).zeros(9).take();
  MemorySource source(file);
  auto index = read_index(source, 10, 10 + inner.size(), {});
  ASSERT_TRUE(index);
  locate_frames(source, 10, {}, *index);
  EXPECT_TRUE(index->damage.empty());
  ASSERT_EQ(index->blobs.size(), 2u);
  EXPECT_EQ(index->blobs[0].offset, 64u + 8);
  EXPECT_EQ(index->end, inner.size());
}

TEST(KpackIndex, ReadsMetadataAndWhatNobodyKnows) {
  Packer p;
  p.map(3).text("toc").map(1).text("a").map(1).text("gfx900").map(3);
  p.pair("ordinal", 0).pair("new", 5).text("metadata").map(4);
  p.pair("target", "hipv4-amdgcn-amd-amdhsa--gfx942").pair("n", 7);
  p.text("b").boolean(true).text("m").map(0);
  p.text("unknown").array(1).nil().text("blobs").array(1).map(2);
  p.pair("offset", 64).pair("size", 0);
  auto index = read(archive_around({}, p));
  ASSERT_TRUE(index);
  EXPECT_TRUE(index->damage.empty());
  EXPECT_EQ(index->codec, Codec::none) << "without a scheme";
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(index->metadata,
            (Pairs{{"target", "hipv4-amdgcn-amd-amdhsa--gfx942"},
                   {"n", "7"},
                   {"b", "true"},
                   {"m", "(map)"}}));
  EXPECT_EQ(index->entries.at(0).metadata_count, 4u);
  EXPECT_FALSE(index->entries[0].original_size);
  EXPECT_EQ(index->types[index->entries[0].type], "");
}

TEST(KpackIndex, MergesBinariesThatRepeat) {
  Packer p;
  p.map(1).text("toc").map(3);
  for (auto [binary, target, ordinal] : {std::tuple{"a", "gfx900", 0u},
                                         {"b", "gfx900", 1u},
                                         {"a", "gfx900", 2u}})
    p.text(binary).map(1).text(target).map(1).pair("ordinal", ordinal);
  auto index = read(archive_around({}, p));
  ASSERT_TRUE(index);
  ASSERT_EQ(index->entries.size(), 3u);
  EXPECT_EQ(index->entries[2].binary, 0u);
  EXPECT_TRUE(index->entries[0].replaced);
  EXPECT_FALSE(index->entries[1].replaced);
  EXPECT_FALSE(index->entries[2].replaced);
}

TEST(KpackIndex, RefusesEveryTruncationOfTheHeader) {
  Image file = plain_archive(kTwo);
  for (std::size_t n = 0; n <= 64 + 12; n++) {
    auto index = read(Bytes(file).first(n));
    ASSERT_FALSE(index) << n;
    EXPECT_EQ(index.error().code, Errc::truncated) << n;
    EXPECT_EQ(index.error().offset, n < 4 ? 0u : n < 8 ? 4u : 8u) << n;
  }
}

TEST(KpackIndex, KeepsWhatPrecedesEveryTruncationOfTheIndex) {
  Image file = plain_archive(kTwo);
  std::size_t most = 0;
  for (std::size_t n = 64 + 13; n < file.size(); n++) {
    auto index = read(Bytes(file).first(n));
    ASSERT_TRUE(index) << n;
    ASSERT_FALSE(index->damage.empty()) << n;
    EXPECT_EQ(index->damage[0].code, Errc::truncated) << n;
    EXPECT_LE(index->damage[0].offset, n);
    EXPECT_GE(index->damage[0].offset, 64u + 12);
    EXPECT_GE(index->entries.size(), most) << n;
    most = index->entries.size();
  }
  EXPECT_EQ(most, 2u);
}

TEST(KpackIndex, RefusesHeadersThatCannotBe) {
  struct Case {
    std::size_t at;
    std::uint32_t value;
    Errc code;
    std::uint64_t offset;
  };
  for (const Case &c : {Case{0, 0x4b4b4b4b, Errc::bad_magic, 0},
                        {4, 2, Errc::unsupported, 4},
                        {4, 0, Errc::unsupported, 4},
                        {8, 0, Errc::bad_value, 8},
                        {8, 63, Errc::bad_value, 8},
                        {8, 1 << 20, Errc::truncated, 8},
                        {12, 1, Errc::truncated, 8}}) {
    Image file =
        Builder().bytes(plain_archive(kTwo)).set_u32(c.at, c.value).take();
    auto index = read(file);
    ASSERT_FALSE(index) << c.at << " " << c.value;
    EXPECT_EQ(index.error().code, c.code) << c.at << " " << c.value;
    EXPECT_EQ(index.error().offset, c.offset) << c.at << " " << c.value;
  }
}

TEST(KpackIndex, RefusesIndexesThatAreNoMap) {
  Packer array;
  array.array(1).nil();
  auto index = read(archive_around({}, array));
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().code, Errc::bad_value);
  EXPECT_EQ(index.error().offset, 64u);
  Packer none;
  none.byte(0xc1);
  index = read(archive_around({}, none));
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().code, Errc::bad_value);
  EXPECT_EQ(index.error().offset, 64u);
}

TEST(KpackIndex, BelievesNoCountOfAMap) {
  for (unsigned kind : {0xdfu, 0xddu}) {
    Packer p;
    p.byte(kind).byte(0xff).byte(0xff).byte(0xff).byte(0xff).nil();
    auto index = read(archive_around({}, p));
    if (kind == 0xdd) {
      ASSERT_FALSE(index);
      continue;
    }
    ASSERT_TRUE(index);
    ASSERT_EQ(index->damage.size(), 1u);
    EXPECT_EQ(index->damage[0].code, Errc::truncated);
  }
}

// One entry whose map is written by `write`, and one blob.
Entry entry_of(const std::function<void(Packer &)> &write) {
  Packer p;
  p.map(2).text("toc").map(1).text("a").map(1).text("gfx900").map(2);
  write(p);
  p.text("blobs").array(1).map(2).pair("offset", 64).pair("size", 1);
  auto index = read(archive_around(image("x"), p));
  EXPECT_TRUE(index);
  EXPECT_EQ(index ? index->entries.size() : 0, 1u);
  if (!index || index->entries.empty())
    return {};
  EXPECT_EQ(blob_of(*index, index->entries[0]) != nullptr,
            index->entries[0].wrong != "ordinal" &&
                index->entries[0].ordinal == 0);
  return index->entries[0];
}

void big_number(Packer &p) {
  p.byte(0xcf);
  for (unsigned b : {0, 0, 0, 2, 0, 0, 0, 0})
    p.byte(b);
}

TEST(KpackIndex, KeepsEntriesThatSayTooLittle) {
  auto wrong = [](const std::function<void(Packer &)> &write) {
    return entry_of(write).wrong;
  };
  EXPECT_EQ(wrong([](Packer &p) { p.pair("type", "x").pair("y", 1); }),
            "ordinal");
  EXPECT_EQ(wrong([](Packer &p) { p.pair("ordinal", "0").pair("y", 1); }),
            "ordinal");
  EXPECT_EQ(wrong([](Packer &p) { p.text("ordinal").byte(0xff).pair("y", 1); }),
            "ordinal")
      << "-1";
  EXPECT_EQ(wrong([](Packer &p) {
              p.text("ordinal");
              big_number(p);
              p.pair("y", 1);
            }),
            "ordinal")
      << "2^33";
  EXPECT_EQ(
      wrong([](Packer &p) { p.pair("ordinal", 0).pair("original_size", "1"); }),
      "original_size");
  EXPECT_EQ(wrong([](Packer &p) { p.pair("ordinal", 7).pair("y", 1); }), "");
}

TEST(KpackIndex, ReportsKeysOfTheWrongType) {
  for (std::string_view key :
       {"format_version", "gfx_arches", "toc", "blobs"}) {
    Packer p;
    p.map(1).text(key).text("x");
    auto index = read(archive_around({}, p));
    ASSERT_TRUE(index);
    ASSERT_EQ(index->damage.size(), 1u) << key;
    EXPECT_EQ(index->damage[0].code, Errc::bad_value);
    EXPECT_EQ(index->damage[0].offset, 64u);
    EXPECT_NE(index->damage[0].what.find(key), std::string::npos);
  }
}

TEST(KpackIndex, ReportsEntriesThatAreNoMaps) {
  Packer p;
  p.map(1).text("toc").map(3).text("a").number(1).number(2).map(0);
  p.text("b").map(1).text("gfx900").nil();
  auto index = read(archive_around({}, p));
  ASSERT_TRUE(index);
  EXPECT_EQ(index->damage.size(), 3u);
  EXPECT_TRUE(index->entries.empty());
}

TEST(KpackIndex, MarksBlobsOutside) {
  for (auto [offset, size] : {std::pair{1u << 30, 1u}, {64u, 1u << 30}}) {
    Packer p;
    p.map(1).text("blobs").array(3).map(2).pair("offset", offset);
    p.pair("size", size).map(1).pair("offset", 64).nil();
    auto index = read(archive_around({}, p));
    ASSERT_TRUE(index);
    ASSERT_EQ(index->blobs.size(), 3u);
    for (const Blob &b : index->blobs)
      EXPECT_TRUE(b.outside);
  }
}

TEST(KpackIndex, RefusesUnknownSchemes) {
  for (bool text : {true, false}) {
    Packer p;
    p.map(1).text("compression_scheme");
    text ? p.text("lzma") : p.number(1);
    auto index = read(archive_around({}, p));
    ASSERT_TRUE(index);
    EXPECT_FALSE(index->codec);
    ASSERT_EQ(index->damage.size(), 1u);
    EXPECT_EQ(index->damage[0].code, Errc::unsupported);
  }
}

// An archive of one frame, "frame", with other numbers.
Result<Index> frames(std::uint32_t count, std::uint32_t length, unsigned offset,
                     unsigned size) {
  Packer p;
  p.map(3).pair("compression_scheme", "zstd-per-kernel");
  p.pair("zstd_offset", offset).pair("zstd_size", size);
  Image blobs = Builder().u32(count).u32(length).text("frame").take();
  return read(archive_around(blobs, p));
}

TEST(KpackIndex, ReportsFramesThatCannotBe) {
  struct Case {
    std::uint32_t count, length;
    unsigned offset, size;
    Errc code;
    std::uint64_t at;
    std::size_t sound;
  };
  for (const Case &c : {
           Case{1, 6, 64, 13, Errc::truncated, 68, 0},
           {1, UINT32_MAX, 64, 13, Errc::truncated, 68, 0},
           {2, 5, 64, 13, Errc::truncated, 77, 1},
           {3, 5, 64, 13, Errc::bad_value, 64, 0},
           {UINT32_MAX, 5, 64, 13, Errc::too_large, 64, 0},
           {1, 5, 64, 3, Errc::truncated, 64, 0},
           {1, 5, 1 << 20, 13, Errc::truncated, 77, 0},
           {1, 5, 64, 1 << 20, Errc::truncated, 77, 0},
       }) {
    auto index = frames(c.count, c.length, c.offset, c.size);
    ASSERT_TRUE(index);
    ASSERT_EQ(index->damage.size(), 1u) << c.count << " " << c.length;
    EXPECT_EQ(index->damage[0].code, c.code) << c.count << " " << c.length;
    EXPECT_EQ(index->damage[0].offset, c.at) << c.count << " " << c.length;
    EXPECT_EQ(index->blobs.size(), c.sound) << c.count << " " << c.length;
  }
  auto fine = frames(1, 5, 64, 13);
  ASSERT_TRUE(fine);
  EXPECT_TRUE(fine->damage.empty());
  Packer p;
  p.map(1).pair("compression_scheme", "zstd-per-kernel");
  auto placeless = read(archive_around({}, p));
  ASSERT_TRUE(placeless);
  ASSERT_EQ(placeless->damage.size(), 1u);
  EXPECT_EQ(placeless->damage[0].code, Errc::bad_value);
}

TEST(KpackIndex, StopsAtItsLimits) {
  Image file = plain_archive(kTwo);
  Limits few;
  few.records = 3;
  auto index = read(file, few);
  ASSERT_TRUE(index);
  ASSERT_EQ(index->damage.size(), 1u);
  EXPECT_EQ(index->damage[0].code, Errc::too_large);
  EXPECT_NE(index->damage[0].what.find("(limit records)"), std::string::npos);
  EXPECT_EQ(index->entries.size(), 1u);
  Limits small;
  small.table_bytes = 100;
  index = read(file, small);
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().code, Errc::too_large);
  EXPECT_EQ(index.error().offset, 64u + 12);
}

TEST(KpackIndex, KeepsAFewOfManyDamages) {
  Packer p;
  p.map(1).text("toc").map(100);
  for (unsigned i = 0; i < 100; i++)
    p.number(i).nil();
  auto index = read(archive_around({}, p));
  ASSERT_TRUE(index);
  EXPECT_EQ(index->damage.size(), 16u);
}

} // namespace
} // namespace gantry::kpack

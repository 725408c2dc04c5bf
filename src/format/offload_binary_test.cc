// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/offload_binary.h"

#include "format/test_offload.h"

#include <gtest/gtest.h>

namespace gantry::offload_binary {
namespace {

using Image = TestImage;
using Strings = TestImage::Strings;

const Image kGfx90a{
    .strings = {{"triple", "amdgcn-amd-amdhsa"}, {"arch", "gfx90a"}},
    .bytes = "\x7f"
             "ELFcode"};
const Image kSpirv{.image_kind = kImageSpirv,
                   .offload_kind = 8,
                   .strings = {{"triple", "spirv64-unknown-unknown"}},
                   .bytes = "module"};

Result<Binary> read_all(Bytes bytes, const Limits &limits = {}) {
  auto header = read_header(bytes);
  if (!header)
    return std::unexpected(header.error());
  return read(MemorySource(bytes), 0, bytes.size(), *header, limits);
}

std::string_view image_of(Bytes bytes, const Entry &e) {
  return as_text(bytes).substr(e.image_offset, e.image_size);
}

TEST(OffloadBinary, ReadsVersionOne) {
  auto bytes = binary(1, {kGfx90a});
  auto header = read_header(bytes);
  ASSERT_TRUE(header) << header.error().text();
  EXPECT_EQ(header->version, 1u);
  EXPECT_EQ(header->size, bytes.size());
  EXPECT_EQ(header->entries_offset, 32u);
  EXPECT_EQ(header->entry_count, 1u);
  EXPECT_FALSE(header->compressed());
  auto b = read_all(bytes);
  ASSERT_TRUE(b) << b.error().text();
  EXPECT_FALSE(b->damage);
  EXPECT_EQ(b->extent, bytes.size());
  ASSERT_EQ(b->entries.size(), 1u);
  const Entry &e = b->entries[0];
  EXPECT_EQ(e.image_kind, kImageObject);
  EXPECT_EQ(e.offload_kind, 4u);
  EXPECT_EQ(e.flags, 0u);
  EXPECT_EQ(e.record_offset, 32u);
  EXPECT_EQ(e.strings, kGfx90a.strings);
  EXPECT_EQ(e.find("arch"), "gfx90a");
  EXPECT_EQ(e.find("feature"), "");
  EXPECT_EQ(image_of(bytes, e), kGfx90a.bytes);
  EXPECT_FALSE(e.metadata_only());
  EXPECT_FALSE(e.strings_damage || e.image_damage);
}

TEST(OffloadBinary, ReadsSeveralEntriesSinceVersionTwo) {
  for (std::uint32_t version : {2u, 3u}) {
    Image metadata{
        .image_kind = 0,
        .offload_kind = 1,
        .flags = kFlagMetadata,
        .strings = {{"producer", std::string("a\0b", 3)}, {"producer", ""}}};
    auto bytes = binary(version, {kGfx90a, metadata, kSpirv});
    auto b = read_all(bytes);
    ASSERT_TRUE(b) << b.error().text();
    EXPECT_FALSE(b->damage);
    ASSERT_EQ(b->entries.size(), 3u);
    EXPECT_EQ(b->entries[0].strings, kGfx90a.strings);
    EXPECT_EQ(image_of(bytes, b->entries[0]), kGfx90a.bytes);
    EXPECT_TRUE(b->entries[1].metadata_only());
    EXPECT_EQ(b->entries[1].strings, metadata.strings);
    EXPECT_EQ(b->entries[1].image_size, 0u);
    EXPECT_EQ(b->entries[2].image_kind, kImageSpirv);
    EXPECT_EQ(image_of(bytes, b->entries[2]), "module");
    for (const Entry &e : b->entries)
      EXPECT_FALSE(e.strings_damage || e.image_damage);
  }
}

TEST(OffloadBinary, NamesKinds) {
  EXPECT_EQ(offload_kind_word(0), "none");
  EXPECT_EQ(offload_kind_word(1), "openmp");
  EXPECT_EQ(offload_kind_word(2), "cuda");
  EXPECT_EQ(offload_kind_word(4), "hip");
  EXPECT_EQ(offload_kind_word(8), "sycl");
  EXPECT_EQ(offload_kind_word(6), "cuda+hip");
  EXPECT_EQ(offload_kind_word(0x10), "0x10");
  EXPECT_EQ(offload_kind_word(0x31), "openmp+0x30");
  EXPECT_EQ(image_kind_word(0), "none");
  EXPECT_EQ(image_kind_word(4), "fatbinary");
  EXPECT_EQ(image_kind_word(6), "spirv");
  EXPECT_EQ(image_kind_word(7), "7");
}

TEST(OffloadBinary, RestoresACompressedWhole) {
  auto bytes = compressed({kGfx90a, kSpirv});
  auto header = read_header(bytes);
  ASSERT_TRUE(header) << header.error().text();
  EXPECT_TRUE(header->compressed());
  EXPECT_EQ(header->inflated_size, binary(3, {kGfx90a, kSpirv}).size());
  EXPECT_EQ(header->whole_size(), header->inflated_size);
  EXPECT_EQ(body_codec(Bytes(bytes).subspan(40)), Codec::zlib);
  Decompressor decompressor;
  Buffer out;
  auto body = inflate(bytes, *header, decompressor, {}, out);
  ASSERT_TRUE(body) << body.error().text();
  auto b = read_inflated(*body, *header, {});
  ASSERT_TRUE(b) << b.error().text();
  EXPECT_FALSE(b->damage);
  ASSERT_EQ(b->entries.size(), 2u);
  EXPECT_EQ(b->entries[0].strings, kGfx90a.strings);
  const Entry &e = b->entries[1];
  EXPECT_EQ(as_text(*body).substr(e.image_offset - 40, e.image_size), "module");
  EXPECT_EQ(b->extent, header->inflated_size);
  // It is no binary to be read in place.
  EXPECT_EQ(read_all(bytes).error().code, Errc::invalid_argument);
}

TEST(OffloadBinary, KnowsAZstdBody) {
  Builder zstd;
  zstd.u32(0xfd2fb528);
  EXPECT_EQ(body_codec(zstd.bytes()), Codec::zstd);
  EXPECT_EQ(body_codec({}), Codec::zlib);
}

TEST(OffloadBinary, RefusesADamagedBody) {
  auto bytes = compressed({kGfx90a, kSpirv});
  auto header = read_header(bytes);
  ASSERT_TRUE(header);
  Decompressor decompressor;
  Buffer out;
  auto bad = bytes;
  bad[60] ^= std::byte{0xff};
  auto damaged = inflate(bad, *header, decompressor, {}, out);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, Errc::corrupt);
  EXPECT_EQ(damaged.error().offset, 40u);

  Header longer = *header;
  longer.inflated_size++;
  EXPECT_EQ(inflate(bytes, longer, decompressor, {}, out).error().code,
            Errc::corrupt);
  Limits limits;
  limits.decoded_bytes = header->inflated_size - 41;
  auto refused = inflate(bytes, *header, decompressor, limits, out);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::too_large);
  EXPECT_NE(refused.error().what.find("limit decoded_bytes"),
            std::string::npos);
  for (std::size_t n = 0; n < header->size; n++)
    EXPECT_FALSE(inflate(Bytes(bytes).first(n), *header, decompressor, {}, out))
        << n;
}

TEST(OffloadBinary, RefusesEveryTruncationOfTheHeader) {
  for (std::uint32_t version : {1u, 2u, 3u}) {
    auto bytes = binary(version, {kGfx90a});
    const std::size_t header = version < 3 ? 32 : 40;
    for (std::size_t n = 0; n < header; n++) {
      auto r = read_header(Bytes(bytes).first(n));
      ASSERT_FALSE(r) << n;
      EXPECT_EQ(r.error().code, Errc::truncated) << n;
      EXPECT_EQ(r.error().offset, n < 4 ? 0 : n < 8 ? 4 : n / 8 * 8) << n;
    }
    EXPECT_TRUE(read_header(Bytes(bytes).first(header)));
  }
}

TEST(OffloadBinary, RefusesBadHeaders) {
  auto expect = [](std::vector<std::byte> bytes, Errc code,
                   std::uint64_t offset) {
    auto r = read_header(bytes);
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().code, code);
    EXPECT_EQ(r.error().offset, offset);
  };
  auto with = [](std::uint32_t version, std::size_t at, std::uint64_t value) {
    Builder b;
    return b.bytes(binary(version, {kGfx90a, kSpirv}))
        .set_u64(at, value)
        .take();
  };
  const std::uint64_t size = binary(2, {kGfx90a, kSpirv}).size();
  for (std::size_t i = 0; i < 4; i++) {
    auto bad = binary(2, {kGfx90a});
    bad[i] ^= std::byte{0x20};
    expect(bad, Errc::bad_magic, 0);
  }
  for (std::uint32_t version : {0u, 4u, UINT32_MAX}) {
    Builder b;
    b.bytes(binary(2, {kGfx90a})).set_u32(4, version);
    expect(b.take(), Errc::unsupported, 4);
  }
  for (std::uint64_t bad : {0u, 31u})
    expect(with(2, 8, bad), Errc::bad_value, 8);
  expect(with(3, 8, 39), Errc::bad_value, 8);
  for (std::uint64_t bad :
       {std::uint64_t{0}, std::uint64_t{31}, size + 1, UINT64_MAX})
    expect(with(2, 16, bad), Errc::bad_value, 16);
  expect(with(1, 24, 41), Errc::bad_value, 24);
  for (std::uint64_t bad :
       {(size - 32) / 40 + 1, UINT64_MAX / 40 + 1, UINT64_MAX})
    expect(with(2, 24, bad), Errc::bad_value, 24);
  EXPECT_TRUE(read_header(with(2, 24, (size - 32) / 40)));
  // Of a compressed one, what is restored has to hold the entries.
  expect(with(3, 32, 40 + 79), Errc::bad_value, 24);
  expect(with(3, 32, 39), Errc::bad_value, 16);
  EXPECT_TRUE(read_header(with(3, 32, 40 + 80)));
  Builder moved;
  moved.bytes(binary(3, {kGfx90a})).set_u64(32, 1000).set_u64(16, 48);
  expect(moved.take(), Errc::bad_value, 16);
}

TEST(OffloadBinary, KeepsWhatATruncationLeaves) {
  auto bytes = binary(2, {kGfx90a, kSpirv});
  auto whole = read_all(bytes);
  ASSERT_TRUE(whole);
  const Entry &first = whole->entries[0];
  const Entry &second = whole->entries[1];
  for (std::size_t n = 32; n < bytes.size(); n++) {
    auto b = read_all(Bytes(bytes).first(n));
    ASSERT_TRUE(b) << n;
    ASSERT_TRUE(b->damage) << n;
    EXPECT_EQ(b->damage->code, Errc::truncated);
    const std::size_t entries = n < 72 ? 0 : n < 112 ? 1 : 2;
    ASSERT_EQ(b->entries.size(), entries) << n;
    EXPECT_EQ(b->damage->offset, n < 72 ? 32u : n < 112 ? 72u : 8u) << n;
    EXPECT_LE(b->extent, n);
    if (entries > 0) {
      EXPECT_EQ(b->entries[0].image_damage.has_value(),
                n < first.image_offset + first.image_size)
          << n;
    }
    if (entries > 1) {
      const Entry &e = b->entries[1];
      EXPECT_EQ(e.image_damage.has_value(),
                n < second.image_offset + second.image_size)
          << n;
      if (e.image_damage) {
        EXPECT_EQ(e.image_damage->offset, 72u + 24);
        EXPECT_EQ(e.image_size, second.image_size);
      }
    }
  }
}

// Offsets count from the magic, the neighbour's bytes do not count, and errors
// count from the start of the source.
TEST(OffloadBinary, ReadsInsideARegion) {
  auto inner = binary(2, {kGfx90a});
  Builder b;
  b.zeros(100).bytes(inner).zeros(100);
  MemorySource source(b.bytes());
  auto header = read_header(inner);
  ASSERT_TRUE(header);
  auto whole = read(source, 100, 200 + inner.size(), *header, {});
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->damage);
  EXPECT_EQ(whole->extent, inner.size());
  EXPECT_EQ(whole->entries[0].record_offset, 32u);
  auto cut = read(source, 100, 100 + inner.size() - 8, *header, {});
  ASSERT_TRUE(cut);
  ASSERT_TRUE(cut->damage);
  EXPECT_EQ(cut->damage->offset, 108u);
  ASSERT_TRUE(cut->entries[0].image_damage);
  EXPECT_EQ(cut->entries[0].image_damage->offset, 100u + 32 + 24);
  for (auto [begin, end] : {std::pair<std::uint64_t, std::uint64_t>{0, 9999},
                            {200, 100},
                            {UINT64_MAX, UINT64_MAX}}) {
    auto r = read(source, begin, end, *header, {});
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().code, Errc::invalid_argument);
  }
}

TEST(OffloadBinary, KeepsSoundEntriesBesideDamagedImages) {
  for (auto [offset, size] : {std::pair<std::uint64_t, std::uint64_t>{0, 9999},
                              {UINT64_MAX - 3, 8},
                              {8, UINT64_MAX}}) {
    Builder b;
    b.bytes(binary(2, {kGfx90a, kSpirv}));
    b.set_u64(32 + 24, offset).set_u64(32 + 32, size);
    auto r = read_all(b.bytes());
    ASSERT_TRUE(r);
    EXPECT_FALSE(r->damage);
    ASSERT_EQ(r->entries.size(), 2u);
    const Entry &bad = r->entries[0];
    ASSERT_TRUE(bad.image_damage);
    EXPECT_EQ(bad.image_damage->code, Errc::truncated);
    EXPECT_EQ(bad.image_damage->offset, 32u + 24);
    EXPECT_EQ(bad.image_damage->what, "offload entry 0: image");
    EXPECT_EQ(bad.image_offset, offset);
    EXPECT_EQ(bad.find("arch"), "gfx90a");
    EXPECT_FALSE(r->entries[1].image_damage);
  }
}

TEST(OffloadBinary, ReportsDamagedStrings) {
  const std::uint64_t records = 32 + 40;
  struct Case {
    std::size_t at;
    std::uint64_t value;
    Errc code;
    std::uint64_t offset;
    std::size_t left; // strings before the damage
  };
  const std::uint64_t size = binary(2, {kGfx90a}).size();
  for (const Case &c : {
           // table and count
           Case{32 + 8, size - 47, Errc::truncated, 40, 0},
           {32 + 8, UINT64_MAX, Errc::truncated, 40, 0},
           {32 + 16, size / 24 + 1, Errc::truncated, 40, 0},
           {32 + 16, UINT64_MAX / 24 + 2, Errc::truncated, 40, 0},
           // key
           {records, size, Errc::truncated, size, 0},
           {records, UINT64_MAX, Errc::truncated, UINT64_MAX, 0},
           // value, and its size
           {records + 8, size, Errc::truncated, size, 0},
           {records + 24 + 16, size, Errc::truncated, 0, 1},
           {records + 24 + 16, UINT64_MAX, Errc::truncated, 0, 1},
       }) {
    Builder b;
    b.bytes(binary(2, {kGfx90a})).set_u64(c.at, c.value);
    auto r = read_all(b.bytes());
    ASSERT_TRUE(r);
    ASSERT_EQ(r->entries.size(), 1u);
    const Entry &e = r->entries[0];
    ASSERT_TRUE(e.strings_damage) << c.at;
    EXPECT_EQ(e.strings_damage->code, c.code);
    if (c.offset != 0) {
      EXPECT_EQ(e.strings_damage->offset, c.offset) << c.at;
    }
    EXPECT_EQ(e.strings.size(), c.left) << c.at;
    EXPECT_FALSE(e.image_damage); // the image is read all the same
  }
}

TEST(OffloadBinary, ReportsStringsWithoutEnd) {
  // Version 1: the last string loses its NUL and so reaches the end.
  Builder b;
  b.text(kMagic).u32(1).u64(0).u64(32).u64(40);
  b.u16(0).u16(0).u32(0).u64(72).u64(1).u64(0).u64(0);
  b.u64(88).u64(92).text(std::string_view("key\0", 4)).text("value");
  b.set_u64(8, b.size());
  auto r = read_all(b.bytes());
  ASSERT_TRUE(r);
  ASSERT_TRUE(r->entries[0].strings_damage);
  EXPECT_EQ(r->entries[0].strings_damage->code, Errc::truncated);
  EXPECT_EQ(r->entries[0].strings_damage->offset, 92u);
  EXPECT_EQ(r->entries[0].strings_damage->what, "offload entry 0: value");
}

TEST(OffloadBinary, HoldsStringsToTheLimitOfNames) {
  for (std::size_t length : {1u, 63u, 64u, 65u, 600u, 5000u}) {
    for (std::uint32_t version : {1u, 2u}) {
      const Image image{.strings = {{"k", std::string(length, 'v')}}};
      auto bytes = binary(version, {image});
      Limits limits;
      limits.name_bytes = length;
      auto fits = read_all(bytes, limits);
      ASSERT_TRUE(fits);
      EXPECT_EQ(fits->entries[0].strings, image.strings) << length;
      limits.name_bytes = length - 1;
      auto r = read_all(bytes, limits);
      ASSERT_TRUE(r);
      ASSERT_TRUE(r->entries[0].strings_damage) << length;
      EXPECT_EQ(r->entries[0].strings_damage->code, Errc::too_large);
      EXPECT_NE(r->entries[0].strings_damage->what.find("limit name_bytes"),
                std::string::npos);
    }
  }
}

TEST(OffloadBinary, RefusesMoreEntriesThanTheLimit) {
  Limits limits;
  limits.records = 1;
  auto r = read_all(binary(2, {kGfx90a, kSpirv}), limits);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, Errc::too_large);
  EXPECT_EQ(r.error().offset, 24u);
  limits.records = 2;
  EXPECT_TRUE(read_all(binary(2, {kGfx90a, kSpirv}), limits));
}

// All entries with the same long table, all records with the same long string.
TEST(OffloadBinary, StopsAtStringsThatAreReferredToAgainAndAgain) {
  const std::size_t count = 64, entries = 64;
  const std::size_t records = 32 + 40 * entries;
  const std::size_t text = records + 24 * count;
  Builder b;
  b.text(kMagic).u32(2).u64(0).u64(32).u64(entries);
  for (std::size_t i = 0; i < entries; i++)
    b.u16(0).u16(0).u32(0).u64(records).u64(count).u64(0).u64(0);
  for (std::size_t i = 0; i < count; i++)
    b.u64(text).u64(text).u64(30000);
  b.text(std::string(30000, 'x')).u8(0);
  b.set_u64(8, b.size());
  auto r = read_all(b.bytes());
  ASSERT_TRUE(r);
  ASSERT_EQ(r->entries.size(), entries);
  std::size_t copied = 0;
  for (const Entry &e : r->entries)
    for (const auto &[key, value] : e.strings)
      copied += key.size() + value.size();
  EXPECT_GT(copied, 0u);
  EXPECT_LE(copied, 4 * b.size() + (64u << 10));
  ASSERT_TRUE(r->entries.back().strings_damage);
  EXPECT_EQ(r->entries.back().strings_damage->code, Errc::too_large);
  EXPECT_EQ(r->entries.back().strings_damage->offset, records);
}

} // namespace
} // namespace gantry::offload_binary

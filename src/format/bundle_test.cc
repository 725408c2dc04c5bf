// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/bundle.h"

#include "base/test_bytes.h"

#include <gtest/gtest.h>

namespace gantry::bundle {
namespace {

constexpr std::string_view kHost = "host-x86_64-unknown-linux--";
constexpr std::string_view kGfx906 = "hipv4-amdgcn-amd-amdhsa--gfx906:xnack+";

Builder &entry(Builder &b, std::uint64_t offset, std::uint64_t size,
               std::string_view id) {
  return b.u64(offset).u64(size).u64(id.size()).text(id);
}

// Host and one device; its image of 8 bytes ends the input, which begins with
// `before` bytes of something else.
std::vector<std::byte> two_entries(std::size_t before = 0) {
  Builder b;
  b.text(kMagic).u64(2);
  entry(b, 256, 0, kHost);
  entry(b, 256, 8, kGfx906);
  b.pad_to(256).text("\x7f"
                     "ELFcode");
  Builder whole;
  return whole.zeros(before).bytes(b.bytes()).take();
}

Result<Bundle> read_all(Bytes bytes, std::uint64_t begin = 0,
                        const Limits &limits = {}) {
  return read(MemorySource(bytes), begin, bytes.size(), limits);
}

void expect_refusal(Bytes bytes, Errc code, std::uint64_t offset) {
  auto r = read_all(bytes);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, code);
  EXPECT_EQ(r.error().offset, offset);
}

TEST(Bundle, ReadsEntries) {
  auto bytes = two_entries();
  auto r = read_all(bytes);
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_EQ(r->entries.size(), 2u);
  EXPECT_EQ(r->entries[0].id, kHost);
  EXPECT_EQ(r->entries[0].header_offset, 32u);
  EXPECT_EQ(r->entries[0].offset, 256u);
  EXPECT_EQ(r->entries[0].size, 0u);
  EXPECT_EQ(r->entries[1].id, kGfx906);
  EXPECT_EQ(r->entries[1].header_offset, 32u + 24 + kHost.size());
  EXPECT_EQ(r->entries[1].offset, 256u);
  EXPECT_EQ(r->entries[1].size, 8u);
  EXPECT_FALSE(r->entries[0].damage);
  EXPECT_FALSE(r->entries[1].damage);
  EXPECT_EQ(r->header_size, 32u + 48 + kHost.size() + kGfx906.size());
  EXPECT_EQ(r->extent, 264u);
}

// A region inside a section: offsets count from the magic, the neighbour's
// bytes do not count, and errors count from the start of the source.
TEST(Bundle, ReadsInsideARegion) {
  auto bytes = two_entries(100);
  bytes.resize(bytes.size() + 50);
  MemorySource source(bytes);
  auto r = read(source, 100, 100 + 264, {});
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_EQ(r->entries[1].header_offset, 32u + 24 + kHost.size());
  EXPECT_EQ(r->extent, 264u);
  EXPECT_FALSE(r->entries[1].damage);

  auto cut = read(source, 100, 100 + 263, {});
  ASSERT_TRUE(cut);
  ASSERT_TRUE(cut->entries[1].damage);
  EXPECT_EQ(cut->entries[1].damage->offset, 100u + 32 + 24 + kHost.size());

  auto bad = read(source, 99, 364, {});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Errc::bad_magic);
  EXPECT_EQ(bad.error().offset, 99u);
}

TEST(Bundle, RefusesARegionOutsideTheSource) {
  auto bytes = two_entries();
  MemorySource source(bytes);
  for (auto [begin, end] : {std::pair<std::uint64_t, std::uint64_t>{0, 265},
                            {200, 100},
                            {UINT64_MAX, UINT64_MAX}}) {
    auto r = read(source, begin, end, {});
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().code, Errc::invalid_argument);
  }
}

TEST(Bundle, ReportsEveryTruncationOfTheTable) {
  auto bytes = two_entries();
  const std::uint64_t header = read_all(bytes).value().header_size;
  const std::uint64_t second = 32 + 24 + kHost.size();
  for (std::size_t n = 0; n < header; n++) {
    auto r = read_all(Bytes(bytes).first(n));
    // The count is known to be too high before the table is read.
    ASSERT_EQ(r.has_value(), n >= 32 + 2 * 24) << n;
    if (!r) {
      EXPECT_EQ(r.error().code, n < 32 ? Errc::truncated : Errc::bad_value);
      continue;
    }
    ASSERT_TRUE(r->damage) << n;
    EXPECT_EQ(r->damage->code, Errc::truncated);
    EXPECT_EQ(r->damage->offset, n < second        ? 32u + 24
                                 : n < second + 24 ? second
                                                   : second + 24)
        << n;
    EXPECT_EQ(r->entries.size(), n < second ? 0u : 1u);
    EXPECT_EQ(r->header_size, n < second ? 32u : second);
  }
}

TEST(Bundle, KeepsTheEntriesBeforeADamagedRecord) {
  Builder b;
  b.text(kMagic).u64(3);
  entry(b, 200, 4, "sound");
  const std::size_t second = b.size();
  entry(b, 200, 4, "second");
  entry(b, 200, 4, "third");
  b.set_u64(second + 16, 5000).pad_to(200).text("CODE").zeros(6000);
  auto r = read_all(b.bytes());
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_EQ(r->entries.size(), 1u);
  EXPECT_EQ(r->entries[0].id, "sound");
  ASSERT_TRUE(r->damage);
  EXPECT_EQ(r->damage->code, Errc::bad_value);
  EXPECT_EQ(r->damage->offset, second + 16);
  EXPECT_EQ(r->damage->what, "bundle entry 1: id length");
  EXPECT_EQ(r->header_size, second);
  EXPECT_EQ(r->extent, 204u);
}

TEST(Bundle, KeepsEntriesWhenAnImageIsCut) {
  auto bytes = two_entries();
  const std::uint64_t header = read_all(bytes).value().header_size;
  for (std::size_t n = header; n < bytes.size(); n++) {
    auto r = read_all(Bytes(bytes).first(n));
    ASSERT_TRUE(r) << n;
    ASSERT_EQ(r->entries.size(), 2u);
    EXPECT_EQ(r->entries[1].size, 8u);
    ASSERT_TRUE(r->entries[1].damage);
    EXPECT_EQ(r->entries[1].damage->code, Errc::truncated);
    EXPECT_EQ(r->entries[1].damage->what, "bundle entry 1: image");
    EXPECT_EQ(r->extent, n < 256 ? header : 256);
  }
}

TEST(Bundle, KeepsSoundEntriesBesideDamagedOnes) {
  Builder b;
  b.text(kMagic).u64(4);
  entry(b, UINT64_MAX - 1, 8, "wraps");
  entry(b, 0, UINT64_MAX, "huge");
  entry(b, 200, 4, "sound");
  entry(b, 205, 0, "behind");
  b.pad_to(200).text("CODE");
  auto r = read_all(b.bytes());
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_EQ(r->entries.size(), 4u);
  EXPECT_TRUE(r->entries[0].damage);
  EXPECT_EQ(r->entries[0].offset, UINT64_MAX - 1);
  EXPECT_EQ(r->entries[0].damage->offset, 32u);
  EXPECT_TRUE(r->entries[1].damage);
  EXPECT_EQ(r->entries[1].damage->offset, 32u + 24 + 5);
  EXPECT_FALSE(r->entries[2].damage);
  EXPECT_TRUE(r->entries[3].damage);
  EXPECT_EQ(r->extent, 204u);
}

TEST(Bundle, RefusesAForeignMagic) {
  auto bytes = two_entries();
  for (std::size_t i = 0; i < kMagic.size(); i++) {
    auto bad = bytes;
    bad[i] ^= std::byte{0x20};
    expect_refusal(bad, Errc::bad_magic, 0);
  }
}

TEST(Bundle, RefusesCountThatTheRegionCannotHold) {
  Builder b;
  b.text(kMagic).u64(0);
  for (std::uint64_t count :
       {std::uint64_t{3}, UINT64_MAX / 24, UINT64_MAX / 24 + 2, UINT64_MAX}) {
    Builder bad = b;
    bad.zeros(2 * 24 + 23).set_u64(24, count);
    expect_refusal(bad.bytes(), Errc::bad_value, 24);
  }
  Builder fits = b;
  EXPECT_TRUE(read_all(fits.zeros(2 * 24).set_u64(24, 2).bytes()));
}

TEST(Bundle, RefusesMoreEntriesThanTheLimit) {
  Limits limits;
  limits.records = 1;
  auto r = read_all(two_entries(), 0, limits);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, Errc::too_large);
  EXPECT_EQ(r.error().offset, 24u);
  limits.records = 2;
  EXPECT_TRUE(read_all(two_entries(), 0, limits));
}

TEST(Bundle, ReportsIdsThatCannotBe) {
  auto expect_damage = [](Bytes bytes, Errc code, std::uint64_t offset) {
    auto r = read_all(bytes);
    ASSERT_TRUE(r && r->damage);
    EXPECT_EQ(r->damage->code, code);
    EXPECT_EQ(r->damage->offset, offset);
    EXPECT_TRUE(r->entries.empty());
  };
  for (std::uint64_t size : {std::uint64_t{4097}, UINT64_MAX}) {
    Builder b;
    b.text(kMagic).u64(1).u64(0).u64(0).u64(size).zeros(5000);
    expect_damage(b.bytes(), Errc::bad_value, 48);
  }
  Builder longest;
  longest.text(kMagic).u64(1);
  entry(longest, 0, 0, std::string(4096, 'x'));
  auto r = read_all(longest.bytes());
  ASSERT_TRUE(r);
  EXPECT_FALSE(r->damage);
  EXPECT_EQ(r->entries[0].id, std::string(4096, 'x'));
  expect_damage(longest.bytes().first(longest.size() - 1), Errc::truncated, 56);
}

// More than one window of ids, so that records lie across its borders.
TEST(Bundle, ReadsATableLongerThanTheWindow) {
  Builder b;
  b.text(kMagic).u64(100);
  for (std::size_t i = 0; i < 100; i++)
    entry(b, i, 1, std::string(i * 7, static_cast<char>('a' + i % 26)));
  auto r = read_all(b.bytes());
  ASSERT_TRUE(r) << r.error().text();
  for (std::size_t i = 0; i < 100; i++) {
    EXPECT_EQ(r->entries[i].offset, i);
    EXPECT_EQ(r->entries[i].id,
              std::string(i * 7, static_cast<char>('a' + i % 26)));
  }
  EXPECT_EQ(r->extent, b.size());
}

TEST(Bundle, ReadsABundleWithoutEntries) {
  Builder b;
  auto r = read_all(b.text(kMagic).u64(0).bytes());
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->entries.empty());
  EXPECT_EQ(r->extent, 32u);
}

TEST(Bundle, ReportsPlausibleHeaders) {
  auto bytes = two_entries();
  EXPECT_TRUE(plausible_header(bytes, bytes.size()));
  // The first of the bytes at hand are enough, if they hold the first record.
  for (std::size_t n = 0; n < bytes.size(); n++)
    EXPECT_EQ(plausible_header(Bytes(bytes).first(n), bytes.size()), n >= 56)
        << n;
  EXPECT_FALSE(plausible_header(bytes, 79));  // two records do not fit
  EXPECT_FALSE(plausible_header(bytes, 255)); // nor does the image
}

TEST(Bundle, RefusesStringsThatOnlyHoldTheMagic) {
  auto bytes = two_entries();
  Builder good;
  good.bytes(bytes);
  auto refuses = [&](std::size_t at, std::uint64_t value) {
    Builder b = good;
    b.set_u64(at, value);
    return !plausible_header(b.bytes(), b.size());
  };
  EXPECT_TRUE(refuses(0, 0));  // magic
  EXPECT_TRUE(refuses(24, 0)); // count
  EXPECT_TRUE(refuses(24, UINT64_MAX));
  EXPECT_TRUE(refuses(32, UINT64_MAX)); // offset
  EXPECT_TRUE(refuses(40, UINT64_MAX)); // size
  EXPECT_TRUE(refuses(48, 0));          // id length
  EXPECT_TRUE(refuses(48, 4097));
  EXPECT_TRUE(refuses(56, 0)); // id
  Builder text;
  text.text(kMagic).text("\0%s: invalid bundle entry, file %s\0 and more text");
  text.zeros(200);
  EXPECT_FALSE(plausible_header(text.bytes(), text.size()));
}

} // namespace
} // namespace gantry::bundle

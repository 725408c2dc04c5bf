// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/ccob.h"

#include "base/digest.h"
#include "base/test_bytes.h"
#include "format/bundle.h"

#include <gtest/gtest.h>

namespace gantry::ccob {
namespace {

constexpr std::array<std::uint16_t, 3> kVersions = {1, 2, 3};

// Streams that store their bytes, at most 255 of them.
std::vector<std::byte> zstd_of(Bytes data) {
  Builder b;
  b.u32(0xfd2fb528).u8(0x20).u8(static_cast<std::uint8_t>(data.size()));
  std::uint32_t block = static_cast<std::uint32_t>(data.size()) << 3 | 1;
  b.u16(static_cast<std::uint16_t>(block));
  b.u8(static_cast<std::uint8_t>(block >> 16));
  return b.bytes(data).take();
}

std::vector<std::byte> zlib_of(Bytes data) {
  auto size = static_cast<std::uint16_t>(data.size());
  Builder b;
  b.u8(0x78).u8(0x01).u8(1).u16(size).u16(static_cast<std::uint16_t>(~size));
  b.bytes(data);
  std::uint32_t low = 1, high = 0;
  for (std::byte d : data) {
    low = (low + std::to_integer<std::uint32_t>(d)) % 65521;
    high = (high + low) % 65521;
  }
  for (std::uint32_t v : {high >> 8, high, low >> 8, low}) // big-endian
    b.u8(static_cast<std::uint8_t>(v));
  return b.take();
}

// A bundle with nothing in it and `tail` behind.
std::vector<std::byte> bundle_bytes(std::string_view tail = "tail") {
  Builder b;
  return b.text(bundle::kMagic).u64(0).text(tail).take();
}

std::vector<std::byte> container(std::uint16_t version, std::uint16_t method,
                                 Bytes decoded) {
  auto stream = method == kMethodZlib ? zlib_of(decoded) : zstd_of(decoded);
  Md5 md5;
  md5.update(decoded);
  auto digest = md5.digest();
  Builder b;
  b.text(kMagic).u16(version).u16(method);
  if (version == 2)
    b.u32(static_cast<std::uint32_t>(24 + stream.size()));
  if (version == 3)
    b.u64(32 + stream.size()).u64(decoded.size());
  else
    b.u32(static_cast<std::uint32_t>(decoded.size()));
  b.bytes(Bytes(digest).first(8)).bytes(stream);
  return b.take();
}

Result<std::string> decoded_text(Bytes bytes, const Limits &limits = {}) {
  GANTRY_TRY(Header header, read_header(bytes));
  Decompressor decompressor;
  Buffer out;
  GANTRY_TRY(Bytes decoded, decode(bytes, header, decompressor, limits, out));
  return std::string(as_text(decoded));
}

void expect_refusal(const Result<std::string> &r, Errc code,
                    std::uint64_t offset) {
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, code) << r.error().text();
  EXPECT_EQ(r.error().offset, offset) << r.error().text();
}

Result<Extent> extent_of(Bytes bytes, std::uint64_t region,
                         std::uint64_t begin) {
  GANTRY_TRY(Header header, read_header(bytes.subspan(begin)));
  return extent(MemorySource(bytes), region, begin, bytes.size(), header);
}

TEST(Ccob, ReadsHeaders) {
  Builder one, two, three;
  one.text("CCOB").u16(1).u16(0).u32(100).text("12345678");
  two.text("CCOB").u16(2).u16(1).u32(50).u32(100).text("12345678");
  three.text("CCOB")
      .u16(3)
      .u16(1)
      .u64(1ull << 40)
      .u64(1ull << 41)
      .text("12345678");
  auto a = read_header(one.bytes()).value();
  EXPECT_EQ(a.version, 1u);
  EXPECT_EQ(a.method, kMethodZlib);
  EXPECT_EQ(a.size, 20u);
  EXPECT_EQ(a.total_size, std::nullopt);
  EXPECT_EQ(a.decoded_size, 100u);
  EXPECT_EQ(as_text(a.hash.value()), "12345678");
  EXPECT_FALSE(a.limitation);
  auto b = read_header(two.bytes()).value();
  EXPECT_EQ(b.method, kMethodZstd);
  EXPECT_EQ(b.size, 24u);
  EXPECT_EQ(b.total_size, 50u);
  EXPECT_EQ(b.decoded_size, 100u);
  EXPECT_EQ(as_text(b.hash.value()), "12345678");
  EXPECT_FALSE(b.limitation);
  auto c = read_header(three.bytes()).value();
  EXPECT_EQ(c.size, 32u);
  EXPECT_EQ(c.total_size, 1ull << 40);
  EXPECT_EQ(c.decoded_size, 1ull << 41);
  EXPECT_EQ(as_text(c.hash.value()), "12345678");
  EXPECT_FALSE(c.limitation);
}

TEST(Ccob, RefusesEveryTruncationOfTheHeader) {
  for (std::uint16_t version : kVersions) {
    auto bytes = container(version, kMethodZstd, bundle_bytes());
    const std::uint64_t size = read_header(bytes).value().size;
    for (std::size_t n = 0; n < size; n++) {
      auto r = read_header(Bytes(bytes).first(n));
      ASSERT_FALSE(r) << version << " " << n;
      EXPECT_EQ(r.error().code, Errc::truncated);
      EXPECT_LE(r.error().offset, n);
    }
  }
}

TEST(Ccob, RefusesAForeignMagic) {
  Builder b;
  auto r = read_header(b.text("CCOC").zeros(40).bytes());
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, Errc::bad_magic);
  EXPECT_EQ(r.error().offset, 0u);
}

TEST(Ccob, KeepsRawValuesOfUnknownVersionsAndMethods) {
  for (std::uint16_t version :
       std::to_array<std::uint16_t>({0, 4, 9, 0xffff})) {
    Builder b;
    b.text("CCOB").u16(version).u16(7); // nothing is known of what follows
    auto h = read_header(b.bytes());
    ASSERT_TRUE(h) << h.error().text();
    EXPECT_EQ(h->version, version);
    EXPECT_EQ(h->method, 7u);
    EXPECT_EQ(h->size, 8u);
    EXPECT_FALSE(h->total_size);
    EXPECT_FALSE(h->decoded_size);
    EXPECT_FALSE(h->hash);
    ASSERT_TRUE(h->limitation);
    EXPECT_EQ(h->limitation->code, Errc::unsupported);
    EXPECT_EQ(h->limitation->offset, 4u);
    expect_refusal(decoded_text(b.bytes()), Errc::unsupported, 4);
  }
  Builder b;
  b.bytes(container(2, kMethodZstd, bundle_bytes())).set_u16(6, 2);
  auto h = read_header(b.bytes()).value();
  EXPECT_EQ(h.method, 2u);
  EXPECT_EQ(h.total_size, b.size());
  ASSERT_TRUE(h.limitation);
  EXPECT_EQ(h.limitation->what, "CCOB compression method 2");
  expect_refusal(decoded_text(b.bytes()), Errc::unsupported, 6);
}

TEST(Ccob, DecodesEachVersionAndMethod) {
  auto bundle = bundle_bytes();
  for (std::uint16_t version : kVersions)
    for (std::uint16_t method : {kMethodZlib, kMethodZstd}) {
      auto text = decoded_text(container(version, method, bundle));
      ASSERT_TRUE(text) << version << method << text.error().text();
      EXPECT_EQ(*text, as_text(bundle));
    }
}

TEST(Ccob, RefusesEveryTruncationOfTheStream) {
  for (std::uint16_t version : kVersions)
    for (std::uint16_t method : {kMethodZlib, kMethodZstd}) {
      auto bytes = container(version, method, bundle_bytes());
      const std::uint64_t header = read_header(bytes).value().size;
      for (std::size_t n = header; n < bytes.size(); n++) {
        auto r = decoded_text(Bytes(bytes).first(n));
        ASSERT_FALSE(r) << version << method << n;
        // Version 1 cannot tell a short stream from a damaged one.
        EXPECT_EQ(r.error().code,
                  version == 1 ? Errc::corrupt : Errc::truncated);
      }
    }
}

TEST(Ccob, DecodesVersionOneWithPadding) {
  // Zeros of the stream itself, which are not padding: stored bytes, checksum.
  for (std::string_view tail :
       {std::string_view("x"), std::string_view("x\0\0\0", 4),
        std::string_view("x\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20)}) {
    auto bundle = bundle_bytes(tail);
    for (std::uint16_t method : {kMethodZlib, kMethodZstd})
      for (std::size_t padding : {0, 1, 7, 8, 100, 4095}) {
        Builder b;
        b.bytes(container(1, method, bundle)).zeros(padding);
        auto text = decoded_text(b.bytes());
        ASSERT_TRUE(text) << padding << text.error().text();
        EXPECT_EQ(*text, as_text(bundle));
      }
  }
  // A zlib stream whose checksum ends in zero.
  std::vector<std::byte> bundle;
  for (int c = 0; c < 256; c++) {
    auto candidate = bundle_bytes(std::string(1, static_cast<char>(c)));
    if (zlib_of(candidate).back() == std::byte{0})
      bundle = candidate;
  }
  ASSERT_FALSE(bundle.empty());
  for (std::size_t padding : {0, 6, 7, 8, 100}) {
    Builder b;
    b.bytes(container(1, kMethodZlib, bundle)).zeros(padding);
    EXPECT_TRUE(decoded_text(b.bytes())) << padding;
  }
}

TEST(Ccob, RefusesVersionOneWithMoreThanPadding) {
  Builder b;
  b.bytes(container(1, kMethodZstd, bundle_bytes())).text("more").zeros(9);
  auto r = decoded_text(b.bytes());
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, Errc::corrupt);
}

TEST(Ccob, ReadsNothingBehindTheTotalSize) {
  Builder b;
  b.bytes(container(3, kMethodZstd, bundle_bytes())).text("the neighbour");
  EXPECT_EQ(decoded_text(b.bytes()).value(), as_text(bundle_bytes()));
}

TEST(Ccob, RefusesAWrongHash) {
  for (std::uint16_t version : kVersions) {
    auto bytes = container(version, kMethodZstd, bundle_bytes());
    const std::uint64_t hash_at = read_header(bytes).value().size - 8;
    for (std::size_t i = 0; i < 8; i++) {
      auto bad = bytes;
      bad[hash_at + i] ^= std::byte{1};
      expect_refusal(decoded_text(bad), Errc::corrupt, hash_at);
    }
    // Stored bytes: the stream itself stays sound.
    auto bad = bytes;
    bad.back() ^= std::byte{1};
    expect_refusal(decoded_text(bad), Errc::corrupt, hash_at);
  }
}

TEST(Ccob, RefusesAnotherDecodedSize) {
  auto bytes = container(2, kMethodZstd, bundle_bytes());
  for (std::uint32_t size : {0u, 35u, 37u, 0xffffffffu}) {
    Builder b;
    b.bytes(bytes).set_u32(12, size);
    auto r = decoded_text(b.bytes());
    ASSERT_FALSE(r) << size;
    EXPECT_EQ(r.error().code,
              size == 0xffffffff ? Errc::too_large : Errc::corrupt);
    EXPECT_GE(r.error().offset, 24u);
  }
}

TEST(Ccob, RefusesDecodedSizesOverTheLimit) {
  Limits limits;
  limits.decoded_bytes = 35;
  auto r = decoded_text(container(2, kMethodZstd, bundle_bytes()), limits);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, Errc::too_large);
  limits.decoded_bytes = 36;
  EXPECT_TRUE(decoded_text(container(2, kMethodZstd, bundle_bytes()), limits));
}

TEST(Ccob, RefusesWhatDecodesToNoBundle) {
  Builder b;
  b.text("__CLANG_OFFLOAD_BUNDLE_-").u64(0);
  expect_refusal(decoded_text(container(2, kMethodZstd, b.bytes())),
                 Errc::bad_magic, 0);
  expect_refusal(decoded_text(container(2, kMethodZstd, {})), Errc::bad_magic,
                 0);
}

TEST(Ccob, RefusesATotalSizeBelowTheHeader) {
  Builder b;
  b.bytes(container(2, kMethodZstd, bundle_bytes())).set_u32(8, 23);
  auto h = read_header(b.bytes()).value();
  EXPECT_EQ(h.total_size, 23u);
  ASSERT_TRUE(h.limitation);
  expect_refusal(decoded_text(b.bytes()), Errc::bad_value, 8);
  auto e = extent_of(b.bytes(), 0, 0);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->size, b.size());
  ASSERT_TRUE(e->damage);
  EXPECT_EQ(e->damage->code, Errc::bad_value);
}

TEST(Ccob, ExtendsToTheTotalSize) {
  Builder b;
  b.zeros(16).bytes(container(3, kMethodZstd, bundle_bytes()));
  const std::uint64_t size = b.size() - 16;
  b.text("CCOB");
  auto e = extent_of(b.bytes(), 16, 16);
  ASSERT_TRUE(e) << e.error().text();
  EXPECT_EQ(e->size, size);
  EXPECT_FALSE(e->damage);
}

TEST(Ccob, ExtendsToTheNextContainerWithoutASize) {
  for (std::string_view next : {kMagic, bundle::kMagic})
    for (std::size_t region : {0, 64, 4095})
      for (std::size_t begin : {0, 1, 4096, 5000}) {
        Builder b;
        b.zeros(region + begin);
        b.bytes(container(1, kMethodZstd, bundle_bytes()));
        b.text("x").text(next); // no container begins there
        while ((b.size() - region) % 4096 != 0)
          b.u8(0);
        b.zeros(4096);
        const std::uint64_t at = b.size();
        b.text(next);
        auto e = extent_of(b.bytes(), region, region + begin);
        ASSERT_TRUE(e) << e.error().text();
        EXPECT_EQ(e->size, at - region - begin) << region << " " << begin;
        EXPECT_FALSE(e->damage);
      }
}

// Files that were put together by hand.
TEST(Ccob, ExtendsToTheNextContainerBehindAFrameOfVersionOne) {
  for (std::string_view next : {kMagic, bundle::kMagic})
    for (std::size_t padding : {0, 1, 7, 500, 5000, 9000}) {
      Builder b;
      b.zeros(3);
      b.bytes(container(1, kMethodZstd, bundle_bytes())).zeros(padding);
      const std::uint64_t at = b.size();
      b.text(next).zeros(10000);
      auto e = extent_of(b.bytes(), 0, 3);
      ASSERT_TRUE(e) << e.error().text();
      EXPECT_EQ(e->size, at - 3) << padding;
      EXPECT_FALSE(e->damage);
    }
}

TEST(Ccob, ExtendsToTheEndOfTheRegionWhenNothingFollows) {
  for (std::size_t total : {4095, 4096, 4097, 8192, 20000}) {
    Builder b;
    b.bytes(container(1, kMethodZstd, bundle_bytes()));
    b.zeros(total - b.size());
    auto e = extent_of(b.bytes(), 0, 0);
    ASSERT_TRUE(e);
    EXPECT_EQ(e->size, total);
    EXPECT_FALSE(e->damage);
  }
  // The magic of a bundle is not completed from behind the region.
  Builder b;
  b.bytes(container(1, kMethodZstd, bundle_bytes())).pad_to(4096);
  b.text(bundle::kMagic);
  auto header = read_header(b.bytes()).value();
  auto e = extent(MemorySource(b.bytes()), 0, 0, 4096 + 23, header);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->size, 4096u + 23);
}

TEST(Ccob, ExtendsUnknownVersionsToTheNextContainer) {
  Builder b;
  b.bytes(container(2, kMethodZstd, bundle_bytes())).set_u16(4, 9);
  b.pad_to(4096).text("CCOB");
  auto e = extent_of(b.bytes(), 0, 0);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->size, 4096u);
  EXPECT_FALSE(e->damage);
}

TEST(Ccob, KeepsTheNextContainerWhenTheSizeCannotBe) {
  Builder b;
  b.zeros(4096).bytes(container(3, kMethodZstd, bundle_bytes()));
  b.pad_to(4096).text("CCOB");
  for (std::uint64_t size : {std::uint64_t{5000}, UINT64_MAX}) {
    b.set_u64(4096 + 8, size);
    auto e = extent_of(b.bytes(), 4096, 4096);
    ASSERT_TRUE(e);
    EXPECT_EQ(e->size, 4096u);
    ASSERT_TRUE(e->damage);
    EXPECT_EQ(e->damage->code, Errc::truncated);
    EXPECT_EQ(e->damage->offset, 4096u + 8);
  }
}

TEST(Ccob, RefusesARegionOutsideTheSource) {
  auto bytes = container(1, kMethodZstd, bundle_bytes());
  auto header = read_header(bytes).value();
  MemorySource source(bytes);
  for (auto e : {extent(source, 0, 0, bytes.size() + 1, header),
                 extent(source, 1, 0, bytes.size(), header),
                 extent(source, 0, 9, 8, header)}) {
    ASSERT_FALSE(e);
    EXPECT_EQ(e.error().code, Errc::invalid_argument);
  }
}

} // namespace
} // namespace gantry::ccob

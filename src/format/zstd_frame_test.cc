// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/zstd_frame.h"

#include "base/decompress.h"
#include "base/test_bytes.h"

#include <gtest/gtest.h>

namespace gantry::zstd_frame {
namespace {

Result<Frame> read_all(Bytes bytes) {
  return read(MemorySource(bytes), 0, bytes.size());
}

void block(Builder &b, std::uint32_t type, std::uint32_t size, bool last,
           std::string_view bytes) {
  const std::uint32_t header = size << 3 | type << 1 | (last ? 1 : 0);
  b.u16(static_cast<std::uint16_t>(header))
      .u8(static_cast<std::uint8_t>(header >> 16))
      .text(bytes);
}

// Single segment, content size of one byte, a raw block and a run.
Builder two_blocks() {
  Builder b;
  b.text(kMagic).u8(0x20).u8(10);
  block(b, 0, 4, false, "text");
  block(b, 1, 6, true, "x");
  return b;
}

TEST(ZstdFrame, ReadsASingleSegment) {
  Builder b = two_blocks();
  const std::size_t size = b.size();
  b.zeros(5); // what follows does not count
  auto frame = read_all(b.bytes());
  ASSERT_TRUE(frame) << frame.error().text();
  EXPECT_EQ(frame->size, size);
  EXPECT_EQ(frame->decoded_size, 10u);
  // The library agrees.
  EXPECT_EQ(zstd_frame_size(b.bytes()), size);
  Buffer out;
  auto decoded = decompress(Codec::zstd, b.bytes().first(size), 10, {}, out);
  ASSERT_TRUE(decoded) << decoded.error().text();
  EXPECT_EQ(as_text(*decoded), "textxxxxxx");
}

// Each size of dictionary id and content size, with and without single segment
// and checksum.
TEST(ZstdFrame, ReadsEveryKindOfHeader) {
  constexpr std::size_t kIds[] = {0, 1, 2, 4};
  for (unsigned descriptor = 0; descriptor < 256; descriptor++) {
    const bool single = (descriptor & 0x20) != 0;
    const std::size_t content_sizes[] = {single ? 1u : 0u, 2, 4, 8};
    const std::size_t content = content_sizes[descriptor >> 6];
    Builder b;
    b.text(kMagic).u8(static_cast<std::uint8_t>(descriptor));
    if (!single)
      b.u8(0);
    for (std::size_t i = 0; i < kIds[descriptor & 3]; i++)
      b.u8(0xee);
    for (std::size_t i = 0; i < content; i++)
      b.u8(i == 0 ? 7 : 0);
    block(b, 0, 0, true, "");
    if ((descriptor & 4) != 0)
      b.u32(0xcccccccc);
    auto frame = read_all(b.bytes());
    if ((descriptor & 8) != 0) {
      ASSERT_FALSE(frame) << descriptor;
      EXPECT_EQ(frame.error().code, Errc::bad_value);
      EXPECT_EQ(frame.error().offset, 4u);
      continue;
    }
    ASSERT_TRUE(frame) << descriptor;
    EXPECT_EQ(frame->size, b.size()) << descriptor;
    EXPECT_EQ(frame->decoded_size, content == 0 ? std::nullopt
                                   : content == 2
                                       ? std::optional<std::uint64_t>(263)
                                       : std::optional<std::uint64_t>(7))
        << descriptor;
  }
}

TEST(ZstdFrame, ReportsEveryTruncation) {
  Builder b;
  b.text(kMagic).u8(0x24).u8(4);
  block(b, 0, 4, true, "text");
  b.u32(0);
  ASSERT_TRUE(read_all(b.bytes()));
  for (std::size_t n = 0; n < b.size(); n++) {
    auto frame = read_all(b.bytes().first(n));
    ASSERT_FALSE(frame) << n;
    EXPECT_EQ(frame.error().code, Errc::truncated) << n;
    EXPECT_EQ(frame.error().offset, n < 4    ? 0u
                                    : n < 5  ? 4u
                                    : n < 6  ? 5u
                                    : n < 13 ? 6u
                                             : 13u)
        << n;
  }
}

TEST(ZstdFrame, RefusesAForeignMagic) {
  Builder b = two_blocks();
  for (std::size_t i = 0; i < 4; i++) {
    auto bad = Builder(b).take();
    bad[i] ^= std::byte{1};
    auto frame = read_all(bad);
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().code, Errc::bad_magic);
    EXPECT_EQ(frame.error().offset, 0u);
  }
}

TEST(ZstdFrame, RefusesAReservedBlockType) {
  Builder b;
  b.text(kMagic).u8(0x20).u8(4);
  block(b, 0, 4, false, "text");
  const std::size_t second = b.size();
  block(b, 3, 0, true, "");
  auto frame = read_all(b.bytes());
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().code, Errc::bad_value);
  EXPECT_EQ(frame.error().offset, second);
}

// Offsets count in the source, and the neighbour's bytes are not read.
TEST(ZstdFrame, ReadsInsideARegion) {
  Builder b;
  b.zeros(16).bytes(two_blocks().bytes()).zeros(16);
  MemorySource source(b.bytes());
  const std::size_t size = two_blocks().size();
  auto frame = read(source, 16, 16 + size);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->size, size);
  auto cut = read(source, 16, 16 + size - 1);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, Errc::truncated);
  EXPECT_EQ(cut.error().offset, 16u + 6 + 7);
  auto magic = read(source, 15, 16 + size);
  ASSERT_FALSE(magic);
  EXPECT_EQ(magic.error().offset, 15u);
  for (auto [begin, end] : {std::pair<std::uint64_t, std::uint64_t>{0, 100},
                            {20, 10},
                            {UINT64_MAX, UINT64_MAX}}) {
    auto outside = read(source, begin, end);
    ASSERT_FALSE(outside);
    EXPECT_EQ(outside.error().code, Errc::invalid_argument);
  }
}

} // namespace
} // namespace gantry::zstd_frame

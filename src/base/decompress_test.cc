// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/decompress.h"

#include "base/test_bytes.h"

#include <gtest/gtest.h>
#include <lz4.h>
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <optional>

using namespace gantry;

namespace {

constexpr Codec kCompressed[] = {Codec::lz4_block, Codec::lz4_frame,
                                 Codec::zstd, Codec::zlib};

std::string text_of(std::size_t size) {
  std::string out;
  for (unsigned i = 0; out.size() < size; i++)
    out += "mov.u32 %r" + std::to_string(i * i % 97) + ";\n";
  out.resize(size);
  return out;
}

// What the libraries make of `text`.
std::string encode(Codec codec, std::string_view text) {
  std::string out(text.size() + 1024, '\0');
  std::size_t size = 0;
  switch (codec) {
  case Codec::none:
    return std::string(text);
  case Codec::lz4_block:
    size = LZ4_compress_default(text.data(), out.data(),
                                static_cast<int>(text.size()),
                                static_cast<int>(out.size()));
    break;
  case Codec::lz4_frame:
    size = LZ4F_compressFrame(out.data(), out.size(), text.data(), text.size(),
                              nullptr);
    break;
  case Codec::zstd:
    size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
    break;
  case Codec::zlib: {
    uLongf n = out.size();
    compress(reinterpret_cast<Bytef *>(out.data()), &n,
             reinterpret_cast<const Bytef *>(text.data()), text.size());
    size = n;
    break;
  }
  }
  out.resize(size);
  return out;
}

// A zstd frame that does not say how much it holds.
std::string encode_zstd_stream(std::string_view text) {
  std::string out(text.size() + 1024, '\0');
  ZSTD_CCtx *c = ZSTD_createCCtx();
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  ZSTD_compressStream2(c, &to, &in, ZSTD_e_flush);
  ZSTD_compressStream2(c, &to, &in, ZSTD_e_end);
  ZSTD_freeCCtx(c);
  out.resize(to.pos);
  return out;
}

struct Outcome {
  std::string text;
  std::optional<Error> error;

  bool is(Errc code, std::uint64_t offset) const {
    return error && error->code == code && error->offset == offset;
  }
};

Outcome decode(Codec codec, std::string_view input, std::uint64_t size,
               const Limits &limits = {}) {
  Buffer out;
  auto r = decompress(codec, as_bytes(input), size, limits, out);
  if (!r)
    return {{}, r.error()};
  return {std::string(as_text(*r)), {}};
}

TEST(Decompress, ReadsEveryCodec) {
  for (std::size_t size : {0, 1, 4, 100, 70'000, 300'000}) {
    std::string text = text_of(size);
    for (Codec codec : kCompressed) {
      Outcome o = decode(codec, encode(codec, text), size);
      EXPECT_FALSE(o.error) << word(codec) << size;
      EXPECT_EQ(o.text, text) << word(codec);
    }
    EXPECT_EQ(decode(Codec::none, text, size).text, text);
  }
}

TEST(Decompress, NamesItsCodecs) {
  EXPECT_EQ(word(Codec::none), "none");
  EXPECT_EQ(word(Codec::lz4_block), "lz4-block");
  EXPECT_EQ(word(Codec::lz4_frame), "lz4-frame");
  EXPECT_EQ(word(Codec::zstd), "zstd");
  EXPECT_EQ(word(Codec::zlib), "zlib");
}

TEST(Decompress, AcceptsSevenBytesOfPadding) {
  std::string text = text_of(1000);
  for (Codec codec : {Codec::none, Codec::lz4_block, Codec::lz4_frame,
                      Codec::zstd, Codec::zlib}) {
    std::string encoded = encode(codec, text);
    for (std::size_t n = 0; n <= 7; n++)
      EXPECT_EQ(decode(codec, encoded + std::string(n, '\0'), 1000).text, text)
          << word(codec) << n;
  }
}

TEST(Decompress, RefusesBytesLeftOver) {
  std::string text = text_of(1000);
  for (Codec codec :
       {Codec::none, Codec::lz4_block, Codec::zstd, Codec::zlib}) {
    std::string encoded = encode(codec, text);
    for (std::string rest :
         {std::string(8, '\0'), std::string("x"), std::string("\0\0\0x", 4)})
      EXPECT_TRUE(
          decode(codec, encoded + rest, 1000).is(Errc::corrupt, encoded.size()))
          << word(codec);
  }
  // Another LZ4 frame might follow, so the decoder says what is wrong.
  std::string frame = encode(Codec::lz4_frame, text);
  EXPECT_TRUE(decode(Codec::lz4_frame, frame + std::string(8, '\0'), 1000)
                  .is(Errc::corrupt, 0));
  EXPECT_TRUE(decode(Codec::lz4_frame, frame + "x", 1000).is(Errc::corrupt, 0));
}

TEST(Decompress, RefusesEveryTruncation) {
  std::string text = text_of(5000);
  for (Codec codec : kCompressed) {
    std::string encoded = encode(codec, text);
    for (std::size_t n = 0; n < encoded.size(); n++)
      EXPECT_TRUE(
          decode(codec, encoded.substr(0, n), 5000).is(Errc::corrupt, 0))
          << word(codec) << n;
  }
  EXPECT_TRUE(decode(Codec::none, "abc", 4).is(Errc::corrupt, 0));
}

TEST(Decompress, RefusesAnotherSizeThanDeclared) {
  std::string text = text_of(5000);
  for (Codec codec : kCompressed)
    for (std::uint64_t size : {0, 1, 4992, 4999, 5001, 5008})
      EXPECT_TRUE(decode(codec, encode(codec, text), size).error)
          << word(codec) << size;
  EXPECT_TRUE(
      decode(Codec::zstd, encode_zstd_stream(text), 4999).is(Errc::corrupt, 0));
  EXPECT_TRUE(
      decode(Codec::zstd, encode_zstd_stream(text), 5001).is(Errc::corrupt, 0));
}

TEST(Decompress, RefusesDamage) {
  std::string text = text_of(5000);
  for (Codec codec : kCompressed) {
    std::string encoded = encode(codec, text);
    encoded[0] = encoded[1] = '\xff';
    EXPECT_TRUE(decode(codec, encoded, 5000).is(Errc::corrupt, 0))
        << word(codec);
  }
}

TEST(Decompress, RefusesSizesOverTheLimits) {
  for (Codec codec : kCompressed) {
    std::string encoded = encode(codec, text_of(1000));
    Outcome o = decode(codec, encoded, std::uint64_t{1} << 40);
    EXPECT_TRUE(o.is(Errc::too_large, 0));
    EXPECT_NE(o.error->what.find("decoded_bytes"), std::string::npos);
    o = decode(codec, encoded, std::uint64_t{2} << 30);
    EXPECT_TRUE(o.is(Errc::too_large, 0));
    EXPECT_NE(o.error->what.find("decoded_ratio"), std::string::npos);
  }
}

TEST(Decompress, AppliesTheRatioAboveItsFloorOnly) {
  std::string text(1 << 20, 'a');
  std::string encoded = encode(Codec::zstd, text);
  EXPECT_EQ(decode(Codec::zstd, encoded, text.size()).text, text);
  Limits limits;
  limits.ratio_floor = text.size() - 1;
  EXPECT_TRUE(
      decode(Codec::zstd, encoded, text.size(), limits).is(Errc::too_large, 0));
  limits.decoded_ratio = 1 << 20;
  EXPECT_EQ(decode(Codec::zstd, encoded, text.size(), limits).text, text);
}

TEST(Decompress, RefusesWhatNoLz4BlockCanHold) {
  std::string encoded = encode(Codec::lz4_block, text_of(1000));
  EXPECT_TRUE(decode(Codec::lz4_block, encoded, 256 * encoded.size() + 1000)
                  .is(Errc::corrupt, 0));
  Limits limits;
  limits.decoded_ratio = limits.decoded_bytes = ~std::uint64_t{0};
  EXPECT_TRUE(decode(Codec::lz4_block, encoded, std::uint64_t{1} << 31, limits)
                  .is(Errc::unsupported, 0));
}

TEST(Decompress, ShowsNothingOfAnEarlierPayload) {
  // A match at distance 0, which liblz4 does not refuse.
  auto block = Builder()
                   .text("\x1f"
                         "A")
                   .u16(0)
                   .u8(80)
                   .text("\x50"
                         "tail!")
                   .take();
  constexpr std::uint64_t size = 1 + 15 + 80 + 4 + 5;
  Buffer out;
  auto dirty = out.reserve(4096);
  ASSERT_TRUE(dirty);
  std::ranges::fill(*dirty, std::byte{0xaa});
  auto r = decompress(Codec::lz4_block, block, size, {}, out);
  ASSERT_TRUE(r);
  EXPECT_EQ(std::ranges::count(*r, std::byte{0xaa}), 0);
  EXPECT_EQ(as_text(*r).substr(size - 5), "tail!");
}

TEST(Decompress, ReadsSeveralFrames) {
  std::string a = text_of(3000);
  std::string b = text_of(200);
  for (Codec codec : {Codec::lz4_frame, Codec::zstd})
    EXPECT_EQ(decode(codec, encode(codec, a) + encode(codec, b), 3200).text,
              a + b)
        << word(codec);
  std::string skippable("\x50\x2a\x4d\x18\x02\0\0\0hi", 10);
  for (Codec codec : {Codec::lz4_frame, Codec::zstd})
    EXPECT_EQ(decode(codec, encode(codec, a) + skippable, 3000).text, a)
        << word(codec);
}

TEST(Decompress, ReadsZstdFramesWithoutAContentSize) {
  std::string text = text_of(500'000);
  EXPECT_EQ(decode(Codec::zstd, encode_zstd_stream(text), text.size()).text,
            text);
}

TEST(Decompress, RefusesZstdFramesFromBeforeVersion1) {
  for (std::uint32_t magic = 0xfd2fb522; magic <= 0xfd2fb527; magic++) {
    auto old = Builder().u32(magic).zeros(40).take();
    EXPECT_TRUE(decode(Codec::zstd, as_text(old), 10).is(Errc::unsupported, 0));
  }
}

TEST(Decompress, GoesOnAfterAnError) {
  Decompressor d;
  Buffer out;
  std::string text = text_of(5000);
  for (int turn = 0; turn < 3; turn++)
    for (Codec codec : kCompressed) {
      std::string encoded = encode(codec, text);
      EXPECT_FALSE(d.decode(codec, as_bytes(encoded), 4000, {}, out));
      auto r = d.decode(codec, as_bytes(encoded), 5000, {}, out);
      ASSERT_TRUE(r) << word(codec);
      EXPECT_EQ(as_text(*r), text);
    }
}

TEST(InflateStart, ReadsAsMuchAsTheInputHolds) {
  // zlib data without its header of two bytes are raw deflate data.
  std::string text = text_of(5000);
  std::string encoded = encode(Codec::zlib, text).substr(2);
  Buffer out;
  for (std::size_t size = 0; size < encoded.size(); size++) {
    auto start = inflate_start(as_bytes(encoded).first(size), 100, out);
    ASSERT_TRUE(start) << size;
    EXPECT_LE(start->size(), 100u);
    EXPECT_TRUE(text.starts_with(as_text(*start))) << size;
  }
  auto start = inflate_start(as_bytes(encoded), 100, out);
  ASSERT_TRUE(start);
  EXPECT_EQ(as_text(*start), text.substr(0, 100));
}

TEST(InflateStart, RefusesWhatIsNoDeflateData) {
  Buffer out;
  auto start = inflate_start(as_bytes("\xff\xff\xff\xff"), 100, out);
  ASSERT_FALSE(start);
  EXPECT_EQ(start.error().code, Errc::corrupt);
  EXPECT_EQ(start.error().offset, 0u);
}

} // namespace

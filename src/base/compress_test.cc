// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/compress.h"

#include "base/decompress.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

TEST(Compress, IsTakenBackByDecompress) {
  Compressor compressor;
  for (std::size_t size : {0, 1, 100, 1 << 20}) {
    std::string text;
    while (text.size() < size)
      text += std::to_string(text.size());
    text.resize(size);
    Buffer stored, decoded;
    auto frame = compressor.zstd(as_bytes(text), 3, stored);
    ASSERT_TRUE(frame);
    EXPECT_LT(frame->size(), size / 2 + 100);
    EXPECT_EQ(zstd_frame_size(*frame), frame->size());
    auto back = decompress(Codec::zstd, *frame, size, {}, decoded);
    ASSERT_TRUE(back);
    EXPECT_EQ(as_text(*back), text);
  }
}

TEST(Compress, GivesTheSameBytesAgain) {
  std::string text(100000, 'a');
  Compressor used;
  Buffer a, b;
  ASSERT_TRUE(used.zstd(as_bytes("something else"), 9, a));
  auto first = used.zstd(as_bytes(text), 3, a);
  auto second = Compressor().zstd(as_bytes(text), 3, b);
  EXPECT_EQ(as_text(*first), as_text(*second));
}

} // namespace
} // namespace gantry

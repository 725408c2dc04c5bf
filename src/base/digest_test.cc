// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/digest.h"

#include "base/reader.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

template <class Digest> std::string digest_of(std::string_view text) {
  Digest d;
  d.update(as_bytes(text));
  return d.hex();
}

// FIPS 180-4 and RFC 1321, checked with coreutils.
TEST(Digest, ReadsKnownSha256) {
  EXPECT_EQ(digest_of<Sha256>(""), "e3b0c44298fc1c149afbf4c8996fb924"
                                   "27ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of<Sha256>("abc"), "ba7816bf8f01cfea414140de5dae2223"
                                      "b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of<Sha256>(
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039"
            "a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Digest, ReadsKnownMd5) {
  EXPECT_EQ(digest_of<Md5>(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(digest_of<Md5>("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(digest_of<Md5>("message digest"),
            "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST(Digest, KeepsTheResultWhateverThePieces) {
  std::string text(1000, 'x');
  for (std::size_t i = 0; i < text.size(); i++)
    text[i] = static_cast<char>(i * 7);
  const std::string sha256 = digest_of<Sha256>(text);
  const std::string md5 = digest_of<Md5>(text);
  for (std::size_t piece : {1u, 3u, 63u, 64u, 65u, 999u}) {
    Sha256 s;
    Md5 m;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      s.update(as_bytes(std::string_view(text).substr(at, piece)));
      m.update(as_bytes(std::string_view(text).substr(at, piece)));
    }
    EXPECT_EQ(s.hex(), sha256) << piece;
    EXPECT_EQ(m.hex(), md5) << piece;
  }
}

TEST(Digest, KeepsTheMessageWhenAsked) {
  Sha256 d;
  d.update(as_bytes("ab"));
  EXPECT_EQ(d.hex(), digest_of<Sha256>("ab"));
  EXPECT_EQ(d.hex(), digest_of<Sha256>("ab"));
  d.update(as_bytes("c"));
  EXPECT_EQ(d.hex(), digest_of<Sha256>("abc"));
  Sha256 moved = std::move(d);
  EXPECT_EQ(moved.hex(), digest_of<Sha256>("abc"));
}

TEST(Digest, WritesHexadecimal) {
  EXPECT_EQ(hex({}), "");
  EXPECT_EQ(hex(as_bytes(std::string_view("\x00\x0f\xa0\xff", 4))), "000fa0ff");
}

} // namespace
} // namespace gantry

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/package.h"

#include "input/test_packages.h"
#include "input/test_read.h"

namespace gantry::input {
namespace {

using Names = std::vector<std::string>;

std::string_view format_of(std::string_view start,
                           std::string_view name = "x") {
  return package_format(as_bytes(start), name);
}

TEST(PackageFormat, KnowsPackagesByTheirFirstBytes) {
  using namespace std::string_view_literals;
  EXPECT_EQ(format_of(ar_of({})), "ar");
  EXPECT_EQ(format_of("!<thin>\n"), "ar");
  EXPECT_EQ(format_of(zip_of({{"a", "x"}})), "zip");
  EXPECT_EQ(format_of(zip_of({})), "zip");
  EXPECT_EQ(format_of(tar_of({{"a", "x"}})), "tar");
  EXPECT_EQ(format_of("\xed\xab\xee\xdb\x03"sv), "rpm");
  EXPECT_EQ(format_of("070701"), "cpio");
  EXPECT_EQ(format_of("7z\xbc\xaf\x27\x1c"), "7z");
  EXPECT_EQ(format_of("\x1f\x8b\x08"), "gzip");
  EXPECT_EQ(format_of("BZh9"), "bzip2");
  EXPECT_EQ(format_of("\xfd"
                      "7zXZ\0"sv),
            "xz");
  EXPECT_EQ(format_of("\x28\xb5\x2f\xfd"), "zstd");
  EXPECT_EQ(format_of("\x04\x22\x4d\x18"), "lz4");
  for (std::string_view other : {""sv, "!<arch>"sv, "PK\1\2"sv,
                                 "\x7f"
                                 "ELF"sv,
                                 "MZ"sv, "07070"sv})
    EXPECT_EQ(format_of(other), "") << other;
}

TEST(PackageFormat, KnowsTarByItsChecksum) {
  std::string tar = tar_of({{"a", "x"}});
  std::string old = tar;
  old.replace(257, 8, 8, '\0'); // from before "ustar"
  EXPECT_EQ(format_of(old), "") << "the checksum counts these bytes";
  EXPECT_EQ(format_of(tar.substr(0, 511)), "");
  tar[0] ^= 1;
  EXPECT_EQ(format_of(tar), "");
  EXPECT_EQ(format_of(std::string(512, '\0')), "");
  EXPECT_EQ(format_of(std::string(512, ' ')), "");
}

TEST(PackageFormat, KnowsLzmaByItsName) {
  std::string start("\x5d\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\0", 14);
  EXPECT_EQ(format_of(start), "");
  EXPECT_EQ(format_of(start, "x.tar.lzma"), "lzma");
  start[4] = 3;
  EXPECT_EQ(format_of(start, "x.tar.lzma"), "");
}

TEST(Package, ReadsMembersOfArchivesInPlace) {
  std::string ar = ar_of({{"a.o", "one"}, {"a_rather_long_name.o", "three"}});
  ReadPackage p = read_package(ar);
  EXPECT_FALSE(p.error);
  EXPECT_EQ(p.format, "ar");
  EXPECT_EQ(p.names(), (Names{"a.o", "a_rather_long_name.o"}));
  EXPECT_EQ(p.members[1].bytes, "three");
  EXPECT_EQ(p.members[1].start, "three");
  const Stored &at = *p.members[1].member.stored;
  EXPECT_EQ(ar.substr(at.offset, at.size), "three");
}

TEST(Package, KnowsDebianPackages) {
  std::string deb = ar_of({{"debian-binary", "2.0\n"}, {"data.tar", "x"}});
  EXPECT_EQ(read_package(deb).format, "deb");
}

TEST(Package, LeavesTheFilesOfThinArchivesAlone) {
  std::string thin = "!<thin>\n" + ar_header("passwd/", 100);
  ReadPackage p = read_package(thin);
  ASSERT_EQ(p.names(), (Names{"passwd"}));
  EXPECT_TRUE(p.members[0].is(Errc::not_found));
  EXPECT_FALSE(p.members[0].member.stored);
}

TEST(Package, ReportsWhereArchivesEnd) {
  std::string ar = ar_of({{"a.o", "one!"}, {"b.o", "two!"}});
  ReadPackage p = read_package(ar.substr(0, ar.size() - 2));
  ASSERT_EQ(p.members.size(), 2u);
  EXPECT_TRUE(p.members[1].is(Errc::truncated));
  EXPECT_EQ(p.members[1].bytes, "tw");
  p = read_package(ar.substr(0, ar.size() - 10));
  EXPECT_EQ(p.members.size(), 1u);
  ASSERT_TRUE(p.error);
  EXPECT_EQ(p.error->code, Errc::truncated);
}

TEST(Package, RefusesOtherFiles) {
  for (std::string text : {"", "hello",
                           "\x7f"
                           "ELF"}) {
    ReadPackage p = read_package(text);
    EXPECT_FALSE(p.opened);
    EXPECT_EQ(p.error->code, Errc::bad_magic);
  }
}

TEST(GrowingBuffer, KeepsWhatIsInItWhileItGrows) {
  GrowingBuffer buffer;
  std::string all;
  for (int i = 0; i < 1000; i++) {
    std::string part(997, static_cast<char>('a' + i % 26));
    ASSERT_TRUE(buffer.append(as_bytes(part)));
    all += part;
  }
  EXPECT_EQ(as_text(buffer.bytes()), all);
  buffer.clear();
  EXPECT_EQ(buffer.size(), 0u);
  auto room = buffer.room(10);
  ASSERT_TRUE(room);
  EXPECT_EQ(room->size(), 10u) << "no more than asked for";
}

} // namespace
} // namespace gantry::input

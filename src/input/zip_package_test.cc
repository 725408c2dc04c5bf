// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/zip_package.h"

#include "input/test_packages.h"
#include "input/test_read.h"

#include <array>

namespace gantry::input {
namespace {

using Names = std::vector<std::string>;

std::string letters(std::size_t size) {
  std::string out;
  for (std::uint32_t x = 1; out.size() < size; x = x * 1664525 + 1013904223)
    out += static_cast<char>('a' + x % 7);
  return out;
}

TEST(ZipPackage, ReadsStoredAndDeflatedMembers) {
  std::string text = letters(300'000);
  std::string zip = zip_of({{"a.txt", "hello"},
                            {"folder/", "", 0, 0, 040755},
                            {"folder/b.so", text, 8},
                            {"empty", ""},
                            {"link", "a.txt", 0, 0, 0120777},
                            {"follows", text, 8, 8}});
  ReadPackage p = read_package(zip);
  EXPECT_FALSE(p.error);
  EXPECT_EQ(p.format, "zip");
  EXPECT_EQ(p.names(), (Names{"a.txt", "folder/b.so", "empty", "follows"}));
  EXPECT_EQ(p.members[0].bytes, "hello");
  EXPECT_EQ(p.members[1].bytes, text);
  EXPECT_EQ(p.members[2].bytes, "");
  EXPECT_EQ(p.members[3].bytes, text);
  for (const ReadMember &m : p.members) {
    EXPECT_FALSE(m.error) << m.error->text();
    EXPECT_EQ(m.start, m.bytes.substr(0, Package::kStart));
    EXPECT_EQ(m.member.size, m.bytes.size());
  }
  EXPECT_EQ(p.members[0].member.compression, "none");
  EXPECT_EQ(p.members[1].member.compression, "deflate");
  const Stored &at = *p.members[0].member.stored;
  EXPECT_EQ(zip.substr(at.offset, at.size), "hello");
  const Stored &packed = *p.members[1].member.stored;
  EXPECT_EQ(zip.substr(packed.offset, packed.size), deflated(text));
}

TEST(ZipPackage, ReadsTheShapesThatWritersMake) {
  for (const ZipShape &shape :
       {ZipShape{.before = "#!/bin/sh\n"}, ZipShape{.comment = "PK\5\6 it is"},
        ZipShape{.zip64_end = true},
        ZipShape{.comment = std::string(65535, 'c'), .zip64_end = true}}) {
    std::string zip = zip_of({{"a", "one"}, {"b", "two", 8}}, shape);
    if (!shape.before.empty())
      zip = zip_of({{"other", "one"}}) + zip; // the last directory counts
    ReadPackage p = read_package(zip);
    EXPECT_FALSE(p.error) << p.error->text();
    ASSERT_EQ(p.names(), (Names{"a", "b"}));
    EXPECT_EQ(p.members[1].bytes, "two");
  }
  ReadPackage empty = read_package(zip_of({}));
  EXPECT_TRUE(empty.opened);
  EXPECT_FALSE(empty.error);
  EXPECT_TRUE(empty.members.empty());
}

TEST(ZipPackage, KeepsRawBytesOfNamesInAnyLocale) {
  const std::string utf8 = "gr\xc3\xb6\xc3\x9f"
                           "e.so",
                    raw = "\xff\xfe\x01.so", decomposed = "o\xcc\x88.so";
  for (std::uint16_t flags : std::array<std::uint16_t, 2>{0, 0x800}) {
    ReadPackage p = read_package(zip_of({{utf8, "1", 8, flags},
                                         {raw, "2", 8, flags},
                                         {decomposed, "3", 0, flags},
                                         {"../../etc/passwd", "4", 0, flags},
                                         {"/abs\\back", "5", 0, flags},
                                         {utf8, "6", 0, flags}}));
    EXPECT_EQ(p.names(), (Names{utf8, raw, decomposed, "../../etc/passwd",
                                "/abs\\back", utf8}));
    for (const ReadMember &m : p.members)
      EXPECT_FALSE(m.error) << m.error->text();
  }
}

TEST(ZipPackage, ReportsWrongChecksumsAndSizesOfOneMember) {
  std::string text = letters(1000);
  for (std::uint16_t method : std::array<std::uint16_t, 2>{0, 8}) {
    ReadPackage p =
        read_package(zip_of({{"crc", text, method, 0, 0100644, 0x12345678},
                             {"short", text, method, 0, 0100644, {}, 900},
                             {"long", text, method, 0, 0100644, {}, 2000},
                             {"good", text, method}}));
    EXPECT_FALSE(p.error);
    ASSERT_EQ(p.members.size(), 4u);
    EXPECT_TRUE(p.members[0].is(Errc::corrupt));
    EXPECT_EQ(p.members[0].bytes, text) << "the bytes are kept";
    EXPECT_TRUE(p.members[1].error) << method;
    EXPECT_TRUE(p.members[2].error) << method;
    EXPECT_FALSE(p.members[3].error);
    EXPECT_EQ(p.members[3].bytes, text);
  }
}

TEST(ZipPackage, ReportsDamagedAndUnknownData) {
  ReadPackage p = read_package(zip_of({{"encrypted", "secret", 8, 1},
                                       {"implode", "x", 6},
                                       {"future", "x", 77},
                                       {"good", "fine"}}));
  EXPECT_TRUE(p.members[0].is(Errc::unsupported));
  EXPECT_TRUE(p.members[1].is(Errc::unsupported)) << p.members[1].error->text();
  EXPECT_TRUE(p.members[2].is(Errc::unsupported));
  EXPECT_EQ(p.members[0].start, "");
  EXPECT_EQ(p.members[3].bytes, "fine");

  std::string zip = zip_of({{"damaged", letters(5000), 8}, {"good", "fine"}});
  for (std::size_t i = 200; i < 220; i++)
    zip[i] = '\xff';
  p = read_package(zip);
  ASSERT_EQ(p.members.size(), 2u);
  EXPECT_TRUE(p.members[0].is(Errc::corrupt));
  EXPECT_EQ(p.members[1].bytes, "fine");
}

TEST(ZipPackage, ReportsLocalHeadersThatAreNotThere) {
  std::string zip = zip_of({{"a", "one"}, {"b", "two"}});
  zip[zip.find("PK\3\4", 1)] = 'X';
  ReadPackage p = read_package(zip);
  ASSERT_EQ(p.members.size(), 2u);
  EXPECT_EQ(p.members[0].bytes, "one");
  EXPECT_TRUE(p.members[1].is(Errc::corrupt));
  EXPECT_EQ(p.members[1].error->offset, zip.find("XK\3\4"));
  EXPECT_FALSE(p.members[1].member.stored);

  p = read_package(
      zip_of({{.name = "a", .bytes = "one", .local_name = "other"}}));
  ASSERT_EQ(p.members.size(), 1u);
  EXPECT_TRUE(p.members[0].is(Errc::corrupt)) << "Python refuses it, too";
}

TEST(ZipPackage, FindsMembersWithoutTheDirectory) {
  std::string text = letters(3000);
  std::vector<ZipItem> items = {{"a", "one"},
                                {"b", text, 8},
                                {"c", text, 8, 8},
                                {"d/", ""},
                                {"e", "five"}};
  ReadPackage p = read_package(zip_of(items, {.directory = false}));
  EXPECT_EQ(p.names(), (Names{"a", "b", "c", "e"}));
  ASSERT_TRUE(p.error) << "it says that the directory is missing";
  EXPECT_EQ(p.error->code, Errc::truncated);
  EXPECT_EQ(p.members[1].bytes, text);
  EXPECT_EQ(p.members[2].bytes, text);
  EXPECT_FALSE(p.members[2].error) << p.members[2].error->text();
  EXPECT_EQ(p.members[3].bytes, "five");
}

TEST(ZipPackage, KeepsWhatIsBeforeEveryTruncation) {
  std::string text = letters(200);
  std::string zip =
      zip_of({{"a", "one"}, {"b", text, 8}, {"c", text, 8, 8}, {"d", "four"}});
  for (std::size_t size = 4; size < zip.size(); size++) {
    ReadPackage p = read_package(zip.substr(0, size));
    ASSERT_TRUE(p.opened) << size;
    EXPECT_TRUE(p.error) << size;
    if (size > zip.find("PK\1\2")) {
      EXPECT_EQ(p.names(), (Names{"a", "b", "c", "d"})) << size;
      EXPECT_EQ(p.members[2].bytes, text) << size;
    }
    for (std::size_t i = 0; i + 1 < p.members.size(); i++)
      EXPECT_FALSE(p.members[i].error) << size << " " << i;
  }
}

TEST(ZipPackage, ReportsADamagedDirectoryAfterTheMembersBefore) {
  std::string zip = zip_of({{"a", "one"}, {"b", "two"}, {"c", "three"}});
  std::size_t first = zip.find("PK\1\2");
  std::size_t second = zip.find("PK\1\2", first + 1);
  zip[second] = 'X';
  ReadPackage p = read_package(zip);
  EXPECT_EQ(p.names(), (Names{"a", "c"}));
  ASSERT_TRUE(p.error);
  EXPECT_EQ(p.error->code, Errc::corrupt);
  EXPECT_EQ(p.error->offset, second);

  zip = zip_of({{"a", "one"}, {"b", "two"}, {"c", "three"}});
  zip[second + 28] = '\xff'; // length of the name
  zip[second + 29] = '\xff';
  p = read_package(zip);
  EXPECT_EQ(p.names(), (Names{"a", "c"}));
  ASSERT_TRUE(p.error);
  EXPECT_EQ(p.error->code, Errc::truncated);
}

TEST(ZipPackage, LeavesExtraFieldsThatLieAlone) {
  // One of 65,535 bytes in a field of 8, in the local header and the directory.
  std::string extra("\x99\x99\xff\xff"
                    "1234",
                    8);
  std::string zip = zip_of({{"a", "one"}});
  zip.insert(30 + 1, extra);
  zip[28] = 8;
  ReadPackage p = read_package(zip.substr(0, zip.find("PK\1\2")));
  ASSERT_EQ(p.members.size(), 1u) << "without the directory";
  EXPECT_EQ(p.members[0].bytes, "one");

  zip = zip_of({{"a", "one"}});
  const std::size_t entry = zip.find("PK\1\2");
  zip[entry + 30] = 8;
  zip.insert(entry + 46 + 1, extra);
  const std::size_t end = zip.find("PK\5\6");
  zip[end + 12] = static_cast<char>(zip[end + 12] + 8); // size of the directory
  p = read_package(zip);
  ASSERT_EQ(p.members.size(), 1u);
  EXPECT_EQ(p.members[0].bytes, "one");
}

TEST(ZipPackage, ReadsWhatHasBytesWhateverItIsCalled) {
  const std::string text = letters(5000);
  ReadPackage p = read_package(zip_of({{"folder", text, 0, 0, 040755},
                                       {"slash/", text},
                                       {"link", text, 0, 0, 0120777},
                                       {"goal", "a.txt", 0, 0, 0120777}}));
  EXPECT_EQ(p.names(), (Names{"folder", "slash/", "link"}));
}

TEST(ZipPackage, ReportsHeadersThatDisagreeAboutTheSize) {
  for (std::size_t field : {20u, 24u}) { // stored, unpacked
    std::string zip = zip_of({{"a", letters(100)}, {"b", "two"}});
    zip.replace(zip.find("PK\1\2") + field, 4, 4, '\0');
    ReadPackage p = read_package(zip);
    ASSERT_EQ(p.members.size(), 2u);
    EXPECT_TRUE(p.members[0].is(Errc::corrupt));
    EXPECT_EQ(p.members[0].error->offset, 18u);
    EXPECT_EQ(p.members[1].bytes, "two");
  }
}

TEST(ZipPackage, RefusesMembersOverTheAllowance) {
  std::string zeros(100'000, '\0');
  ReadOptions options;
  options.allowance = {5000, "the member (limit member_bytes)"};
  ReadPackage p =
      read_package(zip_of({{"bomb", zeros, 8}, {"good", "fine"}}), options);
  ASSERT_EQ(p.members.size(), 2u);
  EXPECT_TRUE(p.members[0].is(Errc::too_large));
  EXPECT_NE(p.members[0].error->what.find("member_bytes"), std::string::npos);
  EXPECT_EQ(p.members[1].bytes, "fine");
  options.allowance.bytes = zeros.size();
  p = read_package(zip_of({{"all", zeros, 8}}), options);
  EXPECT_FALSE(p.members[0].error) << "exactly as much as is allowed";
}

TEST(ZipPackage, ReadsOverlappingMembersEach) {
  // Two entries of the directory for the same bytes.
  std::string zip = zip_of({{"a", "one"}, {"a", "two"}});
  std::size_t second = zip.rfind("PK\1\2");
  zip.replace(second + 42, 4, 4, '\0'); // its offset
  ReadPackage p = read_package(zip);
  ASSERT_EQ(p.members.size(), 2u);
  EXPECT_EQ(p.members[0].bytes, "one");
}

TEST(ZipPackage, StopsWhenItIsAskedTo) {
  std::stop_source stop;
  stop.request_stop();
  ReadOptions options;
  options.settings.stop = stop.get_token();
  ReadPackage p = read_package(zip_of({{"a", "one", 8}}), options);
  ASSERT_EQ(p.members.size(), 1u);
  EXPECT_TRUE(p.members[0].is(Errc::interrupted));
}

TEST(ZipPackage, WalksManyMembersWithoutReadingThem) {
  std::vector<ZipItem> items(60'000, {"folder/name.py", "x"});
  ReadOptions options;
  options.peek = options.read = false;
  ReadPackage p = read_package(zip_of(items), options);
  EXPECT_EQ(p.members.size(), items.size());
}

} // namespace
} // namespace gantry::input

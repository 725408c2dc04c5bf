// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/stream_package.h"

#include "input/test_packages.h"
#include "input/test_read.h"

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <clocale>

namespace gantry::input {
namespace {

using Names = std::vector<std::string>;

std::string letters(std::size_t size) {
  std::string out;
  for (std::uint32_t x = 1; out.size() < size; x = x * 1664525 + 1013904223)
    out += static_cast<char>('a' + x % 7);
  return out;
}

// Written by libarchive. Format "raw" takes one item.
std::string written(const std::string &format, const std::string &filter,
                    const std::vector<Item> &items) {
  std::string out(4 << 20, '\0');
  std::size_t size = 0;
  archive *a = archive_write_new();
  EXPECT_EQ(archive_write_set_format_by_name(a, format.c_str()), ARCHIVE_OK);
  if (filter != "none") {
    EXPECT_EQ(archive_write_add_filter_by_name(a, filter.c_str()), ARCHIVE_OK);
  }
  archive_write_set_bytes_in_last_block(a, 1);
  EXPECT_EQ(archive_write_open_memory(a, out.data(), out.size(), &size),
            ARCHIVE_OK);
  for (const Item &i : items) {
    archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, i.name.c_str());
    archive_entry_set_size(e, static_cast<la_int64_t>(i.bytes.size()));
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    EXPECT_GE(archive_write_header(a, e), ARCHIVE_WARN)
        << archive_error_string(a);
    archive_write_data(a, i.bytes.data(), i.bytes.size());
    archive_entry_free(e);
  }
  archive_write_close(a);
  archive_write_free(a);
  return out.substr(0, size);
}

const std::array<std::string, 6> kCodecs = {"gzip", "bzip2", "xz",
                                            "lzma", "zstd",  "lz4"};

std::string suffix(const std::string &codec) {
  return codec == "gzip"    ? ".gz"
         : codec == "bzip2" ? ".bz2"
         : codec == "zstd"  ? ".zst"
                            : "." + codec;
}

TEST(StreamPackage, ReadsTarInEveryCompression) {
  const std::string text = letters(200'000);
  for (std::string codec :
       {"none", "gzip", "bzip2", "xz", "lzma", "zstd", "lz4"}) {
    ReadOptions options;
    options.name = "x.tar" + suffix(codec);
    ReadPackage p = read_package(
        written("pax", codec, {{"./a.txt", "hello"}, {"usr/b.so", text}}),
        options);
    EXPECT_FALSE(p.error) << codec << ": " << p.error->text();
    EXPECT_EQ(p.format, "tar") << codec;
    ASSERT_EQ(p.names(), (Names{"./a.txt", "usr/b.so"})) << codec;
    EXPECT_EQ(p.members[0].bytes, "hello");
    EXPECT_EQ(p.members[1].bytes, text);
    EXPECT_EQ(p.members[1].start, text.substr(0, Package::kStart));
    EXPECT_EQ(p.members[1].member.size, text.size());
    EXPECT_FALSE(p.members[1].error);
  }
}

TEST(StreamPackage, KnowsWhereMembersLie) {
  const std::string text = letters(200'000);
  for (std::string format : {"pax", "newc"}) {
    std::string package =
        written(format, "none",
                {{"a", "one"}, {std::string(150, 'n'), text}, {"c", "x"}});
    ReadPackage p = read_package(package);
    ASSERT_EQ(p.members.size(), 3u) << format;
    for (const ReadMember &m : p.members) {
      ASSERT_TRUE(m.member.stored) << format << " " << m.member.name;
      EXPECT_EQ(package.substr(m.member.stored->offset, m.member.stored->size),
                m.bytes);
    }
  }
}

TEST(StreamPackage, ReadsOneCompressedFile) {
  const std::string text = letters(200'000);
  for (const std::string &codec : kCodecs) {
    ReadOptions options;
    options.name = "folder/x.so" + suffix(codec);
    std::string packed = written("raw", codec, {{"x", text}});
    ReadPackage p = read_package(packed, options);
    EXPECT_FALSE(p.error) << codec << ": " << p.error->text();
    EXPECT_EQ(p.format, codec);
    ASSERT_EQ(p.names(), (Names{"x.so"})) << codec;
    EXPECT_EQ(p.members[0].bytes, text) << codec;
    EXPECT_EQ(p.members[0].member.compression, codec);
    EXPECT_EQ(p.members[0].member.stored->size, packed.size());
    if (codec == "lzma")
      continue; // found by its name only
    options.name = "other";
    EXPECT_EQ(read_package(packed, options).names(), (Names{"data"})) << codec;
  }
}

TEST(StreamPackage, OpensOneCompressionAtATime) {
  std::string once = written("raw", "gzip", {{"x", letters(1000)}});
  ReadPackage p = read_package(written("raw", "gzip", {{"x", once}}));
  ASSERT_EQ(p.members.size(), 1u);
  EXPECT_EQ(p.members[0].bytes, once);
}

TEST(StreamPackage, ReadsCpioAndSevenZip) {
  const std::string text = letters(50'000);
  for (std::string format : {"newc", "odc", "7zip"}) {
    ReadPackage p =
        read_package(written(format, "none", {{"a", "one"}, {"b.so", text}}));
    EXPECT_FALSE(p.error) << format << ": " << p.error->text();
    EXPECT_EQ(p.format, format == "7zip" ? "7z" : "cpio");
    ASSERT_EQ(p.names(), (Names{"a", "b.so"})) << format;
    EXPECT_EQ(p.members[1].bytes, text) << format;
  }
}

// Two headers without entries, then the payload.
std::string rpm_of(const std::string &payload) {
  std::string lead("\xed\xab\xee\xdb\x03\x00", 6);
  lead.resize(96, '\0');
  std::string header("\x8e\xad\xe8\x01\0\0\0\0\0\0\0\1\0\0\0\5", 16);
  header += std::string(16, 'e') + "data.";
  std::string first = header;
  first.resize((lead.size() + first.size() + 7) / 8 * 8 - lead.size(), '\0');
  return lead + first + header + payload;
}

TEST(StreamPackage, ReadsRpm) {
  for (std::string codec : {"none", "gzip", "xz", "zstd", "lzma"}) {
    ReadPackage p = read_package(
        rpm_of(written("newc", codec, {{"./usr/lib/x.so", letters(5000)}})));
    EXPECT_FALSE(p.error) << codec << ": " << p.error->text();
    EXPECT_EQ(p.format, "rpm") << codec;
    ASSERT_EQ(p.names(), (Names{"./usr/lib/x.so"})) << codec;
    EXPECT_EQ(p.members[0].bytes, letters(5000));
  }
  std::string rpm = rpm_of("");
  ReadPackage p = read_package(rpm.substr(0, 100));
  EXPECT_EQ(p.error->code, Errc::truncated);
  rpm[96] = 'x';
  p = read_package(rpm);
  EXPECT_EQ(p.error->code, Errc::corrupt);
  EXPECT_EQ(p.error->offset, 96u);
  rpm = rpm_of("");
  rpm[96 + 8] = '\xff'; // 2^32 entries
  p = read_package(rpm);
  EXPECT_EQ(p.error->code, Errc::truncated);
}

TEST(StreamPackage, KeepsRawBytesOfNamesInAnyLocale) {
  const std::string utf8 = "gr\xc3\xb6\xc3\x9f"
                           "e.so",
                    raw = "\xff\xfe.so", decomposed = "o\xcc\x88.so",
                    up = "../../etc/passwd";
  // A record that declares its name as UTF-8.
  auto pax = [](const std::string &name) {
    std::string record = " path=" + name + "\n";
    std::size_t size = record.size() + 2;
    record = std::to_string(size) + record;
    EXPECT_EQ(record.size(), size);
    return tar_member("pax", record, 'x') + tar_member("short", "x");
  };
  std::string tar = pax(utf8) + pax(raw) + pax(decomposed) + pax(up) +
                    tar_member(utf8, "x") + tar_member(raw, "x") +
                    tar_member("control\x1b\n", "x") + tar_of({});
  const Names expected = {utf8, raw, decomposed,     up,
                          utf8, raw, "control\x1b\n"};
  EXPECT_EQ(read_package(tar).names(), expected);
  const char *before = std::setlocale(LC_ALL, nullptr);
  std::string kept = before ? before : "C";
  ASSERT_TRUE(std::setlocale(LC_ALL, "C.UTF-8"));
  EXPECT_EQ(read_package(tar).names(), expected);
  EXPECT_EQ(read_package(written("7zip", "none", {{utf8, "x"}})).names(),
            (Names{utf8}));
  std::string seven = written("7zip", "none", {{utf8, "x"}});
  std::setlocale(LC_ALL, kept.c_str());
  EXPECT_EQ(read_package(seven).names(), (Names{utf8}));
}

TEST(StreamPackage, SkipsWhatIsNoFile) {
  std::string links = tar_header("soft", 0, '2') + tar_header("hard", 0, '1');
  ReadPackage p = read_package(
      tar_member("folder/", "", '5') + tar_member("a.txt", "x") + links +
      tar_member("device", "", '3') + tar_of({{"b", "y"}}));
  EXPECT_EQ(p.names(), (Names{"a.txt", "b"}));
}

TEST(StreamPackage, ReportsHeadersThatItPassesOver) {
  std::string tar = tar_of({{"a", "one"}, {"b", "two"}, {"c", "three"}});
  tar[1024 + 1] ^= 1; // a byte of the second header's name: a wrong checksum
  ReadPackage p = read_package(tar);
  EXPECT_EQ(p.names(), (Names{"a", "c"}));
  EXPECT_TRUE(p.error);
}

TEST(StreamPackage, KeepsMembersBeforeATruncation) {
  // Codecs put out blocks of 64 KB or more, or nothing of them.
  const std::string text = letters(300'000);
  std::vector<Item> items = {{"a", "one"}, {"b", text}, {"c", text}};
  for (std::string codec : {"none", "gzip", "bzip2", "xz", "zstd", "lz4"}) {
    std::string tar = written("ustar", codec, items);
    std::size_t most = 0;
    for (std::size_t size = 600; size < tar.size(); size += 49'999) {
      ReadPackage p = read_package(tar.substr(0, size));
      most = std::max(most, p.members.size());
      if (!p.members.empty()) {
        EXPECT_TRUE(p.error || p.members.back().error || p.members.size() == 3)
            << codec << " " << size;
        EXPECT_TRUE(p.members.size() == 1 || !p.members[0].error)
            << codec << " " << size;
      } else {
        EXPECT_TRUE(p.error) << codec << " " << size;
      }
    }
    // The blocks of these two are larger.
    EXPECT_GE(most, codec == "lz4" || codec == "bzip2" ? 0u : 2u) << codec;
  }
}

TEST(StreamPackage, KeepsTheBytesBeforeDamage) {
  std::string text = letters(300'000);
  std::string packed = written("raw", "gzip", {{"x", text}});
  packed.resize(packed.size() / 2);
  ReadPackage p = read_package(packed);
  ASSERT_EQ(p.members.size(), 1u);
  EXPECT_TRUE(p.members[0].error);
  EXPECT_GT(p.members[0].bytes.size(), text.size() / 4);
  EXPECT_TRUE(text.starts_with(p.members[0].bytes));
}

TEST(StreamPackage, RefusesMembersOverTheAllowance) {
  std::string bomb =
      written("raw", "gzip", {{"x", std::string(3'000'000, '\0')}});
  ReadOptions options;
  options.allowance = {100'000, "the member (limit decoded_ratio)"};
  ReadPackage p = read_package(bomb, options);
  ASSERT_EQ(p.members.size(), 1u);
  EXPECT_TRUE(p.members[0].is(Errc::too_large));
  EXPECT_EQ(p.members[0].error->what, "the member (limit decoded_ratio)");
}

TEST(StreamPackage, BoundsWhatIsSkipped) {
  std::string tar =
      written("ustar", "gzip", {{"large", letters(3'000'000)}, {"next", "x"}});
  ReadOptions options;
  options.peek = options.read = false;
  EXPECT_EQ(read_package(tar, options).names(), (Names{"large", "next"}));
  options.settings.unpacked_bytes = 100'000;
  ReadPackage p = read_package(tar, options);
  EXPECT_EQ(p.names(), (Names{"large"}));
  ASSERT_TRUE(p.error);
  EXPECT_EQ(p.error->code, Errc::too_large);
}

TEST(StreamPackage, TakesEmptyFilesForNoPackages) {
  for (const std::string &codec : kCodecs) {
    ReadOptions options;
    options.name = "x" + suffix(codec);
    // libarchive's writer fails at this one.
    std::string packed =
        codec == "lz4" ? std::string("\x04\x22\x4d\x18\x64\x40\xa7\0\0\0\0"
                                     "\x05\x5d\xcc\x02",
                                     15)
                       : written("raw", codec, {{"x", ""}});
    ReadPackage p = read_package(packed, options);
    EXPECT_FALSE(p.opened) << codec;
    EXPECT_EQ(p.error->code, Errc::bad_magic) << codec;
  }
}

TEST(StreamPackage, RefusesFormatsThatGoNoFurther) {
  // The magics of cpio and 7z, an rpm with another payload.
  for (std::string text :
       {std::string("070701 is no number here"), rpm_of("07070X stripped"),
        "7z\xbc\xaf\x27\x1c" + std::string(40, '\xff')}) {
    ReadPackage p = read_package(text);
    EXPECT_TRUE(p.error) << text;
    EXPECT_NE(p.error->code, Errc::bad_magic) << text;
  }
}

TEST(StreamPackage, TakesZerosForNoTar) {
  std::string text = std::string(2000, '\0') + "code";
  ReadPackage p = read_package(written("raw", "gzip", {{"x", text}}));
  EXPECT_EQ(p.format, "gzip");
  ASSERT_EQ(p.members.size(), 1u);
  EXPECT_EQ(p.members[0].bytes, text);
}

TEST(StreamPackage, FillsHolesOnlyWithinTheAllowance) {
  // GNU's sparse header: one byte at 2^40.
  std::string h = tar_header("sparse", 512, 'S');
  auto octal = [&](std::size_t at, std::uint64_t value) {
    for (std::size_t i = 11; i > 0; i--, value /= 8)
      h[at + i - 1] = static_cast<char>('0' + value % 8);
  };
  h.replace(257, 8, std::string("ustar  \0", 8));
  octal(386, std::uint64_t{1} << 32);
  octal(398, 512);
  octal(483, (std::uint64_t{1} << 32) + 512);
  h.replace(148, 8, 8, ' ');
  std::uint64_t sum = 0;
  for (char c : h)
    sum += static_cast<unsigned char>(c);
  for (std::size_t i = 6; i > 0; i--, sum /= 8)
    h[148 + i - 1] = static_cast<char>('0' + sum % 8);
  h[154] = '\0';
  ReadOptions options;
  options.allowance = {1'000'000, "the member (limit member_bytes)"};
  ReadPackage p =
      read_package(h + std::string(512, 'x') + tar_of({{"b", "y"}}), options);
  ASSERT_EQ(p.names(), (Names{"sparse", "b"})) << p.error->text();
  EXPECT_TRUE(p.members[0].is(Errc::too_large));
  EXPECT_EQ(p.members[1].bytes, "y");
}

TEST(StreamPackage, StopsWhenItIsAskedTo) {
  std::stop_source stop;
  stop.request_stop();
  ReadOptions options;
  options.settings.stop = stop.get_token();
  ReadPackage p = read_package(tar_of({{"a", "x"}}), options);
  ASSERT_TRUE(p.error);
  EXPECT_EQ(p.error->code, Errc::interrupted);
}

TEST(StreamPackage, LeavesTheLocaleAlone) {
  std::string before = std::setlocale(LC_ALL, nullptr);
  locale_t thread = uselocale(nullptr);
  read_package(tar_of({{"a", "x"}}));
  EXPECT_EQ(std::setlocale(LC_ALL, nullptr), before);
  EXPECT_EQ(uselocale(nullptr), thread);
}

} // namespace
} // namespace gantry::input

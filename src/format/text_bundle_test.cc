// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/text_bundle.h"

#include <gtest/gtest.h>

#include <string>

namespace gantry::text_bundle {
namespace {

constexpr std::string_view kHost = "host-x86_64-unknown-linux-gnu-";
constexpr std::string_view kGfx906 = "hip-amdgcn-amd-amdhsa--gfx906";

std::string line(std::string_view leader, std::string_view word,
                 std::string_view id) {
  return std::string("\n") + std::string(leader) +
         " __CLANG_OFFLOAD_BUNDLE____" + std::string(word) + "__ " +
         std::string(id) + "\n";
}

std::string entry(std::string_view leader, std::string_view id,
                  std::string_view text) {
  return line(leader, "START", id) + std::string(text) +
         line(leader, "END", id);
}

Result<Bundle> read_all(std::string_view text, const Limits &limits = {}) {
  return read(MemorySource(as_bytes(text)), limits);
}

std::string_view text_of(std::string_view file, const Entry &e) {
  return file.substr(e.offset, e.size);
}

TEST(TextBundle, ReadsEntriesOfEveryLanguage) {
  for (std::string_view leader : {"#", ";", "//"}) {
    const std::string file = entry(leader, kHost, "host asm\n") +
                             entry(leader, kGfx906, "line 1\nline 2") +
                             entry(leader, "empty", "");
    ASSERT_TRUE(probe(as_bytes(file).first(kProbeBytes)));
    auto b = read_all(file);
    ASSERT_TRUE(b) << b.error().text();
    EXPECT_EQ(b->leader, leader);
    EXPECT_FALSE(b->damage);
    ASSERT_EQ(b->entries.size(), 3u);
    EXPECT_EQ(b->entries[0].id, kHost);
    EXPECT_EQ(b->entries[0].marker_offset, 1u);
    EXPECT_EQ(text_of(file, b->entries[0]), "host asm\n");
    EXPECT_EQ(b->entries[1].id, kGfx906);
    EXPECT_EQ(text_of(file, b->entries[1]), "line 1\nline 2");
    EXPECT_EQ(b->entries[1].marker_offset,
              entry(leader, kHost, "host asm\n").size() + 1);
    EXPECT_EQ(b->entries[2].id, "empty");
    EXPECT_EQ(b->entries[2].size, 0u);
    for (const Entry &e : b->entries)
      EXPECT_FALSE(e.damage);
  }
}

// Editors take blank lines away and put carriage returns in.
TEST(TextBundle, ReadsWithoutBlankLines) {
  const std::string start = "# __CLANG_OFFLOAD_BUNDLE____START__ a\r\n";
  const std::string file = start + "# __CLANG_OFFLOAD_BUNDLE____END__ a";
  auto b = read_all(file);
  ASSERT_TRUE(b);
  ASSERT_EQ(b->entries.size(), 1u);
  EXPECT_EQ(b->entries[0].id, "a");
  EXPECT_EQ(b->entries[0].marker_offset, 0u);
  EXPECT_EQ(b->entries[0].offset, start.size());
  EXPECT_EQ(b->entries[0].size, 0u);
  EXPECT_FALSE(b->entries[0].damage);
  EXPECT_FALSE(b->damage);
}

TEST(TextBundle, RefusesOtherTexts) {
  for (const std::string &text : std::initializer_list<std::string>{
           std::string(), std::string("\n\n"), std::string("host asm\n"),
           "x" + entry("#", "a", ""), " x\n" + entry("#", "a", ""),
           entry("%", "a", ""), line("#", "END", "a"),
           " # __CLANG_OFFLOAD_BUNDLE____START__ a\n",
           std::string("\n#__CLANG_OFFLOAD_BUNDLE____START__ a\n"),
           std::string(kProbeBytes, '\n') + entry("#", "a", "")}) {
    EXPECT_FALSE(probe(
        as_bytes(text).first(std::min<std::size_t>(kProbeBytes, text.size()))))
        << text;
    auto b = read_all(text);
    ASSERT_FALSE(b) << text;
    EXPECT_EQ(b.error().code, Errc::bad_magic);
    EXPECT_EQ(b.error().offset, 0u);
  }
}

TEST(TextBundle, KeepsTextThatOnlyLooksLikeAMarker) {
  const std::string text = "; __CLANG_OFFLOAD_BUNDLE____START__ other\n"
                           "x # __CLANG_OFFLOAD_BUNDLE____END__ a\n"
                           "# __CLANG_OFFLOAD_BUNDLE____MIDDLE__ a\n"
                           "# __CLANG_OFFLOAD_BUNDLE__";
  const std::string file = entry("#", "a", text);
  auto b = read_all(file);
  ASSERT_TRUE(b);
  ASSERT_EQ(b->entries.size(), 1u);
  EXPECT_EQ(text_of(file, b->entries[0]), text);
}

TEST(TextBundle, ReportsEveryTruncation) {
  const std::string file = entry("#", "a", "one\n") + entry("#", "b", "two");
  const std::size_t second = entry("#", "a", "one\n").size();
  const std::size_t first_marker = line("#", "START", "").size() - 1;
  // Up to here the first word and the space behind it are not there.
  for (std::size_t n = 0; n < first_marker; n++)
    EXPECT_FALSE(read_all(std::string_view(file).substr(0, n))) << n;
  for (std::size_t n = first_marker; n < file.size(); n++) {
    auto b = read_all(std::string_view(file).substr(0, n));
    ASSERT_TRUE(b) << n;
    EXPECT_FALSE(b->damage);
    ASSERT_FALSE(b->entries.empty()) << n;
    const Entry &last = b->entries.back();
    // An END line without its break is whole; one that is cut is text.
    const bool whole = n >= second - 1 && n < second + first_marker;
    const bool end_cut_in_id = n == second - 2 || n == file.size() - 2;
    if (whole || n == file.size() - 1) {
      EXPECT_FALSE(last.damage) << n;
    } else {
      ASSERT_TRUE(last.damage) << n;
      EXPECT_EQ(last.damage->code,
                end_cut_in_id ? Errc::bad_value : Errc::truncated)
          << n;
    }
    EXPECT_EQ(b->entries.size(), n < second + first_marker ? 1u : 2u) << n;
    EXPECT_LE(last.offset + last.size, n);
  }
}

TEST(TextBundle, KeepsSoundEntriesBesideDamagedOnes) {
  const std::string first = line("#", "START", "a") + "one";
  const std::string second =
      line("#", "START", "b") + "two" + line("#", "END", "other");
  const std::string stray = line("#", "END", "c");
  const std::string file = first + second + stray + entry("#", "d", "four");
  auto b = read_all(file);
  ASSERT_TRUE(b);
  ASSERT_EQ(b->entries.size(), 3u);
  EXPECT_EQ(text_of(file, b->entries[0]), "one");
  ASSERT_TRUE(b->entries[0].damage);
  EXPECT_EQ(b->entries[0].damage->code, Errc::truncated);
  EXPECT_EQ(b->entries[0].damage->offset, first.size() + 1);
  EXPECT_EQ(text_of(file, b->entries[1]), "two");
  ASSERT_TRUE(b->entries[1].damage);
  EXPECT_EQ(b->entries[1].damage->code, Errc::bad_value);
  EXPECT_EQ(b->entries[1].damage->offset,
            first.size() + second.find("\n# __CLANG", 1) + 1);
  EXPECT_EQ(text_of(file, b->entries[2]), "four");
  EXPECT_FALSE(b->entries[2].damage);
  ASSERT_TRUE(b->damage);
  EXPECT_EQ(b->damage->code, Errc::bad_value);
  EXPECT_EQ(b->damage->offset, first.size() + second.size() + 1);
}

TEST(TextBundle, PassesOverIdsThatAreTooLong) {
  const std::string longest(4096, 'x');
  auto fits = read_all(entry("#", longest, "text"));
  ASSERT_TRUE(fits);
  ASSERT_EQ(fits->entries.size(), 1u);
  EXPECT_EQ(fits->entries[0].id, longest);
  EXPECT_FALSE(fits->damage);
  for (std::size_t size : {4097u, 100000u}) {
    const std::string bad = line("#", "START", std::string(size, 'x'));
    auto b = read_all(bad + entry("#", "b", "text"));
    ASSERT_TRUE(b);
    ASSERT_TRUE(b->damage);
    EXPECT_EQ(b->damage->code, Errc::bad_value);
    EXPECT_EQ(b->damage->offset, 1u);
    ASSERT_EQ(b->entries.size(), 1u);
    EXPECT_EQ(b->entries[0].id, "b");
  }
}

// Markers also lie across the ends of the windows that the file is read in.
TEST(TextBundle, ReadsAcrossWindows) {
  for (std::size_t size = (64u << 10) - 150; size < (64u << 10) + 10; size++) {
    const std::string text(size, 't');
    const std::string file = entry("//", "a", text) + entry("//", "b", "two");
    auto b = read_all(file);
    ASSERT_TRUE(b);
    ASSERT_EQ(b->entries.size(), 2u) << size;
    EXPECT_EQ(b->entries[0].size, size);
    EXPECT_EQ(text_of(file, b->entries[1]), "two");
  }
}

TEST(TextBundle, StopsAtTheLimitOfRecords) {
  Limits limits;
  limits.records = 2;
  const std::string two = entry("#", "a", "1") + entry("#", "b", "2");
  auto fits = read_all(two, limits);
  ASSERT_TRUE(fits);
  EXPECT_FALSE(fits->damage);
  auto b = read_all(two + entry("#", "c", "3"), limits);
  ASSERT_TRUE(b);
  EXPECT_EQ(b->entries.size(), 2u);
  ASSERT_TRUE(b->damage);
  EXPECT_EQ(b->damage->code, Errc::too_large);
  EXPECT_EQ(b->damage->offset, two.size() + 1);
  EXPECT_NE(b->damage->what.find("limit records"), std::string::npos);
}

} // namespace
} // namespace gantry::text_bundle

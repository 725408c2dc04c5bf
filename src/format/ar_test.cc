// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/ar.h"

#include "base/test_bytes.h"

#include <gtest/gtest.h>

namespace gantry::ar {
namespace {

std::string header(std::string name, const std::string &size) {
  name.resize(16, ' ');
  std::string digits = size;
  digits.resize(10, ' ');
  return name + "0           0     0     644     " + digits + "`\n";
}

std::string member(const std::string &name, const std::string &bytes) {
  std::string out = header(name, std::to_string(bytes.size())) + bytes;
  return out.size() % 2 == 0 ? out : out + '\n';
}

struct Answer {
  std::vector<Member> members;
  std::optional<Error> end;
  bool thin = false;
};

Answer read(const std::string &text, const Limits &limits = {}) {
  Answer out;
  MemorySource source(as_bytes(text));
  auto archive = Archive::open(source, limits);
  if (!archive) {
    out.end = archive.error();
    return out;
  }
  out.thin = archive->thin();
  for (;;) {
    auto next = archive->next();
    if (!next) {
      out.end = next.error();
      EXPECT_FALSE(archive->next().value()) << "an error is the end";
      return out;
    }
    if (!*next)
      return out;
    out.members.push_back(**next);
  }
}

std::string bytes_of(const std::string &text, const Member &m) {
  return text.substr(m.offset, m.size);
}

std::vector<std::string> names(const Answer &a) {
  std::vector<std::string> out;
  for (const Member &m : a.members)
    out.push_back(m.name);
  return out;
}

using Names = std::vector<std::string>;

const std::string kArch = "!<arch>\n";

TEST(Ar, ReadsGnuArchives) {
  std::string text =
      kArch + member("/", "symbols") + member("/SYM64/", "more") +
      member("//", "a_rather_long_name.o/\nanother_long_name.o/\n") +
      member("x.o/", "odd") + member("/0", "first") + member("/22", "second") +
      member("x.o/", "");
  Answer a = read(text);
  EXPECT_FALSE(a.end);
  EXPECT_EQ(names(a), (Names{"x.o", "a_rather_long_name.o",
                             "another_long_name.o", "x.o"}));
  EXPECT_EQ(bytes_of(text, a.members[0]), "odd");
  EXPECT_EQ(bytes_of(text, a.members[1]), "first");
  EXPECT_EQ(bytes_of(text, a.members[2]), "second");
  EXPECT_EQ(a.members[3].size, 0u);
  for (const Member &m : a.members) {
    EXPECT_FALSE(m.damage);
    EXPECT_TRUE(m.stored);
    EXPECT_EQ(m.header_offset % 2, 0u);
  }
}

TEST(Ar, ReadsBsdArchives) {
  std::string sorted("__.SYMDEF SORTED\0\0\0\0", 20);
  std::string named("name with spaces.o\0\0", 20);
  std::string text = kArch + member("__.SYMDEF", "symbols") +
                     member("#1/20", sorted + "symbols") +
                     member("#1/20", named + "code") + member("short.o", "x");
  Answer a = read(text);
  EXPECT_FALSE(a.end);
  EXPECT_EQ(names(a), (Names{"name with spaces.o", "short.o"}));
  EXPECT_EQ(bytes_of(text, a.members[0]), "code");
}

TEST(Ar, ReadsCoffArchives) {
  std::string text =
      kArch + member("/", "first") + member("/", "second") +
      member("//", std::string("long/folder/name.obj\0b.dll\0", 27)) +
      member("/<ECSYMBOLS>/", "more") + member("/0", "object") +
      member("/21", std::string("\0\0\xff\xff import", 11));
  Answer a = read(text);
  EXPECT_FALSE(a.end);
  EXPECT_EQ(names(a), (Names{"long/folder/name.obj", "b.dll"}));
}

TEST(Ar, ReadsThinArchivesWithoutTheirFiles) {
  std::string text = "!<thin>\n" + member("/", "symbols") +
                     member("//", "../objects/a.o/\n") +
                     header("/0", "123456") + header("b.o/", "7");
  Answer a = read(text);
  EXPECT_FALSE(a.end);
  EXPECT_TRUE(a.thin);
  EXPECT_EQ(names(a), (Names{"../objects/a.o", "b.o"}));
  EXPECT_FALSE(a.members[0].stored);
  EXPECT_EQ(a.members[0].size, 123456u);
  EXPECT_FALSE(a.members[0].damage);
}

TEST(Ar, ReadsTheShellOfDebianPackages) {
  std::string text = kArch + member("debian-binary", "2.0\n") +
                     member("control.tar.xz", "c") + member("data.tar.xz", "d");
  EXPECT_EQ(names(read(text)),
            (Names{"debian-binary", "control.tar.xz", "data.tar.xz"}));
}

TEST(Ar, KeepsRawBytesOfNames) {
  std::string text = kArch + member("\xc3\xa4\xff\x1b.o/", "x");
  EXPECT_EQ(names(read(text)), (Names{"\xc3\xa4\xff\x1b.o"}));
}

TEST(Ar, AcceptsAMissingLastByteOfPadding) {
  std::string text = kArch + header("a.o/", "3") + "abc";
  Answer a = read(text);
  EXPECT_FALSE(a.end);
  ASSERT_EQ(a.members.size(), 1u);
  EXPECT_FALSE(a.members[0].damage);
}

TEST(Ar, RefusesOtherFiles) {
  Answer a = read("!<arc>\n  ");
  ASSERT_TRUE(a.end);
  EXPECT_EQ(a.end->code, Errc::bad_magic);
  EXPECT_EQ(a.end->offset, 0u);
  EXPECT_EQ(read("!<ar").end->code, Errc::truncated);
  EXPECT_EQ(read("").end->code, Errc::bad_magic);
}

TEST(Ar, KeepsMembersBeforeADamagedHeader) {
  std::string good = kArch + member("a.o/", "12");
  std::string bad = header("b.o/", "4");
  bad[59] = 'x';
  Answer a = read(good + bad + "1234");
  EXPECT_EQ(names(a), (Names{"a.o"}));
  ASSERT_TRUE(a.end);
  EXPECT_EQ(a.end->code, Errc::bad_value);
  EXPECT_EQ(a.end->offset, good.size() + 58);

  for (const char *size : {"", "-1", "1x", "0x10"}) {
    a = read(good + header("b.o/", size) + "1234");
    ASSERT_TRUE(a.end) << size;
    EXPECT_EQ(a.end->code, Errc::bad_value) << size;
    EXPECT_EQ(a.end->offset, good.size() + 48) << size;
    EXPECT_EQ(names(a), (Names{"a.o"})) << size;
  }
}

TEST(Ar, ReportsMembersThatReachBeyondTheEnd) {
  std::string text = kArch + header("a.o/", "9999999999") + "1234";
  Answer a = read(text);
  EXPECT_FALSE(a.end);
  ASSERT_EQ(a.members.size(), 1u);
  EXPECT_EQ(bytes_of(text, a.members[0]), "1234");
  ASSERT_TRUE(a.members[0].damage);
  EXPECT_EQ(a.members[0].damage->code, Errc::truncated);
  EXPECT_EQ(a.members[0].damage->offset, kArch.size() + 48);
}

TEST(Ar, ReportsNamesThatCannotBeFound) {
  for (const char *name : {"/0", "/7", "/x", "/99999999999999"}) {
    std::string text =
        kArch + member("//", "") + member(name, "abc") + member("b.o/", "def");
    Answer a = read(text);
    EXPECT_FALSE(a.end) << name;
    ASSERT_EQ(a.members.size(), 2u) << name;
    ASSERT_TRUE(a.members[0].damage) << name;
    EXPECT_EQ(a.members[0].damage->code, Errc::bad_value) << name;
    EXPECT_EQ(a.members[0].damage->offset, kArch.size() + 60) << name;
    EXPECT_EQ(a.members[0].name, std::string(name).substr(0, 16));
    EXPECT_EQ(bytes_of(text, a.members[0]), "abc");
    EXPECT_EQ(a.members[1].name, "b.o");
  }
  for (const char *name : {"#1/", "#1/9", "#1/-1", "#1/x"}) {
    Answer a = read(kArch + member(name, "abc"));
    ASSERT_EQ(a.members.size(), 1u) << name;
    ASSERT_TRUE(a.members[0].damage) << name;
    EXPECT_EQ(a.members[0].damage->code, Errc::bad_value) << name;
    EXPECT_EQ(a.members[0].damage->offset, kArch.size()) << name;
    EXPECT_EQ(a.members[0].size, 3u);
  }
}

TEST(Ar, RefusesLongNamesOverTheLimit) {
  Limits limits;
  limits.name_bytes = 8;
  std::string text = kArch + member("//", "123456789/\n") + member("/0", "x") +
                     member("#1/9", "123456789x");
  Answer a = read(text, limits);
  ASSERT_EQ(a.members.size(), 2u);
  for (const Member &m : a.members) {
    ASSERT_TRUE(m.damage);
    EXPECT_EQ(m.damage->code, Errc::too_large);
    EXPECT_NE(m.damage->what.find("name_bytes"), std::string::npos);
  }
}

TEST(Ar, RefusesNamesThatShareTheirBytesTooOften) {
  std::string text = kArch + member("//", std::string(1000, 'n') + "/\n");
  for (int i = 0; i < 100; i++)
    text += member("/0", "x");
  Answer a = read(text);
  ASSERT_EQ(a.members.size(), 100u);
  EXPECT_FALSE(a.members[0].damage);
  ASSERT_TRUE(a.members[99].damage);
  EXPECT_EQ(a.members[99].damage->code, Errc::too_large);
}

TEST(Ar, KeepsWhatIsBeforeEveryTruncation) {
  std::string text = kArch + member("//", "a_rather_long_name.o/\n") +
                     member("/0", "first") + member("#1/4", "b.o\0code") +
                     member("c.o/", "third");
  const std::size_t all = read(text).members.size();
  EXPECT_EQ(all, 3u);
  std::size_t last = 0;
  for (std::size_t size = 8; size <= text.size(); size++) {
    Answer a = read(text.substr(0, size));
    EXPECT_GE(a.members.size(), last) << size;
    last = a.members.size();
    for (const Member &m : a.members)
      EXPECT_TRUE(fits(m.offset, m.size, size)) << size;
  }
  EXPECT_EQ(last, all);
}

} // namespace
} // namespace gantry::ar

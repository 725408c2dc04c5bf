// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/test_macho.h"

#include <gtest/gtest.h>

namespace gantry::macho {
namespace {

using Image = std::vector<std::byte>;

Image text(std::string_view s) {
  Bytes b = as_bytes(s);
  return {b.begin(), b.end()};
}

MachoBuilder sample(bool is_64 = true) {
  MachoBuilder b;
  b.header.is_64 = is_64;
  b.section("__TEXT", "__text", text("code"), 0x80000400, 5);
  b.section("__NV_CUDA", "__nv_fatbin", text("a fat binary, say"));
  b.section("__SIXTEEN_LETTER", "sixteen_letters_", text("x"), 0, 3);
  return b;
}

Result<File> open(const Image &file, const Limits &limits = {}) {
  return File::open(MemorySource(file), limits);
}

Image with(Image file, std::size_t at, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; i++)
    file.at(at + i) = static_cast<std::byte>(value >> (8 * i));
  return file;
}

void expect_damage(const Result<File> &file, Errc code, std::uint64_t offset) {
  ASSERT_TRUE(file);
  ASSERT_EQ(file->damage().size(), 1u);
  EXPECT_EQ(file->damage()[0].code, code) << file->damage()[0].text();
  EXPECT_EQ(file->damage()[0].offset, offset) << file->damage()[0].text();
}

void expect_error(const Image &file, Errc code, std::uint64_t offset) {
  auto f = open(file);
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error().code, code) << f.error().text();
  EXPECT_EQ(f.error().offset, offset) << f.error().text();
}

TEST(Macho, ReadsFilesOf32And64Bits) {
  for (bool is_64 : {true, false}) {
    MachoBuilder b = sample(is_64);
    auto f = open(b.build());
    ASSERT_TRUE(f) << f.error().text();
    EXPECT_TRUE(f->damage().empty());
    EXPECT_EQ(f->header().is_64, is_64);
    EXPECT_EQ(f->header().cpu_type, 0x01000007u);
    EXPECT_EQ(f->header().type, 6u);
    ASSERT_EQ(f->sections().size(), 3u);
    const Section &s = f->sections()[1];
    EXPECT_EQ(s.index, 2u);
    EXPECT_EQ(s.name, "__NV_CUDA,__nv_fatbin");
    EXPECT_EQ(s.offset, b.offset(2));
    EXPECT_EQ(s.address, b.address(2));
    EXPECT_EQ(s.size, 17u);
    EXPECT_TRUE(s.has_bytes());
    EXPECT_EQ(f->sections()[0].flags, 0x80000400u);
    EXPECT_EQ(f->sections()[2].name, "__SIXTEEN_LETTER,sixteen_letters_");
    ASSERT_EQ(f->segments().size(), 3u);
    EXPECT_EQ(f->segments()[1].address, b.address(2));
    EXPECT_EQ(f->segments()[1].offset, b.offset(2));
    EXPECT_EQ(f->segments()[1].file_size, 17u);
    EXPECT_EQ(f->segments()[2].protection, 3u);
  }
}

TEST(Macho, TellsSectionsWithoutBytes) {
  for (auto [flags, offset, size, expected] : {std::tuple{0u, 100u, 8u, true},
                                               {1u, 100u, 8u, false},
                                               {0xcu, 100u, 8u, false},
                                               {0x12u, 100u, 8u, false},
                                               {0x11u, 100u, 8u, true},
                                               {0u, 0u, 8u, false},
                                               {0u, 0u, 0u, true}}) {
    Section s;
    s.flags = flags, s.offset = offset, s.size = size;
    EXPECT_EQ(s.has_bytes(), expected) << flags;
  }
}

TEST(Macho, RefusesOtherFiles) {
  expect_error({}, Errc::truncated, 0);
  expect_error(text("some text of some length"), Errc::bad_magic, 0);
  Image file = sample().build();
  expect_error(with(file, 0, 0xcffaedfe, 4), Errc::unsupported, 0);
  expect_error(with(file, 0, 0xcefaedfe, 4), Errc::unsupported, 0);
}

TEST(Macho, ReportsTruncation) {
  for (bool is_64 : {true, false}) {
    MachoBuilder b = sample(is_64);
    Image bytes = b.build();
    const std::size_t head = b.commands_offset();
    for (std::size_t n = 0; n < b.offset(1); n++) {
      Image cut(bytes.begin(), bytes.begin() + static_cast<long>(n));
      if (n < head) {
        auto f = open(cut);
        ASSERT_FALSE(f);
        EXPECT_EQ(f.error().code, Errc::truncated);
        EXPECT_LE(f.error().offset, n);
        continue;
      }
      auto f = open(cut);
      const std::size_t end = b.command_offset(4);
      if (n >= end) {
        EXPECT_TRUE(f->damage().empty());
        continue;
      }
      expect_damage(f, Errc::truncated, head);
      for (std::uint32_t i = 1; i <= 3; i++)
        EXPECT_EQ(f->sections().size() >= i, n >= b.command_offset(i + 1)) << n;
    }
  }
}

TEST(Macho, ReportsBadCommands) {
  MachoBuilder b = sample();
  Image bytes = b.build();
  const std::uint64_t second = b.command_offset(2);
  auto f = open(with(bytes, second + 4, 7, 4));
  expect_damage(f, Errc::bad_value, second + 4);
  EXPECT_EQ(f->sections().size(), 1u);
  expect_damage(open(with(bytes, second + 4, 0, 4)), Errc::bad_value,
                second + 4);
  expect_damage(open(with(bytes, second + 4, 0xffffffff, 4)), Errc::truncated,
                second + 8);
  // A segment that is too short, or has more sections than room.
  f = open(with(bytes, second + 4, 16, 4));
  ASSERT_TRUE(f);
  EXPECT_EQ(f->damage().at(0).code, Errc::truncated);
  EXPECT_EQ(f->damage()[0].offset, second + 8);
  f = open(with(bytes, second + 64, 0xffffffff, 4));
  expect_damage(f, Errc::truncated, second + 72 + 80);
  ASSERT_EQ(f->sections().size(), 3u) << "what is there is kept";
  EXPECT_EQ(f->sections()[2].index, 3u);
  // More commands than there are.
  expect_damage(open(with(bytes, 16, 0xffffffff, 4)), Errc::truncated,
                b.command_offset(4));
  Limits small;
  small.table_bytes = 100;
  expect_damage(open(bytes, small), Errc::too_large, 32);
}

TEST(Macho, ReadsSlices) {
  Image a = sample().build(), b = sample(false).build();
  for (bool is_64 : {true, false}) {
    Image file = universal_of({a, b}, is_64);
    EXPECT_TRUE(is_universal(file));
    auto slices = read_slices(MemorySource(file));
    ASSERT_TRUE(slices);
    EXPECT_TRUE(slices->damage.empty());
    ASSERT_EQ(slices->list.size(), 2u);
    const Slice &second = slices->list[1];
    EXPECT_EQ(second.index, 1u);
    EXPECT_EQ(second.cpu_type, 0x0100000cu);
    EXPECT_EQ(second.cpu_subtype, 3u);
    EXPECT_EQ(second.size, b.size());
    EXPECT_EQ(second.offset + second.size, file.size());
  }
}

TEST(Macho, TellsUniversalFilesFromJavaClasses) {
  Image file = text("\xca\xfe\xba\xbe");
  auto start = [&](std::uint8_t a, std::uint8_t b) {
    Builder out;
    return out.bytes(file).u8(0).u8(a).u8(0).u8(b).take();
  };
  EXPECT_TRUE(is_universal(start(0, 2)));
  EXPECT_FALSE(is_universal(start(0, 52))); // Java 8
  EXPECT_FALSE(is_universal(start(3, 45))); // Java 1.1
  EXPECT_FALSE(is_universal(sample().build()));
  for (std::size_t n = 0; n < 8; n++)
    EXPECT_FALSE(is_universal(Bytes(start(0, 2)).first(n)));
  auto slices = read_slices(MemorySource(start(0, 52)));
  ASSERT_FALSE(slices);
  EXPECT_EQ(slices.error().code, Errc::bad_magic);
  EXPECT_EQ(slices.error().offset, 0u);
}

TEST(Macho, LeavesDamagedSlicesOut) {
  Image a = sample().build();
  Image file = universal_of({a, a, a});
  auto damage = [&](std::size_t at, std::uint32_t value, std::size_t kept) {
    auto s = read_slices(MemorySource(with(file, at, std::byteswap(value), 4)));
    EXPECT_TRUE(s);
    EXPECT_EQ(s->list.size(), kept);
    EXPECT_EQ(s->damage.size(), 1u);
    return s->damage.empty() ? Error{} : s->damage[0];
  };
  Error e = damage(28 + 8, 0xfffffff0, 2); // offset of the second
  EXPECT_EQ(e.code, Errc::truncated);
  EXPECT_EQ(e.offset, 28u);
  e = damage(28 + 12, 0xffffffff, 2); // its size
  EXPECT_EQ(e.code, Errc::truncated);
  e = damage(28 + 8, 100, 2); // begins in the first
  EXPECT_EQ(e.code, Errc::bad_value);
  EXPECT_EQ(e.offset, 28u);
  // The table itself is cut.
  for (std::size_t n = 8; n < 68; n++) {
    auto s = read_slices(MemorySource(Bytes(file).first(n)));
    ASSERT_TRUE(s);
    EXPECT_TRUE(s->list.empty()) << "they lie behind";
    ASSERT_FALSE(s->damage.empty());
    EXPECT_EQ(s->damage[0].code, Errc::truncated);
    EXPECT_LE(s->damage.back().offset, n);
  }
}

} // namespace
} // namespace gantry::macho

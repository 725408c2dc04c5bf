// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/test_pe.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gantry::pe {
namespace {

using Image = std::vector<std::byte>;

Image text(std::string_view s) {
  Bytes b = as_bytes(s);
  return {b.begin(), b.end()};
}

constexpr Kind kFiles[] = {Kind::image, Kind::object, Kind::bigobj};

// Three sections, one with a long name.
PeBuilder sample(Kind kind, bool is_64 = true) {
  PeBuilder b(kind);
  b.header.is_64 = is_64;
  if (!is_64)
    b.header.image_base = 0x10000000;
  b.long_names = true;
  b.symbols = 3;
  b.section(".text", text("code"), 0x60000020);
  b.section(".nv_fatbin", text("a fat binary, say"));
  b.section(".data", text("x"), 0xC0000040);
  return b;
}

Result<File> open(const Image &file, const Limits &limits = {}) {
  // Files in memory are viewed, so the file outlives this source.
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
  EXPECT_EQ(file->damage()[0].code, code);
  EXPECT_EQ(file->damage()[0].offset, offset);
}

void expect_error(const Image &file, Errc code, std::uint64_t offset) {
  auto f = open(file);
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error().code, code) << f.error().text();
  EXPECT_EQ(f.error().offset, offset) << f.error().text();
}

TEST(Pe, ReadsImagesAndObjects) {
  for (Kind kind : kFiles)
    for (bool is_64 : {true, false}) {
      PeBuilder b = sample(kind, is_64);
      Image bytes = b.build();
      auto f = open(bytes);
      ASSERT_TRUE(f) << f.error().text();
      EXPECT_TRUE(f->damage().empty());
      EXPECT_EQ(f->header().kind, kind);
      EXPECT_EQ(f->header().machine, kMachineAmd64);
      if (kind == Kind::image) {
        EXPECT_EQ(f->header().is_64, is_64);
        EXPECT_EQ(f->header().image_base, b.header.image_base);
      }
      ASSERT_EQ(f->sections().size(), 3u);
      const Section &s = f->sections()[1];
      EXPECT_EQ(s.index, 2u);
      EXPECT_EQ(f->name(f->sections()[0]), ".text");
      EXPECT_EQ(f->name(s), ".nv_fatbin");
      EXPECT_EQ(s.raw_offset, b.offset(2));
      EXPECT_EQ(s.size(), 17u) << "without the padding of images";
      EXPECT_EQ(s.raw_size, kind == Kind::image ? 32u : 17u);
      EXPECT_EQ(f->header().image_base + s.address,
                kind == Kind::image ? b.address(2) : f->header().image_base);
      EXPECT_TRUE(s.has_bytes());
      EXPECT_EQ(f->sections()[2].flags, 0xC0000040u);
    }
}

// Bytes that are not in memory: read() copies into the scratch buffer.
class CopySource final : public Source {
public:
  explicit CopySource(Bytes data) : data_(data) {}
  std::uint64_t size() const override { return data_.size(); }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size,
                     Buffer &scratch) const override {
    if (!fits(offset, size, data_.size()))
      return fail(Errc::truncated, offset, "copy");
    auto room = scratch.reserve(size);
    if (!room)
      return std::unexpected(room.error());
    std::ranges::copy(data_.subspan(offset, size), room->begin());
    return Bytes(room->first(size));
  }

private:
  Bytes data_;
};

TEST(Pe, KeepsNamesOfSourcesThatAreNotInMemory) {
  for (Kind kind : kFiles) {
    Image bytes = sample(kind).build();
    auto f = File::open(CopySource(bytes), Limits{});
    ASSERT_TRUE(f);
    File moved = std::move(*f);
    EXPECT_EQ(moved.name(moved.sections()[0]), ".text");
    EXPECT_EQ(moved.name(moved.sections()[1]), ".nv_fatbin");
  }
}

TEST(Pe, ReadsNamesCutByLinkers) {
  PeBuilder b;
  b.section(".nv_fatbin", text("x"));
  Image bytes = b.build();
  auto f = open(bytes);
  ASSERT_TRUE(f);
  EXPECT_TRUE(f->damage().empty());
  EXPECT_EQ(f->name(f->sections()[0]), ".nv_fatb") << "no NUL behind it";
  EXPECT_EQ(f->header().symbol_offset, 0u);
}

TEST(Pe, ReadsLongNamesInBase64) {
  PeBuilder b = sample(Kind::object);
  Image bytes = b.build();
  const std::size_t at = b.header_offset(2);
  // 4 is "AAAAAE".
  Bytes name = as_bytes("//AAAAAE");
  std::ranges::copy(name.first(8), bytes.begin() + static_cast<long>(at));
  EXPECT_EQ(open(bytes)->name(open(bytes)->sections()[1]), ".nv_fatbin");
  for (std::string_view bad :
       {"//AAAAAD", "//AAA*AE", "//++++++", "//\0\0\0\0\0\0", "/9999999",
        "/-4\0\0\0\0\0", "/\0\0\0\0\0\0\0", "/3\0\0\0\0\0\0"}) {
    Bytes field = as_bytes(std::string_view(bad.data(), 8));
    std::ranges::copy(field, bytes.begin() + static_cast<long>(at));
    auto f = open(bytes);
    ASSERT_TRUE(f);
    EXPECT_EQ(f->name(f->sections()[1]), std::nullopt) << bad;
    EXPECT_EQ(f->name(f->sections()[0]), ".text");
  }
}

TEST(Pe, TellsSectionsWithoutBytes) {
  for (auto [flags, offset, size, expected] :
       {std::tuple{0x40u, 100u, 8u, true},
        {kFlagUninitialized, 100u, 8u, false},
        {0x40u, 0u, 8u, false},
        {0x40u, 0u, 0u, true}}) {
    Section s;
    s.flags = flags, s.raw_offset = offset, s.raw_size = size;
    EXPECT_EQ(s.has_bytes(), expected);
  }
  Section s;
  s.raw_size = 512;
  EXPECT_EQ(s.size(), 512u) << "linkers of old leave the virtual size out";
  s.virtual_size = 100;
  EXPECT_EQ(s.size(), 100u);
  s.virtual_size = 5000;
  EXPECT_EQ(s.size(), 512u);
}

TEST(Pe, ReadsRecordsOfImportLibraries) {
  Image record = import_record("__imp_launch", "cudart64_12.dll");
  auto f = open(record);
  ASSERT_TRUE(f) << f.error().text();
  EXPECT_EQ(f->header().kind, Kind::import);
  EXPECT_EQ(f->header().machine, kMachineAmd64);
  EXPECT_TRUE(f->sections().empty());
  EXPECT_TRUE(f->damage().empty());
  for (std::size_t n = 4; n < record.size(); n++) {
    Image cut(record.begin(), record.begin() + static_cast<long>(n));
    auto short_one = open(cut);
    ASSERT_FALSE(short_one) << n;
    EXPECT_EQ(short_one.error().code, Errc::bad_magic);
  }
  expect_error(import_record("", "a.dll"), Errc::bad_magic, 0);
  expect_error(import_record("f", ""), Errc::bad_magic, 0);
}

TEST(Pe, RefusesOtherFiles) {
  expect_error({}, Errc::bad_magic, 0);
  expect_error(text("some text, longer than a COFF header"), Errc::bad_magic,
               0);
  Image object = sample(Kind::object).build();
  expect_error(with(object, 0, 0x1234, 2), Errc::bad_magic, 0);
  expect_error(with(object, 2, 0, 2), Errc::bad_magic, 0);      // no sections
  expect_error(with(object, 2, 0xff00, 2), Errc::bad_magic, 0); // too many
  expect_error(with(object, 2, 0x100, 2), Errc::bad_magic, 0);  // outside
  expect_error(with(object, 16, 2, 2), Errc::bad_magic, 0); // optional header
  expect_error(with(object, 20, 0x01, 1), Errc::bad_magic, 0); // names
  expect_error(with(object, 20, 0, 1), Errc::bad_magic, 0);
  expect_error(with(object, 60 + 6, 'x', 1), Errc::bad_magic, 0); // behind NUL
  Image bigobj = sample(Kind::bigobj).build();
  expect_error(with(bigobj, 4, 1, 2), Errc::bad_magic, 12);
  expect_error(with(bigobj, 12, 0, 1), Errc::bad_magic, 12);
}

TEST(Pe, KnowsTheMachinesOfObjects) {
  Image object = sample(Kind::object).build();
  for (unsigned machine :
       {0x14cu, 0x1c0u, 0x1c2u, 0x1c4u, 0x8664u, 0xa641u, 0xa64eu, 0xaa64u})
    EXPECT_TRUE(open(with(object, 0, machine, 2))) << machine;
}

TEST(Pe, RefusesObjectsOfLinkTimeCodeGeneration) {
  Builder b;
  b.u16(0).u16(0xffff).u16(1).u16(kMachineAmd64).u32(0);
  for (unsigned c : {0x38, 0xfe, 0xb3, 0x0c, 0xa5, 0xd9, 0xab, 0x4d, 0xac, 0x9b,
                     0xd6, 0xb6, 0x22, 0x26, 0x53, 0xc2})
    b.u8(static_cast<std::uint8_t>(c));
  expect_error(b.take(), Errc::unsupported, 12);
}

TEST(Pe, RefusesBadFieldsOfImages) {
  Image image = sample(Kind::image).build();
  expect_error(with(image, 0x80, 'N', 1), Errc::bad_magic, 0x80);
  expect_error(with(image, 60, 0xfffffff0, 4), Errc::truncated, 0xfffffff0);
  expect_error(with(image, 0x94, 31, 2), Errc::bad_value, 0x94);
  expect_error(with(image, 0x98, 0x107, 2), Errc::unsupported, 0x98);
  // The size of the optional header says where the table is.
  expect_damage(open(with(image, 0x94, 0xffff, 2)), Errc::truncated,
                0x98 + 0xffff);
}

TEST(Pe, ReportsTruncation) {
  for (Kind kind : kFiles) {
    PeBuilder b = sample(kind);
    Image bytes = b.build();
    const std::size_t table = b.header_offset(1);
    for (std::size_t n = 0; n < bytes.size(); n++) {
      Image cut(bytes.begin(), bytes.begin() + static_cast<long>(n));
      auto f = open(cut);
      if (!f) {
        const bool weak = kind == Kind::object;
        EXPECT_LT(n, weak ? table + 120 : table);
        const bool no_magic = weak || n < (kind == Kind::image ? 2u : 28u);
        EXPECT_EQ(f.error().code, no_magic ? Errc::bad_magic : Errc::truncated)
            << n;
        EXPECT_LE(f.error().offset, std::max<std::size_t>(n, 0x80));
        continue;
      }
      ASSERT_FALSE(f->damage().empty()) << n;
      for (const Error &damage : f->damage())
        EXPECT_EQ(damage.code, Errc::truncated) << n;
      EXPECT_EQ(f->sections().size(),
                n < table ? 0 : std::min<std::size_t>(3, (n - table) / 40));
      if (!f->sections().empty()) {
        EXPECT_EQ(f->name(f->sections()[0]), ".text");
      }
    }
  }
}

TEST(Pe, KeepsNamesOfACutStringTable) {
  PeBuilder b(Kind::object);
  b.section(".first_name", text("x"));
  b.section(".second_name", text("y"));
  Image bytes = b.build();
  bytes.resize(bytes.size() - 5);
  auto f = open(bytes);
  expect_damage(f, Errc::truncated, b.strings_offset());
  EXPECT_EQ(f->name(f->sections()[0]), ".first_name");
  EXPECT_EQ(f->name(f->sections()[1]), std::nullopt);
}

TEST(Pe, ReportsBadTables) {
  PeBuilder b = sample(Kind::object);
  Image bytes = b.build();
  const std::uint64_t strings = b.strings_offset();
  expect_damage(open(with(bytes, strings, 3, 4)), Errc::bad_value, strings);
  expect_damage(open(with(bytes, 8, 0, 4)), Errc::bad_value, 20);
  expect_damage(open(with(bytes, 8, 0x7fffffff, 4)), Errc::truncated,
                0x7fffffff);
  expect_damage(open(with(bytes, 12, 0xffffffff, 4)), Errc::truncated,
                b.header.symbol_offset);
  Limits small;
  small.table_bytes = 10;
  expect_damage(open(bytes, small), Errc::too_large, 20);
  small.table_bytes = 4 * 40;
  expect_damage(open(with(bytes, strings, 1 << 20, 4), small), Errc::too_large,
                strings);
  // Without long names only the symbol table has to be there.
  PeBuilder plain(Kind::object);
  plain.section(".text", text("code"));
  bytes = plain.build();
  bytes.resize(plain.strings_offset());
  EXPECT_TRUE(open(bytes)->damage().empty());
  expect_damage(open(with(bytes, 12, 1, 4)), Errc::truncated,
                plain.header.symbol_offset);
  // Nobody looks there in images.
  PeBuilder image;
  image.section(".text", text("code"));
  bytes = image.build();
  EXPECT_TRUE(open(with(bytes, image.coff_offset() + 8, 0x7fffffff, 4))
                  ->damage()
                  .empty());
}

TEST(Pe, RefusesCountsThatTheFileCannotHold) {
  PeBuilder b = sample(Kind::bigobj);
  Image bytes = b.build();
  expect_damage(open(with(bytes, 44, 0xffffffff, 4)), Errc::too_large, 56);
  auto f = open(with(bytes, 44, 1000, 4));
  ASSERT_TRUE(f);
  EXPECT_EQ(f->damage().at(0).code, Errc::truncated);
  EXPECT_EQ(f->damage()[0].offset, 56u);
}

// Many sections whose long names are the same bytes.
TEST(Pe, RefusesNamesThatOverlapManyTimes) {
  auto damage_with = [](int sections) {
    PeBuilder b(Kind::object);
    b.section(std::string(100'000, 'n'), text("x"));
    for (int i = 0; i < sections; i++)
      b.section("/4", text("x"));
    Image bytes = b.build();
    auto f = open(bytes);
    EXPECT_TRUE(f->name(f->sections()[0]));
    EXPECT_EQ(f->name(f->sections().back()).has_value(), f->damage().empty());
    return f->damage();
  };
  EXPECT_TRUE(damage_with(5).empty());
  auto damage = damage_with(50);
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_EQ(damage[0].code, Errc::too_large);
}

} // namespace
} // namespace gantry::pe

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/test_elf.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gantry::elf {
namespace {

std::vector<std::byte> text(std::string_view s) {
  Bytes b = as_bytes(s);
  return {b.begin(), b.end()};
}

// One file with a section, a NOBITS section, a segment and two symbols.
ElfBuilder sample(bool is_64 = true) {
  ElfBuilder b;
  b.header.is_64 = is_64;
  b.header.machine = kMachineAmdgpu;
  b.header.os_abi = 64;
  b.header.abi_version = 3;
  b.header.flags = 0x12345678;
  b.header.version = 0x76;
  b.section(".text.k", text("code"),
            {.flags = kFlagAlloc | kFlagExec,
             .address = 0x1000,
             .info = 7,
             .align = 4});
  b.section(".bss", {}, {.type = kSectionNobits, .size = 0x5000});
  b.segment({kSegmentLoad, 5, 0x40, 0x1000, 4, 8, 0x1000});
  b.symbol("k",
           {.info = 0x12, .other = 0x10, .section = 1, .value = 2, .size = 4});
  b.symbol("v", {.info = 0x11, .section = 2});
  return b;
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

void expect_sample(const File &f) {
  EXPECT_TRUE(f.damage().empty());
  EXPECT_EQ(f.header().machine, kMachineAmdgpu);
  EXPECT_EQ(f.header().os_abi, 64);
  EXPECT_EQ(f.header().abi_version, 3);
  EXPECT_EQ(f.header().flags, 0x12345678u);
  EXPECT_EQ(f.header().version, 0x76u);
  ASSERT_EQ(f.sections().size(), 6u);
  const Section &code = f.sections()[1];
  EXPECT_EQ(f.name(code), ".text.k");
  EXPECT_EQ(code.index, 1u);
  EXPECT_EQ(code.flags, kFlagAlloc | kFlagExec);
  EXPECT_EQ(code.address, 0x1000u);
  EXPECT_EQ(code.info, 7u);
  Buffer scratch;
  auto bytes = f.contents(code, scratch);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(as_text(*bytes), "code");
  EXPECT_FALSE(f.sections()[2].has_bytes());
  EXPECT_EQ(f.sections()[2].size, 0x5000u);
  ASSERT_EQ(f.segments().size(), 1u);
  EXPECT_EQ(f.segments()[0].type, kSegmentLoad);
  EXPECT_EQ(f.segments()[0].flags, 5u);
  EXPECT_EQ(f.segments()[0].file_size, 4u);
  EXPECT_EQ(f.segments()[0].memory_size, 8u);
  Buffer names;
  auto symbols = f.symbols(f.sections()[3], names);
  ASSERT_TRUE(symbols);
  ASSERT_EQ(symbols->list.size(), 3u);
  const Symbol &k = symbols->list[1];
  EXPECT_EQ(symbols->names.at(k.name), "k");
  EXPECT_EQ(k.type(), kSymbolFunc);
  EXPECT_EQ(k.other, 0x10);
  EXPECT_EQ(k.section, 1u);
  EXPECT_EQ(k.value, 2u);
  EXPECT_EQ(k.size, 4u);
}

TEST(Elf, Reads64Bit) {
  auto bytes = sample().build();
  MemorySource source(bytes);
  auto f = File::open(source, Limits{});
  ASSERT_TRUE(f);
  expect_sample(*f);
}

TEST(Elf, Reads32Bit) {
  auto bytes = sample(false).build();
  MemorySource source(bytes);
  auto f = File::open(source, Limits{});
  ASSERT_TRUE(f);
  EXPECT_FALSE(f->header().is_64);
  expect_sample(*f);
}

TEST(Elf, ReadsSourcesThatAreNotInMemory) {
  auto bytes = sample().build();
  CopySource source(bytes);
  auto f = File::open(source, Limits{});
  ASSERT_TRUE(f);
  File moved = std::move(*f);
  expect_sample(moved);
}

TEST(Elf, RefusesTruncatedHeaders) {
  for (bool is_64 : {true, false}) {
    auto bytes = sample(is_64).build();
    const std::size_t head = is_64 ? 64 : 52;
    for (std::size_t n = 0; n < head; n++) {
      auto h = read_header(Bytes(bytes).first(n));
      ASSERT_FALSE(h) << n;
      EXPECT_EQ(h.error().code, Errc::truncated) << n;
      EXPECT_LE(h.error().offset, n);
    }
    EXPECT_TRUE(read_header(Bytes(bytes).first(head)));
  }
}

// The section table comes last, so every shorter file lacks it.
TEST(Elf, ReportsTruncatedTablesAsDamage) {
  auto builder = sample();
  auto bytes = builder.build();
  for (std::size_t n = 64; n < bytes.size(); n++) {
    MemorySource source(Bytes(bytes).first(n));
    auto f = File::open(source, Limits{});
    ASSERT_TRUE(f) << n;
    ASSERT_FALSE(f->damage().empty()) << n;
    EXPECT_EQ(f->damage()[0].code, Errc::truncated);
    EXPECT_EQ(f->damage()[0].offset, builder.header.section_offset);
    EXPECT_TRUE(f->sections().empty());
    EXPECT_EQ(f->segments().size(), n < 64 + 56 ? 0u : 1u);
  }
}

TEST(Elf, RefusesOtherMagicClassAndByteOrder) {
  auto bytes = sample().build();
  auto expect = [&](std::size_t at, std::uint8_t value, Errc code,
                    std::uint64_t offset) {
    auto bad = bytes;
    bad[at] = std::byte{value};
    auto h = read_header(bad);
    ASSERT_FALSE(h);
    EXPECT_EQ(h.error().code, code);
    EXPECT_EQ(h.error().offset, offset);
  };
  expect(0, 0x7e, Errc::bad_magic, 0);
  expect(3, 'f', Errc::bad_magic, 0);
  expect(4, 0, Errc::unsupported, 4);
  expect(4, 3, Errc::unsupported, 4);
  expect(5, 2, Errc::unsupported, 5);
}

// The damage after one field has been changed.
std::vector<Error> damage_after(const std::vector<std::byte> &bytes,
                                std::size_t at, std::uint64_t value,
                                std::size_t size, const Limits &limits = {}) {
  auto bad = bytes;
  for (std::size_t i = 0; i < size; i++)
    bad.at(at + i) = static_cast<std::byte>(value >> (8 * i));
  MemorySource source(bad);
  auto f = File::open(source, limits);
  return f ? f->damage() : std::vector<Error>{f.error()};
}

TEST(Elf, ReportsBadTableFields) {
  auto builder = sample();
  auto bytes = builder.build();
  const std::uint64_t table = builder.header.section_offset;
  auto expect = [&](std::vector<Error> damage, Errc code,
                    std::uint64_t offset) {
    ASSERT_EQ(damage.size(), 1u);
    EXPECT_EQ(damage[0].code, code);
    EXPECT_EQ(damage[0].offset, offset);
  };
  // e_shoff, e_shentsize, e_shnum, e_shstrndx, e_phoff, e_phentsize.
  expect(damage_after(bytes, 40, ~std::uint64_t{0}, 8), Errc::truncated,
         ~std::uint64_t{0});
  expect(damage_after(bytes, 40, 0, 8), Errc::bad_value, 60);
  expect(damage_after(bytes, 58, 63, 2), Errc::bad_value, table);
  expect(damage_after(bytes, 58, 0, 2), Errc::bad_value, table);
  expect(damage_after(bytes, 60, 0xfff0, 2), Errc::truncated, table);
  expect(damage_after(bytes, 62, 6, 2), Errc::bad_value, 62);
  expect(damage_after(bytes, 32, ~std::uint64_t{0} - 20, 8), Errc::truncated,
         ~std::uint64_t{0} - 20);
  expect(damage_after(bytes, 32, 0, 8), Errc::bad_value, 56);
  expect(damage_after(bytes, 54, 55, 2), Errc::bad_value, 64);
  // The table of section names: outside the file.
  expect(damage_after(bytes, builder.header_offset(5) + 24, 1 << 30, 8),
         Errc::truncated, 1 << 30);
  // Limits.
  Limits small;
  small.table_bytes = 5 * 64;
  expect(damage_after(bytes, 0, 0x7f, 1, small), Errc::too_large, table);
}

TEST(Elf, RefusesStringTablesOverTheLimit) {
  ElfBuilder builder;
  builder.section(std::string(1000, 'n'), text("x"));
  auto bytes = builder.build();
  Limits small;
  small.table_bytes = 900;
  auto damage = damage_after(bytes, 0, 0x7f, 1, small);
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_EQ(damage[0].code, Errc::too_large);
  EXPECT_EQ(damage[0].offset, builder.offset(2));
  EXPECT_EQ(damage[0].context, "section names");
}

TEST(Elf, KeepsSectionsWithoutReadableNames) {
  auto builder = sample();
  auto bytes = builder.build();
  // A name that starts outside the table.
  const std::size_t at = builder.header_offset(1);
  bytes[at + 3] = std::byte{0x7f};
  MemorySource source(bytes);
  auto f = File::open(source, Limits{});
  ASSERT_TRUE(f);
  EXPECT_FALSE(f->has_name(f->sections()[1]));
  EXPECT_EQ(f->name(f->sections()[1]), "");
  EXPECT_TRUE(f->has_name(f->sections()[2]));
  EXPECT_EQ(f->name(f->sections()[2]), ".bss");
}

// Many sections whose long names share their bytes.
TEST(Elf, RefusesNamesThatOverlapManyTimes) {
  ElfBuilder builder;
  builder.section(std::string(100'000, 'n'), {});
  for (int i = 0; i < 50; i++)
    builder.section("short", {});
  Builder b;
  b.bytes(builder.build());
  auto damage_with = [&](std::uint32_t sections) {
    for (std::uint32_t i = 2; i < 2 + sections; i++)
      b.set_u32(builder.header_offset(i), 1 + i);
    MemorySource source(b.bytes());
    auto f = File::open(source, Limits{});
    EXPECT_TRUE(f->has_name(f->sections()[1]));
    EXPECT_EQ(f->has_name(f->sections().back()), f->damage().empty());
    return f->damage();
  };
  EXPECT_TRUE(damage_with(5).empty());
  auto damage = damage_with(50);
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_EQ(damage[0].code, Errc::too_large);
  EXPECT_EQ(damage[0].offset, builder.offset(builder.count() - 1));
}

TEST(Elf, RefusesNamesThatDoNotEnd) {
  const std::string_view table("ab\0cd", 5);
  Strings strings(as_bytes(table), 100);
  EXPECT_EQ(strings.at(0), "ab");
  EXPECT_EQ(strings.at(1), "b");
  EXPECT_EQ(strings.at(2), "");
  EXPECT_EQ(strings.at(3), std::nullopt);
  EXPECT_EQ(strings.at(5), std::nullopt);
  EXPECT_EQ(strings.at(~std::uint64_t{0}), std::nullopt);
  // A limit of two bytes has no room for "ab" and its end.
  EXPECT_EQ(Strings(as_bytes(table), 2).at(0), std::nullopt);
  EXPECT_EQ(Strings(as_bytes(table), 3).at(0), "ab");
}

TEST(Elf, ReadsCountsOutOfSectionZero) {
  auto builder = sample();
  auto bytes = builder.build();
  Builder b;
  b.bytes(bytes);
  const std::size_t zero = builder.header.section_offset;
  b.set_u16(56, 0xffff).set_u16(60, 0).set_u16(62, 0xffff);
  b.set_u64(zero + 32, 6).set_u32(zero + 40, 5).set_u32(zero + 44, 1);
  MemorySource source(b.bytes());
  auto f = File::open(source, Limits{});
  ASSERT_TRUE(f);
  expect_sample(*f);

  // A count that the file cannot hold.
  b.set_u64(zero + 32, std::uint64_t{1} << 20);
  MemorySource longer(b.bytes());
  f = File::open(longer, Limits{});
  ASSERT_TRUE(f);
  ASSERT_EQ(f->damage().size(), 1u);
  EXPECT_EQ(f->damage()[0].code, Errc::truncated);
  EXPECT_EQ(f->segments().size(), 1u);
  b.set_u64(zero + 32, ~std::uint64_t{0});
  MemorySource longest(b.bytes());
  f = File::open(longest, Limits{});
  ASSERT_TRUE(f);
  EXPECT_EQ(f->damage().at(0).code, Errc::too_large);
}

TEST(Elf, ReportsAnExtendedCountThatIsNotThere) {
  auto builder = sample();
  Builder b;
  b.bytes(builder.build());
  b.set_u64(40, 1 << 30).set_u16(56, 0xffff).set_u16(60, 0);
  MemorySource source(b.bytes());
  auto f = File::open(source, Limits{});
  ASSERT_TRUE(f);
  ASSERT_EQ(f->damage().size(), 1u);
  EXPECT_EQ(f->damage()[0].code, Errc::truncated);
  EXPECT_EQ(f->damage()[0].offset, 1u << 30);
  EXPECT_TRUE(f->sections().empty());
  EXPECT_TRUE(f->segments().empty());
}

TEST(Elf, RefusesContentsOutsideTheFile) {
  auto builder = sample();
  Builder b;
  b.bytes(builder.build());
  b.set_u64(builder.header_offset(1) + 32, ~std::uint64_t{0});
  MemorySource source(b.bytes());
  auto f = File::open(source, Limits{});
  ASSERT_TRUE(f);
  Buffer scratch;
  auto bytes = f->contents(f->sections()[1], scratch);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, Errc::truncated);
  EXPECT_EQ(bytes.error().offset, builder.offset(1));
  bytes = f->contents(f->sections()[2], scratch);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, Errc::bad_value);
}

TEST(Elf, RefusesDamagedSymbolTables) {
  auto builder = sample();
  Builder good;
  good.bytes(builder.build());
  const std::size_t header = builder.header_offset(3);
  auto error = [&](std::size_t at, std::uint64_t value, std::size_t size) {
    Builder b;
    b.bytes(good.bytes());
    size == 8 ? b.set_u64(header + at, value)
              : b.set_u32(header + at, static_cast<std::uint32_t>(value));
    MemorySource source(b.bytes());
    auto f = File::open(source, Limits{});
    Buffer scratch;
    auto symbols = f.value().symbols(f->sections()[3], scratch);
    EXPECT_FALSE(symbols);
    return symbols ? Error{} : symbols.error();
  };
  EXPECT_EQ(error(56, 23, 8).code, Errc::bad_value); // sh_entsize
  EXPECT_EQ(error(40, 6, 4).code, Errc::bad_value);  // sh_link
  EXPECT_EQ(error(40, 0, 4).code, Errc::bad_value);
  EXPECT_EQ(error(4, kSectionNobits, 4).code, Errc::bad_value);
  EXPECT_EQ(error(24, 1 << 30, 8).code, Errc::truncated);
  EXPECT_EQ(error(24, 1 << 30, 8).offset, 1u << 30);
  EXPECT_EQ(error(32, 1 << 20, 8).code, Errc::truncated);
  EXPECT_EQ(error(32, ~std::uint64_t{0}, 8).code, Errc::too_large);
}

TEST(Elf, ReadsNotes) {
  Builder b;
  b.u32(4).u32(5).u32(1).text("GNU").u8(0).text("hello").zeros(3);
  b.u32(0).u32(0).u32(7);
  b.zeros(8); // padding
  auto notes = read_notes(b.bytes());
  EXPECT_FALSE(notes.damage);
  ASSERT_EQ(notes.list.size(), 2u);
  EXPECT_EQ(notes.list[0].owner, "GNU");
  EXPECT_EQ(notes.list[0].type, 1u);
  EXPECT_EQ(as_text(notes.list[0].desc), "hello");
  EXPECT_EQ(notes.list[1].type, 7u);
  EXPECT_EQ(notes.list[1].offset, 24u);
}

TEST(Elf, KeepsNotesBeforeDamage) {
  Builder b;
  b.u32(4).u32(4).u32(1).text("GNU").u8(0).u32(9);
  const std::size_t first = b.size();
  b.u32(4).u32(100).u32(2).text("GNU").u8(0).text("short");
  auto notes = read_notes(b.bytes());
  ASSERT_EQ(notes.list.size(), 1u);
  ASSERT_TRUE(notes.damage);
  EXPECT_EQ(notes.damage->code, Errc::truncated);
  EXPECT_EQ(notes.damage->offset, first + 16);
  // Every truncation keeps what is whole.
  for (std::size_t n = 0; n < b.size(); n++) {
    auto cut = read_notes(b.bytes().first(n));
    EXPECT_EQ(cut.list.size(), n >= first ? 1u : 0u) << n;
    EXPECT_EQ(cut.damage.has_value(), n != 0 && n != first) << n;
  }
}

} // namespace
} // namespace gantry::elf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/fatbin.h"

#include "base/test_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace gantry;
using namespace gantry::fatbin;

namespace {

// The fields of an entry header that tests vary.
struct EntryFields {
  std::uint16_t kind = 2;
  std::uint32_t header_size = 64;
  std::uint64_t payload_size = 16;
  std::uint32_t compressed_size = 0;
  std::uint32_t options = 0;
  std::uint32_t arch = 90;
  std::uint32_t name = 0;
  std::uint32_t name_length = 0;
  std::uint64_t flags = 0x11;
  std::uint64_t decoded_size = 0;
  std::uint16_t version = 0x0101;
};

Builder &add_header(Builder &b, const EntryFields &f) {
  return b.u16(f.kind)
      .u16(f.version)
      .u32(f.header_size)
      .u64(f.payload_size)
      .u32(f.compressed_size)
      .u32(f.options)
      .u16(8)
      .u16(1)
      .u32(f.arch)
      .u32(f.name)
      .u32(f.name_length)
      .u64(f.flags)
      .u64(0x1234)
      .u64(f.decoded_size);
}

// A container around `entries`.
std::vector<std::byte> container(const Builder &entries) {
  return Builder()
      .u32(kMagic)
      .u16(1)
      .u16(16)
      .u64(entries.size())
      .bytes(entries.bytes())
      .take();
}

// An entry with a plain payload of 16 bytes.
Builder &add_plain(Builder &b, std::uint32_t arch) {
  return add_header(b, {.arch = arch}).text("0123456789abcdef");
}

Result<Container> read(Bytes bytes, std::uint64_t offset = 0,
                       const Limits &limits = {}) {
  MemorySource source(bytes);
  return read_container(source, offset, bytes.size(), limits);
}

// The only entry of a container that holds it alone.
Entry only(const Builder &entry) {
  auto bytes = container(entry);
  auto c = read(bytes);
  EXPECT_TRUE(c && c->entries.size() == 1 && c->ends_exactly);
  return c && !c->entries.empty() ? c->entries[0] : Entry();
}

// Hands out what it has in pieces of a scratch buffer, and counts.
class CountingSource final : public Source {
public:
  explicit CountingSource(Bytes data) : data_(data) {}
  std::uint64_t size() const override { return data_.size(); }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size,
                     Buffer &scratch) const override {
    if (!fits(offset, size, data_.size()))
      return fail(Errc::truncated, offset, "read");
    GANTRY_TRY(auto to, scratch.reserve(size));
    std::ranges::copy(data_.subspan(offset, size), to.begin());
    reads++;
    bytes_read += size;
    return Bytes(to);
  }
  mutable std::uint64_t reads = 0;
  mutable std::uint64_t bytes_read = 0;

private:
  Bytes data_;
};

bool is(const std::optional<Error> &e, Errc code, std::uint64_t offset) {
  return e && e->code == code && e->offset == offset;
}

TEST(Fatbin, ReadsEntries) {
  Builder entries;
  add_plain(entries, 75);
  add_header(entries, {.kind = 1,
                       .header_size = 96,
                       .payload_size = 24,
                       .compressed_size = 19,
                       .options = 0x50,
                       .name = 0x40,
                       .name_length = 8,
                       .flags = 0x8011,
                       .decoded_size = 2775})
      .text("hello.cu")
      .zeros(8)
      .u32(0x58)
      .u32(6)
      .text("-O1 -v")
      .zeros(2)
      .zeros(24);
  auto bytes = container(entries);
  auto c = read(bytes);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->size, entries.size());
  EXPECT_EQ(c->entries_end, bytes.size());
  EXPECT_TRUE(c->ends_exactly);
  EXPECT_FALSE(c->damage);
  ASSERT_EQ(c->entries.size(), 2u);

  const Entry &a = c->entries[0];
  EXPECT_EQ(a.index, 0u);
  EXPECT_EQ(a.offset, 16u);
  EXPECT_EQ(a.kind(), Kind::cubin);
  EXPECT_EQ(a.arch, 75u);
  EXPECT_EQ(a.major, 1);
  EXPECT_EQ(a.minor, 8);
  EXPECT_EQ(a.key, 0x1234u);
  EXPECT_EQ(a.codec(), Codec::none);
  EXPECT_EQ(a.payload_offset(), 80u);
  EXPECT_EQ(a.stored_size(), 16u);
  EXPECT_EQ(a.unpacked_size(), 16u);
  EXPECT_EQ(a.end(), 96u);
  EXPECT_TRUE(a.limitations.empty());

  const Entry &b = c->entries[1];
  EXPECT_EQ(b.index, 1u);
  EXPECT_EQ(b.offset, 96u);
  EXPECT_EQ(b.kind(), Kind::ptx);
  EXPECT_EQ(b.codec(), Codec::zstd);
  EXPECT_EQ(b.payload_offset(), 192u);
  EXPECT_EQ(b.payload_size, 24u);
  EXPECT_EQ(b.stored_size(), 19u);
  EXPECT_EQ(b.unpacked_size(), 2775u);
  EXPECT_EQ(b.name, "hello.cu");
  EXPECT_EQ(b.options, "-O1 -v");
  EXPECT_TRUE(b.limitations.empty());
}

TEST(Fatbin, ReadsAnEmptyContainer) {
  auto bytes = container(Builder());
  auto c = read(bytes);
  ASSERT_TRUE(c);
  EXPECT_TRUE(c->entries.empty());
  EXPECT_TRUE(c->ends_exactly);
}

TEST(Fatbin, CountsOffsetsInTheSource) {
  Builder entries;
  auto bytes =
      Builder().zeros(40).bytes(container(add_plain(entries, 80))).take();
  auto c = read(bytes, 40);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->offset, 40u);
  ASSERT_EQ(c->entries.size(), 1u);
  EXPECT_EQ(c->entries[0].payload_offset(), 40u + 16 + 64);
  EXPECT_EQ(c->entries_end, bytes.size());
}

TEST(Fatbin, ReadsNothingBehindItsEnd) {
  Builder entries;
  add_plain(entries, 80);
  add_plain(entries, 90);
  auto bytes = container(entries);
  MemorySource source(bytes);
  auto c = read_container(source, 0, 16 + 80 + 79, {});
  ASSERT_TRUE(c);
  ASSERT_EQ(c->entries.size(), 2u);
  EXPECT_TRUE(c->entries[1].has(Limitation::payload_outside));
  EXPECT_EQ(c->entries[1].stored_size(), 0u);
  EXPECT_TRUE(is(c->damage, Errc::truncated, 8));
  EXPECT_FALSE(read_container(source, 0, 15, {}));
  EXPECT_FALSE(
      read_container(source, ~std::uint64_t{0}, ~std::uint64_t{0}, {}));
}

TEST(Fatbin, RefusesBadContainerHeaders) {
  Builder good;
  good.bytes(container(Builder()));
  for (std::size_t n = 0; n < 16; n++) {
    auto c = read(good.bytes().first(n));
    ASSERT_FALSE(c) << n;
    EXPECT_TRUE(is(c.error(), Errc::truncated, 0));
  }
  auto refusal = [&](Builder b) { return read(b.bytes()).error(); };
  EXPECT_TRUE(
      is(refusal(Builder(good).set_u32(0, 0x466243B1)), Errc::bad_magic, 0));
  EXPECT_TRUE(is(refusal(Builder(good).set_u16(4, 2)), Errc::unsupported, 4));
  EXPECT_TRUE(is(refusal(Builder(good).set_u16(6, 24)), Errc::unsupported, 6));
}

TEST(Fatbin, KeepsSoundEntriesOfEveryTruncation) {
  Builder entries;
  add_plain(entries, 75);
  add_plain(entries, 80);
  add_plain(entries, 90);
  auto bytes = container(entries);
  for (std::size_t n = 16; n < bytes.size(); n++) {
    auto c = read(Bytes(bytes).first(n));
    ASSERT_TRUE(c) << n;
    // A whole header is a declaration, also without its payload.
    std::size_t whole = (n - 16) / 80, rest = (n - 16) % 80;
    bool declared = rest >= 64;
    ASSERT_EQ(c->entries.size(), whole + declared) << n;
    EXPECT_EQ(c->entries_end, 16 + whole * 80 + (declared ? 64 : 0)) << n;
    for (std::size_t i = 0; i < c->entries.size(); i++)
      EXPECT_EQ(c->entries[i].has(Limitation::payload_outside), i == whole)
          << n;
    EXPECT_FALSE(c->ends_exactly) << n;
    EXPECT_TRUE(is(c->damage, Errc::truncated, 8)) << n;
  }
}

TEST(Fatbin, KeepsTheEntriesBeforeADamagedOne) {
  Builder entries;
  add_plain(entries, 75);
  add_plain(entries, 80);
  Builder good;
  good.bytes(container(entries));
  auto damage = [](Builder b) {
    auto c = read(b.bytes());
    EXPECT_TRUE(c && c->entries.size() == 1 && c->entries_end == 96);
    EXPECT_FALSE(c->ends_exactly);
    EXPECT_TRUE(c->damage->what.starts_with("entry 1: "));
    return c->damage;
  };
  EXPECT_TRUE(is(damage(Builder(good).set_u32(100, 63)), Errc::bad_value, 100));
  EXPECT_TRUE(is(damage(Builder(good).set_u32(100, 0)), Errc::bad_value, 100));
  EXPECT_TRUE(is(damage(Builder(good).set_u32(100, 96)), Errc::truncated, 100));
  EXPECT_TRUE(is(damage(Builder(good).set_u32(100, (1 << 20) + 8)),
                 Errc::too_large, 100));
  // A payload that ends early leaves too little for another entry.
  auto c = read(Builder(good).set_u64(104, 8).bytes());
  ASSERT_TRUE(c);
  EXPECT_EQ(c->entries.size(), 2u);
  EXPECT_TRUE(is(c->damage, Errc::truncated, 168));
}

TEST(Fatbin, KeepsTheDeclarationOfAnEntryWhosePayloadIsOutside) {
  Builder entries;
  add_plain(entries, 75);
  add_plain(entries, 80);
  Builder good;
  good.bytes(container(entries));
  for (std::uint64_t size : {std::uint64_t{17}, ~std::uint64_t{0}}) {
    auto c = read(Builder(good).set_u64(104, size).bytes());
    ASSERT_TRUE(c);
    ASSERT_EQ(c->entries.size(), 2u);
    EXPECT_TRUE(c->entries[0].limitations.empty());
    EXPECT_EQ(c->entries[1].limitations,
              std::vector{Limitation::payload_outside});
    EXPECT_EQ(c->entries[1].arch, 80u);
    EXPECT_EQ(c->entries[1].stored_size(), 0u);
    EXPECT_EQ(c->entries_end, good.size());
    EXPECT_FALSE(c->ends_exactly);
    EXPECT_TRUE(is(c->damage, Errc::truncated, 104));
  }
}

TEST(Fatbin, FindsTheEntriesAfterOneWithAnImpossiblePayloadSize) {
  Builder entries;
  add_plain(entries, 75);
  add_plain(entries, 80);
  add_plain(entries, 90);
  Builder bad;
  bad.bytes(container(entries)).set_u64(24, std::uint64_t{1} << 33);
  auto c = read(bad.bytes());
  ASSERT_TRUE(c);
  ASSERT_EQ(c->entries.size(), 3u);
  EXPECT_TRUE(c->entries[0].has(Limitation::payload_outside));
  EXPECT_EQ(c->entries[1].offset, 96u);
  EXPECT_EQ(c->entries[1].arch, 80u);
  EXPECT_TRUE(c->entries[1].limitations.empty());
  EXPECT_EQ(c->entries[2].arch, 90u);
  EXPECT_FALSE(c->ends_exactly);
  EXPECT_TRUE(is(c->damage, Errc::truncated, 24));
  // Entries that do not reach the exact end are not believed.
  bad.set_u64(96 + 80 + 8, 8);
  c = read(bad.bytes());
  ASSERT_TRUE(c);
  EXPECT_EQ(c->entries.size(), 1u);
}

TEST(Fatbin, KeepsEntriesWhenTheSizeIsWrong) {
  Builder entries;
  add_plain(entries, 75);
  Builder good;
  good.bytes(container(entries));
  for (std::uint64_t size : {std::uint64_t{81}, ~std::uint64_t{0}}) {
    auto c = read(Builder(good).set_u64(8, size).bytes());
    ASSERT_TRUE(c);
    EXPECT_EQ(c->entries.size(), 1u);
    EXPECT_FALSE(c->ends_exactly);
    EXPECT_TRUE(is(c->damage, Errc::truncated, 8));
  }
  auto c = read(Builder(good).set_u64(8, 79).bytes());
  ASSERT_TRUE(c);
  ASSERT_EQ(c->entries.size(), 1u);
  EXPECT_TRUE(c->entries[0].has(Limitation::payload_outside));
  EXPECT_TRUE(is(c->damage, Errc::truncated, 24));
}

TEST(Fatbin, StopsAtTheLimitOfRecords) {
  Builder entries;
  add_plain(entries, 75);
  add_plain(entries, 80);
  auto bytes = container(entries);
  Limits limits;
  limits.records = 1;
  auto c = read(bytes, 0, limits);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->entries.size(), 1u);
  EXPECT_TRUE(is(c->damage, Errc::too_large, 96));
}

TEST(Fatbin, ReadsHeadersOnly) {
  Builder entries;
  for (int i = 0; i < 10; i++)
    add_header(entries, {.payload_size = 100'000}).zeros(100'000);
  add_header(entries, {.header_size = 4096, .payload_size = 100'000})
      .zeros(4032 + 100'000);
  auto bytes = container(entries);
  CountingSource source(bytes);
  auto c = read_container(source, 0, bytes.size(), {});
  ASSERT_TRUE(c);
  EXPECT_EQ(c->entries.size(), 11u);
  EXPECT_TRUE(c->ends_exactly);
  EXPECT_EQ(source.reads, 12u); // the first covers the container's header too
  EXPECT_LE(source.bytes_read, 11u * 512 + 4096);
}

TEST(Fatbin, ReadsTheCompatRecord) {
  Builder entry;
  add_header(entry, {.header_size = 88,
                     .payload_size = 0,
                     .options = 0x40,
                     .arch = 100,
                     .flags = 0x1100011})
      .u32(0x48)
      .u32(8)
      .u8(0)
      .u32(0x00010902)
      .u32(0x00010202)
      .zeros(7);
  Entry e = only(entry);
  EXPECT_EQ(e.suffix(), 'a');
  EXPECT_EQ(e.options, "");
  EXPECT_EQ(as_text(e.compat),
            std::string_view("\x02\x09\x01\0\x02\x02\x01\0", 8));
  EXPECT_TRUE(e.limitations.empty());

  Builder no_zero = entry;
  no_zero.set_u16(0x48, 1);
  EXPECT_TRUE(only(no_zero).has(Limitation::options_unreadable));
  EXPECT_TRUE(only(no_zero).compat.empty());
  Builder too_long = entry;
  too_long.set_u32(0x44, 16);
  EXPECT_TRUE(only(too_long).has(Limitation::options_unreadable));
}

TEST(Fatbin, ReadsTheCompatRecordOfCuda128) {
  Builder entry;
  add_header(entry, {.header_size = 80,
                     .payload_size = 0,
                     .options = 0x40,
                     .flags = 0x1000011})
      .u32(0x48)
      .u32(3)
      .u8(1)
      .u8(0)
      .u8(5)
      .zeros(5);
  Entry e = only(entry);
  EXPECT_EQ(as_text(e.short_compat), std::string_view("\1\0\5", 3));
  EXPECT_TRUE(e.compat.empty());
  EXPECT_TRUE(e.limitations.empty());
}

TEST(Fatbin, AcceptsTheCompatFlagWithoutARecord) {
  Builder entry;
  add_header(entry, {.payload_size = 0, .flags = 0x1000011});
  EXPECT_TRUE(only(entry).limitations.empty());
}

TEST(Fatbin, ReadsHeadersOf72Bytes) {
  Builder entry;
  add_header(entry,
             {.kind = 1, .header_size = 72, .payload_size = 0, .options = 0x40})
      .zeros(8);
  Entry e = only(entry);
  EXPECT_EQ(e.options, "");
  EXPECT_TRUE(e.limitations.empty());
}

TEST(Fatbin, ReportsNamesAndOptionsOutsideTheHeader) {
  Builder entry;
  add_header(entry, {.header_size = 80,
                     .payload_size = 16,
                     .options = 0x40,
                     .name = 0x48,
                     .name_length = 8})
      .u32(0x48)
      .u32(8)
      .text("abcdefgh")
      .zeros(16);
  EXPECT_EQ(only(entry).name, "abcdefgh");
  EXPECT_EQ(only(entry).options, "abcdefgh");

  auto limitation = [&](std::size_t at, std::uint32_t value, Limitation l) {
    Builder b = entry;
    b.set_u32(at, value);
    Entry e = only(b);
    EXPECT_EQ(e.limitations, std::vector{l}) << at << " " << value;
    EXPECT_TRUE(l == Limitation::name_outside ? e.name.empty()
                                              : e.options.empty());
  };
  for (std::uint32_t bad : {1u, 0x3fu, 0x49u, 0x50u, 0xffffffffu})
    limitation(0x20, bad, Limitation::name_outside);
  for (std::uint32_t bad : {9u, 0xffffffffu})
    limitation(0x24, bad, Limitation::name_outside);
  for (std::uint32_t bad : {1u, 0x49u, 0x50u, 0xffffffffu})
    limitation(0x14, bad, Limitation::options_unreadable);
  for (std::uint32_t bad : {0x49u, 0x51u, 0xffffffffu})
    limitation(0x40, bad, Limitation::options_unreadable);
  for (std::uint32_t bad : {9u, 0xffffffffu})
    limitation(0x44, bad, Limitation::options_unreadable);
}

TEST(Fatbin, NamesKinds) {
  auto kind = [](unsigned raw) {
    Declaration d;
    d.raw_kind = static_cast<std::uint16_t>(raw);
    return word(d.kind());
  };
  EXPECT_EQ(kind(1), "ptx");
  EXPECT_EQ(kind(2), "cubin");
  EXPECT_EQ(kind(4), "cubin");
  EXPECT_EQ(kind(8), "lto-ir");
  EXPECT_EQ(kind(0x20), "index");
  EXPECT_EQ(kind(0x40), "ptx");
  EXPECT_EQ(kind(0x80), "tile-ir");
  EXPECT_EQ(kind(0x100), "concatenated");
  for (unsigned raw : {0, 3, 0x10, 0x200, 0xffff})
    EXPECT_EQ(kind(raw), "unknown") << raw;
}

TEST(Fatbin, ReportsWhatIsOddAboutAnEntry) {
  auto limitations = [](EntryFields f) {
    f.payload_size = 0;
    Builder b;
    add_header(b, f);
    return only(b).limitations;
  };
  using L = std::vector<Limitation>;
  EXPECT_EQ(limitations({}), L());
  EXPECT_EQ(limitations({.kind = 0x200}), L{Limitation::unknown_kind});
  EXPECT_EQ(limitations({.version = 0x0102}), L{Limitation::unknown_version});
  EXPECT_EQ(limitations({.flags = 0x20000011}), L{Limitation::unknown_flags});
  EXPECT_EQ(limitations({.flags = 0x3011}), L{Limitation::several_codecs});
  EXPECT_EQ(limitations({.flags = 0x300011}), L{Limitation::several_suffixes});
  EXPECT_EQ(limitations({.kind = 4}), L{Limitation::obsolete_cubin});
  EXPECT_EQ(limitations({.compressed_size = 1, .flags = 0x2011}),
            L{Limitation::compressed_outside});
  EXPECT_EQ(word(Limitation::several_codecs), "several-codecs");
  EXPECT_EQ(word(Limitation::part_outside), "part-outside");
}

TEST(Fatbin, ReadsFlags) {
  Declaration d;
  auto with = [&](std::uint64_t flags) -> Declaration & {
    d.flags = flags;
    return d;
  };
  EXPECT_EQ(with(0x11).codec(), Codec::none);
  EXPECT_EQ(with(0x1011).codec(), Codec::zlib);
  EXPECT_EQ(with(0x2011).codec(), Codec::lz4_block);
  EXPECT_EQ(with(0x4011).codec(), Codec::lz4_frame);
  EXPECT_EQ(with(0x8011).codec(), Codec::zstd);
  EXPECT_EQ(with(0xf011).codec(), Codec::zlib);
  EXPECT_EQ(with(0x11).suffix(), '\0');
  EXPECT_EQ(with(0x100011).suffix(), 'a');
  EXPECT_EQ(with(0x200011).suffix(), 'f');
  EXPECT_EQ(with(0x300011).suffix(), std::nullopt);
  EXPECT_TRUE(with(0x18011).is_obfuscated());
  EXPECT_FALSE(with(0x8011).is_obfuscated());
}

TEST(Fatbin, NeverHandsOutMoreThanThePayload) {
  Builder entry;
  add_header(
      entry,
      {.payload_size = 8, .compressed_size = 0xffffffff, .flags = 0x8011})
      .zeros(8);
  EXPECT_EQ(only(entry).stored_size(), 8u);
  entry.set_u32(0x10, 0);
  EXPECT_EQ(only(entry).stored_size(), 8u);
  entry.set_u32(0x10, 5);
  EXPECT_EQ(only(entry).stored_size(), 5u);
}

// A concatenated entry: a named part for sm_100, one without a name for sm_80.
// Its records are at 0x48 and 0xb0 of the entry, its end is at 0xf0.
Builder concatenated() {
  Builder b;
  add_header(b, {.kind = 0x100,
                 .header_size = 0xf0,
                 .payload_size = 24,
                 .compressed_size = 20,
                 .options = 0x40,
                 .arch = 0,
                 .flags = 0x8011,
                 .decoded_size = 0x5000});
  b.u32(2).u32(8 + 0x68 + 0x40);
  add_header(b, {.header_size = 0, // here: offset in the payload
                 .payload_size = 0x2c20,
                 .options = 0x50,
                 .arch = 100,
                 .name = 0x40,
                 .name_length = 8,
                 .flags = 0x1100011})
      .text("hello.cu")
      .zeros(8)
      .u32(0x58)
      .u32(12)
      .u8(0)
      .text("\x02\x09\x01")
      .zeros(1)
      .text("abcdefgh")
      .zeros(3);
  add_header(b, {.header_size = 0x2c20, .payload_size = 0x23e0, .arch = 80});
  return b.zeros(24);
}

TEST(Fatbin, ReadsThePartsOfAConcatenatedEntry) {
  Builder entry = concatenated();
  ASSERT_EQ(entry.size(), 0xf0u + 24);
  Entry e = only(entry);
  EXPECT_EQ(e.kind(), Kind::concatenated);
  EXPECT_EQ(e.options, "");
  EXPECT_TRUE(e.limitations.empty());
  EXPECT_FALSE(e.parts_damage);
  ASSERT_EQ(e.parts.size(), 2u);
  const Part &a = e.parts[0];
  EXPECT_EQ(a.kind(), Kind::cubin);
  EXPECT_EQ(a.arch, 100u);
  EXPECT_EQ(a.suffix(), 'a');
  EXPECT_EQ(a.name, "hello.cu");
  EXPECT_EQ(a.compat.size(), 12u);
  EXPECT_EQ(a.record_offset, 16u + 0x48);
  EXPECT_EQ(a.offset, 0u);
  EXPECT_EQ(a.size, 0x2c20u);
  EXPECT_TRUE(a.limitations.empty());
  const Part &b = e.parts[1];
  EXPECT_EQ(b.arch, 80u);
  EXPECT_EQ(b.record_offset, 16u + 0xb0);
  EXPECT_EQ(b.offset, 0x2c20u);
  EXPECT_EQ(b.size, 0x23e0u);
}

TEST(Fatbin, ReportsPartsOutsideThePayload) {
  Builder entry = concatenated();
  entry.set_u64(0xb0 + 8, 0x23e1);
  Entry e = only(entry);
  ASSERT_EQ(e.parts.size(), 2u);
  EXPECT_TRUE(e.parts[0].limitations.empty());
  EXPECT_EQ(e.parts[1].limitations, std::vector{Limitation::part_outside});
}

TEST(Fatbin, KeepsThePartsBeforeADamagedOne) {
  auto damaged = [](std::size_t at, std::uint32_t value, std::size_t kept,
                    Errc code, std::uint64_t offset) {
    Builder entry = concatenated();
    entry.set_u32(at, value);
    Entry e = only(entry);
    EXPECT_EQ(e.parts.size(), kept) << at;
    EXPECT_TRUE(is(e.parts_damage, code, 16 + offset))
        << at << " " << e.parts_damage->offset;
  };
  // The list itself.
  damaged(0x14, 0, 0, Errc::bad_value, 0x14);
  damaged(0x14, 0x3f, 0, Errc::bad_value, 0x14);
  damaged(0x14, 0xec, 0, Errc::truncated, 0xf0);
  damaged(0x40, 3, 2, Errc::truncated, 0xf0);
  damaged(0x40, 0xffffffff, 2, Errc::truncated, 0xf0);
  damaged(0x40, 1, 1, Errc::bad_value, 0xb0);
  damaged(0x44, 0xb1, 0, Errc::truncated, 0x48);
  damaged(0x44, 0xaf, 1, Errc::truncated, 0xb0);
  damaged(0x44, 7, 0, Errc::bad_value, 0x44);
  // Fields that say how long a record is.
  damaged(0x48 + 0x20, 0x3f, 0, Errc::bad_value, 0x48 + 0x20);
  damaged(0x48 + 0x24, 0xffff, 0, Errc::bad_value, 0x48 + 0x20);
  damaged(0x48 + 0x14, 0xffff, 0, Errc::bad_value, 0x48 + 0x14);
  damaged(0xb0 + 0x14, 0x40, 1, Errc::bad_value, 0xb0 + 0x14);
}

TEST(Fatbin, RecognisesHeaders) {
  auto bytes = container(Builder());
  EXPECT_TRUE(plausible_header(bytes));
  EXPECT_FALSE(plausible_header(Bytes(bytes).first(7)));
  for (std::size_t at : {0, 4, 6}) {
    auto bad = bytes;
    bad[at] ^= std::byte{1};
    EXPECT_FALSE(plausible_header(bad)) << at;
  }
}

TEST(Fatbin, ReadsWrappers) {
  auto section = Builder()
                     .u32(kWrapperMagic)
                     .u32(1)
                     .u64(0x1000)
                     .u64(0)
                     .zeros(8)
                     .u32(kWrapperMagic)
                     .u32(2)
                     .u64(0x2000)
                     .u64(0x3000)
                     .zeros(13)
                     .take();
  Wrappers w = read_wrappers(section);
  EXPECT_FALSE(w.damage);
  ASSERT_EQ(w.list.size(), 2u);
  EXPECT_EQ(w.list[0].offset, 0u);
  EXPECT_EQ(w.list[0].version, 1u);
  EXPECT_EQ(w.list[0].address, 0x1000u);
  EXPECT_EQ(w.list[1].offset, 32u);
  EXPECT_EQ(w.list[1].version, 2u);
  EXPECT_EQ(w.list[1].address, 0x2000u);
  EXPECT_EQ(w.list[1].second, 0x3000u);
  for (std::size_t n = 33; n < 56; n++) {
    w = read_wrappers(Bytes(section).first(n));
    EXPECT_EQ(w.list.size(), 1u) << n;
    EXPECT_TRUE(w.damage && w.damage->code == Errc::truncated) << n;
  }
  section[32] = std::byte{7};
  w = read_wrappers(section);
  EXPECT_EQ(w.list.size(), 1u);
  EXPECT_TRUE(is(w.damage, Errc::bad_magic, 32));
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/bitcode.h"

#include "base/test_bytes.h"
#include "format/test_bitcode.h"

#include <gtest/gtest.h>

#include <functional>

namespace gantry::bitcode {
namespace {

void identify(BitWriter &w) {
  w.enter(13, 5).record(1, "LLVM22.1.0").number(2, 0).end();
}

// Triple in an abbreviation of BLOCKINFO, data layout in one of the block, the
// source file in a blob.
BitWriter sample() {
  BitWriter w;
  identify(w);
  w.enter(8, 3).number(1, 2);
  w.enter(0, 2).number(1, 17).define(1).literal(4).end();
  w.record(2, "amdgcn-amd-amdhsa");
  w.define(3).literal(3).encoding(kArray).encoding(kChar6);
  w.id(4).vbr(4, 6);
  for (unsigned c : {4u, 63u, 15u, 52u}) // "e_p0"
    w.fixed(c, 6);
  w.define(2).literal(16).encoding(kBlob);
  w.id(5).vbr(5, 6).align();
  for (char c : std::string_view("a.hip"))
    w.fixed(static_cast<unsigned char>(c), 8);
  w.align();
  w.enter(12, 4).record(2, "not the triple").end(); // a function
  w.number(7, 1);
  return w.end();
}

File read(const BitWriter &w) {
  auto bytes = w.bytes();
  auto file = bitcode::read(bytes, {});
  EXPECT_TRUE(file);
  return file ? std::move(*file) : File{};
}

void expect_sample(const Module &m) {
  EXPECT_EQ(m.triple, "amdgcn-amd-amdhsa");
  EXPECT_EQ(m.data_layout, "e_p0");
  EXPECT_EQ(m.source_file, "a.hip");
  EXPECT_EQ(m.producer, "LLVM22.1.0");
  EXPECT_EQ(m.epoch, 0u);
}

TEST(Bitcode, ReadsAModule) {
  File f = read(sample());
  EXPECT_FALSE(f.damage);
  EXPECT_FALSE(f.wrapper);
  ASSERT_EQ(f.modules.size(), 1u);
  expect_sample(f.modules[0]);
  EXPECT_EQ(f.modules[0].offset, 4u + 8 + 24);
}

TEST(Bitcode, ReadsAWrapper) {
  auto inner = sample().bytes();
  auto size = static_cast<std::uint32_t>(inner.size());
  Builder b;
  b.u32(0x0b17c0de).u32(0).u32(24).u32(size).u32(7).u32(0).bytes(inner);
  b.zeros(16);
  auto f = bitcode::read(b.bytes(), {});
  ASSERT_TRUE(f);
  EXPECT_FALSE(f->damage);
  ASSERT_TRUE(f->wrapper);
  EXPECT_EQ(f->wrapper->offset, 24u);
  EXPECT_EQ(f->wrapper->cpu_type, 7u);
  ASSERT_EQ(f->modules.size(), 1u);
  expect_sample(f->modules[0]);
  EXPECT_EQ(f->modules[0].offset, 24u + 36);
}

TEST(Bitcode, RefusesWrappersThatCannotBe) {
  auto with = [](std::uint32_t offset, std::uint32_t size) {
    return bitcode::read(Builder()
                             .u32(0x0b17c0de)
                             .u32(0)
                             .u32(offset)
                             .u32(size)
                             .u32(7)
                             .u32(0xdec04342)
                             .bytes(),
                         {});
  };
  EXPECT_TRUE(with(20, 4));
  for (auto [offset, size, code, at] :
       {std::tuple{19u, 4u, Errc::bad_value, 8u},
        {0u, 4u, Errc::bad_value, 8u},
        {20u, 5u, Errc::truncated, 8u},
        {UINT32_MAX, UINT32_MAX, Errc::truncated, 8u},
        {20u, 3u, Errc::truncated, 20u},
        {21u, 3u, Errc::truncated, 21u}}) {
    auto f = with(offset, size);
    ASSERT_FALSE(f) << offset;
    EXPECT_EQ(f.error().code, code) << offset;
    EXPECT_EQ(f.error().offset, at) << offset;
  }
}

TEST(Bitcode, RefusesOtherFiles) {
  auto f = bitcode::read(as_bytes("BCBC"), {});
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error().code, Errc::bad_magic);
  EXPECT_EQ(f.error().offset, 0u);
  auto empty = bitcode::read({}, {});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, Errc::truncated);
}

TEST(Bitcode, ReadsEachModuleOfFilesPutTogether) {
  BitWriter w;
  for (std::string_view triple : {"nvptx64-nvidia-cuda", "x86_64-linux"})
    w.enter(8, 3).record(2, triple).record(2, "no second").end();
  w.enter(23, 3).end(); // string table
  File f = read(w);
  EXPECT_FALSE(f.damage);
  ASSERT_EQ(f.modules.size(), 2u);
  EXPECT_EQ(f.modules[0].triple, "nvptx64-nvidia-cuda");
  EXPECT_EQ(f.modules[1].triple, "x86_64-linux");
  EXPECT_EQ(f.modules[0].producer, "");
  EXPECT_FALSE(f.modules[0].epoch);
}

// BLOCKINFO in the first module serves the second.
TEST(Bitcode, ReadsAbbreviationsOfBlockinfo) {
  BitWriter w;
  w.enter(8, 3).enter(0, 2).number(1, 8).define(3).literal(2);
  w.encoding(kArray).sized(kFixed, 8).end().end();
  w.enter(8, 3).define(3).sized(kVbr, 6).encoding(kArray).sized(kVbr, 8);
  w.id(4).vbr(2, 6).fixed('a', 8).fixed('b', 8);
  w.id(5).vbr(3, 6).vbr(2, 6).vbr('c', 8).vbr('d', 8).end();
  File f = read(w);
  EXPECT_FALSE(f.damage);
  ASSERT_EQ(f.modules.size(), 2u);
  EXPECT_EQ(f.modules[1].triple, "ab");
  EXPECT_EQ(f.modules[1].data_layout, "cd");
}

TEST(Bitcode, PassesOverRecordsOfNoInterest) {
  BitWriter w;
  w.enter(8, 3).define(3).literal(8).encoding(kArray).sized(kFixed, 3);
  w.define(3).literal(8).encoding(kArray).encoding(kChar6);
  w.define(5).literal(8).literal(1).sized(kFixed, 0).sized(kFixed, 64);
  w.sized(kVbr, 32);
  w.id(4).vbr(5, 6).fixed(0x7fff, 15);
  w.id(5).vbr(2, 6).fixed(0, 12);
  w.id(6).fixed(UINT64_MAX, 64).vbr(UINT64_MAX, 32);
  w.record(2, "t").end();
  File f = read(w);
  EXPECT_FALSE(f.damage);
  EXPECT_EQ(f.modules.at(0).triple, "t");
}

TEST(Bitcode, KeepsWhatPrecedesEveryTruncation) {
  auto bytes = sample().bytes();
  for (std::size_t n = 0; n < bytes.size(); n++) {
    auto f = bitcode::read(Bytes(bytes).first(n), {});
    if (n < 4) {
      ASSERT_FALSE(f);
      EXPECT_EQ(f.error().code, Errc::truncated);
      EXPECT_EQ(f.error().offset, 0u);
      continue;
    }
    ASSERT_TRUE(f) << n;
    ASSERT_TRUE(f->damage) << n;
    EXPECT_LE(f->damage->offset, n);
    EXPECT_TRUE(f->modules.empty()) << "the length of its block is too large";
  }
}

// The damage of a module whose block is written by `write`, which starts at
// byte 12.
Error damage(const std::function<void(BitWriter &)> &write,
             const Limits &limits = {}) {
  BitWriter w;
  w.enter(8, 3);
  write(w);
  w.end();
  auto bytes = w.bytes();
  auto f = bitcode::read(bytes, limits);
  EXPECT_TRUE(f);
  EXPECT_TRUE(f && f->damage);
  return f && f->damage ? *f->damage : Error{};
}

TEST(Bitcode, ReportsWhatCannotBe) {
  struct Case {
    std::string_view what;
    std::function<void(BitWriter &)> write;
    Errc code;
    std::uint64_t at;
  };
  for (const Case &c : std::vector<Case>{
           {"abbreviation nobody defined", [](BitWriter &w) { w.id(4); },
            Errc::bad_value, 12},
           {"no operands", [](BitWriter &w) { w.define(0); }, Errc::bad_value,
            13},
           {"many operands", [](BitWriter &w) { w.define(33); },
            Errc::too_large, 13},
           {"encoding 0", [](BitWriter &w) { w.define(1).encoding(0); },
            Errc::bad_value, 13},
           {"encoding 6", [](BitWriter &w) { w.define(1).encoding(6); },
            Errc::bad_value, 13},
           {"fixed 65", [](BitWriter &w) { w.define(1).sized(kFixed, 65); },
            Errc::bad_value, 14},
           {"vbr 1", [](BitWriter &w) { w.define(1).sized(kVbr, 1); },
            Errc::bad_value, 14},
           {"array first",
            [](BitWriter &w) { w.define(2).encoding(kArray).encoding(kChar6); },
            Errc::bad_value, 13},
           {"array last",
            [](BitWriter &w) { w.define(2).literal(1).encoding(kArray); },
            Errc::bad_value, 14},
           {"array of literals",
            [](BitWriter &w) {
              w.define(3).literal(1).encoding(kArray).literal(1);
            },
            Errc::bad_value, 15},
           {"array of elements without bits",
            [](BitWriter &w) {
              w.define(3).literal(1).encoding(kArray).sized(kFixed, 0);
            },
            Errc::bad_value, 15},
           {"array of arrays",
            [](BitWriter &w) {
              w.define(3).literal(1).encoding(kArray).encoding(kArray);
            },
            Errc::bad_value, 15},
           {"blob not last",
            [](BitWriter &w) {
              w.define(3).literal(1).encoding(kBlob).literal(1);
            },
            Errc::bad_value, 14},
           {"vbr beyond 64 bits",
            [](BitWriter &w) {
              w.id(3);
              for (int i = 0; i < 14; i++)
                w.fixed(0x3f, 6);
            },
            Errc::bad_value, 22},
           {"vbr that goes on",
            [](BitWriter &w) {
              w.id(3);
              for (int i = 0; i < 30; i++)
                w.fixed(0x20, 6);
            },
            Errc::bad_value, 22},
           {"count of operands",
            [](BitWriter &w) { w.id(3).vbr(2, 6).vbr(1 << 20, 6); },
            Errc::truncated, 20},
           {"count of elements",
            [](BitWriter &w) {
              w.define(3).literal(9).encoding(kArray).encoding(kChar6);
              w.id(4).vbr(UINT64_MAX, 6);
            },
            Errc::truncated, 25},
           {"size of a blob",
            [](BitWriter &w) {
              w.define(2).literal(9).encoding(kBlob).id(4).vbr(1 << 20, 6);
            },
            Errc::truncated, 20},
           {"width 0 of ids",
            [](BitWriter &w) {
              w.id(1).vbr(9, 8).vbr(0, 4).align().fixed(0, 32);
            },
            Errc::bad_value, 20},
           {"width 33 of ids",
            [](BitWriter &w) {
              w.id(1).vbr(9, 8).vbr(33, 4).align().fixed(0, 32);
            },
            Errc::bad_value, 20},
           {"block longer than the file",
            [](BitWriter &w) {
              w.id(1).vbr(9, 8).vbr(3, 4).align().fixed(100, 32);
            },
            Errc::truncated, 20},
           {"unknown abbreviation in BLOCKINFO",
            [](BitWriter &w) { w.enter(0, 3).id(4).end(); }, Errc::bad_value,
            20},
       }) {
    Error e = damage(c.write);
    EXPECT_EQ(e.code, c.code) << c.what << ": " << e.what;
    EXPECT_EQ(e.offset, c.at) << c.what << ": " << e.what;
  }
}

TEST(Bitcode, ReportsBlocksThatLieAboutTheirLength) {
  BitWriter w;
  w.enter(8, 3).record(2, "t").end();
  identify(w);
  const std::size_t second = 4 + 8 + 8;
  ASSERT_LT(second, w.size());
  w.set_length(8, 3); // reaches into the next block
  File f = read(w);
  ASSERT_TRUE(f.damage);
  EXPECT_EQ(f.damage->code, Errc::bad_value);
  ASSERT_EQ(f.modules.size(), 1u);
  EXPECT_EQ(f.modules[0].triple, "t") << "what was read is kept";

  BitWriter inner;
  inner.enter(8, 3).record(2, "t").enter(12, 3).end().end();
  identify(inner);
  inner.set_length(20, 3); // reaches out of the block around it
  f = read(inner);
  ASSERT_TRUE(f.damage);
  EXPECT_EQ(f.damage->code, Errc::bad_value);
  EXPECT_EQ(f.damage->offset, 24u);
}

TEST(Bitcode, ReportsFilesWithoutAModule) {
  File f = read(BitWriter());
  ASSERT_TRUE(f.damage);
  EXPECT_EQ(f.damage->code, Errc::bad_value);
  BitWriter stray;
  stray.id(3).align().align().fixed(0, 64);
  f = read(stray);
  ASSERT_TRUE(f.damage);
  EXPECT_EQ(f.damage->code, Errc::bad_value);
}

TEST(Bitcode, StopsAtItsLimits) {
  Limits names;
  names.name_bytes = 4;
  Error e = damage([](BitWriter &w) { w.record(2, "12345"); }, names);
  EXPECT_EQ(e.code, Errc::too_large);
  EXPECT_NE(e.what.find("(limit name_bytes)"), std::string::npos);

  BitWriter many;
  for (int i = 0; i < 1025; i++)
    many.enter(8, 3).end();
  File f = read(many);
  EXPECT_EQ(f.modules.size(), 1024u);
  ASSERT_TRUE(f.damage);
  EXPECT_EQ(f.damage->code, Errc::too_large);
  EXPECT_EQ(damage([](BitWriter &w) {
              for (int i = 0; i < 4097; i++)
                w.define(1).literal(1);
            }).code,
            Errc::too_large);
}

} // namespace
} // namespace gantry::bitcode

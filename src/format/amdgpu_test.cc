// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/amdgpu.h"

#include "base/test_bytes.h"
#include "base/test_msgpack.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gantry::amdgpu {
namespace {

using namespace std::string_view_literals;

struct TestSymbol {
  std::string name;
  std::uint8_t type;
  std::uint16_t section;
  std::uint64_t value;
  std::uint64_t size;
};

// A small code object. Sections: 1 .note, 2 .rodata (address 0x1000), 3 .text
// (address 0x2000), 4 symbols, 5 their names, 6 section names.
struct TestObject {
  std::uint8_t os_abi = kOsAbiHsa;
  std::uint8_t abi_version = 4;
  std::uint16_t type = 3;
  std::uint32_t e_flags = 0x36; // gfx1030
  std::vector<std::byte> notes;
  std::vector<std::byte> rodata;
  std::vector<std::byte> text = std::vector<std::byte>(512);
  std::vector<TestSymbol> symbols;
  std::uint32_t symbol_table = 11; // .dynsym; 0 for none
  bool with_sections = true;
  bool with_segment = true;

  void note(std::string_view owner, std::uint32_t kind, std::string_view desc) {
    Builder b;
    b.u32(static_cast<std::uint32_t>(owner.size() + 1));
    b.u32(static_cast<std::uint32_t>(desc.size())).u32(kind);
    b.text(owner).zeros(1).pad_to(4).text(desc).pad_to(4);
    notes.insert(notes.end(), b.bytes().begin(), b.bytes().end());
  }

  static constexpr std::size_t kNotes = 64 + 56;
  std::size_t rodata_at() const { return kNotes + notes.size(); }
  std::size_t text_at() const { return rodata_at() + rodata.size(); }

  std::vector<std::byte> build() const {
    Builder b;
    b.text("\x7f"
           "ELF")
        .u8(2)
        .u8(1)
        .u8(1)
        .u8(os_abi)
        .u8(abi_version)
        .zeros(7);
    b.u16(type).u16(224).u32(1).u64(0).u64(64).u64(0).u32(e_flags);
    b.u16(64).u16(56).u16(with_segment ? 1 : 0);
    b.u16(64).u16(with_sections ? 7 : 0).u16(with_sections ? 6 : 0);
    b.u32(4).u32(4).u64(kNotes).u64(0).u64(0).u64(notes.size());
    b.u64(notes.size()).u64(4);
    b.bytes(notes).bytes(rodata).bytes(text);
    Builder names, table;
    names.u8(0);
    table.zeros(24);
    for (const TestSymbol &s : symbols) {
      table.u32(static_cast<std::uint32_t>(names.size()));
      table.u8(0x10 | s.type).u8(3).u16(s.section).u64(s.value).u64(s.size);
      names.text(s.name).zeros(1);
    }
    std::size_t table_at = b.size(), names_at = table_at + table.size();
    b.bytes(table.bytes()).bytes(names.bytes());
    std::size_t section_names_at = b.size();
    b.zeros(1).pad_to(8);
    if (!with_sections)
      return b.take();
    b.set_u64(40, b.size());
    auto section = [&](std::uint32_t kind, std::uint64_t address,
                       std::uint64_t offset, std::uint64_t size,
                       std::uint32_t link, std::uint64_t entry) {
      b.u32(0).u32(kind).u64(2).u64(address).u64(offset).u64(size);
      b.u32(link).u32(0).u64(4).u64(entry);
    };
    section(0, 0, 0, 0, 0, 0);
    section(7, 0, kNotes, notes.size(), 0, 0);
    section(1, 0x1000, rodata_at(), rodata.size(), 0, 0);
    section(1, 0x2000, text_at(), text.size(), 0, 0);
    section(symbol_table, 0, table_at, table.size(), 5, 24);
    section(3, 0, names_at, names.size(), 0, 0);
    section(3, 0, section_names_at, 1, 0, 0);
    return b.take();
  }
};

std::vector<std::byte> descriptor(std::uint64_t entry_offset) {
  Builder b;
  b.u32(256).u32(0).u32(52).zeros(4).u64(entry_offset).zeros(24);
  b.u32(1).u32(0x84).u16(0x408).u16(0).zeros(4);
  return b.take();
}

std::string metadata(std::vector<std::string> kernels) {
  Packer p;
  p.map(3).text("amdhsa.version").array(2).number(1).number(2);
  p.pair("amdhsa.target", "amdgcn-amd-amdhsa--gfx1030");
  p.text("amdhsa.kernels").array(static_cast<unsigned>(kernels.size()));
  for (const std::string &k : kernels)
    p.map(3).pair(".name", k).pair(".symbol", k + ".kd").pair(".vgpr_count", 5);
  return p.str();
}

// Two kernels, `a` and `b`, whose descriptors follow each other in .rodata.
TestObject two_kernels() {
  TestObject o;
  o.note("AMDGPU", 32, metadata({"a", "b"}));
  o.rodata = descriptor(0x1000);
  std::vector<std::byte> second = descriptor(0x1000 - 64 + 256);
  o.rodata.insert(o.rodata.end(), second.begin(), second.end());
  o.symbols = {{"a", 2, 3, 0x2000, 200},
               {"a.kd", 1, 2, 0x1000, 64},
               {"b", 2, 3, 0x2100, 100},
               {"b.kd", 1, 2, 0x1040, 64},
               {"data", 1, 2, 0x1000, 8}};
  return o;
}

Object read(const std::vector<std::byte> &image) {
  auto o = read_object(image, Limits{});
  EXPECT_TRUE(o) << o.error().text();
  return *std::move(o);
}

const Limitation *find(const Object &o, std::string_view code) {
  for (const Limitation &l : o.limitations.list)
    if (l.code == code)
      return &l;
  return nullptr;
}

TEST(Amdgpu, ReadsTheHeader) {
  std::vector<std::byte> image = two_kernels().build();
  auto h = read_header(Bytes(image).first(64));
  ASSERT_TRUE(h);
  EXPECT_EQ(h->os_abi, kOsAbiHsa);
  EXPECT_EQ(h->abi_version, 4);
  EXPECT_EQ(h->type, 3);
  EXPECT_EQ(h->e_flags, 0x36u);
  EXPECT_EQ(h->e_flags_offset, 48u);
  EXPECT_EQ(h->code_object_version, 6u);
}

TEST(Amdgpu, RefusesEveryTruncationOfTheHeader) {
  std::vector<std::byte> image = two_kernels().build();
  for (std::size_t n = 0; n < 64; n++) {
    auto h = read_header(Bytes(image).first(n));
    ASSERT_FALSE(h) << n;
    EXPECT_EQ(h.error().code, Errc::truncated);
    EXPECT_LE(h.error().offset, n);
    EXPECT_FALSE(read_object(Bytes(image).first(n), Limits{}));
  }
}

TEST(Amdgpu, RefusesOtherMachines) {
  std::vector<std::byte> image = two_kernels().build();
  image[18] = std::byte{62};
  auto o = read_object(image, Limits{});
  ASSERT_FALSE(o);
  EXPECT_EQ(o.error().code, Errc::bad_magic);
  EXPECT_EQ(o.error().offset, 18u);
}

TEST(Amdgpu, DerivesTheVersionFromTheAbi) {
  for (std::uint8_t abi = 0; abi < 6; abi++) {
    TestObject o;
    o.abi_version = abi;
    bool known = abi >= 1 && abi <= 4;
    EXPECT_EQ(read(o.build()).code_object_version,
              known ? std::optional<std::uint32_t>(abi + 2) : std::nullopt);
    o.os_abi = kOsAbiPal;
    EXPECT_EQ(read(o.build()).code_object_version, std::nullopt);
  }
}

TEST(Amdgpu, JoinsMetadataSymbolsAndDescriptors) {
  TestObject t = two_kernels();
  std::vector<std::byte> image = t.build();
  Object o = read(image);
  EXPECT_TRUE(o.limitations.list.empty());
  EXPECT_EQ(o.family, Family::gfx10);
  EXPECT_EQ(o.metadata.target, "amdgcn-amd-amdhsa--gfx1030");
  EXPECT_EQ(o.metadata_bytes, metadata({"a", "b"}).size());
  EXPECT_TRUE(o.kernels_complete);
  ASSERT_EQ(o.kernels.size(), 2u);
  const Kernel &b = o.kernels[1];
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(b.symbol, "b.kd");
  EXPECT_EQ(b.origin, KernelOrigin::metadata);
  EXPECT_EQ(b.metadata.vgpr_count, 5u);
  ASSERT_TRUE(b.descriptor);
  EXPECT_EQ(b.descriptor->offset, t.rodata_at() + 64);
  EXPECT_EQ(b.descriptor->address, 0x1040u);
  EXPECT_EQ(b.descriptor->entry_address, 0x2100u);
  EXPECT_EQ(b.descriptor->allocated_vgprs, 16u); // field 1, waves of 32
  ASSERT_TRUE(b.code);
  EXPECT_EQ(b.code->offset, t.text_at() + 0x100);
  EXPECT_EQ(b.code->address, 0x2100u);
  EXPECT_EQ(b.code->size, 100u);
}

TEST(Amdgpu, FindsDescriptorsInTheStaticSymbols) {
  TestObject t = two_kernels();
  t.symbol_table = 2;
  Object o = read(t.build());
  EXPECT_TRUE(o.limitations.list.empty());
  EXPECT_TRUE(o.kernels.at(1).descriptor);
}

TEST(Amdgpu, CountsSymbolsFromTheSectionInRelocatableFiles) {
  TestObject t = two_kernels();
  t.type = 1;
  for (TestSymbol &s : t.symbols)
    s.value &= 0xfff;
  Object o = read(t.build());
  ASSERT_TRUE(o.kernels.at(1).descriptor);
  EXPECT_EQ(o.kernels[1].descriptor->offset, t.rodata_at() + 64);
  EXPECT_EQ(o.kernels[1].descriptor->address, 0x1040u);
}

TEST(Amdgpu, UsesTheDescriptorSymbolThatMetadataNames) {
  TestObject t = two_kernels();
  Packer p;
  p.map(1).text("amdhsa.kernels").array(2);
  p.map(2).pair(".name", "a").pair(".symbol", "odd");
  p.map(1).pair(".symbol", "b.kd");
  t.notes.clear();
  t.note("AMDGPU", 32, p.str());
  t.symbols[1].name = "odd";
  std::vector<std::byte> image = t.build();
  Object o = read(image);
  EXPECT_TRUE(o.limitations.list.empty());
  ASSERT_EQ(o.kernels.size(), 2u);
  EXPECT_TRUE(o.kernels[0].descriptor);
  EXPECT_EQ(o.kernels[1].name, "b"); // from its symbol
}

TEST(Amdgpu, ReportsDescriptorsThatCannotBeRead) {
  struct Case {
    std::uint16_t section;
    std::uint64_t value;
  };
  for (Case c : {Case{2, 0x1041}, Case{2, 0xfff}, Case{2, UINT64_MAX},
                 Case{0, 0x1040}, Case{99, 0x1040}, Case{0xfff1, 0x1040}}) {
    TestObject t = two_kernels();
    t.symbols[3].section = c.section;
    t.symbols[3].value = c.value;
    std::vector<std::byte> image = t.build();
    Object o = read(image);
    ASSERT_EQ(o.kernels.size(), 2u);
    EXPECT_TRUE(o.kernels[0].descriptor);
    EXPECT_FALSE(o.kernels[1].descriptor) << c.value;
    const Limitation *l = find(o, "no-descriptor");
    ASSERT_TRUE(l);
    EXPECT_EQ(l->kernel, 1u);
    EXPECT_EQ(l->message, "no descriptor for kernel b");
  }
}

TEST(Amdgpu, DerivesKernelsFromSymbolsWithoutMetadata) {
  TestObject t = two_kernels();
  t.notes.clear();
  std::vector<std::byte> image = t.build();
  Object o = read(image);
  EXPECT_TRUE(find(o, "no-metadata"));
  EXPECT_TRUE(o.kernels_complete);
  ASSERT_EQ(o.kernels.size(), 2u);
  EXPECT_EQ(o.kernels[0].name, "a");
  EXPECT_EQ(o.kernels[0].symbol, "a.kd");
  EXPECT_EQ(o.kernels[0].origin, KernelOrigin::symbol);
  EXPECT_FALSE(o.kernels[0].metadata.arguments_known);
  EXPECT_TRUE(o.kernels[0].descriptor);
  EXPECT_EQ(o.kernels[0].code->size, 200u);
}

TEST(Amdgpu, AddsKernelsThatTheMetadataDoesNotName) {
  TestObject t = two_kernels();
  t.notes.clear();
  t.note("AMDGPU", 32, metadata({"b"}));
  std::vector<std::byte> image = t.build();
  Object o = read(image);
  ASSERT_EQ(o.kernels.size(), 2u);
  EXPECT_EQ(o.kernels[1].name, "a");
  EXPECT_EQ(o.kernels[1].origin, KernelOrigin::symbol);
  const Limitation *l = find(o, "kernel-not-declared");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->kernel, 1u);
  EXPECT_EQ(l->offset, t.rodata_at());
}

TEST(Amdgpu, KeepsEarlierNotesWhenALaterOneIsDamaged) {
  TestObject t = two_kernels();
  std::size_t sound = t.notes.size();
  t.note("AMD", 11, "name");
  t.notes[sound + 4] = std::byte{0xff}; // description of 255 bytes
  std::vector<std::byte> image = t.build();
  Object o = read(image);
  EXPECT_FALSE(o.notes_complete);
  EXPECT_EQ(o.notes.size(), 1u);
  EXPECT_EQ(o.kernels.size(), 2u);
  EXPECT_TRUE(o.kernels[1].descriptor);
  const Limitation *l = find(o, "damaged-notes");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->message, "note: description: truncated");
  EXPECT_EQ(l->offset, TestObject::kNotes + sound + 16);
}

TEST(Amdgpu, ReadsNotesFromSegmentsWithoutSections) {
  TestObject t = two_kernels();
  t.with_sections = false;
  std::vector<std::byte> image = t.build();
  Object o = read(image);
  EXPECT_EQ(o.kernels.size(), 2u);
  EXPECT_EQ(o.metadata_offset, TestObject::kNotes + 20);
  EXPECT_FALSE(o.kernels[0].descriptor);
  EXPECT_TRUE(find(o, "symbols-unreadable"));
}

TEST(Amdgpu, KeepsNotesOfEveryTruncatedObject) {
  TestObject t = two_kernels();
  std::vector<std::byte> image = t.build();
  for (std::size_t n = 64; n < image.size(); n++) {
    auto o = read_object(Bytes(image).first(n), Limits{});
    ASSERT_TRUE(o) << n;
    EXPECT_FALSE(o->limitations.list.empty()) << n;
    for (const Limitation &l : o->limitations.list)
      EXPECT_LE(l.offset, image.size());
    if (n >= t.rodata_at()) {
      EXPECT_EQ(o->kernels.size(), 2u) << n;
      EXPECT_EQ(o->metadata.target, "amdgcn-amd-amdhsa--gfx1030");
    }
  }
}

TEST(Amdgpu, ReadsVersion2) {
  TestObject t;
  t.abi_version = 0;
  t.e_flags = 0;
  t.note("AMD", 1, "\2\0\0\0\1\0\0\0"sv);
  t.note("AMD", 3,
         "\4\0\7\0\x09\0\0\0\0\0\0\0\6\0\0\0AMD\0"
         "AMDGPU\0"sv);
  t.note("AMD", 11, "amdgcn-amd-amdhsa--gfx906");
  t.note("AMD", 10,
         "---\nVersion: [ 1, 0 ]\nKernels:\n  - Name: k\n"
         "    SymbolName: 'k@kd'\n...\n");
  Builder code;
  code.u32(1).u32(2).u16(1).u16(9).u16(0).u16(6).u64(256).zeros(24).u32(1);
  code.pad_to(512);
  t.text = code.take();
  t.symbols = {{"k", 10, 3, 0x2000, 300}};
  std::vector<std::byte> image = t.build();
  Object o = read(image);
  EXPECT_TRUE(o.limitations.list.empty());
  EXPECT_EQ(o.code_object_version, 2u);
  EXPECT_EQ(o.version_note, (std::array<std::uint32_t, 2>{2, 1}));
  ASSERT_TRUE(o.isa);
  EXPECT_EQ(o.isa->vendor, "AMD");
  EXPECT_EQ(o.isa->architecture, "AMDGPU");
  EXPECT_EQ(o.isa->major, 9u);
  EXPECT_EQ(o.isa->stepping, 6u);
  EXPECT_EQ(o.isa_name, "amdgcn-amd-amdhsa--gfx906");
  EXPECT_EQ(o.family, Family::gfx9);
  ASSERT_EQ(o.kernels.size(), 1u);
  EXPECT_EQ(o.kernels[0].symbol, "k@kd");
  ASSERT_TRUE(o.kernels[0].code_header);
  EXPECT_EQ(o.kernels[0].code_header->entry_address, 0x2100u);
  EXPECT_EQ(o.kernels[0].code_header->allocated_vgprs, 8u);
  EXPECT_EQ(o.kernels[0].code->size, 300u);
}

TEST(Amdgpu, ReadsVersion1) {
  TestObject t;
  t.abi_version = 0;
  t.type = 1;
  t.e_flags = 0;
  t.note("AMD", 1, "\1\0\0\0\0\0\0\0"sv);
  // The finaliser leaves the last NUL out of the size.
  t.note("AMD", 3,
         "\4\0\7\0\x07\0\0\0\0\0\0\0\0\0\0\0AMD\0"
         "AMDGPU"sv);
  t.symbol_table = 2;
  t.symbols = {{"&__k_kernel", 10, 3, 0, 300}};
  std::vector<std::byte> image = t.build();
  Object o = read(image);
  EXPECT_EQ(o.code_object_version, 1u);
  EXPECT_EQ(o.family, Family::gfx7);
  EXPECT_EQ(o.isa->architecture, "AMDGPU");
  EXPECT_EQ(o.limitations.list.size(), 1u); // no metadata
  ASSERT_EQ(o.kernels.size(), 1u);
  EXPECT_EQ(o.kernels[0].name, "&__k_kernel");
  EXPECT_TRUE(o.kernels[0].code_header);
  EXPECT_TRUE(o.kernels_complete);
}

TEST(Amdgpu, ReportsIsaAndVersionNotesThatAreCut) {
  TestObject t;
  t.abi_version = 0;
  t.note("AMD", 1, "\1\0\0\0\0\0\0"sv);
  t.note("AMD", 3,
         "\4\0\7\0\x07\0\0\0\0\0\0\0\0\0\0\0AMD\0"
         "AMDG"sv);
  std::vector<std::byte> image = t.build();
  Object o = read(image);
  EXPECT_FALSE(o.version_note);
  EXPECT_EQ(o.isa->major, 7u); // the numbers are sound
  EXPECT_EQ(o.isa->architecture, "");
  ASSERT_GE(o.limitations.list.size(), 2u);
  EXPECT_EQ(o.limitations.list[0].code, "damaged-notes");
  EXPECT_EQ(o.limitations.list[0].offset, TestObject::kNotes + 16 + 4);
  EXPECT_EQ(o.limitations.list[1].message, "ISA note: truncated");
}

TEST(Amdgpu, LeavesPalMetadataToOthers) {
  TestObject t;
  t.os_abi = kOsAbiPal;
  Packer p;
  p.map(1).text("amdpal.pipelines").array(0);
  t.note("AMDGPU", 32, p.str());
  std::vector<std::byte> image = t.build();
  Object o = read(image);
  EXPECT_TRUE(find(o, "pal-metadata"));
  EXPECT_FALSE(find(o, "no-metadata"));
}

TEST(Amdgpu, StopsAtTheLimitOfKernels) {
  TestObject t = two_kernels();
  t.notes.clear();
  std::vector<std::byte> image = t.build();
  Limits limits;
  limits.note_bytes = sizeof(Kernel);
  auto o = read_object(image, limits);
  ASSERT_TRUE(o);
  EXPECT_EQ(o->kernels.size(), 1u);
  EXPECT_FALSE(o->kernels_complete);
  EXPECT_TRUE(find(*o, "limit"));
}

TEST(Amdgpu, RefusesSymbolNamesThatOverlapBeyondReason) {
  TestObject t = two_kernels();
  t.notes.clear();
  t.symbols.assign(6, {"", 2, 3, 0x2000, 1});
  t.symbols[0].name = std::string(30000, 'x');
  std::vector<std::byte> image = t.build();
  // Every name starts at the long one: 6 times 30,000 bytes to look at.
  std::size_t table = t.text_at() + t.text.size();
  for (std::size_t i = 1; i <= 6; i++)
    image[table + 24 * i] = std::byte{1}, image[table + 24 * i + 1] = {};
  Object o = read(image);
  const Limitation *l = find(o, "symbols-unreadable");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->message, "symbol names overlap beyond reason");
  EXPECT_EQ(l->offset, table);
}

TEST(Amdgpu, StopsAfterManyMetadataNotes) {
  auto notes = [](std::size_t n) {
    TestObject t;
    for (std::size_t i = 0; i < n; i++)
      t.note("AMDGPU", 32, metadata({}));
    return t.build();
  };
  std::vector<std::byte> fits = notes(1000), more = notes(1002);
  EXPECT_FALSE(find(read(fits), "limit"));
  Object o = read(more);
  EXPECT_EQ(o.metadata.notes, 1000u);
  EXPECT_FALSE(o.metadata.kernels_known);
  const Limitation *l = find(o, "limit");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->message, "only 1000 metadata notes are read");
  EXPECT_EQ(l->offset, o.notes[1000].offset + 20);
  EXPECT_EQ(
      std::ranges::count(o.limitations.list, "limit"sv, &Limitation::code), 1);
}

TEST(Amdgpu, KeepsTheFirstOfSymbolsWithOneName) {
  TestObject t = two_kernels();
  t.symbols.push_back({"a", 2, 3, 0x2000, 7});
  std::vector<std::byte> image = t.build();
  Object o = read(image);
  ASSERT_EQ(o.kernels.size(), 2u);
  EXPECT_EQ(o.kernels[0].code->size, 200u);
}

} // namespace
} // namespace gantry::amdgpu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/cubin_notes.h"

#include "base/test_bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace gantry::cubin {
namespace {

void add_note(Builder &b, std::uint32_t type, Bytes desc,
              std::string_view owner = "NVIDIA Corp") {
  b.u32(static_cast<std::uint32_t>(owner.size() + 1));
  b.u32(static_cast<std::uint32_t>(desc.size())).u32(type);
  b.text(owner).u8(0).pad_to(4).bytes(desc).pad_to(4);
}

std::vector<std::byte> tool(std::string_view name, std::string_view version,
                            std::string_view command) {
  Builder strings;
  std::uint32_t at[5] = {};
  const std::string_view fields[5] = {"k.cubin", name, version, "Build 1",
                                      command};
  for (std::size_t i = 0; i < 5; i++) {
    at[i] = static_cast<std::uint32_t>(strings.size());
    strings.text(fields[i]).u8(0);
  }
  Builder desc;
  desc.u32(2);
  for (std::uint32_t a : at)
    desc.u32(a);
  desc.bytes(strings.bytes());
  return desc.take();
}

TEST(CubinNotes, ReadsToolNotes) {
  Builder b;
  add_note(b, 2000,
           tool("nvlink", "Cuda, release 13.0, V13.0.88", "-arch sm_90"));
  const std::size_t second = b.size();
  add_note(b, 2000, tool("ptxas", "release 12.9", "-v  -arch=sm_100f -m 64 "));
  CudaNotes notes;
  read_notes(b.bytes(), 100, notes);
  EXPECT_TRUE(notes.damage.empty());
  ASSERT_EQ(notes.tools.size(), 2u);
  EXPECT_EQ(notes.tools[0].version, 2u);
  EXPECT_EQ(notes.tools[0].object, "k.cubin");
  EXPECT_EQ(notes.tools[0].tool, "nvlink");
  EXPECT_EQ(notes.tools[0].build, "Build 1");
  EXPECT_EQ(notes.tools[0].release(), (Version{13, 0}));
  EXPECT_EQ(notes.tools[0].architecture(), "sm_90");
  EXPECT_EQ(notes.tools[0].offset, 100u);
  EXPECT_EQ(notes.tools[1].offset, 100 + second);
  EXPECT_EQ(notes.tools[1].release(), (Version{12, 9}));
  EXPECT_EQ(notes.tools[1].architecture(), "sm_100f");
}

TEST(CubinNotes, ReadsCudaNotes) {
  Builder info, old, packed;
  info.u16(2).u16(100).u32(130);
  old.u16(1).u16(120).u32(1).u32(1);
  packed.u16(2).u16(80).u16(130);
  Builder b;
  add_note(b, 1000, info.bytes());
  add_note(b, 1000, old.bytes());
  add_note(b, 1000, packed.bytes());
  add_note(b, 1000, info.bytes(), "Somebody");
  add_note(b, 3000, info.bytes());
  CudaNotes notes;
  read_notes(b.bytes(), 0, notes);
  EXPECT_TRUE(notes.damage.empty());
  ASSERT_EQ(notes.cuda.size(), 3u);
  EXPECT_EQ(notes.cuda[0].virtual_sm, 100);
  EXPECT_EQ(notes.cuda[0].api_version, 130u);
  EXPECT_EQ(notes.cuda[1].version, 1);
  EXPECT_EQ(notes.cuda[1].virtual_sm, 120);
  EXPECT_FALSE(notes.cuda[1].api_version);
  EXPECT_EQ(notes.cuda[2].virtual_sm, 80);
  EXPECT_EQ(notes.cuda[2].api_version, 130u);
}

TEST(CubinNotes, ReportsEveryTruncation) {
  Builder b;
  add_note(b, 2000, tool("ptxas", "release 13.0", "-arch sm_100"));
  const std::size_t first = b.size();
  Builder info;
  info.u16(2).u16(100).u32(130);
  add_note(b, 1000, info.bytes());
  for (std::size_t n = 1; n < b.size(); n++) {
    CudaNotes notes;
    read_notes(b.bytes().first(n), 0, notes);
    EXPECT_EQ(notes.tools.size(), n >= first ? 1u : 0u) << n;
    EXPECT_TRUE(notes.cuda.empty());
    EXPECT_EQ(notes.damage.size(), n == first ? 0u : 1u) << n;
  }
}

TEST(CubinNotes, KeepsFieldsBesideABadString) {
  auto desc = tool("ptxas", "release 13.0", "-arch sm_90");
  Builder changed;
  changed.bytes(desc).set_u32(4 + 4 * 2, 0xFFFFFFFF);
  Builder b;
  add_note(b, 2000, changed.bytes());
  CudaNotes notes;
  read_notes(b.bytes(), 1000, notes);
  ASSERT_EQ(notes.tools.size(), 1u);
  EXPECT_EQ(notes.tools[0].tool, "ptxas");
  EXPECT_EQ(notes.tools[0].version_text, "");
  EXPECT_EQ(notes.tools[0].architecture(), "sm_90");
  ASSERT_EQ(notes.damage.size(), 1u);
  EXPECT_EQ(notes.damage[0].code, Errc::bad_value);
  EXPECT_EQ(notes.damage[0].offset, 1000u + 24 + 12);
}

TEST(CubinNotes, RefusesShortDescriptions) {
  Builder b;
  add_note(b, 2000, as_bytes("0123456789"));
  add_note(b, 1000, as_bytes("01"));
  CudaNotes notes;
  read_notes(b.bytes(), 0, notes);
  EXPECT_TRUE(notes.tools.empty());
  EXPECT_TRUE(notes.cuda.empty());
  ASSERT_EQ(notes.damage.size(), 2u);
  EXPECT_EQ(notes.damage[0].code, Errc::truncated);
  EXPECT_EQ(notes.damage[0].offset, 24u + 8);
  EXPECT_EQ(notes.damage[1].code, Errc::truncated);
}

TEST(CubinNotes, ParsesVersionsAndArchitectures) {
  auto release = [](std::string_view text) {
    ToolNote note;
    note.version_text = text;
    return note.release();
  };
  EXPECT_EQ(release("x release 12.10, V"), (Version{12, 10}));
  EXPECT_FALSE(release(""));
  EXPECT_FALSE(release("release "));
  EXPECT_FALSE(release("release 13"));
  EXPECT_FALSE(release("release 13."));
  EXPECT_FALSE(release("release x.y"));
  EXPECT_FALSE(release("release 99999999999.0"));
  auto architecture = [](std::string_view text) {
    ToolNote note;
    note.command_line = text;
    return std::string(note.architecture());
  };
  EXPECT_EQ(architecture("-o -arch sm_75"), "sm_75");
  EXPECT_EQ(architecture("  -arch   sm_75  -m 64"), "sm_75");
  EXPECT_EQ(architecture("-cpu-arch X86_64 "), "");
  EXPECT_EQ(architecture("-arch"), "");
  EXPECT_EQ(architecture("-architecture sm_75"), "");
  EXPECT_EQ(architecture(""), "");
}

TEST(CubinNotes, KeepsOnlyTheFirstOfManyDamages) {
  Builder bad;
  bad.u32(2);
  for (std::size_t i = 0; i < 5; i++)
    bad.u32(0xFFFFFFFF);
  Builder b;
  for (std::size_t i = 0; i < 201; i++)
    add_note(b, 2000, bad.bytes());
  CudaNotes notes;
  read_notes(b.bytes(), 0, notes);
  EXPECT_EQ(notes.tools.size(), 201u);
  EXPECT_EQ(notes.damage.size(), CudaNotes::kKeptDamage);
  EXPECT_EQ(notes.damage_dropped, 5u);
}

} // namespace
} // namespace gantry::cubin

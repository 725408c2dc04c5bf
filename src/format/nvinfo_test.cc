// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/nvinfo.h"

#include "base/test_bytes.h"

#include <gtest/gtest.h>

namespace gantry::nvinfo {
namespace {

struct Read {
  std::vector<Record> records;
  std::optional<Error> damage;
};

Read read(Bytes section, std::uint64_t base = 0) {
  Read out;
  Walk walk(section, base);
  while (auto r = walk.next())
    out.records.push_back(*r);
  out.damage = walk.damage();
  EXPECT_FALSE(walk.next()); // it stays at its end
  return out;
}

// One record of each format.
Builder sample() {
  Builder b;
  b.u8(1).u8(0x3E).u16(0);
  b.u8(2).u8(0x4C).u16(3);
  b.u8(3).u8(0x1B).u16(0xFF);
  b.u8(4).u8(0x2F).u16(8).u32(12).u32(40);
  b.u8(4).u8(0x34).u16(0);
  return b;
}

TEST(Nvinfo, ReadsEachFormat) {
  Builder b = sample();
  Read out = read(b.bytes(), 1000);
  EXPECT_FALSE(out.damage);
  ASSERT_EQ(out.records.size(), 5u);
  EXPECT_EQ(out.records[0].format, kFormatNone);
  EXPECT_EQ(out.records[0].id, kExplicitCluster);
  EXPECT_EQ(out.records[0].offset, 1000u);
  EXPECT_EQ(out.records[1].format, kFormatByte);
  EXPECT_EQ(out.records[1].value, 3);
  EXPECT_EQ(out.records[2].format, kFormatHalf);
  EXPECT_EQ(out.records[2].value, 0xFF);
  EXPECT_TRUE(out.records[2].payload.empty());
  EXPECT_EQ(out.records[3].offset, 1012u);
  EXPECT_EQ(out.records[3].value, 8);
  EXPECT_EQ(out.records[3].payload.size(), 8u);
  EXPECT_EQ(out.records[3].payload.data(), b.bytes().data() + 16);
  EXPECT_EQ(out.records[4].payload.size(), 0u);
}

TEST(Nvinfo, ReadsAnEmptySection) {
  Read out = read({});
  EXPECT_TRUE(out.records.empty());
  EXPECT_FALSE(out.damage);
}

TEST(Nvinfo, ReportsEveryTruncation) {
  Builder b = sample();
  const std::size_t whole[] = {0, 4, 8, 12, 24, 28};
  for (std::size_t n = 0; n < b.size(); n++) {
    Read out = read(b.bytes().first(n), 50);
    std::size_t complete = 0;
    while (complete + 1 < std::size(whole) && whole[complete + 1] <= n)
      complete++;
    EXPECT_EQ(out.records.size(), complete) << n;
    ASSERT_EQ(out.damage.has_value(), whole[complete] != n) << n;
    if (!out.damage)
      continue;
    EXPECT_EQ(out.damage->code, Errc::truncated) << n;
    EXPECT_GE(out.damage->offset, 50 + whole[complete]) << n;
    EXPECT_LE(out.damage->offset, 50 + n) << n;
  }
}

TEST(Nvinfo, StopsAtUnknownFormats) {
  for (int value : {0, 5, 255}) {
    const auto format = static_cast<std::uint8_t>(value);
    Builder b;
    b.u8(2).u8(0x4C).u16(3).u8(format).u8(0x1B).u16(0).u8(2).u8(0x4C).u16(4);
    Read out = read(b.bytes(), 7);
    EXPECT_EQ(out.records.size(), 1u);
    ASSERT_TRUE(out.damage);
    EXPECT_EQ(out.damage->code, Errc::bad_value);
    EXPECT_EQ(out.damage->offset, 11u);
    EXPECT_EQ(out.damage->what, "attribute: format");
  }
}

TEST(Nvinfo, RefusesPayloadsThatDoNotFit) {
  Builder b;
  b.u8(4).u8(0x2F).u16(0xFFFF).zeros(8);
  Read out = read(b.bytes());
  EXPECT_TRUE(out.records.empty());
  ASSERT_TRUE(out.damage);
  EXPECT_EQ(out.damage->code, Errc::truncated);
  EXPECT_EQ(out.damage->offset, 4u);
}

TEST(Nvinfo, KnowsNamesByNumber) {
  EXPECT_EQ(attribute_name(0), "ERROR");
  EXPECT_EQ(attribute_name(kMaxThreads), "MAX_THREADS");
  EXPECT_EQ(attribute_name(kParamCbank), "PARAM_CBANK");
  EXPECT_EQ(attribute_name(kRequiredThreads), "REQNTID");
  EXPECT_EQ(attribute_name(kParamInfo), "KPARAM_INFO");
  EXPECT_EQ(attribute_name(kMaxRegisters), "MAXREG_COUNT");
  EXPECT_EQ(attribute_name(kMaxStackSize), "MAX_STACK_SIZE");
  EXPECT_EQ(attribute_name(0x2A), "SW1850030_WAR");
  EXPECT_EQ(attribute_name(kRegisterCount), "REGCOUNT");
  EXPECT_EQ(attribute_name(kApiVersion), "CUDA_API_VERSION");
  EXPECT_EQ(attribute_name(kCtaPerCluster), "CTA_PER_CLUSTER");
  EXPECT_EQ(attribute_name(kParamInfoV2), "KPARAM_INFO_V2");
  EXPECT_EQ(attribute_name(kNumBarriers), "NUM_BARRIERS");
  EXPECT_EQ(attribute_name(kBlocksAreClusters), "BLOCKS_ARE_CLUSTERS");
  EXPECT_EQ(attribute_name(kLanguage), "LANGUAGE");
  EXPECT_EQ(attribute_name(0x6D), "PREEXIT_USED");
  for (int id : {0x56, 0x60, 0x63, 0x67, 0x6E, 0xFF})
    EXPECT_EQ(attribute_name(static_cast<std::uint8_t>(id)), std::nullopt);
  EXPECT_EQ(compat_name(2), "ISA_CLASS");
  EXPECT_EQ(compat_name(kCompatAcceleratorTarget), "CUDA_ACCELERATOR_TARGET");
  EXPECT_EQ(compat_name(0x10), "ERROR_LAST");
  EXPECT_EQ(compat_name(0x0D), std::nullopt);
  EXPECT_EQ(compat_name(0x11), std::nullopt);
  EXPECT_EQ(language_name(3), "PTX");
  EXPECT_EQ(language_name(6), "CUDA_C++_Tile");
  EXPECT_EQ(language_name(0), std::nullopt);
  EXPECT_EQ(language_name(11), std::nullopt);
  EXPECT_EQ(language_name(0xFFFFFFFF), std::nullopt);
}

Record record(std::uint8_t id, Bytes payload) {
  return {kFormatSized, id, static_cast<std::uint16_t>(payload.size()), 0,
          payload};
}

TEST(Nvinfo, DecodesParameters) {
  Builder v1;
  // 24 bytes at 28, alignment 2^4, generic, bank 0x1F.
  v1.u32(0).u16(4).u16(28).u32(24u << 18 | 0x1Fu << 12 | 5u << 8 | 4);
  auto p = parameter(record(kParamInfo, v1.bytes()));
  ASSERT_TRUE(p);
  EXPECT_EQ(p->ordinal, 4);
  EXPECT_EQ(p->offset, 28);
  EXPECT_EQ(p->size, 24);
  EXPECT_EQ(p->align_log2, 4);
  EXPECT_EQ(p->space, 5);
  EXPECT_EQ(p->bank, 0x1F);
  EXPECT_EQ(p->in_shared, false);
  v1.set_u32(8, 0x3FFFu << 18 | 1u << 17);
  p = parameter(record(kParamInfo, v1.bytes()));
  ASSERT_TRUE(p);
  EXPECT_EQ(p->size, 0x3FFF);
  EXPECT_EQ(p->in_shared, true);

  Builder v2;
  v2.u32(0).u16(2).u16(5008).u16(16000).u16(0x0503);
  p = parameter(record(kParamInfoV2, v2.bytes()));
  ASSERT_TRUE(p);
  EXPECT_EQ(p->ordinal, 2);
  EXPECT_EQ(p->offset, 5008);
  EXPECT_EQ(p->size, 16000);
  EXPECT_EQ(p->align_log2, 3);
  EXPECT_EQ(p->space, 5);
  EXPECT_FALSE(p->bank);
  EXPECT_FALSE(p->in_shared);
  EXPECT_FALSE(parameter(record(kRegisterCount, v2.bytes())));
}

TEST(Nvinfo, DecodesPairsAndDimensions) {
  Builder b;
  b.u32(7).u32(0xFFFFFFFF).u32(9);
  auto fact = symbol_value(record(kMinStackSize, b.bytes().first(8)));
  ASSERT_TRUE(fact);
  EXPECT_EQ(fact->symbol, 7u);
  EXPECT_EQ(fact->value, 0xFFFFFFFFu);
  auto size = dimensions(record(kMaxThreads, b.bytes()));
  ASSERT_TRUE(size);
  EXPECT_EQ((*size)[0], 7u);
  EXPECT_EQ((*size)[2], 9u);
  EXPECT_EQ(number(record(kLanguage, b.bytes().first(4))), 7u);
  Builder bank;
  bank.u32(27).u16(0x380).u16(0x34);
  auto base = parameter_bank(record(kParamCbank, bank.bytes()));
  ASSERT_TRUE(base);
  EXPECT_EQ(base->symbol, 27u);
  EXPECT_EQ(base->base, 0x380);
  EXPECT_EQ(base->size, 0x34);
}

TEST(Nvinfo, RefusesPayloadsOfOtherLengths) {
  Builder b;
  b.zeros(16);
  for (std::size_t n = 0; n <= 16; n++) {
    Bytes part = b.bytes().first(n);
    EXPECT_EQ(parameter(record(kParamInfo, part)).has_value(), n == 12);
    EXPECT_EQ(parameter(record(kParamInfoV2, part)).has_value(), n == 12);
    EXPECT_EQ(dimensions(record(kMaxThreads, part)).has_value(), n == 12);
    EXPECT_EQ(symbol_value(record(kFrameSize, part)).has_value(), n == 8);
    EXPECT_EQ(parameter_bank(record(kParamCbank, part)).has_value(), n == 8);
    EXPECT_EQ(number(record(kLanguage, part)).has_value(), n == 4);
  }
}

} // namespace
} // namespace gantry::nvinfo

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: cubins built kernel by kernel.
#pragma once

#include "format/cubin.h"
#include "format/test_elf.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gantry::cubin {

using elf::ElfBuilder;

inline constexpr std::uint32_t kInfoType = 0x70000000;

// Attribute records.
struct Records {
  Builder b;
  Records &half(std::uint8_t id, std::uint16_t value) {
    b.u8(3).u8(id).u16(value);
    return *this;
  }
  Records &words(std::uint8_t id, std::initializer_list<std::uint32_t> words) {
    b.u8(4).u8(id).u16(static_cast<std::uint16_t>(words.size() * 4));
    for (std::uint32_t w : words)
      b.u32(w);
    return *this;
  }
  Records &parameter(std::uint16_t ordinal, std::uint16_t offset,
                     std::uint32_t size) {
    b.u8(4).u8(nvinfo::kParamInfo).u16(12);
    b.u32(0).u16(ordinal).u16(offset).u32(size << 18 | 0x1F000);
    return *this;
  }
  Records &base(std::uint16_t base, std::uint16_t size) {
    half(nvinfo::kCbankParamSize, size);
    b.u8(4).u8(nvinfo::kParamCbank).u16(8).u32(1).u16(base).u16(size);
    return *this;
  }
};

// A cubin whose kernels are added one by one. Numbers of registers and of
// stack bytes go to the module's .nv.info.
class CubinBuilder {
public:
  ElfBuilder elf;
  Records module;
  bool with_module = true;

  explicit CubinBuilder(std::uint32_t flags = 0x06005A04,
                        std::uint8_t os_abi = 0x41, std::uint8_t abi = 8) {
    elf.header.machine = elf::kMachineCuda;
    elf.header.os_abi = os_abi;
    elf.header.abi_version = abi;
    elf.header.flags = flags;
  }

  // Adds .text.<name> and the symbol; returns the symbol's index.
  std::uint32_t code(const std::string &name, elf::Section text = {}) {
    text.flags |= elf::kFlagAlloc | elf::kFlagExec;
    const std::uint32_t section =
        elf.section(".text." + name, std::vector<std::byte>(128), text);
    text_ = section;
    return elf.symbol(name, {.info = 0x12,
                             .other = 0x10,
                             .section = section,
                             .value = 0,
                             .size = 128});
  }
  // Sections of the kernel added last.
  std::uint32_t info(const std::string &name, Records records) {
    return elf.section(".nv.info." + name, records.b.take(),
                       {.type = kInfoType, .info = text_});
  }
  void sized(const std::string &name, std::uint64_t size) {
    elf.section(name, {},
                {.type = elf::kSectionNobits, .size = size, .info = text_});
  }
  // All of a plain kernel.
  std::uint32_t kernel(const std::string &name, Records records = {},
                       std::uint32_t registers = 14) {
    const std::uint32_t symbol = code(name);
    info(name, std::move(records));
    module.words(nvinfo::kRegisterCount, {symbol, registers});
    module.words(nvinfo::kFrameSize, {symbol, 0});
    module.words(nvinfo::kMinStackSize, {symbol, 0});
    return symbol;
  }
  void compat(std::uint16_t accelerator) {
    Builder b;
    b.u8(2).u8(nvinfo::kCompatAcceleratorTarget).u16(accelerator);
    b.u8(2).u8(2).u16(1);
    elf.section(".nv.compat", b.take(), {.type = 0x70000086});
  }
  void note(std::string_view tool, std::string_view release,
            std::string_view command) {
    Builder strings;
    std::uint32_t at[5] = {};
    const std::string_view fields[5] = {"", tool, release, "", command};
    for (std::size_t i = 0; i < 5; i++) {
      at[i] = static_cast<std::uint32_t>(strings.size());
      strings.text(fields[i]).u8(0);
    }
    Builder b;
    b.u32(12).u32(static_cast<std::uint32_t>(24 + strings.size())).u32(2000);
    b.text("NVIDIA Corp").u8(0).u32(2);
    for (std::uint32_t a : at)
      b.u32(a);
    b.bytes(strings.bytes()).pad_to(4);
    elf.section(".note.nv.tkinfo", b.take(), {.type = elf::kSectionNote});
  }
  std::vector<std::byte> build() {
    if (with_module)
      module_ = elf.section(".nv.info", module.b.take(), {.type = kInfoType});
    return elf.build();
  }
  std::uint32_t module_section() const { return module_; }

private:
  std::uint32_t text_ = 0;
  std::uint32_t module_ = 0;
};

inline Cubin read(const std::vector<std::byte> &image,
                  const Limits &limits = {}) {
  auto cubin = read_cubin(image, limits);
  EXPECT_TRUE(cubin) << (cubin ? "" : cubin.error().text());
  return cubin ? std::move(*cubin) : Cubin{};
}

inline std::vector<Gap> gaps(const Cubin &cubin) {
  std::vector<Gap> out;
  for (const Limitation &l : cubin.limitations)
    out.push_back(l.gap);
  return out;
}

inline const Limitation *find(const Cubin &cubin, Gap gap) {
  auto at = std::ranges::find(cubin.limitations, gap, &Limitation::gap);
  return at == cubin.limitations.end() ? nullptr : &*at;
}

inline Records axpy_records() {
  Records r;
  r.words(nvinfo::kApiVersion, {130});
  r.parameter(2, 16, 24).parameter(1, 8, 8).parameter(0, 0, 4);
  r.half(nvinfo::kMaxRegisters, 0xFF).half(nvinfo::kNumBarriers, 1);
  r.base(0x210, 40);
  return r;
}

} // namespace gantry::cubin

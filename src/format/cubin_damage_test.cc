// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left of a cubin when parts of it are missing, damaged or contradict
// each other.
#include "format/test_cubin.h"

namespace gantry::cubin {
namespace {

TEST(CubinDamage, RefusesOtherMachinesAndShortHeaders) {
  CubinBuilder b;
  b.kernel("k");
  auto image = b.build();
  for (std::size_t n = 0; n < 64; n++) {
    auto h = read_cubin_header(Bytes(image).first(n));
    ASSERT_FALSE(h);
    EXPECT_EQ(h.error().code, Errc::truncated);
    EXPECT_FALSE(read_cubin(Bytes(image).first(n), Limits{}));
  }
  image[18] = std::byte{62};
  auto cubin = read_cubin(image, Limits{});
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().code, Errc::bad_magic);
  EXPECT_EQ(cubin.error().offset, 18u);
}

TEST(CubinDamage, ReportsEveryTruncation) {
  CubinBuilder b;
  b.kernel("axpy", axpy_records());
  auto image = b.build();
  for (std::size_t n = 64; n < image.size(); n++) {
    auto cubin = read_cubin(Bytes(image).first(n), Limits{});
    ASSERT_TRUE(cubin) << n;
    EXPECT_EQ(cubin->header.sm, 90u);
    EXPECT_EQ(gaps(*cubin),
              (std::vector{Gap::damaged_tables, Gap::no_sections}));
    EXPECT_TRUE(cubin->kernels.empty());
  }
}

TEST(CubinDamage, DerivesNamesWithoutSymbols) {
  CubinBuilder b;
  b.elf.with_symbols = false;
  const std::uint32_t text =
      b.elf.section(".text.axpy", std::vector<std::byte>(64),
                    {.flags = elf::kFlagAlloc, .info = 3});
  b.elf.section(".nv.info.axpy", axpy_records().b.take(),
                {.type = kInfoType, .info = text});
  b.elf.section(".nv.info.lost", {}, {.type = kInfoType, .info = 0});
  b.elf.section(".nv.info.lost", {}, {.type = kInfoType, .info = 0});
  b.module.words(nvinfo::kRegisterCount, {3, 20});
  auto image = b.build();
  Cubin cubin = read(image);
  EXPECT_FALSE(cubin.has_symbols);
  EXPECT_EQ(gaps(cubin),
            (std::vector{Gap::no_symbol_table, Gap::missing_registers}));
  ASSERT_EQ(cubin.kernels.size(), 2u);
  EXPECT_EQ(cubin.kernels[0].name, "axpy");
  EXPECT_TRUE(cubin.kernels[0].derived_name);
  EXPECT_EQ(cubin.kernels[0].registers, 20u);
  EXPECT_EQ(cubin.kernels[0].parameter_count, 3u);
  EXPECT_EQ(cubin.kernels[0].code_bytes, 64u);
  EXPECT_EQ(cubin.kernels[1].name, "lost");
  EXPECT_FALSE(cubin.kernels[1].section);
  EXPECT_FALSE(cubin.kernels[1].code_bytes);
  EXPECT_EQ(cubin.limitations[1].kernel, 1u);
}

TEST(CubinDamage, DerivesNamesWhenSymbolsAreDamaged) {
  CubinBuilder b;
  b.kernel("k");
  Builder image;
  image.bytes(b.build());
  const std::uint32_t symtab = b.module_section() + 1;
  image.set_u64(b.elf.header_offset(symtab) + 24, 1 << 30);
  auto cubin = read_cubin(image.bytes(), Limits{});
  ASSERT_TRUE(cubin);
  ASSERT_EQ(cubin->kernels.size(), 1u);
  EXPECT_EQ(cubin->kernels[0].name, "k");
  EXPECT_TRUE(cubin->kernels[0].derived_name);
  ASSERT_NE(find(*cubin, Gap::damaged_tables), nullptr);
  EXPECT_EQ(find(*cubin, Gap::damaged_tables)->offset, 1u << 30);
  EXPECT_NE(find(*cubin, Gap::no_symbol_table), nullptr);
}

TEST(CubinDamage, KeepsOtherKernelsBesideDamagedAttributes) {
  CubinBuilder b;
  Records bad = axpy_records();
  const std::size_t sound = bad.b.size();
  bad.b.u8(9).u8(0).u16(0);
  const std::uint32_t symbol = b.code("bad");
  const std::uint32_t info = b.info("bad", std::move(bad));
  b.module.words(nvinfo::kRegisterCount, {symbol, 14});
  b.kernel("good", axpy_records());
  auto image = b.build();
  Cubin cubin = read(image);
  ASSERT_EQ(cubin.kernels.size(), 2u);
  const Kernel &k = cubin.kernels[0];
  EXPECT_EQ(k.registers, 14u);
  EXPECT_FALSE(k.attributes_complete);
  EXPECT_FALSE(k.parameter_count);
  EXPECT_EQ(k.parameters.size(), 3u); // those before the damage
  EXPECT_EQ(k.barriers, 1u);
  EXPECT_EQ(cubin.kernels[1].parameter_count, 3u);
  ASSERT_EQ(gaps(cubin), (std::vector{Gap::damaged_attributes}));
  EXPECT_EQ(cubin.limitations[0].offset, b.elf.offset(info) + sound);
  EXPECT_EQ(cubin.limitations[0].kernel, 0u);
  EXPECT_EQ(cubin.limitations[0].message, ".nv.info.bad: attribute: format");
}

TEST(CubinDamage, LeavesAbsentFactsUnknownBesideDamage) {
  CubinBuilder b;
  Records bad;
  bad.b.u8(9);
  b.kernel("bad", std::move(bad));
  Cubin cubin = read(b.build());
  EXPECT_FALSE(cubin.kernels.at(0).barriers);
  EXPECT_FALSE(cubin.kernels[0].parameter_bytes);
  EXPECT_FALSE(cubin.kernels[0].parameter_count);
  EXPECT_EQ(cubin.kernels[0].registers, 14u);
}

TEST(CubinDamage, ReportsWhatIsMissing) {
  CubinBuilder b;
  b.code("bare");
  const std::uint32_t gap = b.code("gap");
  b.info("gap", std::move(Records().parameter(0, 0, 4).parameter(2, 8, 4)));
  const std::uint32_t sizes = b.code("sizes");
  b.info("sizes", std::move(Records().base(0x210, 8)));
  b.module.words(nvinfo::kRegisterCount, {gap, 14});
  b.module.words(nvinfo::kRegisterCount, {sizes, 14});
  Cubin cubin = read(b.build());
  EXPECT_EQ(gaps(cubin),
            (std::vector{Gap::missing_attributes, Gap::missing_registers,
                         Gap::missing_parameters, Gap::missing_parameters}));
  EXPECT_EQ(cubin.limitations[0].kernel, 0u);
  EXPECT_EQ(cubin.limitations[2].kernel, 1u);
  EXPECT_EQ(cubin.limitations[3].kernel, 2u);
  EXPECT_FALSE(cubin.kernels[0].registers);
  EXPECT_FALSE(cubin.kernels[0].parameter_count);
  EXPECT_FALSE(cubin.kernels[1].parameter_count);
  EXPECT_EQ(cubin.kernels[1].parameters.size(), 2u);
  EXPECT_EQ(cubin.kernels[2].parameter_bytes, 8u);
  EXPECT_FALSE(cubin.kernels[2].parameter_count);
}

TEST(CubinDamage, CoalescesEqualFactsAndDropsContradictions) {
  CubinBuilder b;
  Records r;
  r.parameter(0, 0, 4).parameter(0, 0, 4);   // equal
  r.parameter(1, 8, 4).parameter(1, 8, 8);   // two sizes
  r.parameter(2, 16, 4).parameter(2, 24, 4); // two offsets
  r.words(nvinfo::kApiVersion, {130}).words(nvinfo::kApiVersion, {130});
  r.words(nvinfo::kMaxThreads, {1, 1, 1}).words(nvinfo::kMaxThreads, {2, 1, 1});
  const std::uint32_t symbol = b.kernel("k", std::move(r));
  b.module.words(nvinfo::kRegisterCount, {symbol, 15});
  b.module.words(nvinfo::kFrameSize, {symbol, 0});
  b.sized(".nv.shared.k", 1024);
  b.sized(".nv.shared.k", 2048);
  auto image = b.build();
  Cubin cubin = read(image);
  ASSERT_EQ(cubin.kernels.size(), 1u);
  const Kernel &k = cubin.kernels[0];
  EXPECT_EQ(k.parameter_count, 3u);
  ASSERT_EQ(k.parameters.size(), 3u);
  EXPECT_EQ(k.parameters[0].size, 4u);
  EXPECT_EQ(k.parameters[1].offset, 8u);
  EXPECT_FALSE(k.parameters[1].size);
  EXPECT_FALSE(k.parameters[2].offset);
  EXPECT_FALSE(k.parameters[2].size);
  EXPECT_EQ(k.cuda_api_version, 130u);
  EXPECT_FALSE(k.max_threads);
  EXPECT_FALSE(k.registers);
  EXPECT_EQ(k.frame_bytes, 0u);
  EXPECT_FALSE(k.shared_section_bytes);
  EXPECT_FALSE(k.static_shared_bytes);
  EXPECT_EQ(gaps(cubin), (std::vector(4, Gap::conflicting_facts)));
}

TEST(CubinDamage, ReportsRecordsOfUnexpectedForm) {
  CubinBuilder b;
  Records r;
  r.words(nvinfo::kParamInfo, {1, 2});
  r.words(nvinfo::kMaxThreads, {1});
  const std::uint32_t info_symbol = b.code("k");
  const std::uint32_t info = b.info("k", std::move(r));
  b.module.words(nvinfo::kRegisterCount, {info_symbol});
  auto image = b.build();
  Cubin cubin = read(image);
  EXPECT_EQ(gaps(cubin), (std::vector{Gap::bad_attribute, Gap::bad_attribute,
                                      Gap::missing_registers}));
  EXPECT_EQ(cubin.limitations[0].offset, b.elf.offset(b.module_section()));
  EXPECT_EQ(cubin.limitations[1].offset, b.elf.offset(info));
  EXPECT_FALSE(cubin.kernels.at(0).parameter_count);
}

TEST(CubinDamage, ReportsUnreadableNames) {
  CubinBuilder b;
  b.kernel("k");
  b.sized(".nv.shared.k", 1024);
  const std::uint32_t shared = b.elf.count() - 1;
  Builder image;
  image.bytes(b.build());
  image.set_u32(b.elf.header_offset(shared), 0x7FFFFFFF);
  auto cubin = read_cubin(image.bytes(), Limits{});
  ASSERT_TRUE(cubin);
  ASSERT_EQ(gaps(*cubin), (std::vector{Gap::unreadable_name}));
  EXPECT_EQ(cubin->limitations[0].offset, b.elf.header_offset(shared));
  // The nameless section may be its shared memory.
  EXPECT_FALSE(cubin->kernels.at(0).static_shared_bytes);
  EXPECT_EQ(cubin->kernels[0].registers, 14u);

  // A symbol's name: the code section's stands in.
  const std::uint32_t symtab = b.module_section() + 1;
  image.set_u32(b.elf.offset(symtab) + 24, 0x7FFFFFFF);
  cubin = read_cubin(image.bytes(), Limits{});
  ASSERT_TRUE(cubin);
  ASSERT_EQ(cubin->kernels.size(), 1u);
  EXPECT_EQ(cubin->kernels[0].name, "k");
  EXPECT_TRUE(cubin->kernels[0].derived_name);
  EXPECT_EQ(cubin->kernels[0].parameter_count, 0u);
  EXPECT_EQ(cubin->limitations.size(), 2u);
}

TEST(CubinDamage, ReportsSectionsOutsideTheImage) {
  CubinBuilder b;
  b.code("k");
  const std::uint32_t info = b.info("k", axpy_records());
  b.module.words(nvinfo::kRegisterCount, {1, 14});
  Builder image;
  image.bytes(b.build());
  image.set_u64(b.elf.header_offset(info) + 32, ~std::uint64_t{0});
  auto cubin = read_cubin(image.bytes(), Limits{});
  ASSERT_TRUE(cubin);
  ASSERT_EQ(gaps(*cubin), (std::vector{Gap::damaged_section}));
  EXPECT_EQ(cubin->limitations[0].offset, b.elf.offset(info));
  EXPECT_EQ(cubin->kernels.at(0).registers, 14u);
  EXPECT_FALSE(cubin->kernels[0].parameter_count);

  // Code: symbol larger than its section, then a section that does not exist.
  CubinBuilder code;
  code.kernel("k");
  Builder other;
  other.bytes(code.build());
  const std::size_t symbol = code.elf.offset(code.module_section() + 1) + 24;
  other.set_u64(symbol + 16, 129);
  cubin = read_cubin(other.bytes(), Limits{});
  ASSERT_TRUE(cubin);
  EXPECT_EQ(gaps(*cubin), (std::vector{Gap::damaged_section}));
  EXPECT_FALSE(cubin->kernels.at(0).code_offset);
  EXPECT_EQ(cubin->kernels[0].code_bytes, 129u);
  other.set_u16(symbol + 6, 99);
  cubin = read_cubin(other.bytes(), Limits{});
  ASSERT_TRUE(cubin);
  EXPECT_EQ(gaps(*cubin), (std::vector{Gap::damaged_section}));
  // The attributes are found by name.
  EXPECT_EQ(cubin->kernels.at(0).parameter_count, 0u);
}

// A section index that does not fit 16 bits is found through the name.
TEST(CubinDamage, FindsCodeOfExtendedSectionIndices) {
  CubinBuilder b;
  b.kernel("k");
  Builder image;
  image.bytes(b.build());
  const std::size_t symbol = b.elf.offset(b.module_section() + 1) + 24;
  image.set_u16(symbol + 6, 0xFFFF);
  auto cubin = read_cubin(image.bytes(), Limits{});
  ASSERT_TRUE(cubin);
  EXPECT_TRUE(gaps(*cubin).empty());
  EXPECT_EQ(cubin->kernels.at(0).section, 1u);
  EXPECT_EQ(cubin->kernels[0].code_offset, b.elf.offset(1));
}

TEST(CubinDamage, FindsSectionsByNameWhenTheIndexIsAnothers) {
  CubinBuilder b;
  b.kernel("first");
  const std::uint32_t second = b.code("second");
  b.module.words(nvinfo::kRegisterCount, {second, 20});
  // sh_info names the first kernel's code.
  b.elf.section(".nv.info.second", axpy_records().b.take(),
                {.type = kInfoType, .info = 1});
  auto image = b.build();
  Cubin cubin = read(image);
  EXPECT_TRUE(gaps(cubin).empty());
  EXPECT_EQ(cubin.kernels.at(0).parameter_count, 0u);
  EXPECT_EQ(cubin.kernels.at(1).parameter_count, 3u);
}

// Many sections over the same bytes: the bytes are read once.
TEST(CubinDamage, RefusesSectionsThatOverlap) {
  CubinBuilder b;
  Records records;
  for (int i = 0; i < 500; i++)
    records.half(nvinfo::kMaxRegisters, 0xFF);
  b.code("k0");
  const std::uint32_t first = b.info("k0", std::move(records));
  constexpr int kOthers = 20;
  for (int i = 1; i <= kOthers; i++) {
    b.code("k" + std::to_string(i));
    b.info("k" + std::to_string(i), {});
  }
  Builder image;
  image.bytes(b.build());
  for (std::uint32_t i = 1; i <= kOthers; i++) {
    const std::size_t header = b.elf.header_offset(first + 2 * i);
    image.set_u64(header + 24, b.elf.offset(first)).set_u64(header + 32, 2000);
  }
  auto cubin = read_cubin(image.bytes(), Limits{});
  ASSERT_TRUE(cubin);
  std::size_t records_read = 0;
  for (const Kernel &k : cubin->kernels)
    records_read += k.attributes.size();
  EXPECT_GE(records_read, 500u);
  EXPECT_LE(records_read * 4, image.size());
  ASSERT_NE(find(*cubin, Gap::damaged_section), nullptr);
  EXPECT_EQ(find(*cubin, Gap::damaged_section)->offset, b.elf.offset(first));
}

TEST(CubinDamage, KeepsWithinLimits) {
  CubinBuilder b;
  b.note("ptxas", "release 13.0", "");
  b.kernel("a", axpy_records());
  b.kernel("b", axpy_records());
  auto image = b.build();
  Limits limits;
  limits.records = 1;
  Cubin cubin = read(image, limits);
  EXPECT_EQ(cubin.kernels.size(), 1u);
  EXPECT_NE(find(cubin, Gap::limit), nullptr);
  limits = {};
  limits.note_bytes = 8;
  cubin = read(image, limits);
  EXPECT_TRUE(cubin.notes.tools.empty());
  EXPECT_EQ(gaps(cubin), (std::vector{Gap::limit}));
}

TEST(CubinDamage, ReportsDamagedNotesAndCompat) {
  CubinBuilder b;
  b.elf.section(".note.nv.tkinfo", std::vector<std::byte>(5, std::byte{1}));
  Builder compat;
  compat.u8(2).u8(9).u16(1).u8(2).u8(9).u16(0).u8(7);
  b.elf.section(".nv.compat", compat.take());
  auto image = b.build();
  Cubin cubin = read(image);
  EXPECT_EQ(cubin.compat.size(), 2u);
  EXPECT_FALSE(cubin.compat_accelerator); // 0 and 1
  EXPECT_EQ(gaps(cubin),
            (std::vector{Gap::damaged_attributes, Gap::damaged_note,
                         Gap::no_symbol_table, Gap::conflicting_facts}));
}

TEST(CubinDamage, CountsLimitationsBeyondTheFirst) {
  CubinBuilder b;
  const std::uint32_t code = b.elf.section(
      ".text.k", std::vector<std::byte>(16), {.flags = elf::kFlagExec});
  for (std::size_t i = 0; i < 1100; i++)
    b.elf.symbol("", {.info = 0x12, .other = 0x10, .section = code});
  Cubin cubin = read(b.build());
  EXPECT_EQ(cubin.kernels.size(), 1100u);
  ASSERT_EQ(cubin.limitations.size(), 1001u);
  EXPECT_EQ(cubin.limitations[999].gap, Gap::unreadable_name);
  EXPECT_EQ(cubin.limitations[1000].gap, Gap::limit);
  EXPECT_TRUE(cubin.limitations[1000].message.ends_with(
      " more limitations are left out"));
}

TEST(CubinDamage, RepeatsNamesOfSectionsNoLongerThanTheImage) {
  CubinBuilder b;
  const std::string name(4000, 'k');
  const std::uint32_t code = b.elf.section(
      ".text." + name, std::vector<std::byte>(16), {.flags = elf::kFlagExec});
  for (std::size_t i = 0; i < 100; i++)
    b.elf.symbol("", {.info = 0x12, .other = 0x10, .section = code});
  const auto image = b.build();
  Cubin cubin = read(image);
  ASSERT_EQ(cubin.kernels.size(), 100u);
  EXPECT_EQ(cubin.kernels[0].name, name);
  EXPECT_TRUE(cubin.kernels[0].derived_name);
  EXPECT_EQ(cubin.kernels[99].name, "");
  EXPECT_FALSE(cubin.kernels[99].derived_name);
  std::size_t total = 0;
  for (const Kernel &k : cubin.kernels)
    total += k.name.size();
  EXPECT_LE(total, image.size());
}

} // namespace
} // namespace gantry::cubin

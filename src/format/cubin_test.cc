// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/test_cubin.h"

namespace gantry::cubin {
namespace {

TEST(Cubin, ReadsAKernel) {
  CubinBuilder b;
  b.note("ptxas", "Cuda compilation tools, release 13.0, V13.0.88",
         "-arch sm_90a -m 64 ");
  b.compat(1);
  const std::uint32_t symbol = b.code("axpy");
  b.info("axpy", axpy_records());
  b.sized(".nv.shared.axpy", 1280);
  b.sized(".nv.constant0.axpy", 0x210 + 40);
  b.sized(".nv.constant2.axpy", 8);
  b.sized(".nv.constant3", 16);
  b.sized(".nv.global.init", 4);
  b.sized(".nv.global", 12);
  b.module.words(nvinfo::kRegisterCount, {symbol, 14});
  b.module.words(nvinfo::kFrameSize, {symbol, 24});
  b.module.words(nvinfo::kMinStackSize, {symbol, 32});
  auto image = b.build();
  Cubin cubin = read(image);

  EXPECT_TRUE(gaps(cubin).empty());
  EXPECT_EQ(cubin.header.layout, Layout::b);
  EXPECT_EQ(cubin.header.sm, 90u);
  EXPECT_FALSE(cubin.header.relocatable());
  EXPECT_EQ(cubin.header.flags, 0x06005A04u);
  EXPECT_EQ(cubin.header.flags_offset, 48u);
  EXPECT_FALSE(cubin.flag_a); // 13.0 never sets the bit
  EXPECT_EQ(cubin.compat_accelerator, 1);
  EXPECT_EQ(cubin.note_architecture, "sm_90a");
  EXPECT_EQ(cubin.suffix_hint, 'a');
  EXPECT_EQ(cubin.toolkit, (Version{13, 0}));
  EXPECT_EQ(cubin.toolkit_source, ToolkitSource::tool_note);
  ASSERT_EQ(cubin.compat.size(), 2u);
  EXPECT_EQ(cubin.compat[1].id, 2);
  EXPECT_EQ(cubin.attributes.size(), 3u);
  ASSERT_EQ(cubin.constants.size(), 1u);
  EXPECT_EQ(cubin.constants[0].number, 3u);
  EXPECT_EQ(cubin.constants[0].bytes, 16u);
  EXPECT_EQ(cubin.global_bytes, 16u);
  EXPECT_TRUE(cubin.has_symbols);

  ASSERT_EQ(cubin.kernels.size(), 1u);
  const Kernel &k = cubin.kernels[0];
  EXPECT_EQ(k.name, "axpy");
  // A view into the image.
  EXPECT_GE(as_bytes(k.name).data(), image.data());
  EXPECT_LT(as_bytes(k.name).data(), image.data() + image.size());
  EXPECT_FALSE(k.derived_name);
  EXPECT_EQ(k.symbol, symbol);
  EXPECT_EQ(k.code_bytes, 128u);
  EXPECT_EQ(k.code_offset, b.elf.offset(k.section.value()));
  EXPECT_EQ(k.registers, 14u);
  EXPECT_EQ(k.barriers, 1u);
  EXPECT_EQ(k.static_shared_bytes, 256u);
  EXPECT_EQ(k.shared_section_bytes, 1280u);
  EXPECT_FALSE(k.dynamic_shared);
  EXPECT_EQ(k.local_bytes, 24u);
  EXPECT_EQ(k.frame_bytes, 24u);
  EXPECT_EQ(k.stack_bytes, 32u);
  EXPECT_FALSE(k.stack_unbounded);
  ASSERT_EQ(k.constants.size(), 2u);
  EXPECT_EQ(k.constants[0].bytes, 0x210u + 40);
  EXPECT_EQ(k.constants[1].number, 2u);
  EXPECT_EQ(k.parameter_base, 0x210u);
  EXPECT_EQ(k.parameter_bytes, 40u);
  EXPECT_EQ(k.parameter_count, 3u);
  ASSERT_EQ(k.parameters.size(), 3u);
  EXPECT_EQ(k.parameters[1].ordinal, 1u);
  EXPECT_EQ(k.parameters[1].offset, 8u);
  EXPECT_EQ(k.parameters[1].size, 8u);
  EXPECT_EQ(k.parameters[1].in_shared, false);
  EXPECT_FALSE(k.register_limit);
  EXPECT_FALSE(k.max_threads);
  EXPECT_EQ(k.cuda_api_version, 130u);
  EXPECT_FALSE(k.language);
  EXPECT_TRUE(k.attributes_complete);
  ASSERT_EQ(k.attributes.size(), 8u);
  EXPECT_EQ(k.attributes[0].id, nvinfo::kApiVersion);
}

TEST(Cubin, ReadsLaunchFacts) {
  Records r;
  r.words(nvinfo::kMaxThreads, {256, 2, 1});
  r.words(nvinfo::kRequiredThreads, {128, 1, 1});
  r.half(nvinfo::kMaxRegisters, 128);
  r.words(nvinfo::kCtaPerCluster, {2, 1, 1});
  r.words(nvinfo::kMaxClusterRank, {8});
  r.b.u8(1).u8(nvinfo::kExplicitCluster).u16(0);
  r.b.u8(1).u8(nvinfo::kBlocksAreClusters).u16(0);
  r.words(nvinfo::kLanguage, {6});
  CubinBuilder b;
  b.kernel("k", std::move(r));
  b.kernel("plain");
  Cubin cubin = read(b.build());
  EXPECT_TRUE(gaps(cubin).empty());
  ASSERT_EQ(cubin.kernels.size(), 2u);
  const Kernel &k = cubin.kernels[0];
  EXPECT_EQ(k.max_threads, (Dimensions{256, 2, 1}));
  EXPECT_EQ(k.required_threads, (Dimensions{128, 1, 1}));
  EXPECT_EQ(k.register_limit, 128u);
  EXPECT_EQ(k.cluster, (Dimensions{2, 1, 1}));
  EXPECT_EQ(k.max_cluster_rank, 8u);
  EXPECT_TRUE(k.explicit_cluster);
  EXPECT_TRUE(k.blocks_are_clusters);
  EXPECT_EQ(k.language, 6u);
  // No records: known to be without parameters and barriers.
  const Kernel &plain = cubin.kernels[1];
  EXPECT_EQ(plain.parameter_count, 0u);
  EXPECT_EQ(plain.parameter_bytes, 0u);
  EXPECT_TRUE(plain.parameters.empty());
  EXPECT_EQ(plain.barriers, 0u);
  EXPECT_EQ(plain.static_shared_bytes, 0u);
  EXPECT_FALSE(plain.shared_section_bytes);
  EXPECT_FALSE(plain.parameter_base);
  EXPECT_FALSE(plain.explicit_cluster);
}

TEST(Cubin, ReadsHeadersOfBothLayouts) {
  struct Case {
    std::uint8_t os_abi, abi;
    std::uint32_t flags, version;
    Layout layout;
    std::optional<std::uint32_t> sm, virtual_sm;
    std::optional<bool> flag_a;
    std::optional<Version> toolkit;
  };
  const Case cases[] = {
      {0x33, 7, 0x00560556, 118, Layout::a, 86, 86, {}, Version{11, 8}},
      {0x33, 7, 0x005A0D5A, 0x7C, Layout::a, 90, 90, true, Version{12, 4}},
      {0x33, 7, 0x005A055A, 0x80, Layout::a, 90, 90, false, Version{12, 8}},
      // 8.0 sets the bit where there is no 'a'.
      {0x33, 7, 0x003C0D3C, 0x50, Layout::a, 60, 60, {}, Version{8, 0}},
      {0x33, 7, 0x00000500, 1, Layout::a, {}, {}, {}, {}},
      {0x33, 8, 0x00560556, 118, Layout::unknown, {}, {}, {}, {}},
      {0x41, 8, 0x06005A04, 1, Layout::b, 90, {}, {}, {}},
      {0x41, 8, 0x0600640A, 1, Layout::b, 100, {}, true, {}},
      {0x41, 8, 0xFF007802, 100, Layout::b, 120, {}, {}, {}},
      {0x41, 7, 0x06005A04, 1, Layout::unknown, {}, {}, {}, {}},
      {0x77, 8, 0x06005A04, 118, Layout::unknown, {}, {}, {}, {}},
  };
  for (const Case &c : cases) {
    CubinBuilder b(c.flags, c.os_abi, c.abi);
    b.elf.header.version = c.version;
    auto image = b.build();
    auto h = read_cubin_header(Bytes(image).first(64));
    ASSERT_TRUE(h);
    EXPECT_EQ(h->layout, c.layout);
    EXPECT_EQ(h->os_abi, c.os_abi);
    EXPECT_EQ(h->abi_version, c.abi);
    EXPECT_EQ(h->flags, c.flags);
    EXPECT_EQ(h->version, c.version);
    EXPECT_EQ(h->sm, c.sm);
    EXPECT_EQ(h->virtual_sm, c.virtual_sm);
    EXPECT_EQ(h->flag_a, c.flag_a);
    EXPECT_EQ(h->toolkit, c.toolkit);
    const Cubin cubin = read(image);
    const Limitation *unknown = find(cubin, Gap::unknown_layout);
    EXPECT_EQ(unknown != nullptr, !c.sm);
    if (unknown) {
      EXPECT_EQ(unknown->offset, 48u);
    }
  }
}

TEST(Cubin, KeepsReservedSharedMemoryOut) {
  auto shared = [](std::uint32_t flags, std::uint16_t type,
                   std::uint64_t size) {
    CubinBuilder b(flags);
    b.elf.header.type = type;
    b.kernel("k");
    b.sized(".nv.shared.k", size);
    Cubin cubin = read(b.build());
    EXPECT_EQ(cubin.kernels.at(0).shared_section_bytes, size);
    return cubin.kernels[0].static_shared_bytes;
  };
  const std::uint32_t sm_89 = 0x06005904, sm_90 = 0x06005A04;
  EXPECT_EQ(shared(sm_90, 2, 3024), 2000u);
  EXPECT_EQ(shared(sm_90, 2, 1024), 0u);
  EXPECT_EQ(shared(sm_90, 2, 1023), 1023u); // not biased
  EXPECT_EQ(shared(sm_90, 2, 0), 0u);
  EXPECT_EQ(shared(sm_90, 1, 3024), 3024u);
  EXPECT_EQ(shared(sm_89, 2, 3024), 3024u);
  // Unknown target: which rule holds is not known either.
  EXPECT_FALSE(shared(0x06000004, 2, 3024));
}

TEST(Cubin, ReadsLayoutAFactsOutOfTheCodeSection) {
  CubinBuilder b(0x00500550, 0x33, 7);
  b.elf.header.version = 118;
  b.code("k", {.flags = 5ull << 20, .info = 15u << 24 | 7});
  b.info("k", {});
  b.code("counted", {.flags = 16ull << 20, .info = 15u << 24});
  b.info("counted", std::move(Records().half(nvinfo::kNumBarriers, 3)));
  b.module.words(nvinfo::kRegisterCount, {2, 40});
  Cubin cubin = read(b.build());
  EXPECT_TRUE(gaps(cubin).empty());
  ASSERT_EQ(cubin.kernels.size(), 2u);
  EXPECT_EQ(cubin.kernels[0].registers, 15u);
  EXPECT_EQ(cubin.kernels[0].barriers, 5u);
  EXPECT_FALSE(cubin.kernels[0].stack_bytes);
  EXPECT_FALSE(cubin.kernels[0].frame_bytes);
  EXPECT_EQ(cubin.kernels[1].registers, 40u);
  EXPECT_EQ(cubin.kernels[1].barriers, 16u);
  EXPECT_EQ(cubin.toolkit_source, ToolkitSource::elf_version);
}

TEST(Cubin, ReportsUnboundedStacks) {
  CubinBuilder b;
  const std::uint32_t symbol = b.code("recur");
  b.info("recur", {});
  b.module.words(nvinfo::kRegisterCount, {symbol, 24});
  b.module.words(nvinfo::kMinStackSize, {symbol, 0xFFFFFFFF});
  Cubin cubin = read(b.build());
  EXPECT_FALSE(cubin.kernels.at(0).stack_bytes);
  EXPECT_TRUE(cubin.kernels[0].stack_unbounded);
}

TEST(Cubin, KeepsSuffixEvidenceApart) {
  auto cubin_of = [](std::uint32_t flags, std::string_view release,
                     std::string_view command) {
    CubinBuilder b(flags);
    b.note("ptxas", release, command);
    auto image = b.build();
    Cubin cubin = read(image);
    return std::pair(cubin.flag_a, cubin.suffix_hint);
  };
  using Pair = std::pair<std::optional<bool>, std::optional<char>>;
  EXPECT_EQ(cubin_of(0x06006402, "release 13.0", "-arch sm_100f"),
            (Pair{{}, 'f'}));
  EXPECT_EQ(cubin_of(0x0600640A, "release 12.8", "-arch sm_100a"),
            (Pair{true, 'a'}));
  EXPECT_EQ(cubin_of(0x06006402, "release 12.9", "-arch sm_100"),
            (Pair{false, '\0'}));
  // Another architecture than the header's, or none that can be read.
  EXPECT_EQ(cubin_of(0x06006402, "release 13.0", "-arch sm_103f"), Pair{});
  EXPECT_EQ(cubin_of(0x06006402, "release 13.0", "-arch SM100"), Pair{});
  EXPECT_EQ(cubin_of(0x06006402, "release 13.0", "-arch sm_100af"), Pair{});
  EXPECT_EQ(cubin_of(0x06006402, "", ""), Pair{});
}

TEST(Cubin, TakesTheLinkersNoteForTheAuthors) {
  CubinBuilder b;
  b.note("ptxas", "release 12.8", "-arch sm_90 -c");
  b.note("nvlink", "release 13.0", "-arch sm_90a");
  auto image = b.build();
  Cubin cubin = read(image);
  EXPECT_EQ(cubin.notes.tools.size(), 2u);
  EXPECT_EQ(cubin.toolkit, (Version{13, 0}));
  EXPECT_EQ(cubin.note_architecture, "sm_90a");
}

TEST(Cubin, TakesTheToolkitFromWhatThereIs) {
  CubinBuilder b;
  b.kernel("old", std::move(Records().words(nvinfo::kApiVersion, {124})));
  b.kernel("new", std::move(Records().words(nvinfo::kApiVersion, {129})));
  Cubin cubin = read(b.build());
  EXPECT_EQ(cubin.toolkit, (Version{12, 9}));
  EXPECT_EQ(cubin.toolkit_source, ToolkitSource::attribute);

  CubinBuilder with_note;
  Builder note;
  note.u32(12).u32(8).u32(1000).text("NVIDIA Corp").u8(0);
  note.u16(2).u16(90).u32(131);
  with_note.elf.section(".note.nv.cuinfo", note.take(),
                        {.type = elf::kSectionNote});
  cubin = read(with_note.build());
  EXPECT_EQ(cubin.toolkit, (Version{13, 1}));
  EXPECT_EQ(cubin.toolkit_source, ToolkitSource::cuda_note);
  EXPECT_EQ(cubin.virtual_sm, 90u);

  cubin = read(CubinBuilder().build());
  EXPECT_FALSE(cubin.toolkit);
  EXPECT_EQ(cubin.toolkit_source, ToolkitSource::none);
}

TEST(Cubin, IgnoresWhatIsNoKernel) {
  CubinBuilder b;
  b.kernel("k");
  const std::uint32_t text = b.elf.section(".text.fn", {});
  b.elf.symbol("fn", {.info = 0x12, .section = text}); // no entry
  b.elf.symbol("var", {.info = 0x11, .other = 0x10, .section = text});
  b.elf.symbol("elsewhere", {.info = 0x12, .other = 0x10, .section = 0});
  // The finaliser's copies contradict the real ones.
  b.elf.section(".nv.merc.nv.info.k",
                std::move(Records().half(nvinfo::kNumBarriers, 9)).b.take(),
                {.type = 0x70000083});
  b.elf.section(".nv.capmerc.text.k", {}, {.type = 0x70000016});
  b.sized(".nv.shared.reserved.0", 64);
  auto image = b.build();
  Cubin cubin = read(image);
  EXPECT_TRUE(gaps(cubin).empty());
  ASSERT_EQ(cubin.kernels.size(), 1u);
  EXPECT_EQ(cubin.kernels[0].barriers, 0u);
  EXPECT_EQ(cubin.kernels[0].static_shared_bytes, 0u);
}

TEST(Cubin, ReportsSharedVariablesOfRelocatableCode) {
  CubinBuilder b;
  b.elf.header.type = elf::kTypeRel;
  b.kernel("uses");
  const std::uint32_t text = 1;
  b.kernel("plain");
  const std::uint32_t buf =
      b.elf.symbol("buf", {.info = 0x1D, .other = 0x40, .section = 0});
  Builder rela;
  rela.u64(0x10).u64(0x37).u64(0);
  rela.u64(0x20).u64(std::uint64_t{buf} << 32 | 0x37).u64(0);
  b.elf.section(".rela.text.uses", rela.take(), {.type = 4, .info = text});
  auto image = b.build();
  Cubin cubin = read(image);
  EXPECT_TRUE(gaps(cubin).empty());
  EXPECT_TRUE(cubin.header.relocatable());
  EXPECT_EQ(cubin.kernels.at(0).dynamic_shared, true);
  EXPECT_EQ(cubin.kernels.at(1).dynamic_shared, false);
}

} // namespace
} // namespace gantry::cubin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/amdgpu_yaml.h"

#include <gtest/gtest.h>

namespace gantry::amdgpu {
namespace {

struct Read {
  Metadata metadata;
  Limitations limitations;
};

Read read(std::string_view note, const Limits &limits = {}) {
  Read r;
  read_yaml_metadata(as_bytes(note), 0x1000, limits, r.metadata, r.limitations);
  return r;
}

constexpr std::string_view kWhole =
    "---\n"
    "Version:         [ 1, 0 ]\n"
    "Printf:\n"
    "  - '1:1:4:%d\\n'\n"
    "Kernels:\n"
    "  - Name:            k\n"
    "    SymbolName:      'k@kd'\n"
    "    Language:        OpenCL C\n"
    "    LanguageVersion: [ 2, 0 ]\n"
    "    Attrs:\n"
    "      ReqdWorkGroupSize: [ 64, 1, 1 ]\n"
    "      WorkGroupSizeHint: [ 8, 8, 1 ]\n"
    "      VecTypeHint:     float4\n"
    "      RuntimeHandle:   handle\n"
    "    Args:\n"
    "      - Name:            l\n"
    "        TypeName:        'int*'\n"
    "        Size:            4\n"
    "        Align:           4\n"
    "        ValueKind:       DynamicSharedPointer\n"
    "        ValueType:       I32\n"
    "        PointeeAlign:    1\n"
    "        AddrSpaceQual:   Local\n"
    "        AccQual:         Default\n"
    "        ActualAccQual:   ReadOnly\n"
    "        IsConst:         true\n"
    "        IsPipe:          false\n"
    "      - Size:            8\n"
    "        Align:           8\n"
    "        ValueKind:       GlobalBuffer\n"
    "      - Size:            8\n"
    "        Align:           8\n"
    "        ValueKind:       HiddenGlobalOffsetX\n"
    "    CodeProps:\n"
    "      KernargSegmentSize: 88\n"
    "      GroupSegmentFixedSize: 256\n"
    "      PrivateSegmentFixedSize: 404\n"
    "      KernargSegmentAlign: 8\n"
    "      WavefrontSize:   64\n"
    "      NumSGPRs:        11\n"
    "      NumVGPRs:        6\n"
    "      NumSpilledSGPRs: 1\n"
    "      NumSpilledVGPRs: 2\n"
    "      MaxFlatWorkGroupSize: 64\n"
    "      IsDynamicCallStack: true\n"
    "      IsXNACKEnabled:  true\n"
    "    DebugProps:\n"
    "      DebuggerABIVersion: [ 1, 0 ]\n"
    "  - Name:            e\n"
    "...\n";

TEST(AmdgpuYaml, ReadsEveryKey) {
  Read r = read(kWhole);
  const Metadata &m = r.metadata;
  EXPECT_TRUE(r.limitations.list.empty());
  EXPECT_EQ(m.format, MetadataFormat::yaml);
  EXPECT_EQ(m.version, (std::array<std::uint64_t, 2>{1, 0}));
  EXPECT_EQ(m.printf, std::vector<std::string_view>{"1:1:4:%d\\n"});
  EXPECT_TRUE(m.kernels_known);
  ASSERT_EQ(m.unknown_keys.size(), 1u);
  EXPECT_EQ(m.unknown_keys[0].name, "DebugProps");
  ASSERT_EQ(m.kernels.size(), 2u);
  const KernelMetadata &k = m.kernels[0];
  using Three = std::array<std::uint64_t, 3>;
  EXPECT_EQ(k.name, "k");
  EXPECT_EQ(k.symbol, "k@kd");
  EXPECT_EQ(k.language, "OpenCL C");
  EXPECT_EQ(k.language_version, (std::array<std::uint64_t, 2>{2, 0}));
  EXPECT_EQ(k.reqd_workgroup_size, (Three{64, 1, 1}));
  EXPECT_EQ(k.workgroup_size_hint, (Three{8, 8, 1}));
  EXPECT_EQ(k.vec_type_hint, "float4");
  EXPECT_EQ(k.device_enqueue_symbol, "handle");
  EXPECT_EQ(k.kernarg_segment_size, 88u);
  EXPECT_EQ(k.group_segment_fixed_size, 256u);
  EXPECT_EQ(k.private_segment_fixed_size, 404u);
  EXPECT_EQ(k.kernarg_segment_align, 8u);
  EXPECT_EQ(k.wavefront_size, 64u);
  EXPECT_EQ(k.sgpr_count, 11u);
  EXPECT_EQ(k.vgpr_count, 6u);
  EXPECT_EQ(k.sgpr_spill_count, 1u);
  EXPECT_EQ(k.vgpr_spill_count, 2u);
  EXPECT_EQ(k.max_flat_workgroup_size, 64u);
  EXPECT_EQ(k.uses_dynamic_stack, true);
  EXPECT_EQ(k.xnack_enabled, true);
  ASSERT_EQ(k.arguments.size(), 3u);
  const Argument &a = k.arguments[0];
  EXPECT_EQ(a.name, "l");
  EXPECT_EQ(a.type_name, "int*");
  EXPECT_EQ(a.value_kind, "DynamicSharedPointer");
  EXPECT_EQ(a.value_type, "I32");
  EXPECT_EQ(a.pointee_align, 1u);
  EXPECT_EQ(a.address_space, "Local");
  EXPECT_EQ(a.access, "Default");
  EXPECT_EQ(a.actual_access, "ReadOnly");
  EXPECT_EQ(a.is_const, true);
  EXPECT_EQ(a.is_pipe, false);
  EXPECT_EQ(a.is_volatile, std::nullopt);
  EXPECT_EQ(k.hidden_arguments, 1u);
  EXPECT_TRUE(k.arguments[2].hidden);
  EXPECT_TRUE(m.kernels[1].arguments_known);
}

TEST(AmdgpuYaml, LaysOutArgumentsBySizeAndAlignment) {
  Read r = read(kWhole);
  const auto &arguments = r.metadata.kernels.at(0).arguments;
  EXPECT_EQ(arguments[0].offset, 0u);
  EXPECT_EQ(arguments[1].offset, 8u); // padded from 4
  EXPECT_EQ(arguments[2].offset, 16u);
  EXPECT_TRUE(arguments[1].offset_derived);
}

TEST(AmdgpuYaml, LeavesOffsetsUnknownAfterAnArgumentOfUnknownSize) {
  Read r = read("Kernels:\n- Args:\n"
                "  - Size: 4\n    Align: 4\n"
                "  - Size: 4\n    Align: 3\n"
                "  - Size: 4\n    Align: 4\n");
  const auto &arguments = r.metadata.kernels.at(0).arguments;
  ASSERT_EQ(arguments.size(), 3u);
  EXPECT_EQ(arguments[0].offset, 0u);
  EXPECT_EQ(arguments[1].offset, std::nullopt); // 3 is no alignment
  EXPECT_EQ(arguments[2].offset, std::nullopt);
  r = read("Kernels:\n- Args:\n"
           "  - Size: 4\n    Align: 4\n    Offset: 24\n"
           "  - Size: 18446744073709551615\n    Align: 4\n"
           "  - Size: 4\n    Align: 4\n");
  const auto &huge = r.metadata.kernels.at(0).arguments;
  EXPECT_EQ(huge[0].offset, 24u);
  EXPECT_FALSE(huge[0].offset_derived);
  EXPECT_EQ(huge[1].offset, 28u);
  EXPECT_EQ(huge[2].offset, std::nullopt);
}

TEST(AmdgpuYaml, NamesTheKeyOfAWrongValueAndKeepsTheRest) {
  std::string_view note = "Kernels:\n"
                          "  - Name: k\n"
                          "    CodeProps:\n"
                          "      NumSGPRs: many\n"
                          "      NumVGPRs: 6\n";
  Read r = read(note);
  ASSERT_EQ(r.metadata.kernels.size(), 1u);
  EXPECT_EQ(r.metadata.kernels[0].sgpr_count, std::nullopt);
  EXPECT_EQ(r.metadata.kernels[0].vgpr_count, 6u);
  ASSERT_EQ(r.limitations.list.size(), 1u);
  EXPECT_EQ(r.limitations.list[0].code, "bad-value");
  EXPECT_EQ(r.limitations.list[0].message,
            "NumSGPRs: expected an integer, found many");
  EXPECT_EQ(r.limitations.list[0].offset, 0x1000 + note.find("many"));
  EXPECT_EQ(r.limitations.list[0].kernel, 0u);
}

TEST(AmdgpuYaml, KeepsTextsThatHadEscapes) {
  Metadata copy;
  {
    Read r = read("Kernels:\n- Name: \"a\\x62\"\n");
    copy = r.metadata;
  }
  EXPECT_EQ(copy.kernels.at(0).name, "ab");
}

TEST(AmdgpuYaml, KeepsWhatPrecedesDamage) {
  Read r = read("Kernels:\n- Name: a\n- Name: b\n  Args: |\n");
  EXPECT_EQ(r.metadata.kernels.size(), 2u);
  EXPECT_FALSE(r.metadata.kernels_known);
  EXPECT_FALSE(r.metadata.kernels[1].arguments_known);
  ASSERT_TRUE(r.limitations.has("damaged-metadata"));
  EXPECT_EQ(r.limitations.list[0].offset, 0x1000u + 37);
}

TEST(AmdgpuYaml, SurvivesEveryTruncation) {
  std::size_t before = 0;
  for (std::size_t n = 0; n <= kWhole.size(); n++) {
    Read r = read(kWhole.substr(0, n));
    EXPECT_GE(r.metadata.kernels.size(), before) << n;
    before = r.metadata.kernels.size();
    for (const Limitation &l : r.limitations.list)
      EXPECT_LE(l.offset, 0x1000 + n);
  }
  EXPECT_EQ(before, 2u);
}

TEST(AmdgpuYaml, StopsAtTheLimitOfRecords) {
  Limits limits;
  limits.note_bytes = 2 * sizeof(KernelMetadata);
  Read r = read("Kernels:\n- Name: a\n- Name: b\n- Name: c\n", limits);
  EXPECT_EQ(r.metadata.kernels.size(), 2u);
  EXPECT_FALSE(r.metadata.kernels_known);
  EXPECT_TRUE(r.limitations.has("limit"));
}

} // namespace
} // namespace gantry::amdgpu

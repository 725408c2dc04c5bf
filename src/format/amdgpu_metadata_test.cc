// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/amdgpu_metadata.h"

#include "base/test_msgpack.h"

#include <gtest/gtest.h>

namespace gantry::amdgpu {
namespace {

struct Read {
  std::shared_ptr<std::string> note; // that the texts view
  Metadata metadata;
  Limitations limitations;
};

Read read(std::string_view note, const Limits &limits = {}) {
  Read r{std::make_shared<std::string>(note), {}, {}};
  read_metadata(as_bytes(*r.note), 0x1000, limits, r.metadata, r.limitations);
  return r;
}

// Metadata with one kernel whose map is `kernel`.
std::string one_kernel(const Packer &kernel) {
  Packer root;
  root.map(2).text("amdhsa.version").array(2).number(1).number(2);
  root.text("amdhsa.kernels").array(1);
  return root.str() + kernel.str();
}

std::string whole() {
  Packer p;
  p.map(4).text("amdhsa.version").array(2).number(1).number(1);
  p.pair("amdhsa.target", "amdgcn-amd-amdhsa--gfx90a:xnack+");
  p.text("amdhsa.printf").array(1).text("1:1:4:%d\\n");
  p.text("amdhsa.kernels").array(2);
  p.map(28).pair(".name", "axpy").pair(".symbol", "axpy.kd");
  p.pair(".language", "OpenCL C").text(".language_version").array(2);
  p.number(2).number(0).pair(".kind", "normal");
  p.pair(".vec_type_hint", "float4").pair(".device_enqueue_symbol", "h");
  p.text(".reqd_workgroup_size").array(3).number(64).number(2).number(1);
  p.text(".workgroup_size_hint").array(3).number(8).number(8).number(1);
  p.text(".cluster_dims").array(3).number(2).number(1).number(1);
  p.pair(".max_num_workgroups_x", 7).pair(".max_num_workgroups_y", 8);
  p.pair(".max_num_workgroups_z", 9).pair(".kernarg_segment_size", 300);
  p.pair(".kernarg_segment_align", 8).pair(".group_segment_fixed_size", 256);
  p.pair(".private_segment_fixed_size", 16).pair(".wavefront_size", 64);
  p.pair(".sgpr_count", 14).pair(".vgpr_count", 5).pair(".agpr_count", 0);
  p.pair(".sgpr_spill_count", 1).pair(".vgpr_spill_count", 2);
  p.pair(".max_flat_workgroup_size", 1024).pair(".uniform_work_group_size", 1);
  p.text(".uses_dynamic_stack").boolean(true);
  p.text(".workgroup_processor_mode").number(1);
  p.text(".args").array(2);
  p.map(12).pair(".name", "x").pair(".type_name", "float*");
  p.pair(".value_kind", "global_buffer").pair(".address_space", "global");
  p.pair(".access", "read_only").pair(".actual_access", "read_only");
  p.pair(".offset", 8).pair(".size", 8).pair(".pointee_align", 4);
  p.text(".is_const").boolean(true).text(".is_pipe").boolean(false);
  p.text(".is_volatile").boolean(true);
  p.map(3).pair(".offset", 16).pair(".size", 4);
  p.pair(".value_kind", "hidden_block_count_x");
  p.map(1).pair(".name", "empty");
  return p.str();
}

TEST(AmdgpuMetadata, ReadsEveryKey) {
  Read r = read(whole());
  const Metadata &m = r.metadata;
  EXPECT_TRUE(r.limitations.list.empty());
  EXPECT_EQ(m.format, MetadataFormat::message_pack);
  EXPECT_EQ(m.version, (std::array<std::uint64_t, 2>{1, 1}));
  EXPECT_EQ(m.target, "amdgcn-amd-amdhsa--gfx90a:xnack+");
  EXPECT_EQ(m.printf, std::vector<std::string_view>{"1:1:4:%d\\n"});
  EXPECT_TRUE(m.kernels_known);
  EXPECT_EQ(m.unknown_key_count, 0u);
  ASSERT_EQ(m.kernels.size(), 2u);
  const KernelMetadata &k = m.kernels[0];
  using Three = std::array<std::uint64_t, 3>;
  EXPECT_EQ(k.name, "axpy");
  EXPECT_EQ(k.symbol, "axpy.kd");
  EXPECT_EQ(k.language, "OpenCL C");
  EXPECT_EQ(k.language_version, (std::array<std::uint64_t, 2>{2, 0}));
  EXPECT_EQ(k.kind, "normal");
  EXPECT_EQ(k.vec_type_hint, "float4");
  EXPECT_EQ(k.device_enqueue_symbol, "h");
  EXPECT_EQ(k.reqd_workgroup_size, (Three{64, 2, 1}));
  EXPECT_EQ(k.workgroup_size_hint, (Three{8, 8, 1}));
  EXPECT_EQ(k.cluster_dims, (Three{2, 1, 1}));
  EXPECT_EQ(k.max_num_workgroups_x, 7u);
  EXPECT_EQ(k.max_num_workgroups_y, 8u);
  EXPECT_EQ(k.max_num_workgroups_z, 9u);
  EXPECT_EQ(k.kernarg_segment_size, 300u);
  EXPECT_EQ(k.kernarg_segment_align, 8u);
  EXPECT_EQ(k.group_segment_fixed_size, 256u);
  EXPECT_EQ(k.private_segment_fixed_size, 16u);
  EXPECT_EQ(k.wavefront_size, 64u);
  EXPECT_EQ(k.sgpr_count, 14u);
  EXPECT_EQ(k.vgpr_count, 5u);
  EXPECT_EQ(k.agpr_count, 0u);
  EXPECT_EQ(k.sgpr_spill_count, 1u);
  EXPECT_EQ(k.vgpr_spill_count, 2u);
  EXPECT_EQ(k.max_flat_workgroup_size, 1024u);
  EXPECT_EQ(k.uniform_work_group_size, 1u);
  EXPECT_EQ(k.uses_dynamic_stack, true);
  EXPECT_EQ(k.workgroup_processor_mode, true);
  EXPECT_TRUE(k.arguments_known);
  EXPECT_EQ(k.hidden_arguments, 1u);
  ASSERT_EQ(k.arguments.size(), 2u);
  const Argument &a = k.arguments[0];
  EXPECT_EQ(a.name, "x");
  EXPECT_EQ(a.type_name, "float*");
  EXPECT_EQ(a.value_kind, "global_buffer");
  EXPECT_EQ(a.address_space, "global");
  EXPECT_EQ(a.access, "read_only");
  EXPECT_EQ(a.actual_access, "read_only");
  EXPECT_EQ(a.offset, 8u);
  EXPECT_EQ(a.size, 8u);
  EXPECT_EQ(a.pointee_align, 4u);
  EXPECT_EQ(a.is_const, true);
  EXPECT_EQ(a.is_pipe, false);
  EXPECT_EQ(a.is_volatile, true);
  EXPECT_EQ(a.is_restrict, std::nullopt);
  EXPECT_FALSE(a.hidden);
  EXPECT_TRUE(k.arguments[1].hidden);
  EXPECT_EQ(m.kernels[1].name, "empty");
  EXPECT_EQ(m.kernels[1].sgpr_count, std::nullopt);
  EXPECT_TRUE(m.kernels[1].arguments_known);
}

TEST(AmdgpuMetadata, NamesTheKeyOfAWrongTypeAndKeepsTheRest) {
  Packer k;
  k.map(5).pair(".name", "k").pair(".sgpr_count", "many");
  k.text(".reqd_workgroup_size").array(2).number(1).number(1);
  k.text(".symbol").number(4).pair(".vgpr_count", 3);
  Read r = read(one_kernel(k));
  ASSERT_EQ(r.metadata.kernels.size(), 1u);
  EXPECT_EQ(r.metadata.kernels[0].sgpr_count, std::nullopt);
  EXPECT_EQ(r.metadata.kernels[0].reqd_workgroup_size, std::nullopt);
  EXPECT_EQ(r.metadata.kernels[0].symbol, std::nullopt);
  EXPECT_EQ(r.metadata.kernels[0].vgpr_count, 3u);
  EXPECT_TRUE(r.metadata.kernels_known);
  ASSERT_EQ(r.limitations.list.size(), 3u);
  const Limitation &l = r.limitations.list[0];
  EXPECT_EQ(l.code, "bad-value");
  EXPECT_EQ(l.message, ".sgpr_count: expected an integer, found text");
  EXPECT_EQ(l.offset, 0x1000 + one_kernel(k).find(".sgpr_count"));
  EXPECT_EQ(l.kernel, 0u);
  EXPECT_EQ(r.limitations.list[1].message,
            ".reqd_workgroup_size: expected three integers, found array");
}

TEST(AmdgpuMetadata, CountsUnknownKeys) {
  Packer k;
  k.map(3).pair(".name", "k").pair(".novel", 1);
  k.text(".args").array(2).map(1).pair(".novel", 2).map(1).pair(".odd", 3);
  Read r = read(one_kernel(k));
  EXPECT_TRUE(r.limitations.list.empty());
  EXPECT_EQ(r.metadata.unknown_key_count, 3u);
  ASSERT_EQ(r.metadata.unknown_keys.size(), 2u);
  EXPECT_EQ(r.metadata.unknown_keys[0].name, ".novel");
  EXPECT_EQ(r.metadata.unknown_keys[0].count, 2u);
  EXPECT_EQ(r.metadata.unknown_keys[0].offset,
            0x1000 + one_kernel(k).find(".novel"));
}

TEST(AmdgpuMetadata, RefusesListsOfWrongThings) {
  Packer k;
  k.map(1).text(".args").array(2).number(1).map(1).pair(".size", 4);
  Read r = read(one_kernel(k));
  EXPECT_FALSE(r.metadata.kernels[0].arguments_known);
  ASSERT_EQ(r.metadata.kernels[0].arguments.size(), 2u); // places are kept
  EXPECT_EQ(r.metadata.kernels[0].arguments[1].size, 4u);

  Packer p;
  p.map(1).text("amdhsa.kernels").array(2).number(1).map(1).pair(".name", "k");
  r = read(p.str());
  EXPECT_FALSE(r.metadata.kernels_known);
  EXPECT_EQ(r.metadata.kernels.size(), 1u);
  EXPECT_EQ(r.limitations.list.at(0).code, "bad-value");

  r = read("\x93\x01\x02\x03");
  EXPECT_FALSE(r.metadata.kernels_known);
  EXPECT_EQ(r.limitations.list.at(0).message,
            "metadata: expected a map, found array");
}

TEST(AmdgpuMetadata, KeepsWhatPrecedesEveryTruncation) {
  std::string note = whole();
  std::size_t before = 0;
  for (std::size_t n = 0; n < note.size(); n++) {
    Read r = read(note.substr(0, n));
    EXPECT_TRUE(r.limitations.has("damaged-metadata")) << n;
    EXPECT_FALSE(r.metadata.kernels_known) << n;
    EXPECT_GE(r.metadata.kernels.size(), before) << n;
    before = r.metadata.kernels.size();
    if (before != 0) {
      EXPECT_FALSE(r.metadata.kernels.back().arguments_known) << n;
    }
    for (const Limitation &l : r.limitations.list)
      EXPECT_LE(l.offset, 0x1000 + n);
  }
  EXPECT_EQ(before, 2u);
}

TEST(AmdgpuMetadata, AcceptsZerosAfterTheDocumentAndNothingElse) {
  EXPECT_TRUE(read(whole() + std::string(3, '\0')).limitations.list.empty());
  Read r = read(whole() + "x");
  ASSERT_TRUE(r.limitations.has("damaged-metadata"));
  EXPECT_EQ(r.limitations.list[0].offset, 0x1000 + whole().size());
}

TEST(AmdgpuMetadata, JoinsSeveralNotes) {
  Limitations limitations;
  Metadata m;
  std::string first = whole();
  Packer second;
  second.map(2).pair("amdhsa.target", "amdgcn-amd-amdhsa--gfx906");
  second.text("amdhsa.kernels").array(1).map(1).pair(".name", "other");
  read_metadata(as_bytes(first), 0, Limits{}, m, limitations);
  read_metadata(as_bytes(second.str()), 0x500, Limits{}, m, limitations);
  EXPECT_EQ(m.notes, 2u);
  EXPECT_TRUE(m.kernels_known);
  ASSERT_EQ(m.kernels.size(), 3u);
  EXPECT_EQ(m.kernels[2].name, "other");
  EXPECT_EQ(m.target, "amdgcn-amd-amdhsa--gfx90a:xnack+");
  ASSERT_EQ(limitations.list.size(), 1u);
  EXPECT_EQ(limitations.list[0].code, "metadata-conflict");
  EXPECT_EQ(limitations.list[0].offset,
            0x500 + second.str().find("amdhsa.target"));
}

TEST(AmdgpuMetadata, StopsAtTheLimitOfRecords) {
  Packer p;
  p.map(1).text("amdhsa.kernels").array(5);
  for (int i = 0; i < 5; i++)
    p.map(1).pair(".name", "k");
  Limits limits;
  limits.note_bytes = 3 * sizeof(KernelMetadata);
  Read r = read(p.str(), limits);
  EXPECT_EQ(r.metadata.kernels.size(), 3u);
  EXPECT_FALSE(r.metadata.kernels_known);
  ASSERT_EQ(r.limitations.list.size(), 1u);
  EXPECT_EQ(r.limitations.list[0].code, "limit");
}

TEST(AmdgpuMetadata, KeepsOnlyTheFirstOfManyLimitations) {
  Packer k;
  k.map(1200);
  for (int i = 0; i < 1200; i++)
    k.text(".sgpr_count").nil();
  Read r = read(one_kernel(k));
  EXPECT_EQ(r.limitations.list.size(), Limitations::kKept);
  EXPECT_EQ(r.limitations.dropped, 200u);
}

TEST(AmdgpuMetadata, KnowsCodesOfDroppedLimitations) {
  Limitations l;
  for (std::size_t i = 0; i < Limitations::kKept; i++)
    l.add("bad-value", "", i);
  EXPECT_FALSE(l.has("limit"));
  l.add("limit", "", 0);
  EXPECT_EQ(l.list.size(), Limitations::kKept);
  EXPECT_EQ(l.dropped, 1u);
  EXPECT_TRUE(l.has("limit"));
  EXPECT_EQ(l.codes.size(), 2u);
}

} // namespace
} // namespace gantry::amdgpu

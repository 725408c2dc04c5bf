// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a PTX text says, in the model.
#include "inspect/describe.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

Slot described(std::string_view text, bool kernels = true,
               const Limits &limits = {}) {
  Slot slot;
  slot.object.kind = ObjectKind::ptx;
  describe_ptx(as_bytes(text), {.kernels = kernels, .attributes = true}, limits,
               slot);
  return slot;
}

std::vector<std::string> codes(const std::vector<Limitation> &list) {
  std::vector<std::string> out;
  for (const Limitation &l : list)
    out.push_back(l.code);
  return out;
}

using Codes = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

const std::string kHead = ".version 8.7\n.target sm_90a\n.address_size 64\n";

TEST(DescribePtx, FillsTheObject) {
  Slot s = described(".version 8.0\n.target sm_80, debug\n.target compute_90, "
                     "texmode_unified\n"
                     ".address_size 32\n.shared .b32 m[4];");
  const Object &o = s.object;
  EXPECT_EQ(o.version, "8.0");
  EXPECT_EQ(o.target, "sm_90");
  EXPECT_EQ(o.payload_target, "compute_90");
  EXPECT_EQ(o.target_consistency, "single-source");
  EXPECT_EQ(o.module_shared_bytes, 16u);
  EXPECT_EQ(o.attributes, (Pairs{{"address_size", "32"},
                                 {"target", "sm_80"},
                                 {"target_option", "debug"},
                                 {"target", "compute_90"},
                                 {"target_option", "texmode_unified"}}));
  EXPECT_EQ(o.kernel_analysis, Coverage::complete);
  EXPECT_TRUE(o.limitations.empty());
  EXPECT_TRUE(s.kernels.empty());
}

TEST(DescribePtx, FillsKernels) {
  Slot s = described(
      kHead +
      ".extern .shared .b8 d[];\n"
      ".weak .entry k(.param .u64 .ptr .const .align 16 p, .param .b8 s[3])\n"
      ".maxntid 128, 2 .reqntid 64 .maxnreg 40 .reqnctapercluster 2, 1, 1\n"
      ".maxclusterrank 8 .minnctapersm 3 .pragma \"x\";\n"
      "{ .reg .b32 %r<4>; .reg .v2 .f32 v; .shared .b8 own[5]; ret; }");
  ASSERT_EQ(s.kernels.size(), 1u);
  const Kernel &k = s.kernels[0];
  EXPECT_EQ(k.name, "k");
  EXPECT_EQ(k.representation, "ptx");
  EXPECT_EQ(k.registers, std::nullopt);
  EXPECT_EQ(k.virtual_registers,
            (std::vector<std::pair<std::string, std::uint64_t>>{
                {"b32", 4}, {"v2.f32", 1}}));
  EXPECT_EQ(k.shared_bytes, 5u);
  EXPECT_EQ(k.dynamic_shared, true);
  EXPECT_EQ(k.register_limit, 40u);
  EXPECT_EQ(k.max_threads, (Extent3{128, 2, 1}));
  EXPECT_EQ(k.required_threads, (Extent3{64, 1, 1}));
  EXPECT_EQ(k.cluster, (Extent3{2, 1, 1}));
  EXPECT_EQ(k.max_cluster_rank, 8u);
  EXPECT_EQ(k.parameter_count, 2u);
  EXPECT_EQ(k.hidden_parameter_count, 0u);
  EXPECT_EQ(k.parameter_bytes, 11u);
  EXPECT_TRUE(k.parameters_known);
  ASSERT_EQ(k.parameters.size(), 2u);
  EXPECT_EQ(k.parameters[0].name, "p");
  EXPECT_EQ(k.parameters[0].offset, 0u);
  EXPECT_EQ(k.parameters[0].size, 8u);
  EXPECT_EQ(k.parameters[0].type_name, "u64");
  EXPECT_EQ(k.parameters[0].address_space, "const");
  EXPECT_EQ(k.parameters[0].pointee_align, 16u);
  EXPECT_EQ(k.parameters[1].offset, 8u);
  EXPECT_EQ(k.parameters[1].address_space, "");
  EXPECT_EQ(k.parameters[1].pointee_align, std::nullopt);
  EXPECT_EQ(k.attributes, (Pairs{{"linkage", "weak"},
                                 {".maxntid", "128, 2"},
                                 {".reqntid", "64"},
                                 {".maxnreg", "40"},
                                 {".reqnctapercluster", "2, 1, 1"},
                                 {".maxclusterrank", "8"},
                                 {".minnctapersm", "3"},
                                 {".pragma", "\"x\""}}));
  EXPECT_TRUE(k.limitations.empty());
  EXPECT_EQ(s.object.kernel_analysis, Coverage::complete);
}

TEST(DescribePtx, TellsNoneFromUnknown) {
  Slot s = described(kHead + ".entry none {} .entry unknown(.param .b8 p[1+1]) "
                             "{ .reg .b99 r; .shared .b8 s[1+1]; }");
  ASSERT_EQ(s.kernels.size(), 2u);
  const Kernel &none = s.kernels[0], &unknown = s.kernels[1];
  ASSERT_TRUE(none.virtual_registers);
  EXPECT_TRUE(none.virtual_registers->empty());
  EXPECT_EQ(none.shared_bytes, 0u);
  EXPECT_EQ(none.dynamic_shared, false);
  EXPECT_EQ(none.parameter_count, 0u);
  EXPECT_EQ(none.parameter_bytes, 0u);
  EXPECT_TRUE(none.limitations.empty());
  EXPECT_EQ(unknown.virtual_registers, std::nullopt);
  EXPECT_EQ(unknown.shared_bytes, std::nullopt);
  EXPECT_EQ(unknown.parameter_count, 1u);
  EXPECT_EQ(unknown.parameter_bytes, std::nullopt);
  EXPECT_EQ(unknown.parameters[0].name, "p");
  EXPECT_EQ(codes(unknown.limitations),
            (Codes{"unknown-parameter-layout", "unknown-register-count",
                   "unknown-shared-size"}));
  EXPECT_EQ(s.object.kernel_analysis, Coverage::partial);
  EXPECT_TRUE(s.object.limitations.empty());
}

TEST(DescribePtx, MarksWhatThisVersionDoesNotKnow) {
  auto said = [](std::string_view text) {
    return codes(described(text).object.limitations);
  };
  EXPECT_EQ(said(".version 9.9 .target sm_90"), Codes{"unknown-version"});
  EXPECT_EQ(said(".version 8.0 .target sm_999"), Codes{"unknown-target"});
  EXPECT_EQ(said(".version 8.0 .target sm_90x"), Codes{"unknown-target"});
  EXPECT_EQ(said(".version 8.0 .target sm_90a .target sm_100"),
            Codes{"unknown-target"});
  EXPECT_EQ(said(".version 8.0"), Codes{"unknown-target"});
  EXPECT_EQ(said(".version 1.0 .target sm_10"), Codes{});
  EXPECT_EQ(said(".version x .target sm_90"), Codes{"bad-value"});
  EXPECT_EQ(said(".version 8.0 .target sm_90 .shared .b8 m[1+1];"),
            Codes{"unknown-shared-size"});
  Slot s = described(".version 9.9 .target sm_999 .entry k {}");
  EXPECT_EQ(s.object.target, "sm_999");
  EXPECT_EQ(s.object.version, "9.9");
  EXPECT_EQ(s.kernels.size(), 1u);
  EXPECT_EQ(s.object.kernel_analysis, Coverage::partial);
}

TEST(DescribePtx, KeepsWhatPrecedesDamage) {
  Slot s = described(kHead + ".entry a(.param .u8 p) {} .entry b {");
  EXPECT_EQ(codes(s.object.limitations), Codes{"truncated"});
  EXPECT_EQ(s.object.kernel_analysis, Coverage::partial);
  ASSERT_EQ(s.kernels.size(), 2u);
  EXPECT_TRUE(s.kernels[0].limitations.empty());
  EXPECT_EQ(codes(s.kernels[1].limitations),
            (Codes{"unknown-register-count", "unknown-shared-size"}));
  s = described("nonsense");
  EXPECT_EQ(codes(s.object.limitations), Codes{"bad-magic"});
  EXPECT_EQ(s.object.kernel_analysis, Coverage::unexamined);
}

TEST(DescribePtx, NamesTheLimitThatItHit) {
  Limits limits;
  limits.records = 1;
  Slot s = described(kHead + ".entry a {}", true, limits);
  EXPECT_TRUE(s.kernels.empty());
  ASSERT_EQ(codes(s.object.limitations), Codes{"too-large"});
  EXPECT_NE(s.object.limitations[0].message.find("(limit records)"),
            std::string::npos);
}

TEST(DescribePtx, ListsNoKernelsWhereNobodyAsks) {
  Slot s = described(kHead + ".shared .b8 m; .entry k {}", false);
  EXPECT_TRUE(s.kernels.empty());
  EXPECT_EQ(s.object.kernel_analysis, Coverage::not_requested);
  EXPECT_EQ(s.object.module_shared_bytes, 1u);
}

} // namespace
} // namespace gantry::inspect

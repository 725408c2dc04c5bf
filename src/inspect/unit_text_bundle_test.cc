// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

std::string entry(std::string_view id, std::string_view body) {
  const std::string marker = "\n# __CLANG_OFFLOAD_BUNDLE____";
  return marker + "START__ " + std::string(id) + "\n" + std::string(body) +
         marker + "END__ " + std::string(id) + "\n";
}

Report look(const std::string &file) {
  Options options;
  options.analysis = Analysis::kernels;
  auto r = memory(as_bytes(file), "test", options);
  EXPECT_TRUE(r);
  EXPECT_EQ(broken_rule(*r), "");
  return r ? std::move(*r) : Report{};
}

TEST(TextBundleUnit, ListsTexts) {
  const std::string file = entry(kHostId, "host\n") +
                           entry(amd_id("gfx90a"), "s_endpgm\n") +
                           entry("cuda-nvptx64-nvidia-cuda--sm_90", ptx_text());
  Report r = look(file);
  ASSERT_EQ(r.containers.size(), 1u);
  EXPECT_EQ(r.containers[0].kind, ContainerKind::text_bundle);
  EXPECT_EQ(r.containers[0].entries, 3u);
  EXPECT_EQ(r.containers[0].host_entries, 1u);
  EXPECT_EQ(r.containers[0].location.size, file.size());
  EXPECT_TRUE(r.searched);
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_EQ(r.objects[0].id, "0.1");
  EXPECT_EQ(r.objects[0].kind, ObjectKind::unknown);
  EXPECT_EQ(r.objects[0].target, "gfx90a");
  EXPECT_EQ(r.objects[0].decoded_bytes, 9u);
  EXPECT_EQ(file.substr(r.objects[0].location.offset, 9), "s_endpgm\n");
  EXPECT_EQ(r.objects[1].kind, ObjectKind::ptx);
  EXPECT_EQ(r.objects[1].declared, "cuda-nvptx64-nvidia-cuda--sm_90");
  EXPECT_EQ(r.objects[1].payload_target, "sm_90");
  EXPECT_EQ(r.objects[1].kernels, 1u);
}

TEST(TextBundleUnit, KeepsSoundTextsBesideDamagedOnes) {
  std::string file = entry(amd_id("gfx90a"), "") + entry(amd_id("gfx906"), "x");
  file.resize(file.size() - 40);
  Report r = look(file);
  EXPECT_EQ(r.containers[0].coverage, Coverage::partial);
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_TRUE(find(r.objects[0].limitations, "empty-image"));
  EXPECT_TRUE(find(r.objects[1].limitations, "truncated"));
}

TEST(TextBundleUnit, IsAFileOfItsOwn) {
  // Documents and sources of tools quote the markers.
  EXPECT_TRUE(look("text" + entry(amd_id("gfx90a"), "x")).containers.empty());
}

} // namespace
} // namespace gantry::inspect

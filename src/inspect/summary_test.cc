// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/summary.h"

#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

Object object(std::string target, ObjectKind kind, std::uint64_t at = 0,
              std::uint64_t size = 0) {
  Object o;
  o.target = std::move(target);
  o.kind = kind;
  o.encoded_bytes = size;
  o.decoded_bytes = 2 * size;
  o.encoded_location = {{}, at, size};
  return o;
}

Container container(ContainerKind kind, std::uint64_t at, std::uint64_t size) {
  Container c;
  c.kind = kind;
  c.location = {{}, at, size};
  return c;
}

std::vector<std::string> names(const Report &r) {
  std::vector<std::string> out;
  for (const TargetRow &row : r.targets)
    out.push_back(row.target + " " + std::string(word(row.kind)));
  return out;
}

TEST(TargetRows, GroupByTargetKindAndRelocatable) {
  Report r;
  r.objects = {object("sm_90", ObjectKind::cubin, 0, 10),
               object("sm_90", ObjectKind::ptx, 10, 20),
               object("sm_90", ObjectKind::cubin, 30, 30),
               object("sm_90", ObjectKind::cubin, 60, 40)};
  r.objects[2].relocatable = true;
  r.objects[0].kernels = 3, r.objects[3].kernels = 4;
  add_target_rows(r);
  ASSERT_EQ(r.targets.size(), 3u);
  EXPECT_EQ(r.targets[0].relocatable, std::nullopt);
  EXPECT_EQ(r.targets[0].objects, 2u);
  EXPECT_EQ(r.targets[0].encoded_bytes, 50u);
  EXPECT_EQ(r.targets[0].decoded_bytes, 100u);
  EXPECT_EQ(r.targets[0].kernels, 7u);
  EXPECT_EQ(r.targets[1].relocatable, true);
  EXPECT_EQ(r.targets[1].kernels, std::nullopt) << "nobody looked";
  EXPECT_EQ(r.targets[2].kind, ObjectKind::ptx);
}

TEST(TargetRows, ComeInNaturalOrder) {
  Report r;
  for (const char *target :
       {"sm_100", "gfx1030", "sm_90a", "gfx90a:xnack+", "sm_90", "", "gfx906",
        "sm_100a", "gfx90a", "amdgcnspirv", "sm_75"})
    r.objects.push_back(object(target, ObjectKind::cubin));
  r.objects.push_back(object("sm_75", ObjectKind::ptx));
  Report backwards;
  backwards.objects = {r.objects.rbegin(), r.objects.rend()};
  add_target_rows(r);
  add_target_rows(backwards);
  EXPECT_EQ(names(r), names(backwards));
  std::vector<std::string> order = names(r);
  auto before = [&](std::string_view a, std::string_view b) {
    return std::ranges::find(order, a) < std::ranges::find(order, b);
  };
  EXPECT_TRUE(before("sm_75 cubin", "sm_75 ptx"));
  EXPECT_TRUE(before("sm_75 ptx", "sm_90 cubin"));
  EXPECT_TRUE(before("sm_90 cubin", "sm_90a cubin"));
  EXPECT_TRUE(before("sm_90a cubin", "sm_100 cubin"));
  EXPECT_TRUE(before("sm_100 cubin", "sm_100a cubin"));
  EXPECT_TRUE(before("gfx906 cubin", "gfx90a cubin"));
  EXPECT_TRUE(before("gfx90a cubin", "gfx90a:xnack+ cubin"));
  EXPECT_TRUE(before("gfx90a:xnack+ cubin", "gfx1030 cubin"));
}

TEST(TargetRows, KnowNoSumOfWhatIsNotKnown) {
  Report r;
  r.objects = {object("a", ObjectKind::amdgpu, 0, 10),
               object("a", ObjectKind::amdgpu, 10, 10),
               object("b", ObjectKind::amdgpu, 10, 10),
               object("b", ObjectKind::amdgpu, 10, 10)};
  r.objects[1].encoded_bytes.reset();
  r.objects[2].decoded_bytes = UINT64_MAX; // a claim
  add_target_rows(r);
  ASSERT_EQ(r.targets.size(), 2u);
  EXPECT_EQ(r.targets[0].encoded_bytes, std::nullopt);
  EXPECT_EQ(r.targets[0].decoded_bytes, 40u);
  EXPECT_EQ(r.targets[1].decoded_bytes, std::nullopt) << "not a small number";
}

TEST(TargetRows, SayHowMuchWasLookedAt) {
  auto coverage = [](std::vector<Coverage> of, bool limited, bool conflict) {
    Report r;
    for (Coverage c : of) {
      r.objects.push_back(object("sm_90", ObjectKind::cubin));
      r.objects.back().kernel_analysis = c;
    }
    if (limited)
      add(r.objects[0], Limitation{"corrupt", "damaged", {}});
    if (conflict)
      r.objects[0].target_consistency = "conflict";
    add_target_rows(r);
    EXPECT_EQ(r.targets.size(), 1u);
    return r.targets[0].coverage;
  };
  using enum Coverage;
  EXPECT_EQ(coverage({complete, complete}, false, false), complete);
  EXPECT_EQ(coverage({not_requested, not_requested}, false, false),
            not_requested);
  EXPECT_EQ(coverage({complete, unexamined}, false, false), partial);
  EXPECT_EQ(coverage({complete, not_selected}, false, false), partial);
  EXPECT_EQ(coverage({complete, complete}, true, false), partial);
  EXPECT_EQ(coverage({complete, complete}, false, true), partial);
  EXPECT_EQ(coverage({unexamined}, true, false), unexamined);
}

Usage usage(Report r) {
  account(r);
  const Usage &u = r.usage;
  EXPECT_EQ(u.object_bytes + u.compressed_together_bytes + u.container_bytes +
                u.padding_bytes + u.other_bytes,
            r.size);
  return u;
}

TEST(Usage, CountsEachByteOnceForItsStrongestClaim) {
  Report r;
  r.size = 1000;
  r.containers = {container(ContainerKind::section, 100, 500),
                  container(ContainerKind::fatbin, 100, 300),
                  container(ContainerKind::ccob, 450, 100)};
  r.objects = {object("a", ObjectKind::cubin, 150, 100),
               object("b", ObjectKind::cubin, 250, 50)};
  Usage u = usage(r);
  EXPECT_EQ(u.object_bytes, 150u);
  EXPECT_EQ(u.compressed_together_bytes, 100u);
  EXPECT_EQ(u.container_bytes, 150u);
  EXPECT_EQ(u.padding_bytes, 100u);
  EXPECT_EQ(u.other_bytes, 500u);
  EXPECT_EQ(u.overlap_bytes, 0u);
}

TEST(Usage, CountsWhatObjectsShare) {
  Report r;
  r.size = 100;
  r.objects = {object("a", ObjectKind::amdgpu, 0, 60),
               object("b", ObjectKind::amdgpu, 40, 60),
               object("c", ObjectKind::amdgpu, 50, 10),
               object("d", ObjectKind::amdgpu, 0, 60)};
  Usage u = usage(r);
  EXPECT_EQ(u.object_bytes, 100u);
  EXPECT_EQ(u.overlap_bytes, 190u - 100);
}

TEST(Usage, TellsWhatIsCompressedTogetherFromObjects) {
  Report r;
  r.size = 100;
  r.containers = {container(ContainerKind::fatbin, 0, 100)};
  r.objects = {object("a", ObjectKind::cubin, 16, 40),
               object("b", ObjectKind::cubin, 16, 40)};
  r.objects[0].encoded_bytes.reset();
  r.objects[1].encoded_bytes.reset();
  Usage u = usage(r);
  EXPECT_EQ(u.object_bytes, 0u);
  EXPECT_EQ(u.compressed_together_bytes, 40u);
  EXPECT_EQ(u.container_bytes, 60u);
  EXPECT_EQ(u.overlap_bytes, 0u);
}

TEST(Usage, LeavesOutWhatLiesInDecodedBytes) {
  Report r;
  r.size = 100;
  r.containers = {container(ContainerKind::ccob, 0, 100),
                  container(ContainerKind::bundle, 0, 5000)};
  r.containers[1].location.in = "0";
  EXPECT_EQ(usage(r).compressed_together_bytes, 100u);
  EXPECT_EQ(usage(Report()).other_bytes, 0u);
}

TEST(Assembly, GivesContainersAndObjectsTheirPlaces) {
  auto unit = [](std::uint64_t at) {
    Unit u;
    u.offset = at;
    u.containers.resize(2);
    u.containers[0].id = position_id(at);
    u.containers[1].id = position_id(at) + ".0";
    u.containers[1].parent = 0;
    u.slots.resize(2);
    u.slots[0].object.container = u.slots[1].object.container = 1;
    u.slots[1].kernels.resize(3);
    return u;
  };
  std::vector<Region> regions(2);
  regions[0].section.emplace().id = "s1";
  regions[0].units = {unit(1), unit(2)};
  regions[1].units = {unit(3)};
  Report r;
  assemble(std::move(regions), r);
  ASSERT_EQ(r.containers.size(), 7u);
  ASSERT_EQ(r.objects.size(), 6u);
  ASSERT_EQ(r.kernels.size(), 9u);
  EXPECT_EQ(r.containers[0].parent, kNone);
  EXPECT_EQ(r.containers[1].parent, 0u);
  EXPECT_EQ(r.containers[2].parent, 1u);
  EXPECT_EQ(r.containers[3].parent, 0u);
  EXPECT_EQ(r.containers[5].parent, kNone) << "not in a section";
  EXPECT_EQ(r.objects[0].container, 2u);
  EXPECT_EQ(r.objects[5].container, 6u);
  EXPECT_EQ(r.kernels[0].object, 1u);
  EXPECT_EQ(r.kernels[8].object, 5u);
}

TEST(ReportCoverage, IsCompleteOnlyWithoutAnyDoubt) {
  auto coverage = [](auto change) {
    Report r;
    r.searched = true;
    r.analysis = Analysis::kernels;
    r.containers.resize(1);
    r.objects.resize(1);
    r.objects[0].kernel_analysis = Coverage::complete;
    change(r);
    set_coverage(r);
    return r.coverage;
  };
  Limitation reason{"corrupt", "damaged", std::nullopt};
  using enum Coverage;
  EXPECT_EQ(coverage([](Report &) {}), complete);
  EXPECT_EQ(coverage([](Report &r) { r.searched = false; }), partial);
  EXPECT_EQ(coverage([&](Report &r) { r.limitations = {reason}; }), partial);
  EXPECT_EQ(coverage([&](Report &r) { add(r.containers[0], reason); }),
            partial);
  EXPECT_EQ(coverage([&](Report &r) { add(r.objects[0], reason); }), partial);
  EXPECT_EQ(
      coverage([](Report &r) { r.objects[0].target_consistency = "conflict"; }),
      partial);
  EXPECT_EQ(coverage([](Report &r) { r.objects[0].selected = false; }),
            partial);
  auto unexamined_kernels = [](Report &r) {
    r.objects[0].kernel_analysis = Coverage::unexamined;
  };
  EXPECT_EQ(coverage(unexamined_kernels), partial);
  EXPECT_EQ(coverage([&](Report &r) {
              unexamined_kernels(r);
              r.analysis = Analysis::inventory;
            }),
            complete);
}

TEST(Words, AreReadBack) {
  for (int i = 0; i <= static_cast<int>(ObjectKind::unknown); i++) {
    auto kind = static_cast<ObjectKind>(i);
    EXPECT_EQ(object_kind_from(word(kind)), kind);
  }
  EXPECT_EQ(object_kind_from("Cubin"), std::nullopt);
  EXPECT_EQ(analysis_from("kernels"), Analysis::kernels);
  EXPECT_EQ(analysis_from("inventory"), Analysis::inventory);
  EXPECT_EQ(analysis_from(""), std::nullopt);
}

} // namespace
} // namespace gantry::inspect

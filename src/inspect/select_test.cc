// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/select.h"

#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

struct Wants {
  std::vector<std::string> targets = {};
  std::vector<ObjectKind> kinds = {};
  std::vector<std::string> kernels = {};
};

Selection selection(const Wants &wants) {
  Options options;
  options.targets = wants.targets;
  options.kinds = wants.kinds;
  options.kernels = wants.kernels;
  auto s = Selection::parse(options);
  EXPECT_TRUE(s) << s.error().text();
  return s ? *s : Selection();
}

Object object(std::string target, ObjectKind kind, std::string declared = {}) {
  Object o;
  o.target = std::move(target);
  o.kind = kind;
  o.declared = std::move(declared);
  return o;
}

TEST(Select, TakesEverythingByDefault) {
  EXPECT_TRUE(selection({}).everything());
  EXPECT_TRUE(selection({}).selects(Object()));
  EXPECT_TRUE(selection({}).selects(Kernel()));
}

TEST(Select, TakesATargetOfEveryKind) {
  Selection s = selection({.targets = {"sm_90"}});
  EXPECT_FALSE(s.everything());
  EXPECT_TRUE(s.selects(object("sm_90", ObjectKind::cubin)));
  EXPECT_TRUE(s.selects(object("sm_90", ObjectKind::ptx)));
  EXPECT_FALSE(s.selects(object("sm_90a", ObjectKind::cubin)));
  EXPECT_FALSE(s.selects(object("", ObjectKind::cubin)));
}

TEST(Select, TakesComputeForPtxAndLtoForLtoIr) {
  Selection ptx = selection({.targets = {"compute_90"}});
  EXPECT_TRUE(ptx.selects(object("sm_90", ObjectKind::ptx)));
  EXPECT_FALSE(ptx.selects(object("sm_90", ObjectKind::cubin)));
  Selection lto = selection({.targets = {"lto_90"}});
  EXPECT_TRUE(lto.selects(object("sm_90", ObjectKind::lto_ir)));
  EXPECT_FALSE(lto.selects(object("sm_90", ObjectKind::ptx)));
}

TEST(Select, TakesAnyOfSeveralTargets) {
  Selection s = selection({.targets = {"sm_90", "gfx90a:xnack+"}});
  EXPECT_TRUE(s.selects(object("sm_90", ObjectKind::cubin)));
  EXPECT_TRUE(s.selects(object("gfx90a:xnack+", ObjectKind::amdgpu)));
  EXPECT_FALSE(s.selects(object("gfx90a", ObjectKind::amdgpu)));
}

TEST(Select, ReadsOtherSpellingsOfATarget) {
  Selection s = selection({.targets = {"gfx942:xnack-:sramecc+"}});
  EXPECT_TRUE(s.selects(object("gfx942:sramecc+:xnack-", ObjectKind::amdgpu)));
}

TEST(Select, TakesABundleEntryByExactlyItsId) {
  std::string id = "hip-amdgcn-amd-amdhsa--gfx906+sramecc";
  Selection s = selection({.targets = {id}});
  EXPECT_TRUE(s.selects(object("gfx906", ObjectKind::amdgpu, id)));
  EXPECT_FALSE(s.selects(
      object("gfx906", ObjectKind::amdgpu, "hipv4-amdgcn-amd-amdhsa--gfx906")));
  EXPECT_FALSE(s.selects(object("", ObjectKind::cubin)));
  std::string nameless = "hip-amdgcn-amd-amdhsa--";
  EXPECT_TRUE(selection({.targets = {nameless}})
                  .selects(object("gfx90a", ObjectKind::amdgpu, nameless)));
}

TEST(Select, RefusesTargetsThatCannotBe) {
  for (const char *text : {"", "sm_", "sm_90x", "gfx90a:xnack", "nonsense",
                           "hopper", "foo-bar-baz"}) {
    Options options;
    options.targets = {"sm_90", text};
    auto s = Selection::parse(options);
    ASSERT_FALSE(s) << text;
    EXPECT_EQ(s.error().code, Errc::invalid_argument);
    EXPECT_NE(s.error().context.find(text), std::string::npos);
    EXPECT_FALSE(memory(fatbin_of({cubin_entry()}), "f", options));
  }
}

TEST(Select, TakesKinds) {
  Selection s = selection({.kinds = {ObjectKind::ptx, ObjectKind::amdgpu}});
  EXPECT_TRUE(s.selects(object("sm_90", ObjectKind::ptx)));
  EXPECT_TRUE(s.selects(object("gfx90a", ObjectKind::amdgpu)));
  EXPECT_FALSE(s.selects(object("sm_90", ObjectKind::cubin)));
  Selection both =
      selection({.targets = {"sm_90"}, .kinds = {ObjectKind::cubin}});
  EXPECT_FALSE(both.selects(object("sm_90", ObjectKind::ptx)));
  EXPECT_FALSE(both.selects(object("sm_80", ObjectKind::cubin)));
}

TEST(Select, TakesKernelsByEachOfTheirNames) {
  Kernel k;
  k.name = "_Z4axpyfPf";
  k.symbol = "_Z4axpyfPf.kd";
  for (const char *name :
       {"_Z4axpyfPf", "_Z4axpyfPf.kd", "axpy(float, float*)", "axpy"})
    EXPECT_TRUE(selection({.kernels = {"other", name}}).selects(k)) << name;
  for (const char *name : {"axp", "", "_Z4axpyf", "float"})
    EXPECT_FALSE(selection({.kernels = {name}}).selects(k)) << name;
}

TEST(Select, TakesTemplatesByTheirNameAlone) {
  Kernel k; // void ns::fill<std::pair<int, int> >(double*, double)
  k.name = "_ZN2ns4fillISt4pairIiiEEEvPdd";
  for (const char *name :
       {"ns::fill", "ns::fill<std::pair<int, int> >",
        "void ns::fill<std::pair<int, int> >(double*, double)"})
    EXPECT_TRUE(selection({.kernels = {name}}).selects(k)) << name;
  for (const char *name : {"fill", "void", "int> >", "ns::fill<"})
    EXPECT_FALSE(selection({.kernels = {name}}).selects(k)) << name;
}

// ---- what a report says about the rest

Report look(const Image &file, const Wants &wants) {
  Options options;
  options.analysis = Analysis::kernels;
  options.targets = wants.targets;
  options.kinds = wants.kinds;
  options.kernels = wants.kernels;
  auto r = memory(file, "test", options);
  EXPECT_TRUE(r);
  EXPECT_EQ(r ? broken_rule(*r) : "", "");
  return r ? std::move(*r) : Report{};
}

TEST(Select, LeavesTheRestUnexaminedAndSaysSo) {
  Image file =
      fatbin_of({cubin_entry(80), cubin_entry(90), ptx_entry(90, ptx_text())});
  Report r = look(file, {.targets = {"compute_90"}});
  ASSERT_EQ(r.objects.size(), 3u);
  for (std::size_t i = 0; i < 2; i++) {
    EXPECT_FALSE(r.objects[i].selected);
    EXPECT_EQ(r.objects[i].kernel_analysis, Coverage::not_selected);
    EXPECT_EQ(r.objects[i].target_consistency, "unexamined");
    EXPECT_EQ(r.objects[i].payload_target, "");
    EXPECT_FALSE(r.objects[i].kernels);
  }
  EXPECT_EQ(r.objects[2].kernels, 1u);
  EXPECT_EQ(r.kernels.size(), 1u);
  EXPECT_EQ(r.coverage, Coverage::partial);
  EXPECT_EQ(r.usage.objects_not_selected, 2u);
  const Limitation *l = find(r.limitations, "not-selected");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->message.substr(0, 14), "2 of 3 objects");
  for (const TargetRow &row : r.targets)
    EXPECT_EQ(row.coverage == Coverage::not_selected,
              row.kind == ObjectKind::cubin);
}

TEST(Select, SaysThatAnEmptySelectionProvesNothing) {
  Report r = look(fatbin_of({cubin_entry(80)}), {.targets = {"sm_90"}});
  EXPECT_EQ(r.coverage, Coverage::partial);
  EXPECT_TRUE(find(r.limitations, "not-selected"));
  // Where there is nothing to select the answer is certain.
  r = look(host_with(".text", text("code")), {.targets = {"sm_90"}});
  EXPECT_EQ(r.coverage, Coverage::complete);
  EXPECT_TRUE(r.limitations.empty());
}

TEST(Select, CountsAllKernelsAndKeepsThoseAskedFor) {
  std::string text = ptx_text("sm_90", "first") + ".entry second(){}";
  Report r = look(fatbin_of({ptx_entry(90, text)}), {.kernels = {"second"}});
  EXPECT_EQ(r.objects.at(0).kernels, 2u);
  ASSERT_EQ(r.kernels.size(), 1u);
  EXPECT_EQ(r.kernels[0].name, "second");
}

TEST(Select, FindsWhatAnInventoryHasShown) {
  // Each target and each id of an inventory selects its object.
  Image file =
      bundle_of({{"hip-amdgcn-amd-amdhsa--", amdgpu_image(kGfx90a)},
                 {"hip-amdgcn-amd-amdhsa-gfx906+xnack", amdgpu_image(0x12f)},
                 {amd_id("gfx1030"), amdgpu_image()}});
  auto inventory = memory(file, "test", {});
  ASSERT_TRUE(inventory);
  ASSERT_EQ(inventory->objects.size(), 3u);
  for (const Object &o : inventory->objects)
    for (const std::string &name : {o.target, o.declared}) {
      Report r = look(file, {.targets = {name}});
      std::size_t selected = 0;
      for (const Object &other : r.objects)
        if (other.selected) {
          EXPECT_EQ(other.id, o.id) << name;
          selected++;
        }
      EXPECT_EQ(selected, 1u) << name;
    }
}

} // namespace
} // namespace gantry::inspect

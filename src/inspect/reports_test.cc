// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What went wrong with other tools, as users reported it; docs/requirements.md
// names the reports. Those that other tests cover are listed there.
#include "format/test_cubin.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"
#include "inspect/test_samples.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

Report look(const Image &file, Options options = {}) {
  auto r = memory(file, "test", options);
  EXPECT_TRUE(r) << r.error().text();
  EXPECT_EQ(r ? broken_rule(*r) : "", "");
  return r ? std::move(*r) : Report{};
}

Options kernels() {
  Options o;
  o.analysis = Analysis::kernels;
  return o;
}

Image amd_bundle() {
  return bundle_of({{std::string(kHostId), {}},
                    {amd_id("gfx1030"), amdgpu_image()},
                    {amd_id("gfx90a"), amdgpu_image(kGfx90a)}});
}

Image padded(Image image, std::size_t to = 4096) {
  image.resize((image.size() + to - 1) / to * to);
  return image;
}

// URIs with '&' and '#' broke in a shell. Of members the path comes first, as
// it is.
TEST(Reports, PositionsInIdsNeedNoQuotingInAShell) {
  for (const Sample &s : samples())
    for (const Object &o : look(s.bytes).objects) {
      const std::string position = o.id.substr(o.id.rfind('!') + 1);
      EXPECT_EQ(position.find_first_not_of("0123456789abcdef."), o.id.npos)
          << s.name << " " << o.id;
    }
}

// A section was taken for a single compressed stream.
TEST(Reports, ASectionMayHoldManyCompressedBundles) {
  Image section;
  for (int i = 0; i < 64; i++)
    section = padded(std::move(section)) + ccob_of(amd_bundle());
  Report r = look(host_with(".hip_fatbin", section));
  EXPECT_EQ(r.objects.size(), 128u);
  EXPECT_EQ(r.coverage, Coverage::complete);
  EXPECT_EQ(
      std::ranges::count(r.containers, ContainerKind::ccob, &Container::kind),
      64);
}

// Only plain bundles were looked for.
TEST(Reports, ACompressedBundleIsReadWhereverAPlainOneIs) {
  const Image plain = amd_bundle(), packed = ccob_of(plain);
  elf::ElfBuilder relocatable = host_builder();
  relocatable.header.type = 1;
  relocatable.section(".hip_fatbin", packed, {.flags = elf::kFlagAlloc});
  for (const Image &file :
       {packed, plain + packed, packed + plain,
        host_with(".hip_fatbin", packed), host_with(".rodata", packed),
        relocatable.build(), text("no known format, and ") + packed}) {
    Report r = look(file);
    EXPECT_EQ(
        std::ranges::count(r.containers, ContainerKind::ccob, &Container::kind),
        1);
    EXPECT_GE(r.objects.size(), 2u);
    EXPECT_EQ(r.objects.back().declared, amd_id("gfx90a"));
  }
}

// A walk ended at the first entry that is not compressed.
TEST(Reports, EntriesBehindAnUncompressedOneAreRead) {
  Entry packed =
      compressed(cubin_entry(90), 0x8000, zstd_stored(cubin_image()));
  Report r = look(fatbin_of({packed, cubin_entry(80), packed,
                             ptx_entry(90, ptx_text()), packed}),
                  kernels());
  ASSERT_EQ(r.objects.size(), 5u);
  for (const Object &o : r.objects)
    EXPECT_EQ(o.kernel_analysis, Coverage::complete) << o.id;
}

// One target's attributes were known, another's broke the reader.
TEST(Reports, UnknownAttributesOfCubinsArePassedOver) {
  cubin::Records records = cubin::axpy_records();
  records.words(0xee, {1, 2, 3}).half(0xef, 7);
  records.half(nvinfo::kNumBarriers, 1);
  cubin::CubinBuilder b;
  b.kernel("axpy", std::move(records));
  Options options = kernels();
  options.attributes = true;
  Report r =
      look(fatbin_of({Entry{.arch = 90, .payload = b.build()}}), options);
  EXPECT_EQ(r.objects.at(0).kernel_analysis, Coverage::complete);
  const Kernel &k = r.kernels.at(0);
  EXPECT_EQ(k.parameter_count, 3u);
  EXPECT_EQ(k.barriers, 1u);
  EXPECT_TRUE(std::ranges::find(k.attributes, "0xee",
                                &std::pair<std::string, std::string>::first) !=
              k.attributes.end());
}

// A profiler wrote its own reader to look kernels up.
TEST(Reports, AKernelIsFoundByItsNameAndTarget) {
  Image file = fatbin_of({ptx_entry(80, ptx_text("sm_80", "_Z4axpyfPf")),
                          ptx_entry(90, ptx_text("sm_90", "_Z4axpyfPf")),
                          ptx_entry(90, ptx_text("sm_90", "other"))});
  Options options = kernels();
  options.kernels = {"axpy"};
  options.targets = {"sm_90"};
  Report r = look(file, options);
  ASSERT_EQ(r.kernels.size(), 1u);
  EXPECT_EQ(r.kernels[0].name, "_Z4axpyfPf");
  EXPECT_EQ(r.objects[r.kernels[0].object].target, "sm_90");
}

// Relocatable PTX was only listed on request.
TEST(Reports, RelocatablePtxIsListedByDefault) {
  Report r =
      look(host_with("__nv_relfatbin", fatbin_of({ptx_entry(90, ptx_text())})));
  ASSERT_EQ(r.objects.size(), 1u);
  EXPECT_EQ(r.objects[0].kind, ObjectKind::ptx);
  EXPECT_EQ(r.objects[0].relocatable, true);
  ASSERT_EQ(r.targets.size(), 1u);
  EXPECT_EQ(r.targets[0].target, "sm_90");
}

// "Invalid", although it was only newer than the reader.
TEST(Reports, ANewerCodeObjectSaysSoAndWhichVersionsAreKnown) {
  AmdObject newer{.abi_version = 9,
                  .target = "amdgcn-amd-amdhsa--gfx1030",
                  .kernels = {"k"}};
  Report r =
      look(bundle_of({{amd_id("gfx1030"), amdgpu_image(newer)}}), kernels());
  const Object &o = r.objects.at(0);
  EXPECT_EQ(o.version, "");
  const Limitation *l = find(o.limitations, "unknown-version");
  ASSERT_TRUE(l);
  EXPECT_NE(l->message.find("ABI version 9 is not known"), std::string::npos);
  EXPECT_NE(l->message.find("up to 6"), std::string::npos);
  EXPECT_EQ(r.kernels.size(), 1u) << "its metadata is read all the same";
}

// Targets above sm_90 were judged invalid by a range in the code.
TEST(Reports, NumbersThatNobodyKnowsAreShown) {
  Report r = look(fatbin_of({cubin_entry(137), ptx_entry(137, ".version 9.9\n"
                                                              ".target "
                                                              "sm_137x\n")}),
                  kernels());
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_EQ(r.objects[0].target, "sm_137");
  EXPECT_EQ(r.objects[0].payload_target, "sm_137");
  EXPECT_EQ(r.objects[0].target_consistency, "base-only");
  EXPECT_EQ(r.objects[1].payload_target, "sm_137x");
}

// Wheels of several releases held no device code, and nobody noticed.
TEST(Reports, NoGpuCodeIsAnAnswer) {
  Report r = look(host_with(".text", zeros(1000)));
  EXPECT_TRUE(r.objects.empty());
  EXPECT_TRUE(r.searched);
  EXPECT_EQ(r.coverage, Coverage::complete);
}

} // namespace
} // namespace gantry::inspect

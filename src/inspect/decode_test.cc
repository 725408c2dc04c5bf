// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/decode.h"

#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

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

constexpr std::uint64_t kZstd = 0x8000;

Entry zstd_entry(Entry entry) {
  Image stream = zstd_stored(entry.payload);
  return compressed(std::move(entry), kZstd, std::move(stream));
}

std::string hash(Bytes bytes) {
  Sha256 sha;
  sha.update(bytes);
  return sha.hex();
}

TEST(Decode, LeavesPayloadsAloneForAnInventory) {
  Report r =
      look(fatbin_of({zstd_entry(cubin_entry()), ptx_entry(90, "nonsense")}));
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_EQ(r.usage.decoded_bytes, 0u);
  for (const Object &o : r.objects) {
    EXPECT_EQ(o.kernel_analysis, Coverage::not_requested);
    EXPECT_EQ(o.target_consistency, "unexamined");
    EXPECT_EQ(o.payload_target, "");
    EXPECT_FALSE(o.kernels);
    EXPECT_TRUE(o.limitations.empty());
  }
  EXPECT_EQ(r.coverage, Coverage::complete);
}

TEST(Decode, DescribesWhatIsAskedFor) {
  Report r = look(fatbin_of({zstd_entry(cubin_entry()),
                             zstd_entry(ptx_entry(90, ptx_text()))}),
                  kernels());
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_EQ(r.objects[0].payload_target, "sm_90");
  EXPECT_EQ(r.objects[0].relocatable, false);
  EXPECT_EQ(r.objects[0].kernels, 0u) << "known to have none";
  EXPECT_EQ(r.objects[1].payload_target, "sm_90");
  EXPECT_EQ(r.objects[1].kernels, 1u);
  ASSERT_EQ(r.kernels.size(), 1u);
  EXPECT_EQ(r.kernels[0].name, "axpy");
  EXPECT_EQ(r.kernels[0].object, 1u);
  EXPECT_EQ(r.usage.decoded_bytes, cubin_image().size() + ptx_text().size());
}

TEST(Decode, FillsOfKernelsWhatIsAskedFor) {
  Image file = fatbin_of({ptx_entry(
      90, ".version 8.7\n.target sm_90\n.visible .entry _Z4axpyfPf(.param .f32 "
          "a, .param .u64 b){ret;}\n")});
  Report all = look(file, kernels());
  ASSERT_EQ(all.kernels.size(), 1u);
  EXPECT_EQ(all.kernels[0].parameters.size(), 2u);
  EXPECT_TRUE(all.kernels[0].parameters_known);
  EXPECT_EQ(all.kernels[0].demangled, "");

  Options options = kernels();
  options.parameters = false;
  options.demangled = true;
  Report r = look(file, options);
  EXPECT_TRUE(r.kernels[0].parameters.empty());
  EXPECT_FALSE(r.kernels[0].parameters_known);
  EXPECT_EQ(r.kernels[0].parameter_count, 2u) << "they are counted anyway";
  EXPECT_EQ(r.kernels[0].parameter_bytes, 16u);
  EXPECT_EQ(r.kernels[0].demangled, "axpy(float, float*)");
}

TEST(Decode, MakesDigestsOfDecodedPayloads) {
  Options options;
  options.payload_digests = true;
  Image file = fatbin_of(
      {zstd_entry(cubin_entry(80)), {.arch = 90, .payload = cubin_image()}});
  Report r = look(file, options);
  EXPECT_EQ(r.objects[0].digest, hash(cubin_image(80)));
  EXPECT_EQ(r.objects[1].digest, hash(cubin_image(90)));
  EXPECT_EQ(r.objects[0].kernel_analysis, Coverage::not_requested);
  EXPECT_EQ(look(file).objects[0].digest, "");
}

// Entries of a bundle that name the same bytes.
Image aliased_bundle(std::size_t count, const Image &image) {
  Builder b;
  std::string id = amd_id("gfx1030");
  std::uint64_t at = (32 + count * (24 + id.size()) + 7) / 8 * 8;
  b.text("__CLANG_OFFLOAD_BUNDLE__").u64(count);
  for (std::size_t i = 0; i < count; i++)
    b.u64(at).u64(image.size()).u64(id.size()).text(id);
  return b.pad_to(8).bytes(image).take();
}

TEST(Decode, ReadsAliasedEntriesOnce) {
  Options options = kernels();
  options.payload_digests = true;
  std::uint64_t decoded = 0; // stored bytes
  options.progress = [&](std::uint64_t done, std::uint64_t) { decoded = done; };
  options.digest = false;
  options.threads = 1;
  Report r = look(aliased_bundle(3, amdgpu_image()), options);
  EXPECT_EQ(decoded, amdgpu_image().size());
  ASSERT_EQ(r.objects.size(), 3u);
  for (const Object &o : r.objects) {
    EXPECT_EQ(o.payload_target, "gfx1030");
    EXPECT_EQ(o.digest, hash(amdgpu_image()));
  }
  EXPECT_EQ(r.usage.object_bytes, amdgpu_image().size());
  EXPECT_EQ(r.usage.overlap_bytes, 2 * amdgpu_image().size());
}

TEST(Decode, RefusesBombsBeforeItAsksForMemory) {
  // Each declares more than its stream has, or than any may have.
  Entry ratio = ptx_entry(90, "");
  ratio = compressed(ratio, kZstd, zstd_bomb(1 << 20));
  ratio.decoded_size = std::uint64_t{100} << 20; // above the ratio's floor
  Entry size = ratio;
  size.decoded_size = std::uint64_t{1} << 50;
  Entry wraps = ratio;
  wraps.decoded_size = UINT64_MAX;
  for (const Entry &bomb : {ratio, size, wraps}) {
    Report r = look(fatbin_of({bomb, zstd_entry(ptx_entry(90, ptx_text()))}),
                    kernels());
    ASSERT_EQ(r.objects.size(), 2u);
    EXPECT_TRUE(find(r.objects[0].limitations, "too-large"));
    EXPECT_EQ(r.objects[0].kernel_analysis, Coverage::unexamined);
    EXPECT_EQ(r.objects[1].kernels, 1u) << "its neighbour is sound";
    EXPECT_EQ(r.coverage, Coverage::partial);
    EXPECT_EQ(r.usage.decoded_bytes, ptx_text().size());
  }
}

TEST(Decode, TakesAHighRatioForSmallPayloads) {
  Entry dense = ptx_entry(90, "");
  dense = compressed(dense, kZstd, zstd_bomb(1 << 20, ' '));
  dense.decoded_size = 1 << 20;
  Report r = look(fatbin_of({dense}), kernels());
  EXPECT_FALSE(find(r.objects[0].limitations, "too-large"));
  EXPECT_EQ(r.usage.decoded_bytes, 1u << 20);
}

TEST(DecodeParallel, LimitsWhatAllPayloadsDecodeTo) {
  // Small enough that no ratio limits it alone.
  Entry one = compressed(ptx_entry(90, ""), kZstd, zstd_bomb(1 << 16, ' '));
  one.decoded_size = 1 << 16;
  Image file = fatbin_of(std::vector<Entry>(100, one));
  Options options = kernels();
  options.limits.ratio_floor = 1 << 16;
  options.limits.decoded_ratio = 2000;
  EXPECT_EQ(look(file, options).usage.decoded_bytes, 100u << 16);

  options.limits.decoded_ratio = 1;
  Report r = look(file, options);
  std::uint64_t sound = r.usage.decoded_bytes >> 16;
  EXPECT_GE(sound, 16u);
  EXPECT_LT(sound, 20u);
  for (std::size_t i = 0; i < r.objects.size(); i++)
    EXPECT_EQ(find(r.objects[i].limitations, "too-large") == nullptr, i < sound)
        << i;
  options.threads = 4;
  EXPECT_EQ(look(file, options).usage.decoded_bytes, r.usage.decoded_bytes)
      << "whatever the number of threads";
}

// Kernels come from few bytes, and bundles' entries from fewer.
TEST(DecodeParallel, LimitsTheRecordsOfAllPayloads) {
  std::string text = ".version 8.7\n.target sm_90\n";
  for (int i = 0; i < 10; i++)
    text += ".entry k" + std::to_string(i) + "(){}";
  Image f = fatbin_of(std::vector<Entry>(30, zstd_entry(ptx_entry(90, text))));
  Options options = kernels();
  options.limits.records = 105; // ten of them, and half of the next
  for (unsigned threads : {1u, 2u, 7u}) {
    options.threads = threads;
    Report r = look(f, options);
    EXPECT_EQ(r.kernels.size(), 100u) << threads;
    ASSERT_EQ(r.objects.size(), 30u);
    EXPECT_EQ(r.objects[9].kernels, 10u);
    for (std::size_t i = 10; i < 30; i++) {
      EXPECT_TRUE(find(r.objects[i].limitations, "too-large")) << i;
      EXPECT_EQ(r.objects[i].kernel_analysis, Coverage::unexamined);
      EXPECT_EQ(r.objects[i].payload_target, "") << "as if it never ran";
    }
    EXPECT_EQ(r.usage.decoded_bytes, 10 * text.size());
  }
}

TEST(DecodeParallel, LimitsTheObjectsOfCompressedBundles) {
  Image one = ccob_of(bundle_of(
      std::vector<BundleEntry>(10, {amd_id("gfx1030"), amdgpu_image()})));
  Image file;
  for (int i = 0; i < 5; i++)
    file = std::move(file) + one;
  Options options;
  options.limits.records = 25;
  for (unsigned threads : {1u, 3u}) {
    options.threads = threads;
    Report r = look(file, options);
    EXPECT_EQ(r.objects.size(), 20u);
    ASSERT_EQ(r.containers.size(), 7u);
    EXPECT_TRUE(find(r.containers[4].limitations, "too-large"));
    EXPECT_TRUE(find(r.containers[6].limitations, "too-large"));
  }
}

TEST(Decode, DescribesSharedBytesNotForever) {
  Image image = amdgpu_image() + zeros(1 << 20);
  Image plain = aliased_bundle(100, image);
  for (const Image &file : {plain, ccob_of(plain)}) {
    Report r = look(file, kernels());
    ASSERT_EQ(r.objects.size(), 100u);
    EXPECT_EQ(r.objects[10].payload_target, "gfx1030");
    EXPECT_TRUE(find(r.objects[99].limitations, "too-large"));
    EXPECT_EQ(r.objects[99].kernel_analysis, Coverage::unexamined);
  }
}

TEST(Decode, KeepsTheNeighboursOfADamagedPayload) {
  Entry damaged = zstd_entry(cubin_entry(80));
  damaged.payload[20] ^= std::byte{0xff};
  damaged.payload[4] ^= std::byte{0xff};
  Report r = look(fatbin_of({zstd_entry(cubin_entry(75)), damaged,
                             zstd_entry(cubin_entry())}),
                  kernels());
  ASSERT_EQ(r.objects.size(), 3u);
  EXPECT_EQ(r.objects[0].kernel_analysis, Coverage::complete);
  EXPECT_EQ(r.objects[1].kernel_analysis, Coverage::unexamined);
  EXPECT_TRUE(find(r.objects[1].limitations, "corrupt"));
  EXPECT_EQ(r.objects[1].target, "sm_80") << "the declaration stands";
  EXPECT_EQ(r.objects[1].payload_target, "");
  EXPECT_EQ(r.objects[2].kernel_analysis, Coverage::complete);
  EXPECT_EQ(r.coverage, Coverage::partial);
}

// A container of one concatenated entry (kind 0x100) with two parts. Its header
// is longer than those that fatbin_of() writes.
Image concatenated_fatbin(std::uint64_t second_at) {
  Image a = cubin_image(100), b = cubin_image(120);
  Entry e{.kind = 0x100, .arch = 0, .payload = a + b};
  e = zstd_entry(std::move(e));
  Builder records;
  for (auto [arch, at, size] : {std::tuple{100u, std::uint64_t{0}, a.size()},
                                {120u, second_at, b.size()}}) {
    records.u16(2).u16(0x0101).u32(static_cast<std::uint32_t>(at)).u64(size);
    records.u32(0).u32(0).u16(0).u16(1).u32(arch).u32(0).u32(0);
    records.u64(0x11).u64(0).u64(0);
  }
  Builder entry;
  auto header = static_cast<std::uint32_t>(64 + 8 + records.size());
  entry.u16(0x100).u16(0x0101).u32(header);
  entry.u64((e.payload.size() + 7) / 8 * 8).u32(e.compressed_size).u32(64);
  entry.u16(1).u16(0).u32(0).u32(0).u32(0).u64(e.flags).u64(0);
  entry.u64(e.decoded_size)
      .u32(2)
      .u32(static_cast<std::uint32_t>(8 + records.size()));
  entry.bytes(records.bytes()).bytes(e.payload).pad_to(8);
  return Builder()
      .u32(0xBA55ED50)
      .u16(1)
      .u16(16)
      .u64(entry.size())
      .bytes(entry.bytes())
      .take();
}

TEST(Decode, CutsAConcatenatedEntryIntoItsParts) {
  Options options = kernels();
  options.payload_digests = true;
  Report r = look(concatenated_fatbin(cubin_image(100).size()), options);
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_EQ(r.objects[0].id, "0.0.0");
  EXPECT_EQ(r.objects[1].id, "0.0.1");
  EXPECT_EQ(r.objects[0].payload_target, "sm_100");
  EXPECT_EQ(r.objects[1].payload_target, "sm_120");
  EXPECT_EQ(r.objects[1].digest, hash(cubin_image(120)));
  EXPECT_EQ(r.objects[1].location.in, "0.0");
  EXPECT_EQ(r.objects[1].location.offset, cubin_image(100).size());
  EXPECT_FALSE(r.objects[1].encoded_bytes) << "compressed together";
  EXPECT_EQ(r.objects[1].decoded_bytes, cubin_image(120).size());
  EXPECT_GT(r.usage.compressed_together_bytes, 0u);
  EXPECT_EQ(r.usage.object_bytes, 0u);
}

TEST(Decode, KeepsThePartsBesideOneThatLiesOutside) {
  Report r = look(concatenated_fatbin(5000), kernels());
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_EQ(r.objects[0].payload_target, "sm_100");
  EXPECT_EQ(r.objects[1].payload_target, "");
  EXPECT_EQ(r.objects[1].kernel_analysis, Coverage::unexamined);
  EXPECT_FALSE(r.objects[1].limitations.empty());
}

Image two_targets() {
  return bundle_of({{std::string(kHostId), {}},
                    {amd_id("gfx1030"), amdgpu_image()},
                    {amd_id("gfx90a"), amdgpu_image(kGfx90a)}});
}

TEST(Decode, OpensCompressedBundles) {
  Image b = two_targets();
  Image file = ccob_of(b);
  Report r = look(file);
  ASSERT_EQ(r.containers.size(), 2u);
  EXPECT_EQ(r.containers[0].kind, ContainerKind::ccob);
  EXPECT_EQ(r.containers[0].decoded_bytes, b.size());
  EXPECT_EQ(r.containers[0].compression, "zstd");
  EXPECT_EQ(r.containers[1].kind, ContainerKind::bundle);
  EXPECT_EQ(r.containers[1].id, "0.0");
  EXPECT_EQ(r.containers[1].parent, 0u);
  EXPECT_EQ(r.containers[1].location.in, "0");
  EXPECT_EQ(r.containers[1].entries, 3u);
  EXPECT_EQ(r.containers[1].host_entries, 1u);
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_EQ(r.objects[0].id, "0.0.1");
  EXPECT_EQ(r.objects[0].container, 1u);
  EXPECT_EQ(r.objects[0].location.in, "0");
  EXPECT_EQ(r.objects[0].encoded_location.size, file.size());
  EXPECT_FALSE(r.objects[0].encoded_bytes);
  EXPECT_EQ(r.usage.decoded_bytes, b.size());
  EXPECT_EQ(r.usage.compressed_together_bytes, file.size());
}

TEST(Decode, ShowsNothingInsideACompressedBundleWithAWrongHash) {
  Image file = ccob_of(two_targets());
  file[24] ^= std::byte{1};
  Report r = look(file, kernels());
  EXPECT_TRUE(r.objects.empty());
  ASSERT_EQ(r.containers.size(), 1u);
  const Limitation *l = find(r.containers[0].limitations, "corrupt");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->offset, 24u);
  EXPECT_EQ(r.containers[0].coverage, Coverage::partial);
  EXPECT_EQ(r.coverage, Coverage::partial);
}

TEST(Decode, KeepsTheNeighboursOfADamagedCompressedBundle) {
  Image good = ccob_of(two_targets());
  Image bad = good;
  bad[40] ^= std::byte{1};
  Report r = look(good + bad + good);
  EXPECT_EQ(r.objects.size(), 4u);
  EXPECT_EQ(r.containers.size(), 5u);
}

TEST(Decode, ReadsThePayloadOfAnEntryThatNamesNoTarget) {
  Image file = bundle_of({{"hip-amdgcn-amd-amdhsa--", amdgpu_image(kGfx90a)}});
  Report r = look(file);
  ASSERT_EQ(r.objects.size(), 1u);
  EXPECT_EQ(r.objects[0].target, "gfx90a");
  EXPECT_EQ(r.objects[0].payload_target, "gfx90a");
  EXPECT_EQ(r.objects[0].target_consistency, "single-source");
}

TEST(Decode, SelectsByTargetsThatOnlyPayloadsName) {
  Image plain = bundle_of({{"hip-amdgcn-amd-amdhsa--", amdgpu_image()},
                           {"hip-amdgcn-amd-amdhsa--", amdgpu_image(kGfx90a)}});
  for (const Image &file : {plain, ccob_of(plain)}) {
    Options options = kernels();
    options.targets = {"gfx90a"};
    Report r = look(file, options);
    ASSERT_EQ(r.objects.size(), 2u);
    EXPECT_FALSE(r.objects[0].selected);
    EXPECT_EQ(r.objects[0].kernel_analysis, Coverage::not_selected);
    EXPECT_FALSE(r.objects[0].kernels);
    EXPECT_TRUE(r.objects[1].selected);
    EXPECT_EQ(r.objects[1].kernels, 0u);
  }
}

TEST(Decode, KeepsWhatWasDoneWhenItIsInterrupted) {
  std::stop_source stop;
  Options options = kernels();
  options.stop = stop.get_token();
  options.threads = 1;
  options.digest = false;
  int calls = 0; // one for each payload
  options.progress = [&](std::uint64_t, std::uint64_t) {
    if (++calls == 2)
      stop.request_stop();
  };
  Report r =
      look(fatbin_of({zstd_entry(cubin_entry(75)), zstd_entry(cubin_entry(80)),
                      zstd_entry(cubin_entry(90))}),
           options);
  EXPECT_TRUE(find(r.limitations, "interrupted"));
  EXPECT_EQ(r.objects[1].kernel_analysis, Coverage::complete);
  EXPECT_EQ(r.objects[2].kernel_analysis, Coverage::unexamined);
}

} // namespace
} // namespace gantry::inspect

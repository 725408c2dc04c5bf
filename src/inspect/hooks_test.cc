// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options::payload and Options::done, and what an interrupt leaves.
#include "inspect/delivery.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace gantry::inspect {
namespace {

constexpr std::uint64_t kZstd = 0x8000;

Entry zstd_entry(Entry entry) {
  Image stream = zstd_stored(entry.payload);
  return compressed(std::move(entry), kZstd, std::move(stream));
}

Report look(const Image &file, const Options &options) {
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

// Of a name for each number of kernels.
std::string text_of(std::size_t kernels, const std::string &name) {
  std::string out = ".version 8.7\n.target sm_90\n";
  for (std::size_t i = 0; i < kernels; i++)
    out += ".visible .entry " + name + std::to_string(i) + "(){ret;}\n";
  return out;
}

// Everything that decides about order: plain and compressed containers, an
// entry that is not asked for, one that is damaged, one that repeats another's
// bytes, and bundles whose objects are only known after decoding.
Image everything() {
  Entry damaged = zstd_entry(ptx_entry(90, text_of(1, "damaged")));
  damaged.payload[4] ^= std::byte{0xff};
  Image bundle = bundle_of(
      {{std::string(kHostId), {}},
       {amd_id("gfx1030"), amdgpu_image({.target = "amdgcn-amd-amdhsa--gfx1030",
                                         .kernels = {"one"}})},
       {amd_id("gfx90a"), amdgpu_image(kGfx90a)}});
  Image file =
      fatbin_of({zstd_entry(ptx_entry(90, text_of(500, "slow"))),
                 ptx_entry(90, text_of(1, "quick")),
                 damaged,
                 {.kind = 0x7f, .arch = 0, .payload = text("unknown")}});
  file = std::move(file) + ccob_of(bundle) + bundle;
  for (int i = 0; i < 20; i++)
    file = std::move(file) +
           fatbin_of({zstd_entry(ptx_entry(90, text_of(3, "k")))});
  return file;
}

struct Seen {
  std::string id;
  std::vector<std::string> kernels;
  Coverage analysis = Coverage::complete;
  bool selected = true;
  bool operator==(const Seen &) const = default;
};

std::vector<Seen> seen_of(const Report &r) {
  std::vector<Seen> out;
  for (const Object &o : r.objects)
    out.push_back({o.id, {}, o.kernel_analysis, o.selected});
  for (const Kernel &k : r.kernels)
    out[k.object].kernels.push_back(k.name);
  return out;
}

TEST(DoneParallel, GetsEveryObjectInTheOrderOfTheReport) {
  const Image file = everything();
  const std::vector<Seen> plain = seen_of(look(file, kernels()));
  ASSERT_EQ(plain.size(), 28u);
  for (unsigned threads : {1u, 2u, 7u}) {
    Options options = kernels();
    options.threads = threads;
    std::vector<Seen> seen;
    std::atomic<int> at_once = 0;
    options.done = [&](const Object &o, std::vector<Kernel> &list) {
      EXPECT_EQ(at_once++, 0);
      seen.push_back({o.id, {}, o.kernel_analysis, o.selected});
      for (const Kernel &k : list) {
        EXPECT_EQ(k.object, seen.size() - 1);
        seen.back().kernels.push_back(k.name);
      }
      at_once--;
    };
    EXPECT_EQ(seen_of(look(file, options)), plain) << threads;
    EXPECT_EQ(seen, plain) << threads;
  }
}

TEST(Done, GetsObjectsOfAnInventoryToo) {
  Options options;
  options.kinds = {ObjectKind::ptx};
  std::vector<Seen> seen;
  options.done = [&](const Object &o, std::vector<Kernel> &list) {
    EXPECT_TRUE(list.empty());
    seen.push_back({o.id, {}, o.kernel_analysis, o.selected});
  };
  Report r = look(everything(), options);
  EXPECT_EQ(seen, seen_of(r));
  EXPECT_EQ(seen[0].analysis, Coverage::not_requested);
  EXPECT_EQ(seen[3].analysis, Coverage::not_selected);
}

TEST(Done, DropsTheKernelsThatItTakes) {
  Options options = kernels();
  options.done = [&](const Object &, std::vector<Kernel> &list) {
    std::erase_if(list,
                  [](const Kernel &k) { return !k.name.starts_with("slow7"); });
  };
  Report r = look(everything(), options);
  EXPECT_EQ(r.kernels.size(), 11u); // 7, 70 to 79
  EXPECT_EQ(r.objects[0].kernels, 500u) << "all are counted";
  EXPECT_EQ(r.objects.back().kernels, 3u);
  ASSERT_FALSE(r.targets.empty());
  std::uint64_t counted = 0;
  for (const TargetRow &row : r.targets)
    counted += row.kernels.value_or(0);
  EXPECT_EQ(counted, 500u + 1 + 60 + 2);
}

// What holds for all kernels is said although none is left.
TEST(Done, LeavesTheReportsOwnLimitations) {
  Options options = kernels();
  Entry conflict = cubin_entry(80);
  conflict.arch = 90;
  Image file = fatbin_of({conflict, ptx_entry(90, text_of(1, "k"))});
  Report all = look(file, options);
  options.done = [](const Object &, std::vector<Kernel> &list) {
    list.clear();
  };
  Report none = look(file, options);
  EXPECT_TRUE(none.kernels.empty());
  EXPECT_EQ(none.coverage, all.coverage);
  ASSERT_EQ(none.limitations.size(), all.limitations.size());
  for (std::size_t i = 0; i < all.limitations.size(); i++)
    EXPECT_EQ(none.limitations[i].code, all.limitations[i].code);
}

TEST(Done, SeesWhatIsWrongWithAKernel) {
  Entry entry = ptx_entry(80, ptx_text("sm_90"));
  Options options = kernels();
  std::vector<std::string> codes;
  options.done = [&](const Object &, std::vector<Kernel> &list) {
    for (const Limitation &l : list.at(0).limitations)
      codes.push_back(l.code);
  };
  look(fatbin_of({entry}), options);
  EXPECT_EQ(std::ranges::count(codes, "target-conflict"), 1);
}

// A slot that repeats the bytes of an earlier one has its own place.
TEST(Done, ReportsARepeatedPayloadInItsOwnPlace) {
  Builder b;
  const std::string id = amd_id("gfx1030");
  const Image image = amdgpu_image();
  const Image other = amdgpu_image(kGfx90a);
  const std::uint64_t at = (32 + 3 * (24 + id.size()) + 7) / 8 * 8;
  b.text("__CLANG_OFFLOAD_BUNDLE__").u64(3);
  for (auto [offset, size] : {std::pair{at, image.size()},
                              {at + image.size(), other.size()},
                              {at, image.size()}})
    b.u64(offset).u64(size).u64(id.size()).text(id);
  b.pad_to(8).bytes(image).bytes(other);
  Options options = kernels();
  std::vector<std::string> seen;
  options.done = [&](const Object &o, std::vector<Kernel> &) {
    seen.push_back(o.id + " " + o.payload_target);
  };
  look(b.take(), options);
  EXPECT_EQ(seen, (std::vector<std::string>{"0.0 gfx1030", "0.1 gfx90a",
                                            "0.2 gfx1030"}));
}

// With the limit of records exceeded, the objects behind are still reported.
TEST(DoneParallel, GetsObjectsBeyondTheLimitOfRecords) {
  Options options = kernels();
  options.limits.records = 502;
  for (unsigned threads : {1u, 3u}) {
    options.threads = threads;
    std::vector<Seen> seen;
    options.done = [&](const Object &o, std::vector<Kernel> &list) {
      seen.push_back({o.id, {}, o.kernel_analysis, o.selected});
      for (const Kernel &k : list)
        seen.back().kernels.push_back(k.name);
    };
    Report r = look(everything(), options);
    EXPECT_EQ(seen, seen_of(r));
    EXPECT_EQ(r.kernels.size(), 501u);
    EXPECT_TRUE(find(r.objects.back().limitations, "too-large"));
  }
}

// A job that takes long must not make the others pile up their results.
TEST(DoneParallel, WaitsForAJobThatIsFarBehind) {
  constexpr std::size_t kEach = 1000;
  constexpr std::size_t kEntries = 2 * kHeldMax / (kEach * sizeof(Kernel));
  std::vector<Entry> entries(kEntries, ptx_entry(90, text_of(kEach, "k")));
  entries[0] = ptx_entry(90, text_of(1, "slow"));
  // Equal bytes would be read once.
  for (std::size_t i = 1; i < entries.size(); i++)
    entries[i].payload.resize(entries[i].payload.size() + i);
  Options options = kernels();
  options.threads = 3;
  options.parameters = false;
  std::atomic<std::size_t> looked_at = 0;
  std::size_t ahead = 0; // when no other went on any more
  options.payload = [&](const Object &o, Bytes) {
    looked_at++;
    if (o.id != "0.0")
      return;
    for (std::size_t last = 0; last != looked_at && looked_at < kEntries;) {
      last = looked_at;
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    ahead = looked_at;
  };
  options.done = [](const Object &, std::vector<Kernel> &list) {
    list.clear();
  };
  Report r = look(fatbin_of(entries), options);
  EXPECT_EQ(looked_at, kEntries);
  EXPECT_EQ(r.objects.back().kernels, kEach);
  // Each thread may have one more on its hands.
  EXPECT_LE((ahead - options.threads) * kEach * sizeof(Kernel), kHeldMax);
  EXPECT_GT(ahead, 5u);
}

// ---- Options::payload

struct Payloads {
  std::mutex mutex;
  std::map<std::string, Image> by_id;
  std::function<void(const Object &, Bytes)> hook() {
    return [this](const Object &o, Bytes bytes) {
      std::lock_guard lock(mutex);
      EXPECT_TRUE(o.selected);
      EXPECT_TRUE(by_id.emplace(o.id, Image(bytes.begin(), bytes.end())).second)
          << o.id;
    };
  }
};

TEST(PayloadHookParallel, GetsDecodedBytesAlsoOfAnInventory) {
  const std::string ptx = ptx_text();
  const Image amd = amdgpu_image();
  const Image file =
      fatbin_of({zstd_entry(cubin_entry()), ptx_entry(90, ptx)}) +
      ccob_of(bundle_of({{amd_id("gfx1030"), amd}}));
  for (Analysis analysis : {Analysis::inventory, Analysis::kernels}) {
    Payloads payloads;
    Options options;
    options.analysis = analysis;
    options.threads = 3;
    options.payload = payloads.hook();
    Report r = look(file, options);
    ASSERT_EQ(r.objects.size(), 3u);
    ASSERT_EQ(payloads.by_id.size(), 3u);
    EXPECT_EQ(payloads.by_id[r.objects[0].id], cubin_image());
    // The container pads it.
    Image &text = payloads.by_id[r.objects[1].id];
    EXPECT_TRUE(as_text(text).starts_with(ptx));
    EXPECT_EQ(payloads.by_id[r.objects[2].id], amd);
  }
}

TEST(PayloadHook, GetsSelectedObjectsOnly) {
  Payloads payloads;
  Options options;
  options.kinds = {ObjectKind::cubin};
  options.payload = payloads.hook();
  Report r = look(fatbin_of({zstd_entry(cubin_entry()),
                             zstd_entry(ptx_entry(90, ptx_text()))}),
                  options);
  EXPECT_EQ(payloads.by_id.size(), 1u);
  EXPECT_EQ(payloads.by_id.count(r.objects[0].id), 1u);
  EXPECT_EQ(r.usage.decoded_bytes, cubin_image().size());
}

TEST(PayloadHook, GetsNothingThatCannotBeDecoded) {
  Payloads payloads;
  Options options;
  options.payload = payloads.hook();
  Entry damaged = zstd_entry(cubin_entry());
  damaged.payload[4] ^= std::byte{0xff};
  look(fatbin_of({damaged}), options);
  EXPECT_TRUE(payloads.by_id.empty());
}

TEST(PayloadHook, GetsStoredBytesOnRequest) {
  Payloads payloads;
  Options options;
  options.payload = payloads.hook();
  options.stored_payloads = true;
  Entry packed = zstd_entry(cubin_entry());
  Entry damaged = packed;
  damaged.payload[4] ^= std::byte{0xff};
  Entry secret = cubin_entry();
  secret.flags |= 0x10000; // obfuscated
  Report r = look(fatbin_of({packed, damaged, secret}) +
                      ccob_of(bundle_of({{amd_id("gfx1030"), amdgpu_image()}})),
                  options);
  ASSERT_EQ(r.objects.size(), 4u);
  ASSERT_TRUE(r.objects[2].obfuscated);
  EXPECT_EQ(payloads.by_id[r.objects[0].id], packed.payload);
  EXPECT_EQ(payloads.by_id[r.objects[1].id], damaged.payload);
  EXPECT_EQ(payloads.by_id[r.objects[2].id], secret.payload);
  EXPECT_EQ(payloads.by_id.size(), 3u) << "stored together with others";
}

TEST(Payloads, PtxOfAKernelAnalysisHasItsDigest) {
  Report r = look(fatbin_of({zstd_entry(cubin_entry()),
                             zstd_entry(ptx_entry(90, ptx_text()))}),
                  kernels());
  Sha256 sha;
  sha.update(as_bytes(ptx_text()));
  EXPECT_EQ(r.objects[1].digest, sha.hex());
  EXPECT_EQ(r.objects[1].decoded_bytes, ptx_text().size());
  EXPECT_EQ(r.objects[0].digest, "");
  Options without = kernels();
  without.ptx_digests = false;
  EXPECT_EQ(
      look(fatbin_of({ptx_entry(90, ptx_text())}), without).objects[0].digest,
      "");
}

// ---- interrupts

void expect_interrupted(const Report &r) {
  EXPECT_EQ(std::ranges::count(r.limitations, "interrupted", &Limitation::code),
            1);
  EXPECT_EQ(r.coverage, Coverage::partial);
}

TEST(Interrupted, BeforeTheStartLeavesAReport) {
  std::stop_source stop;
  stop.request_stop();
  Options options = kernels();
  options.stop = stop.get_token();
  Report r = look(everything(), options);
  expect_interrupted(r);
  EXPECT_FALSE(r.searched);
  EXPECT_EQ(r.sha256, "");
  EXPECT_TRUE(r.objects.empty());

  // Also when a digest is to be compared first.
  options.expect_sha256 = std::string(64, '0');
  r = look(everything(), options);
  expect_interrupted(r);
}

TEST(Interrupted, KeepsWhatWasHandedOn) {
  std::stop_source stop;
  Options options = kernels();
  options.threads = 1;
  options.stop = stop.get_token();
  std::vector<Seen> seen;
  options.done = [&](const Object &o, std::vector<Kernel> &) {
    seen.push_back({o.id, {}, o.kernel_analysis, o.selected});
    if (seen.size() == 3)
      stop.request_stop();
  };
  Report r = look(everything(), options);
  expect_interrupted(r);
  EXPECT_TRUE(r.searched) << "the pass was over";
  ASSERT_EQ(r.objects.size(), seen.size()) << "each is handed on";
  EXPECT_EQ(r.objects[0].kernels, 500u);
  EXPECT_EQ(r.objects.back().kernel_analysis, Coverage::unexamined);
  EXPECT_EQ(seen.back().analysis, Coverage::unexamined);
}

TEST(Interrupted, InThePassLeavesTheFileUnsearched) {
  std::stop_source stop;
  Options options;
  options.stop = stop.get_token();
  options.progress = [&](std::uint64_t, std::uint64_t) { stop.request_stop(); };
  Image file = host_with(".nv_fatbin", fatbin_of({cubin_entry()})) +
               zeros(std::size_t{4} << 20);
  Report r = look(file, options);
  expect_interrupted(r);
  EXPECT_FALSE(r.searched);
  EXPECT_EQ(r.sha256, "");
  ASSERT_EQ(r.objects.size(), 1u) << "headers were read";
  EXPECT_EQ(r.objects[0].kernel_analysis, Coverage::not_requested);
}

// Wherever it comes, the report is sound and the end near.
TEST(InterruptedParallel, AtAnyPlaceLeavesASoundReport) {
  const Image file = everything();
  int interrupted = 0;
  for (int place = 0; place < 40; place++) {
    std::stop_source stop;
    Options options = kernels();
    options.threads = place % 2 == 0 ? 1 : 3;
    options.stop = stop.get_token();
    std::atomic<int> calls = 0;
    auto count = [&] {
      if (calls++ == place)
        stop.request_stop();
    };
    options.payload = [&](const Object &, Bytes) { count(); };
    options.progress = [&](std::uint64_t, std::uint64_t) { count(); };
    Report r = look(file, options);
    if (!find(r.limitations, "interrupted"))
      continue; // it was over before
    interrupted++;
    expect_interrupted(r);
  }
  EXPECT_GE(interrupted, 20);
}

} // namespace
} // namespace gantry::inspect

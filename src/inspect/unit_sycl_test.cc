// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/test_pe.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

constexpr std::string_view kPrefix = "__CLANG_OFFLOAD_BUNDLE__";

Report look(const Image &file, Options options = {}) {
  auto r = memory(file, "test", options);
  EXPECT_TRUE(r);
  EXPECT_EQ(broken_rule(*r), "");
  return r ? std::move(*r) : Report{};
}

Image section_of(std::string_view id, const Image &data) {
  return host_with(std::string(kPrefix) + std::string(id), data);
}

// A module of `size` bytes that does nothing.
Image spirv(std::size_t size = 40) {
  Builder b;
  b.u32(0x07230203).u32(0x00010400).u32(0).u32(1).u32(0);
  while (b.size() < size)
    b.u32(0x00010000); // OpNop
  return b.take();
}

Image intel_elf() {
  elf::ElfBuilder b;
  b.header.machine = elf::kMachineIntelGpu;
  b.header.type = 1;
  return b.build();
}

struct Member {
  std::string name;
  Image bytes;
};

Image archive_of(const std::vector<Member> &members) {
  Image out = text("!<arch>\n");
  for (const Member &m : members) {
    out = std::move(out) +
          text(fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", m.name + "/",
                           0, 0, 0, 644, m.bytes.size()));
    out = std::move(out) + m.bytes;
    if (m.bytes.size() % 2 != 0)
      out.push_back(std::byte{'\n'});
  }
  return out;
}

Image intel_archive() {
  return archive_of({{"pad_0", zeros(8)},
                     {"64.12.60.7", intel_elf()},
                     {"generic_ir", spirv()}});
}

// Each at the next multiple of 16.
Image frames_of(const std::vector<Image> &images) {
  Builder b;
  for (const Image &i : images)
    b.pad_to(16).bytes(zstd_stored(i));
  return b.take();
}

TEST(SyclUnit, ListsEachFrame) {
  const Image file =
      section_of("sycl-spir64", frames_of({spirv(44), spirv(3000)}) + zeros(5));
  Report r = look(file);
  ASSERT_EQ(r.containers.size(), 2u);
  EXPECT_EQ(r.containers[0].kind, ContainerKind::section);
  EXPECT_EQ(r.containers[0].padding_bytes, 5u);
  const Container &c = r.containers[1];
  EXPECT_EQ(c.kind, ContainerKind::sycl_images);
  EXPECT_EQ(c.compression, "zstd");
  EXPECT_EQ(c.entries, 2u);
  EXPECT_EQ(c.id, "40");
  EXPECT_EQ(c.location.size, frames_of({spirv(44), spirv(3000)}).size());
  EXPECT_EQ(r.coverage, Coverage::complete);
  ASSERT_EQ(r.objects.size(), 2u);
  const Object &o = r.objects[1];
  EXPECT_EQ(o.id, "40.1");
  EXPECT_EQ(o.kind, ObjectKind::spirv);
  EXPECT_EQ(o.declared, "spir64");
  EXPECT_EQ(o.target, "spir64");
  EXPECT_EQ(o.compression, "zstd");
  EXPECT_EQ(o.encoded_bytes, zstd_stored(spirv(3000)).size());
  EXPECT_EQ(o.decoded_bytes, 3000u);
  EXPECT_EQ(o.encoded_location.offset % 16, 0u);
  EXPECT_EQ(o.location.in, o.id);
  EXPECT_EQ(r.usage.object_bytes,
            *r.objects[0].encoded_bytes + *r.objects[1].encoded_bytes);
}

TEST(SyclUnit, KnowsImagesForIntelGpus) {
  for (const Image &image : {intel_archive(), intel_elf()}) {
    Report r = look(section_of("sycl-spir64_gen", frames_of({image})));
    ASSERT_EQ(r.objects.size(), 1u);
    EXPECT_EQ(r.objects[0].kind, ObjectKind::sycl_image);
    EXPECT_EQ(r.objects[0].target, "spir64_gen");
    EXPECT_EQ(r.objects[0].target_consistency, "unknown");
  }
  Report r = look(section_of("sycl-spir64_gen", frames_of({intel_archive()})));
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(r.objects[0].attributes,
            (Pairs{{"device version", "64.12.60.7"}, {"spirv", "generic_ir"}}));
  // An archive of something else is not taken for one.
  r = look(section_of("sycl-x", frames_of({archive_of({{"a", zeros(99)}})})));
  ASSERT_EQ(r.objects.size(), 1u);
  EXPECT_EQ(r.objects[0].kind, ObjectKind::unknown);
}

TEST(SyclUnit, SelectsByWhatTheFramesHold) {
  const Image file =
      section_of("sycl-both", frames_of({spirv(), intel_archive()}));
  Options options;
  options.kinds = {ObjectKind::sycl_image};
  Report r = look(file, options);
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_FALSE(r.objects[0].selected);
  EXPECT_TRUE(r.objects[1].selected);
}

// In PE images the name is cut, so that it declares nothing.
TEST(SyclUnit, ReadsFramesWithoutADeclaration) {
  pe::PeBuilder b;
  b.section(std::string(kPrefix), frames_of({spirv(), intel_archive()}));
  Report r = look(b.build());
  EXPECT_EQ(r.coverage, Coverage::complete);
  ASSERT_EQ(r.objects.size(), 2u);
  for (const Object &o : r.objects) {
    EXPECT_EQ(o.declared, "");
    EXPECT_EQ(o.target, "");
  }
  EXPECT_EQ(r.containers[0].section, "__CLANG_");
  EXPECT_EQ(r.objects[0].kind, ObjectKind::spirv);
  EXPECT_EQ(r.objects[1].kind, ObjectKind::sycl_image);
}

// A frame of one raw block that does not state what it decodes to.
Image frame_without_size(const Image &data) {
  const auto header = static_cast<std::uint32_t>(data.size()) << 3 | 1;
  return Builder()
      .u32(0xfd2fb528)
      .u8(0)
      .u8(0x38) // window of 128 KiB
      .u16(static_cast<std::uint16_t>(header))
      .u8(static_cast<std::uint8_t>(header >> 16))
      .bytes(data)
      .take();
}

TEST(SyclUnit, FindsOutASizeThatAFrameDoesNotState) {
  const Image frame = frame_without_size(spirv(500));
  Report r = look(section_of("sycl-spir64", frame));
  ASSERT_EQ(r.objects.size(), 1u);
  EXPECT_EQ(r.objects[0].decoded_bytes, 500u);
  EXPECT_EQ(r.objects[0].encoded_bytes, frame.size());
  EXPECT_EQ(r.objects[0].kind, ObjectKind::spirv);
  Options options;
  options.limits.decoded_bytes = 499;
  r = look(section_of("sycl-spir64", frame), options);
  ASSERT_EQ(r.objects.size(), 1u);
  EXPECT_EQ(r.objects[0].decoded_bytes, std::nullopt);
  EXPECT_TRUE(find(r.objects[0].limitations, "too-large"));
}

TEST(SyclUnit, GoesOnBehindDamage) {
  Image first = zstd_stored(spirv());
  first[9] = std::byte{7}; // block header: a reserved type
  Builder b;
  b.bytes(first).pad_to(16);
  const std::size_t second = b.size();
  b.bytes(zstd_stored(spirv())).text("junk").pad_to(16);
  b.bytes(zstd_stored(spirv()));
  Report r = look(section_of("sycl-spir64", b.take()));
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_EQ(r.objects[0].encoded_location.offset, 64 + second);
  EXPECT_EQ(r.coverage, Coverage::partial);
  const Limitation *l = find(r.containers[1].limitations, "bad-value");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->offset, 64u + 9);
  // What is no frame: the damaged one, and the junk.
  EXPECT_EQ(r.containers[0].unrecognised_bytes, second + 12);
}

TEST(SyclUnit, ReportsEveryTruncation) {
  const Image whole = frames_of({spirv(), spirv(50)});
  const std::size_t second = 64; // zstd_stored(spirv()) has 52 bytes
  ASSERT_EQ(zstd_stored(spirv()).size(), 52u);
  // Shorter ones do not begin with a frame.
  for (std::size_t n = 4; n < whole.size(); n++) {
    Report r =
        look(section_of("sycl-spir64", Image(Bytes(whole).first(n).begin(),
                                             Bytes(whole).first(n).end())));
    const std::size_t sound = n < 52 ? 0 : 1;
    std::size_t spirvs = 0;
    for (const Object &o : r.objects)
      spirvs += o.kind == ObjectKind::spirv;
    EXPECT_EQ(spirvs, sound) << n;
    EXPECT_EQ(r.coverage == Coverage::complete, n >= 52 && n <= second) << n;
  }
}

// ---- -fgpu-rdc

TEST(ImageSections, ListTheImageOfATarget) {
  const Image bitcode = text("BC\xc0\xde and more");
  Report r = look(section_of("hip-amdgcn-amd-amdhsa--gfx90a", bitcode));
  ASSERT_EQ(r.objects.size(), 1u);
  const Object &o = r.objects[0];
  EXPECT_EQ(o.id, "40");
  EXPECT_EQ(o.kind, ObjectKind::bitcode);
  EXPECT_EQ(o.declared, "hip-amdgcn-amd-amdhsa--gfx90a");
  EXPECT_EQ(o.target, "gfx90a");
  EXPECT_EQ(o.encoded_bytes, bitcode.size());
  ASSERT_EQ(r.containers.size(), 2u);
  EXPECT_EQ(r.containers[0].entries, 1u);
  EXPECT_EQ(r.containers[1].kind, ContainerKind::bare);
}

TEST(ImageSections, CountTheHost) {
  Report r = look(section_of("host-x86_64-pc-linux-gnu-", zeros(1)));
  EXPECT_TRUE(r.objects.empty());
  ASSERT_EQ(r.containers.size(), 1u);
  EXPECT_EQ(r.containers[0].entries, 1u);
  EXPECT_EQ(r.containers[0].host_entries, 1u);
  EXPECT_EQ(r.coverage, Coverage::complete);
}

TEST(ImageSections, KeepWhatIsNotKnown) {
  Report r = look(section_of("openmp-spirv64-intel", text("something")));
  ASSERT_EQ(r.objects.size(), 1u);
  EXPECT_EQ(r.objects[0].kind, ObjectKind::unknown);
  EXPECT_EQ(r.objects[0].encoded_bytes, 9u);
  r = look(section_of("hip-amdgcn-amd-amdhsa--gfx90a", zeros(7)));
  EXPECT_TRUE(r.objects.empty());
  EXPECT_EQ(r.containers[0].padding_bytes, 7u);
}

TEST(ImageSections, HoldContainers) {
  Report r = look(
      section_of("hip-amdgcn-amd-amdhsa--gfx90a",
                 zeros(3) + bundle_of({{amd_id("gfx1030"), amdgpu_image()}})));
  ASSERT_EQ(r.containers.size(), 2u);
  EXPECT_EQ(r.containers[1].kind, ContainerKind::bundle);
  EXPECT_EQ(r.objects.size(), 1u);
}

} // namespace
} // namespace gantry::inspect

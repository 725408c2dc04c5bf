// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "format/test_offload.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

using offload_binary::binary;
using offload_binary::TestImage;

std::string chars(const Image &image) {
  return std::string(as_text(Bytes(image)));
}

TestImage gfx1030() {
  return {.strings = {{"triple", "amdgcn-amd-amdhsa"}, {"arch", "gfx1030"}},
          .bytes = chars(amdgpu_image())};
}
TestImage sm_90() {
  return {.image_kind = offload_binary::kImageCubin,
          .offload_kind = 2,
          .strings = {{"triple", "nvptx64-nvidia-cuda"}, {"arch", "sm_90"}},
          .bytes = chars(cubin_image())};
}

Report look(const Image &file, Analysis analysis = Analysis::inventory) {
  Options options;
  options.analysis = analysis;
  auto r = memory(file, "test", options);
  EXPECT_TRUE(r);
  EXPECT_EQ(broken_rule(*r), "");
  return r ? std::move(*r) : Report{};
}

std::string attribute(const Object &o, std::string_view key) {
  for (const auto &[k, value] : o.attributes)
    if (k == key)
      return value;
  return {};
}

TEST(OffloadUnit, ListsImages) {
  for (std::uint32_t version : {2u, 3u}) {
    Image file = binary(version, {gfx1030(), sm_90()});
    Report r = look(file);
    EXPECT_EQ(r.coverage, Coverage::complete);
    ASSERT_EQ(r.containers.size(), 1u);
    const Container &c = r.containers[0];
    EXPECT_EQ(c.kind, ContainerKind::offload_binary);
    EXPECT_EQ(c.found_by, FoundBy::file);
    EXPECT_EQ(c.id, "0");
    EXPECT_EQ(c.version, version);
    EXPECT_EQ(c.entries, 2u);
    EXPECT_EQ(c.compression, "none");
    EXPECT_EQ(c.location.size, file.size());
    ASSERT_EQ(r.objects.size(), 2u);
    const Object &amd = r.objects[0];
    EXPECT_EQ(amd.id, "0.0");
    EXPECT_EQ(amd.kind, ObjectKind::amdgpu);
    EXPECT_EQ(amd.declared, "gfx1030");
    EXPECT_EQ(amd.target, "gfx1030");
    EXPECT_EQ(amd.relocatable, false);
    EXPECT_EQ(amd.encoded_bytes, amdgpu_image().size());
    EXPECT_EQ(amd.decoded_bytes, amdgpu_image().size());
    EXPECT_EQ(amd.location.in, "");
    EXPECT_EQ(std::memcmp(file.data() + amd.location.offset,
                          amdgpu_image().data(), amd.location.size),
              0);
    EXPECT_EQ(attribute(amd, "image kind"), "object");
    EXPECT_EQ(attribute(amd, "offload kind"), "hip");
    EXPECT_EQ(attribute(amd, "triple"), "amdgcn-amd-amdhsa");
    EXPECT_EQ(attribute(amd, "arch"), "") << "it is what is declared";
    EXPECT_EQ(r.objects[1].kind, ObjectKind::cubin);
    EXPECT_EQ(r.objects[1].target, "sm_90");
    EXPECT_EQ(attribute(r.objects[1], "offload kind"), "cuda");
  }
}

TEST(OffloadUnit, ReadsSeveralInARow) {
  Image one = binary(1, {gfx1030()}), two = binary(1, {sm_90()});
  Image file = host_with(".llvm.offloading", one + two);
  Report r = look(file, Analysis::kernels);
  ASSERT_EQ(r.containers.size(), 3u);
  EXPECT_EQ(r.containers[0].kind, ContainerKind::section);
  EXPECT_EQ(r.containers[0].entries, 2u);
  EXPECT_EQ(r.containers[0].unrecognised_bytes, 0u);
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_EQ(r.objects[0].found_by, FoundBy::section);
  EXPECT_EQ(r.objects[0].target_consistency, "equal");
  EXPECT_EQ(r.objects[1].id, fmt::format("{:x}.0", 64 + one.size()));
}

TEST(OffloadUnit, OpensACompressedOne) {
  Image file = offload_binary::compressed({gfx1030(), sm_90()});
  Report r = look(file, Analysis::kernels);
  ASSERT_EQ(r.containers.size(), 1u);
  EXPECT_EQ(r.containers[0].compression, "zlib");
  EXPECT_EQ(r.containers[0].decoded_bytes,
            binary(3, {gfx1030(), sm_90()}).size());
  EXPECT_EQ(r.containers[0].entries, 2u);
  EXPECT_EQ(r.containers[0].coverage, Coverage::complete);
  ASSERT_EQ(r.objects.size(), 2u);
  for (const Object &o : r.objects) {
    EXPECT_EQ(o.compression, "zlib");
    EXPECT_EQ(o.encoded_bytes, std::nullopt);
    EXPECT_EQ(o.location.in, "0");
    EXPECT_EQ(o.encoded_location.in, "");
    EXPECT_EQ(o.encoded_location.size, r.containers[0].location.size);
    EXPECT_EQ(o.target_consistency,
              o.kind == ObjectKind::amdgpu ? "equal" : "base-only");
  }
  // Offsets count in the whole, as the header of an entry has them.
  EXPECT_EQ(r.objects[0].location.offset + amdgpu_image().size(),
            r.objects[1].location.offset);
  EXPECT_EQ(r.usage.compressed_together_bytes, r.containers[0].location.size);
  EXPECT_EQ(r.usage.decoded_bytes, *r.containers[0].decoded_bytes - 40);
}

TEST(OffloadUnit, SaysWhyACompressedOneCannotBeOpened) {
  Image damaged = offload_binary::compressed({gfx1030()});
  damaged[60] ^= std::byte{0xff};
  Report r = look(damaged);
  EXPECT_TRUE(r.objects.empty());
  EXPECT_TRUE(find(r.containers[0].limitations, "corrupt"));

  Image cut = offload_binary::compressed({gfx1030()});
  cut.resize(cut.size() / 2);
  r = look(cut);
  EXPECT_TRUE(r.objects.empty());
  const Limitation *l = find(r.containers[0].limitations, "truncated");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->offset, 8u);
  EXPECT_EQ(r.containers[0].compression, "zlib");
}

TEST(OffloadUnit, GoesByTheImagesOwnMagic) {
  struct Case {
    std::uint16_t image_kind;
    std::string bytes;
    ObjectKind kind;
  };
  const std::string spirv("\x03\x02\x23\x07 and more", 12);
  for (const Case &c : {
           Case{0, spirv, ObjectKind::spirv},
           {offload_binary::kImageObject, spirv, ObjectKind::spirv},
           {0, "BC\xc0\xde", ObjectKind::bitcode},
           {0, ptx_text(), ObjectKind::ptx},
           // Nothing speaks against what is declared.
           {offload_binary::kImagePtx, "// " + std::string(99, 'x') + "\n",
            ObjectKind::ptx},
           {offload_binary::kImageBitcode, "?", ObjectKind::bitcode},
           {offload_binary::kImageCubin, "?", ObjectKind::cubin},
           {offload_binary::kImageSpirv, "?", ObjectKind::spirv},
           {offload_binary::kImageObject, "?", ObjectKind::unknown},
           {99, "?", ObjectKind::unknown},
       }) {
    Report r =
        look(binary(2, {{.image_kind = c.image_kind, .bytes = c.bytes}}));
    ASSERT_EQ(r.objects.size(), 1u);
    EXPECT_EQ(r.objects[0].kind, c.kind) << c.image_kind << c.bytes;
    EXPECT_EQ(r.objects[0].limitations.size(), 0u);
  }
}

TEST(OffloadUnit, TellsHostImages) {
  TestImage host{
      .strings = {{"triple", "x86_64-pc-linux-gnu"}, {"arch", "native"}},
      .bytes = chars(host_with(".text", text("code")))};
  for (const Image &file :
       {Image(binary(2, {host})), Image(offload_binary::compressed({host}))}) {
    Report r = look(file);
    ASSERT_EQ(r.objects.size(), 1u);
    EXPECT_EQ(r.objects[0].kind, ObjectKind::unknown);
    EXPECT_EQ(r.objects[0].target, "host");
    EXPECT_EQ(r.objects[0].declared, "native");
    const Limitation *l = find(r.objects[0].limitations, "host-image");
    ASSERT_TRUE(l);
    EXPECT_NE(l->message.find("machine 62"), std::string::npos);
  }
}

TEST(OffloadUnit, ListsEntriesWithoutImage) {
  TestImage metadata{.flags = offload_binary::kFlagMetadata,
                     .strings = {{"arch", "gfx906"}, {"producer", "tool"}}};
  TestImage empty{.strings = {{"arch", "gfx906"}}};
  Report r = look(binary(2, {metadata, empty}));
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_EQ(r.objects[0].target, "gfx906");
  EXPECT_EQ(r.objects[0].encoded_bytes, 0u);
  EXPECT_EQ(attribute(r.objects[0], "flags"), "0x1");
  EXPECT_EQ(attribute(r.objects[0], "producer"), "tool");
  EXPECT_TRUE(r.objects[0].limitations.empty());
  EXPECT_TRUE(find(r.objects[1].limitations, "empty-image"));
}

TEST(OffloadUnit, OpensContainersThatAreImages) {
  Image fatbin = fatbin_of({cubin_entry(80), cubin_entry(90)});
  Image bundle = bundle_of(
      {{std::string(kHostId), {}}, {amd_id("gfx1030"), amdgpu_image()}});
  TestImage first{.image_kind = offload_binary::kImageFatbinary,
                  .bytes = chars(fatbin)};
  TestImage second{.bytes = chars(bundle)};
  Image file = binary(2, {first, gfx1030(), second});
  Report r = look(file, Analysis::kernels);
  ASSERT_EQ(r.containers.size(), 3u);
  EXPECT_EQ(r.containers[0].entries, 3u);
  EXPECT_EQ(r.containers[1].kind, ContainerKind::fatbin);
  EXPECT_EQ(r.containers[1].id, "0.0");
  EXPECT_EQ(r.containers[1].parent, 0u);
  EXPECT_EQ(r.containers[1].location.size, fatbin.size());
  EXPECT_EQ(r.containers[2].kind, ContainerKind::bundle);
  EXPECT_EQ(r.containers[2].id, "0.2");
  ASSERT_EQ(r.objects.size(), 4u);
  EXPECT_EQ(r.objects[0].id, "0.1");
  EXPECT_EQ(r.objects[1].id, "0.0.0");
  EXPECT_EQ(r.objects[2].id, "0.0.1");
  EXPECT_EQ(r.objects[3].id, "0.2.1");
  for (const Object &o : r.objects)
    EXPECT_EQ(o.target_consistency, o.target == "sm_90" ? "base-only" : "equal")
        << o.id;
  // In a compressed one they are named.
  r = look(offload_binary::compressed({first, second}));
  ASSERT_EQ(r.objects.size(), 2u);
  EXPECT_TRUE(find(r.objects[0].limitations, "unopened-container"));
  EXPECT_TRUE(find(r.objects[1].limitations, "unopened-container"));
}

TEST(OffloadUnit, KeepsSoundEntriesBesideDamagedOnes) {
  Builder b;
  b.bytes(binary(2, {gfx1030(), sm_90()})).set_u64(32 + 24, UINT64_MAX);
  b.set_u64(32 + 40 + 8, UINT64_MAX); // strings of the second
  Report r = look(b.take());
  EXPECT_EQ(r.containers[0].coverage, Coverage::partial);
  // The image that its entry lost is found by content.
  ASSERT_EQ(r.objects.size(), 3u);
  EXPECT_EQ(r.objects[2].kind, ObjectKind::amdgpu);
  EXPECT_EQ(r.objects[2].found_by, FoundBy::content);
  EXPECT_EQ(r.objects[0].target, "gfx1030");
  EXPECT_TRUE(find(r.objects[0].limitations, "truncated"));
  EXPECT_EQ(r.objects[0].location.size, 0u);
  EXPECT_EQ(r.objects[1].kind, ObjectKind::cubin);
  EXPECT_EQ(r.objects[1].declared, "");
  EXPECT_TRUE(find(r.objects[1].limitations, "truncated"));
}

TEST(OffloadUnit, DoesNotSwallowItsNeighbour) {
  Builder b;
  b.bytes(binary(2, {gfx1030()}));
  const std::size_t size = b.size();
  b.set_u64(8, 1 << 20).bytes(fatbin_of({cubin_entry()}));
  Report r = look(host_with(".llvm.offloading", b.take()));
  ASSERT_EQ(r.containers.size(), 3u);
  EXPECT_TRUE(find(r.containers[1].limitations, "truncated"));
  EXPECT_EQ(r.containers[2].kind, ContainerKind::fatbin);
  EXPECT_EQ(r.containers[2].location.offset, 64 + size);
  EXPECT_EQ(r.objects.size(), 2u);
}

TEST(OffloadUnit, IsFoundByContent) {
  const Image plain = binary(2, {gfx1030()});
  const Image packed = offload_binary::compressed({gfx1030()});
  for (const Image &image : {plain, packed}) {
    Report r = look(host_with(".rodata", text("abc") + image + zeros(9)));
    EXPECT_EQ(r.coverage, Coverage::complete);
    ASSERT_EQ(r.objects.size(), 1u);
    EXPECT_EQ(r.objects[0].found_by, FoundBy::content);
    EXPECT_EQ(r.containers[0].location.offset, 64u + 3);
    EXPECT_EQ(r.containers[0].section, ".rodata");
  }
}

TEST(OffloadUnit, TakesNoHeaderForAFind) {
  const TestImage unknown{.strings = {{"arch", "gfx906"}}, .bytes = "?"};
  const TestImage empty{.strings = {{"arch", "gfx906"}}};
  Image longer = binary(2, {gfx1030()});
  longer[9] = std::byte{0x7f};
  Image damaged = offload_binary::compressed({gfx1030()});
  damaged[60] ^= std::byte{0xff};
  for (const Image &image :
       {Image(binary(2, {unknown})), Image(binary(2, {empty})),
        Image(binary(2, {})), Image(offload_binary::compressed({unknown})),
        damaged}) {
    Report r = look(host_with(".rodata", image));
    EXPECT_TRUE(r.containers.empty());
    EXPECT_EQ(r.coverage, Coverage::complete);
  }
  // The code in it is found all the same.
  Report r = look(host_with(".rodata", longer));
  ASSERT_EQ(r.containers.size(), 1u);
  EXPECT_EQ(r.containers[0].kind, ContainerKind::bare);
}

} // namespace
} // namespace gantry::inspect

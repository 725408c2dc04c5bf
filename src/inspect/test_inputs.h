// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: containers and code objects, small and sound. Files with sections
// come from format/test_elf.h, cubins with kernels from format/test_cubin.h.
#pragma once

#include "base/digest.h"
#include "base/test_msgpack.h"
#include "format/fatbin.h"
#include "format/test_elf.h"

#include <algorithm>
#include <array>

namespace gantry::inspect {

using Image = std::vector<std::byte>;

// ---- code objects

// A cubin of layout B without kernels; `sm` as in sm_90.
inline Image cubin_image(std::uint32_t sm = 90, std::uint16_t type = 2) {
  elf::ElfBuilder b;
  b.header.machine = elf::kMachineCuda;
  b.header.os_abi = 0x41;
  b.header.abi_version = 8;
  b.header.type = type;
  b.header.flags = 0x06000004 | sm << 8;
  b.symbol("", {}); // without a symbol table it would be incomplete
  return b.build();
}

inline constexpr std::uint32_t kGfx1030 = 0x36;
inline constexpr std::uint32_t kGfx90a = 0x53f; // any xnack, any sramecc

// An AMDGPU code object, version 5 by default. Without a target it has no
// metadata note.
struct AmdObject {
  std::uint32_t e_flags = kGfx1030;
  std::uint8_t abi_version = 3;
  std::string target = {}; // "amdgcn-amd-amdhsa--gfx1030"
  std::vector<std::string> kernels = {};
};

inline Image amdgpu_image(const AmdObject &o) {
  elf::ElfBuilder b;
  b.header.machine = elf::kMachineAmdgpu;
  b.header.os_abi = 64;
  b.header.abi_version = o.abi_version;
  b.header.type = elf::kTypeDyn;
  b.header.flags = o.e_flags;
  if (!o.target.empty()) {
    Packer p;
    p.map(3).text("amdhsa.version").array(2).number(1).number(2);
    p.pair("amdhsa.target", o.target);
    p.text("amdhsa.kernels").array(static_cast<unsigned>(o.kernels.size()));
    for (const std::string &k : o.kernels)
      p.map(2).pair(".name", k).pair(".symbol", k + ".kd");
    Builder note;
    note.u32(7).u32(static_cast<std::uint32_t>(p.str().size())).u32(32);
    note.text("AMDGPU").zeros(2).text(p.str()).pad_to(4);
    b.section(".note", note.take(), {.type = elf::kSectionNote});
    b.symbol("", {});
  }
  return b.build();
}
inline Image amdgpu_image(std::uint32_t e_flags = kGfx1030) {
  return amdgpu_image(AmdObject{.e_flags = e_flags});
}

inline std::string ptx_text(std::string_view target = "sm_90",
                            std::string_view kernel = "axpy") {
  return ".version 8.7\n.target " + std::string(target) +
         "\n.address_size 64\n.visible .entry " + std::string(kernel) +
         "()\n{\nret;\n}\n";
}

// ---- CUDA fat binaries

struct Entry {
  std::uint16_t kind = 2;
  std::uint32_t arch = 90;
  std::uint64_t flags = 0x11;
  Image payload = {}; // as stored
  // Of compressed payloads.
  std::uint32_t compressed_size = 0;
  std::uint64_t decoded_size = 0;
};

inline Entry cubin_entry(std::uint32_t sm = 90) {
  return {.arch = sm, .payload = cubin_image(sm)};
}

inline Entry ptx_entry(std::uint32_t arch, std::string_view text) {
  Bytes bytes = as_bytes(text);
  return {.kind = 1, .arch = arch, .payload = {bytes.begin(), bytes.end()}};
}

// The stream is not padded here: the container pads payloads.
inline Entry compressed(Entry entry, std::uint64_t codec_flag, Image stream) {
  entry.decoded_size = entry.payload.size();
  entry.compressed_size = static_cast<std::uint32_t>(stream.size());
  entry.flags |= codec_flag;
  entry.payload = std::move(stream);
  return entry;
}

inline Image fatbin_of(const std::vector<Entry> &entries) {
  Builder b;
  for (const Entry &e : entries) {
    b.u16(e.kind).u16(0x0101).u32(64).u64((e.payload.size() + 7) / 8 * 8);
    b.u32(e.compressed_size).u32(0).u16(0).u16(1).u32(e.arch).u32(0).u32(0);
    b.u64(e.flags).u64(0).u64(e.decoded_size);
    b.bytes(e.payload).pad_to(8);
  }
  return Builder()
      .u32(fatbin::kMagic)
      .u16(1)
      .u16(16)
      .u64(b.size())
      .bytes(b.bytes())
      .take();
}

// ---- clang offload bundles

struct BundleEntry {
  std::string id;
  Image image;
};

inline constexpr std::string_view kHostId = "host-x86_64-unknown-linux--";

inline std::string amd_id(std::string_view target) {
  return "hipv4-amdgcn-amd-amdhsa--" + std::string(target);
}

inline Image bundle_of(const std::vector<BundleEntry> &entries,
                       std::size_t align = 8) {
  std::size_t at = 32;
  for (const BundleEntry &e : entries)
    at += 24 + e.id.size();
  Builder table, images;
  table.text("__CLANG_OFFLOAD_BUNDLE__").u64(entries.size());
  std::size_t first = (at + align - 1) / align * align;
  for (const BundleEntry &e : entries) {
    images.pad_to(align);
    table.u64(first + images.size()).u64(e.image.size());
    table.u64(e.id.size()).text(e.id);
    images.bytes(e.image);
  }
  return table.pad_to(align).bytes(images.bytes()).take();
}

// ---- files that keep readers busy

// Headers of code objects, 128 bytes each, that claim tables of 10,000 sections
// (the headers behind), all of which lie outside.
inline Image endless_headers(std::size_t count) {
  Builder one;
  one.text("\x7f"
           "ELF");
  one.u8(2).u8(1).u8(1).u8(64).zeros(8);
  one.u16(3).u16(elf::kMachineAmdgpu).u32(1);
  one.u64(1ull << 60).u64(0).u64(64); // also the offset of a section
  one.u32(0).u16(64).u16(56).u16(0).u16(64).u16(0).u16(0);
  one.zeros(32).u64(10'000).zeros(24); // section 0 has the count in its size
  Image out;
  for (std::size_t i = 0; i < count; i++)
    out.insert(out.end(), one.bytes().begin(), one.bytes().end());
  return out;
}

// Each bundle's table runs through all bundles behind it, whose magics are ids
// of its entries, and the last entry is wrong: reading all of them costs the
// square of their number.
inline Image chained_bundles(std::size_t count) {
  Builder b;
  for (std::size_t i = 0; i < count; i++)
    b.text("__CLANG_OFFLOAD_BUNDLE__")
        .u64(count - i + 1)
        .u64(0)
        .u64(32)
        .u64(24);
  return b.text("__CLANG_OFFLOAD_BUNDLE__")
      .u64(1)
      .u64(0)
      .u64(1 << 20)
      .u64(24)
      .take();
}

// ---- streams that a decoder takes

// A zstd frame that stores its bytes.
inline Image zstd_stored(Bytes data) {
  constexpr std::size_t kBlock = 1 << 17;
  Builder b;
  b.u32(0xfd2fb528).u8(0xa0).u32(static_cast<std::uint32_t>(data.size()));
  do {
    Bytes block = data.first(std::min(kBlock, data.size()));
    data = data.subspan(block.size());
    auto header = static_cast<std::uint32_t>(block.size()) << 3 |
                  static_cast<std::uint32_t>(data.empty());
    b.u16(static_cast<std::uint16_t>(header));
    b.u8(static_cast<std::uint8_t>(header >> 16)).bytes(block);
  } while (!data.empty());
  return b.take();
}

// A zstd frame of one block after the other that repeats `fill` 128 KiB times.
inline Image zstd_bomb(std::uint64_t decoded, std::uint8_t fill = 0) {
  constexpr std::uint64_t kBlock = 1 << 17;
  Builder b;
  b.u32(0xfd2fb528).u8(0xe0).u64(decoded);
  while (decoded != 0) {
    std::uint64_t size = std::min(kBlock, decoded);
    decoded -= size;
    auto header = static_cast<std::uint32_t>(size << 3 | 2 | (decoded == 0));
    b.u16(static_cast<std::uint16_t>(header));
    b.u8(static_cast<std::uint8_t>(header >> 16)).u8(fill);
  }
  return b.take();
}

// A compressed bundle, version 3, zstd. `decoded` makes its checksum.
inline Image ccob_around(Bytes stream, std::uint64_t decoded_size,
                         Bytes decoded) {
  Md5 md5;
  md5.update(decoded);
  auto digest = md5.digest();
  return Builder()
      .text("CCOB")
      .u16(3)
      .u16(1)
      .u64(32 + stream.size())
      .u64(decoded_size)
      .bytes(Bytes(digest).first(8))
      .bytes(stream)
      .take();
}
inline Image ccob_of(Bytes decoded) {
  return ccob_around(zstd_stored(decoded), decoded.size(), decoded);
}

// ---- host files

inline elf::ElfBuilder host_builder() {
  elf::ElfBuilder b;
  b.header.machine = 62;
  b.header.type = elf::kTypeDyn;
  return b;
}

// A shared library with one section.
inline Image host_with(std::string name, Image data) {
  elf::ElfBuilder b = host_builder();
  b.section(std::move(name), std::move(data), {.flags = elf::kFlagAlloc});
  return b.build();
}

// The same file without section headers.
inline Image strip_sections(Image file) {
  auto zero = [&](std::size_t at, std::size_t size) {
    std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(at), size,
                std::byte{0});
  };
  zero(40, 8);
  zero(60, 4);
  return file;
}

inline Image operator+(Image a, Bytes b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
inline Image zeros(std::size_t count) { return Image(count); }
inline Image text(std::string_view s) {
  Bytes bytes = as_bytes(s);
  return {bytes.begin(), bytes.end()};
}

} // namespace gantry::inspect

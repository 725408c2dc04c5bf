// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: LLVM offload binaries.
#pragma once

#include "base/test_bytes.h"
#include "format/offload_binary.h"

#include <zlib.h>

namespace gantry::offload_binary {

struct TestImage {
  using Strings = std::vector<std::pair<std::string, std::string>>;

  std::uint16_t image_kind = kImageObject;
  std::uint16_t offload_kind = 4;
  std::uint32_t flags = 0;
  Strings strings = {};
  std::string bytes = {};
};

// As LLVM writes them: header, entries, string records, strings, images.
inline std::vector<std::byte> binary(std::uint32_t version,
                                     const std::vector<TestImage> &images) {
  const std::size_t header = version < 3 ? 32 : 40;
  const std::size_t record = version == 1 ? 16 : 24;
  std::size_t records = header + 40 * images.size();
  std::size_t table = records;
  for (const TestImage &i : images)
    table += record * i.strings.size();
  Builder strings;
  std::vector<std::size_t> places;
  for (const TestImage &i : images)
    for (const auto &[key, value] : i.strings)
      for (const std::string &s : {key, value}) {
        places.push_back(table + strings.size());
        strings.text(s).u8(0);
      }
  strings.pad_to(8);
  std::size_t image_at = (table + strings.size() + 7) / 8 * 8;
  Builder b;
  b.text(kMagic).u32(version).u64(0).u64(header).u64(
      version == 1 ? 40 : images.size());
  if (version >= 3)
    b.u64(0);
  for (const TestImage &i : images) {
    b.u16(i.image_kind).u16(i.offload_kind).u32(i.flags);
    b.u64(records).u64(i.strings.size());
    b.u64(i.bytes.empty() ? 0 : image_at).u64(i.bytes.size());
    records += record * i.strings.size();
    image_at += i.bytes.size();
  }
  std::size_t next = 0;
  for (const TestImage &i : images)
    for (const auto &[key, value] : i.strings) {
      b.u64(places[next]).u64(places[next + 1]);
      next += 2;
      if (version > 1)
        b.u64(value.size());
    }
  b.bytes(strings.bytes()).pad_to(8);
  for (const TestImage &i : images)
    b.text(i.bytes);
  b.pad_to(8).set_u64(8, b.size());
  return b.take();
}

// Everything behind the header as one stream.
inline std::vector<std::byte> compressed(const std::vector<TestImage> &images) {
  auto whole = binary(3, images);
  std::vector<std::byte> body(compressBound(whole.size()));
  uLongf size = body.size();
  compress2(reinterpret_cast<Bytef *>(body.data()), &size,
            reinterpret_cast<const Bytef *>(whole.data() + 40),
            whole.size() - 40, 6);
  Builder b;
  b.bytes(Bytes(whole).first(40)).bytes(Bytes(body).first(size));
  b.set_u64(8, b.size()).set_u64(32, whole.size());
  return b.pad_to(8).take();
}

} // namespace gantry::offload_binary

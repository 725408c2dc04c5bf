// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: small packages, built field by field.
#pragma once

#include "base/test_bytes.h"

#include <optional>
#include <string>
#include <zlib.h>

namespace gantry::input {

struct Item {
  std::string name;
  std::string bytes;
};

// ---- zip

struct ZipItem {
  std::string name = {};
  std::string bytes = {};
  std::uint16_t method = 0; // 0 or 8; others keep the bytes as they are
  std::uint16_t flags = 0;
  std::uint32_t mode = 0100644; // made by Unix
  std::optional<std::uint32_t> crc = {};
  std::optional<std::uint32_t> size = {}; // as the directory states it
  std::optional<std::string> local_name = {};
};

inline std::string deflated(const std::string &bytes) {
  std::string out(compressBound(bytes.size()), '\0');
  uLongf size = out.size();
  compress2(reinterpret_cast<Bytef *>(out.data()), &size,
            reinterpret_cast<const Bytef *>(bytes.data()), bytes.size(), 9);
  return out.substr(2, size - 6); // without header and checksum of zlib
}

struct ZipShape {
  std::string before = {}; // in front of the archive
  std::string comment = {};
  bool directory = true;
  bool zip64_end = false;
};

inline std::string zip_of(const std::vector<ZipItem> &items,
                          const ZipShape &shape = {}) {
  Builder out, directory;
  for (const ZipItem &i : items) {
    std::string stored = i.method == 8 ? deflated(i.bytes) : i.bytes;
    auto crc = i.crc.value_or(static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef *>(i.bytes.data()),
              static_cast<uInt>(i.bytes.size()))));
    auto sizes = [&](Builder &b, bool known) {
      b.u32(known ? crc : 0)
          .u32(known ? static_cast<std::uint32_t>(stored.size()) : 0);
      b.u32(known ? i.size.value_or(static_cast<std::uint32_t>(i.bytes.size()))
                  : 0);
    };
    auto offset = static_cast<std::uint32_t>(out.size());
    std::string local = i.local_name.value_or(i.name);
    const bool follows = (i.flags & 8) != 0;
    out.text("PK\3\4").u16(20).u16(i.flags).u16(i.method).u32(0);
    sizes(out, !follows);
    out.u16(static_cast<std::uint16_t>(local.size())).u16(0).text(local);
    out.text(stored);
    if (follows) {
      out.text("PK\7\10");
      sizes(out, true);
    }
    directory.text("PK\1\2").u16(0x031e).u16(20).u16(i.flags).u16(i.method).u32(
        0);
    sizes(directory, true);
    directory.u16(static_cast<std::uint16_t>(i.name.size())).u16(0).u16(0);
    directory.u16(0).u16(0).u32(i.mode << 16).u32(offset).text(i.name);
  }
  if (!shape.directory)
    return shape.before + std::string(as_text(out.bytes()));
  const std::uint64_t at = out.size(), size = directory.size();
  const auto count = static_cast<std::uint16_t>(items.size());
  out.bytes(directory.bytes());
  if (shape.zip64_end) {
    out.text("PK\6\6").u64(44).u16(45).u16(45).u32(0).u32(0);
    out.u64(items.size()).u64(items.size()).u64(size).u64(at);
    out.text("PK\6\7").u32(0).u64(at + size).u32(1);
  }
  out.text("PK\5\6").u16(0).u16(0).u16(count).u16(count);
  out.u32(shape.zip64_end ? UINT32_MAX : static_cast<std::uint32_t>(size));
  out.u32(shape.zip64_end ? UINT32_MAX : static_cast<std::uint32_t>(at));
  out.u16(static_cast<std::uint16_t>(shape.comment.size())).text(shape.comment);
  return shape.before + std::string(as_text(out.bytes()));
}

// ---- ar

inline std::string ar_header(std::string name, std::uint64_t size) {
  std::string out = std::move(name);
  out.resize(16, ' ');
  out += "0           0     0     644     ";
  std::string digits = std::to_string(size);
  digits.resize(10, ' ');
  return out + digits + "`\n";
}

// In GNU's manner.
inline std::string ar_of(const std::vector<Item> &items) {
  std::string out = "!<arch>\n", names;
  for (const Item &i : items)
    if (i.name.size() > 15)
      names += i.name + "/\n";
  if (!names.empty()) {
    out += ar_header("//", names.size()) + names;
    if (out.size() % 2 != 0)
      out += '\n';
  }
  std::size_t at = 0;
  for (const Item &i : items) {
    std::string name = i.name + "/";
    if (i.name.size() > 15) {
      name = "/" + std::to_string(at);
      at += i.name.size() + 2;
    }
    out += ar_header(name, i.bytes.size()) + i.bytes;
    if (out.size() % 2 != 0)
      out += '\n';
  }
  return out;
}

// ---- tar

inline std::string tar_header(const std::string &name, std::uint64_t size,
                              char type = '0') {
  std::string h(512, '\0');
  auto octal = [&](std::size_t at, std::size_t digits, std::uint64_t value) {
    for (std::size_t i = digits; i > 0; i--, value /= 8)
      h[at + i - 1] = static_cast<char>('0' + value % 8);
  };
  h.replace(0, std::min<std::size_t>(name.size(), 100), name, 0, 100);
  octal(100, 7, 0644);
  octal(108, 7, 0);
  octal(116, 7, 0);
  octal(124, 11, size);
  octal(136, 11, 0);
  h[156] = type;
  h.replace(257, 8, std::string("ustar\00000", 8));
  h.replace(148, 8, 8, ' ');
  std::uint64_t sum = 0;
  for (char c : h)
    sum += static_cast<unsigned char>(c);
  octal(148, 6, sum);
  h[154] = '\0';
  return h;
}

inline std::string tar_member(const std::string &name, const std::string &bytes,
                              char type = '0') {
  std::string out = tar_header(name, bytes.size(), type) + bytes;
  out.resize((out.size() + 511) / 512 * 512, '\0');
  return out;
}

inline std::string tar_of(const std::vector<Item> &items) {
  std::string out;
  for (const Item &i : items)
    out += tar_member(i.name, i.bytes);
  return out + std::string(1024, '\0');
}

} // namespace gantry::input

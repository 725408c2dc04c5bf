// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: Mach-O files built section by section, and universal files.
#pragma once

#include "base/test_bytes.h"
#include "format/macho.h"

#include <bit>
#include <string>

namespace gantry::macho {

// One segment for each section, whose contents follow the load commands.
class MachoBuilder {
public:
  Header header; // is_64, cpu_type and type are written

  MachoBuilder() { header.cpu_type = 0x01000007, header.type = 6; }

  // Returns the index of the section, from 1.
  std::uint32_t section(std::string segment, std::string name,
                        std::vector<std::byte> data, std::uint32_t flags = 0,
                        std::uint32_t protection = 1) {
    parts_.push_back({std::move(segment), std::move(name), std::move(data),
                      flags, protection});
    return static_cast<std::uint32_t>(parts_.size());
  }

  std::vector<std::byte> build() {
    std::uint64_t at = commands_offset() + command_size() * parts_.size() + 16;
    Builder commands;
    commands.u32(0x1b).u32(16).zeros(8); // something else between
    for (Part &p : parts_) {
      at = (at + 7) / 8 * 8;
      p.offset = at;
      at += p.data.size();
      write_segment(commands, p);
    }
    Builder out;
    out.u32(header.is_64 ? 0xfeedfacf : 0xfeedface).u32(header.cpu_type);
    out.u32(3).u32(header.type);
    out.u32(static_cast<std::uint32_t>(parts_.size() + 1));
    out.u32(static_cast<std::uint32_t>(commands.size()));
    out.zeros(header.is_64 ? 8 : 4).bytes(commands.bytes());
    for (const Part &p : parts_)
      out.pad_to(8).bytes(p.data);
    return out.take();
  }

  // Valid after build().
  std::uint64_t offset(std::uint32_t index) const {
    return parts_.at(index - 1).offset;
  }
  std::uint64_t address(std::uint32_t index) const {
    return kBase + offset(index);
  }
  std::uint64_t commands_offset() const { return header.is_64 ? 32 : 28; }
  // Of the section's segment command.
  std::uint64_t command_offset(std::uint32_t index) const {
    return commands_offset() + 16 + command_size() * (index - 1);
  }

private:
  static constexpr std::uint64_t kBase = 0x1000;
  struct Part {
    std::string segment, name;
    std::vector<std::byte> data;
    std::uint32_t flags, protection;
    std::uint64_t offset = 0;
  };

  std::uint64_t command_size() const {
    return header.is_64 ? 72 + 80 : 56 + 68;
  }
  void word(Builder &b, std::uint64_t value) const {
    if (header.is_64)
      b.u64(value);
    else
      b.u32(static_cast<std::uint32_t>(value));
  }
  static void name(Builder &b, std::string text) {
    text.resize(16);
    b.text(text);
  }
  void write_segment(Builder &b, const Part &p) const {
    b.u32(header.is_64 ? 0x19 : 1);
    b.u32(static_cast<std::uint32_t>(command_size()));
    name(b, p.segment);
    word(b, kBase + p.offset);
    word(b, p.data.size());
    word(b, p.offset);
    word(b, p.data.size());
    b.u32(7).u32(p.protection).u32(1).u32(0);
    name(b, p.name);
    name(b, p.segment);
    word(b, kBase + p.offset);
    word(b, p.data.size());
    b.u32(static_cast<std::uint32_t>(p.offset)).zeros(12).u32(p.flags);
    b.zeros(header.is_64 ? 12 : 8);
  }

  std::vector<Part> parts_;
};

// A universal file; slices begin at multiples of 16.
inline std::vector<std::byte>
universal_of(const std::vector<std::vector<std::byte>> &slices,
             bool is_64 = false) {
  auto big = [](Builder &b, std::uint64_t value) {
    b.u32(std::byteswap(static_cast<std::uint32_t>(value)));
  };
  Builder head, body;
  big(head, is_64 ? 0xcafebabf : 0xcafebabe);
  big(head, slices.size());
  const std::uint64_t table = 8 + slices.size() * (is_64 ? 32 : 20);
  body.zeros(table);
  for (std::size_t i = 0; i < slices.size(); i++) {
    body.pad_to(16);
    big(head, 0x01000007 + 5 * i);
    big(head, 3);
    if (is_64) {
      head.u64(std::byteswap(std::uint64_t{body.size()}));
      head.u64(std::byteswap(std::uint64_t{slices[i].size()}));
      head.zeros(8);
    } else {
      big(head, body.size());
      big(head, slices[i].size());
      head.zeros(4);
    }
    body.bytes(slices[i]);
  }
  return head.bytes(body.bytes().subspan(head.size())).take();
}

} // namespace gantry::macho

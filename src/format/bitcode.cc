// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file of LLVM bitcode: "BC" C0 DE, then blocks of a bit stream
// (bitstream.cc) and nothing else. Perhaps before it a wrapper of five u32:
// 0x0B17C0DE, version, offset and size of the bitcode, CPU type; zeros up to a
// multiple of 16 may follow then.
//
//   block 13 IDENTIFICATION   1 producer (text), 2 epoch; before its module
//   block  8 MODULE           2 triple, 3 data layout, 16 source file (texts)
//   other blocks              symbol and string tables: not read
//
// Source: LLVM's "LLVM Bitcode File Format"; observed with the bitcode of LLVM
// 3.4 (libdevice), 10 (taichi 1.7), 15 (ROCm's device libraries) and 22.

#include "format/bitcode.h"

#include "format/bitstream.h"

namespace gantry::bitcode {

namespace {

constexpr std::uint32_t kMagic = 0xdec04342;
constexpr std::uint32_t kWrapperMagic = 0x0b17c0de;
constexpr std::uint64_t kWrapperSize = 20;

enum : std::uint64_t { kModule = 8, kIdentification = 13 };
enum : std::uint64_t { kTriple = 2, kDataLayout = 3, kSourceFile = 16 };
enum : std::uint64_t { kProducer = 1, kEpoch = 2 };

// Files put together have a few.
constexpr std::size_t kModulesMax = 1024;

struct Identification {
  std::string producer;
  std::optional<std::uint64_t> epoch;
};

Identification read_identification(bitstream::Cursor &cursor,
                                   const bitstream::Block &block) {
  Identification out;
  cursor.read(
      block,
      [&](std::uint64_t code) {
        return code == kProducer ? out.producer.empty() : code == kEpoch;
      },
      [&](const bitstream::Record &r) {
        if (r.code == kProducer)
          out.producer = r.text;
        else
          out.epoch = r.first;
      });
  return out;
}

std::string *field_of(Module &module, std::uint64_t code) {
  return code == kTriple       ? &module.triple
         : code == kDataLayout ? &module.data_layout
         : code == kSourceFile ? &module.source_file
                               : nullptr;
}

Module read_module(bitstream::Cursor &cursor, const bitstream::Block &block) {
  Module out;
  cursor.read(
      block,
      [&](std::uint64_t code) {
        const std::string *field = field_of(out, code);
        return field && field->empty();
      },
      [&](const bitstream::Record &r) { *field_of(out, r.code) = r.text; });
  return out;
}

void read_blocks(Bytes stream, std::uint64_t base, const Limits &limits,
                 File &out) {
  bitstream::Cursor cursor(stream, base, limits, {kModule, kIdentification});
  bitstream::Bits &bits = cursor.bits();
  bits.seek(32, "magic");
  Identification identification;
  // Too little for a block is padding.
  while (!bits.error() && bits.size() - bits.position() >= 64) {
    std::uint64_t offset = base + bits.position() / 8;
    bitstream::Block block = cursor.enter_top();
    if (bits.error())
      break;
    if (block.id == kIdentification) {
      identification = read_identification(cursor, block);
    } else if (block.id == kModule) {
      if (out.modules.size() == kModulesMax) {
        bits.refuse(Errc::too_large, "modules of one file");
        break;
      }
      Module module = read_module(cursor, block);
      module.offset = offset;
      module.producer = std::move(identification.producer);
      module.epoch = identification.epoch;
      identification = {};
      out.modules.push_back(std::move(module));
    } else {
      cursor.skip(block);
    }
  }
  out.damage = bits.error();
}

Result<Wrapper> read_wrapper(Reader &r, std::uint64_t size) {
  Wrapper w;
  w.version = r.u32("bitcode wrapper: version");
  w.offset = r.u32("bitcode wrapper: offset");
  w.size = r.u32("bitcode wrapper: size");
  w.cpu_type = r.u32("bitcode wrapper: CPU type");
  if (!r.ok())
    return r.error();
  if (w.offset < kWrapperSize)
    return fail(Errc::bad_value, 8, "bitcode wrapper: offset");
  if (!fits(w.offset, w.size, size))
    return fail(Errc::truncated, 8, "bitcode wrapper: bitcode");
  return w;
}

} // namespace

Result<File> read(Bytes image, const Limits &limits) {
  File out;
  Reader r(image);
  std::uint32_t magic = r.u32("bitcode magic");
  std::uint64_t base = 0;
  if (r.ok() && magic == kWrapperMagic) {
    GANTRY_TRY(out.wrapper, read_wrapper(r, image.size()));
    base = out.wrapper->offset;
    image = image.subspan(base, out.wrapper->size);
    Reader inner(image);
    magic = inner.u32("bitcode magic");
    if (!inner.ok())
      return inner.error(base);
  }
  if (!r.ok())
    return r.error();
  if (magic != kMagic)
    return fail(Errc::bad_magic, base, "bitcode magic");
  read_blocks(image, base, limits, out);
  if (out.modules.empty() && !out.damage)
    out.damage = Error{Errc::bad_value, base + 4, "no module", {}};
  return out;
}

} // namespace gantry::bitcode

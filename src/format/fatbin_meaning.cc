// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the fields of a fat binary's declarations mean. Where they stand, and
// how they are known: fatbin.cc.

#include "format/fatbin.h"

#include <algorithm>

namespace gantry::fatbin {

std::string_view word(Kind kind) {
  switch (kind) {
  case Kind::unknown:
    break;
  case Kind::ptx:
    return "ptx";
  case Kind::cubin:
    return "cubin";
  case Kind::lto_ir:
    return "lto-ir";
  case Kind::tile_ir:
    return "tile-ir";
  case Kind::index:
    return "index";
  case Kind::concatenated:
    return "concatenated";
  }
  return "unknown";
}

std::string_view word(Limitation limitation) {
  switch (limitation) {
  case Limitation::unknown_kind:
    return "unknown-kind";
  case Limitation::unknown_version:
    return "unknown-version";
  case Limitation::unknown_flags:
    return "unknown-flags";
  case Limitation::several_codecs:
    return "several-codecs";
  case Limitation::several_suffixes:
    return "several-suffixes";
  case Limitation::obsolete_cubin:
    return "obsolete-cubin";
  case Limitation::name_outside:
    return "name-outside";
  case Limitation::options_unreadable:
    return "options-unreadable";
  case Limitation::compressed_outside:
    return "compressed-outside";
  case Limitation::part_outside:
    return "part-outside";
  case Limitation::payload_outside:
    return "payload-outside";
  }
  return "unknown";
}

Kind Declaration::kind() const {
  switch (raw_kind) {
  case 1:
  case 0x40:
    return Kind::ptx;
  case 2:
  case 4:
    return Kind::cubin;
  case 8:
    return Kind::lto_ir;
  case 0x20:
    return Kind::index;
  case 0x80:
    return Kind::tile_ir;
  case 0x100:
    return Kind::concatenated;
  default:
    return Kind::unknown;
  }
}

Codec Declaration::codec() const {
  // NVIDIA's cuobjdump looks at the oldest flag first, whatever else is set.
  if (flags & kFlagZlib)
    return Codec::zlib;
  if (flags & kFlagLz4Block)
    return Codec::lz4_block;
  if (flags & kFlagLz4Frame)
    return Codec::lz4_frame;
  if (flags & kFlagZstd)
    return Codec::zstd;
  return Codec::none;
}

std::optional<char> Declaration::suffix() const {
  switch (flags & kSuffixFlags) {
  case 0:
    return '\0';
  case kFlagArchSpecific:
    return 'a';
  case kFlagFamilySpecific:
    return 'f';
  default:
    return std::nullopt;
  }
}

bool Declaration::has(Limitation l) const {
  return std::ranges::find(limitations, l) != limitations.end();
}

std::uint64_t Entry::stored_size() const {
  if (has(Limitation::payload_outside))
    return 0;
  if (codec() == Codec::none || compressed_size == 0)
    return payload_size;
  return std::min<std::uint64_t>(compressed_size, payload_size);
}

std::uint64_t Entry::unpacked_size() const {
  return codec() == Codec::none ? payload_size : decoded_size;
}

} // namespace gantry::fatbin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function per kind of container: its declarations as a unit.
#pragma once

#include "base/source.h"
#include "inspect/region.h"

namespace gantry::inspect {

Unit fatbin_unit(const Source &source, std::uint64_t offset, std::uint64_t end,
                 const Origin &origin, const Limits &limits);

Unit bundle_unit(const Source &source, std::uint64_t offset, std::uint64_t end,
                 const Origin &origin, const Limits &limits);

Unit ccob_unit(const Source &source, std::uint64_t region, std::uint64_t offset,
               std::uint64_t end, const Origin &origin);

// Compressed as a whole or not. Fat binaries and bundles that are images of one
// which is not are containers in it.
Unit offload_unit(const Source &source, std::uint64_t offset, std::uint64_t end,
                  const Origin &origin, const Limits &limits);

// The whole source, which begins like one.
Unit text_bundle_unit(const Source &source, const Origin &origin,
                      const Limits &limits);

// What is in a section that holds images of one target without a container
// around them: bitcode of -fgpu-rdc, compressed images of SYCL. As
// walk_region().
std::vector<Unit> walk_images(MeteredSource &source, std::uint64_t begin,
                              std::uint64_t end, const Origin &origin,
                              const Limits &limits, Container &section);

// What a compressed container holds, decoded. Offsets of objects in it count
// from `first`.
struct Inside {
  Bytes bytes;
  std::uint64_t first = 0;
};

// Decode all of a compressed container into `out` and add what it holds to
// `unit`, which it is the outermost container of.
Result<Inside> open_ccob(Bytes stored, Decompressor &decompressor,
                         const Limits &limits, Buffer &out, Unit &unit);
Result<Inside> open_offload_binary(Bytes stored, Decompressor &decompressor,
                                   const Limits &limits, Buffer &out,
                                   Unit &unit);

// The entries of a bundle as slots: for a bundle in the file, and for one that
// came out of a compressed container (`images` holds the bundle, which starts
// at `base` in it; `container` is its index in the unit).
struct BundlePlace {
  std::string in; // "" the file, else the id of the decoded container
  std::uint64_t base = 0;
  std::uint32_t container = 0;
  bool compressed = false;
  std::string_view compression = "none";
  Location encoded; // of the compressed container
};
void add_bundle_entries(const Source &images, std::uint64_t end,
                        const BundlePlace &place, const Limits &limits,
                        Unit &unit);

// The whole source, which begins like a kpack archive.
Unit kpack_unit(const Source &source, const Origin &origin,
                const Limits &limits);

// What a payload is by its first bytes.
ObjectKind sniff(Bytes start);

// Fills kind and, for ELF, relocatable by the first bytes of a payload that is
// not compressed.
void look_at_payload(const Source &source, std::uint64_t at, std::uint64_t size,
                     Object &object);

} // namespace gantry::inspect

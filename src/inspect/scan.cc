// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan has to keep up with SHA-256 in hardware (about 1.5 GB/s), since both
// share the pass over the file. It compares 16 places at once with the first
// two bytes of each magic, and looks closer only where both agree.

#include "inspect/scan.h"

#include "format/amdgpu.h"
#include "format/bundle.h"
#include "format/ccob.h"
#include "format/cubin.h"
#include "format/elf.h"
#include "format/fatbin.h"
#include "format/offload_binary.h"

#include <array>
#include <bit>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gantry::inspect {

namespace {

constexpr std::array<std::string_view, 5> kMagics = {
    "\x50\xed\x55\xba", // CUDA fat binary
    "__CL",             // __CLANG_OFFLOAD_BUNDLE__
    "CCOB",
    offload_binary::kMagic,
    "\x7f"
    "ELF",
};

bool starts_magic(const std::byte *at) {
  for (std::string_view magic : kMagics)
    if (std::memcmp(at, magic.data(), magic.size()) == 0)
      return true;
  return false;
}

bool plausible_elf(Bytes start) {
  auto header = elf::read_header(start);
  if (!header || !header->is_64)
    return false;
  if (header->machine == elf::kMachineCuda)
    return header->os_abi == 0x33 || header->os_abi == 0x41;
  return header->machine == elf::kMachineAmdgpu && header->type >= 1 &&
         header->type <= 3;
}

bool plausible_ccob(Bytes start, std::uint64_t available) {
  auto header = ccob::read_header(start);
  return header && !header->limitation && header->decoded_size &&
         header->total_size.value_or(header->size) <= available;
}

bool plausible_offload_binary(Bytes start, std::uint64_t available) {
  auto header = offload_binary::read_header(start);
  return header && header->entry_count != 0 && header->size <= available;
}

} // namespace

std::optional<Magic> container_magic(Bytes start) {
  std::string_view text = as_text(start);
  if (text.starts_with(kMagics[0]))
    return Magic::fatbin;
  if (text.starts_with(bundle::kMagic))
    return Magic::bundle;
  if (text.starts_with(ccob::kMagic))
    return Magic::ccob;
  if (text.starts_with(offload_binary::kMagic))
    return Magic::offload_binary;
  return std::nullopt;
}

std::optional<Magic> recognise(Bytes start, std::uint64_t available) {
  std::optional<Magic> magic = container_magic(start);
  bool plausible = false;
  if (magic == Magic::fatbin)
    plausible = fatbin::plausible_header(start);
  else if (magic == Magic::bundle)
    plausible = bundle::plausible_header(start, available);
  else if (magic == Magic::ccob)
    plausible = plausible_ccob(start, available);
  else if (magic == Magic::offload_binary)
    plausible = plausible_offload_binary(start, available);
  else if (as_text(start).starts_with(kMagics.back())) {
    magic = Magic::elf;
    plausible = plausible_elf(start);
  }
  return plausible ? magic : std::nullopt;
}

void scan(Bytes window, const std::function<void(std::uint64_t)> &found) {
  const std::byte *data = window.data();
  std::uint64_t i = 0;
  const std::uint64_t size = window.size();
#ifdef __SSE2__
  __m128i first[kMagics.size()], second[kMagics.size()];
  for (std::size_t m = 0; m < kMagics.size(); m++) {
    first[m] = _mm_set1_epi8(kMagics[m][0]);
    second[m] = _mm_set1_epi8(kMagics[m][1]);
  }
  for (; fits(i, 20, size); i += 16) {
    auto load = [&](std::uint64_t at) {
      __m128i v;
      std::memcpy(&v, data + at, sizeof v);
      return v;
    };
    __m128i here = load(i), next = load(i + 1);
    __m128i hit = _mm_setzero_si128();
    for (std::size_t m = 0; m < kMagics.size(); m++)
      hit = _mm_or_si128(hit, _mm_and_si128(_mm_cmpeq_epi8(here, first[m]),
                                            _mm_cmpeq_epi8(next, second[m])));
    auto bits = static_cast<unsigned>(_mm_movemask_epi8(hit));
    for (; bits != 0; bits &= bits - 1) {
      std::uint64_t at = i + static_cast<unsigned>(std::countr_zero(bits));
      if (starts_magic(data + at))
        found(at);
    }
  }
#endif
  for (; fits(i, 4, size); i++)
    if (starts_magic(data + i))
      found(i);
}

} // namespace gantry::inspect

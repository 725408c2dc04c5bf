// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Section names are those that clang gives for CUDA (observed with clang 22);
// HIP does not exist for macOS. Addresses in records are taken as they stand:
// linkers chain them on other processors than those that CUDA was made for.

#include "inspect/host_macho.h"

#include "format/macho.h"
#include "inspect/host_sections.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gantry::inspect {

namespace {

constexpr std::array kKnown = {
    KnownSection{"__NV_CUDA,__nv_fatbin", false, Role::containers,
                 std::nullopt},
    KnownSection{"__NV_CUDA,__nv_relfatbin", false, Role::containers, true},
    KnownSection{"__NV_CUDA,__fatbin", false, Role::cuda_wrappers,
                 std::nullopt},
};

// The file for one processor, at `begin` of the whole.
void discover_slice(MeteredSource &source, std::uint64_t begin,
                    std::uint64_t size, std::string id_prefix,
                    const Limits &limits, Discovery &out) {
  SliceSource slice(source, begin, size);
  auto file = macho::File::open(slice, limits);
  auto note = [&](Error error) {
    error.offset += begin;
    out.limitations.push_back(limitation(error));
  };
  if (!file && file.error().code == Errc::bad_magic) {
    out.limitations.push_back(
        {"unopened-format",
         "a part of a universal file that is no Mach-O file; its bytes are "
         "searched as they are",
         begin});
    return;
  }
  if (!file)
    return note(file.error());
  for (const Error &damage : file->damage())
    note(damage);
  Host host;
  host.known = kKnown;
  host.relocatable = file->header().type == macho::kTypeObject;
  host.id_prefix = std::move(id_prefix);
  host.end = begin + size;
  host.sections.reserve(file->sections().size());
  auto in_whole = [&](std::uint64_t offset) {
    return begin + std::min(offset, size);
  };
  for (const macho::Section &s : file->sections())
    host.sections.push_back(
        {s.index, s.name, in_whole(s.offset), s.size, s.has_bytes()});
  for (const macho::Segment &s : file->segments())
    host.loads.push_back({s.address, in_whole(s.offset), s.file_size,
                          (s.protection & macho::kProtWrite) != 0});
  discover_host(source, host, limits, out);
}

} // namespace

bool discover_macho(MeteredSource &source, const Limits &limits,
                    Discovery &out) {
  Buffer scratch;
  auto start = source.read_up_to(0, 32, scratch);
  if (!start)
    return false;
  if (!macho::is_universal(*start)) {
    auto header = macho::read_header(*start);
    if (start->size() < 4 ||
        (!header && header.error().code == Errc::bad_magic))
      return false;
    out.format = "macho";
    discover_slice(source, 0, source.size(), "s", limits, out);
    return true;
  }
  auto slices = macho::read_slices(source);
  if (!slices)
    return false;
  out.format = "macho";
  for (const Error &damage : slices->damage)
    out.limitations.push_back(limitation(damage));
  for (const macho::Slice &s : slices->list)
    discover_slice(source, s.offset, s.size, fmt::format("s{}.", s.index),
                   limits, out);
  return true;
}

} // namespace gantry::inspect

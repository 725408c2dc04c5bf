// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Section names are those that nvcc and clang give (observed with CUDA 7.5 to
// 13.5 and clang 14 to 22). Registration records ("wrappers") hold addresses of
// containers; they find the code of a file whose section headers are stripped.

#include "inspect/host_sections.h"

#include "format/fatbin.h"
#include "format/hip_wrapper.h"
#include "format/kpack_marker.h"
#include "inspect/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gantry::inspect {

namespace {

// Every container in a section repeats its name; hostile ones have a megabyte.
constexpr std::size_t kNameMax = 255;

constexpr std::array kKnown = {
    KnownSection{".nv_fatbin", false, Role::containers, std::nullopt},
    KnownSection{"__nv_relfatbin", false, Role::containers, true},
    KnownSection{".hip_fatbin", false, Role::containers, std::nullopt},
    KnownSection{".nvFatBinSegment", false, Role::cuda_wrappers, std::nullopt},
    KnownSection{".hipFatBinSegment", false, Role::hip_wrappers, std::nullopt},
    KnownSection{kpack::kMarkerSection, false, Role::kpack_marker,
                 std::nullopt},
    KnownSection{kpack::kMarkerSectionPe, false, Role::kpack_marker,
                 std::nullopt},
    KnownSection{"__CLANG_OFFLOAD_BUNDLE__", true, Role::images, std::nullopt},
    KnownSection{".llvm.offloading", true, Role::containers, std::nullopt},
};

// Real files have a handful of sections with GPU code; hostile ones, millions.
constexpr std::size_t kSectionsMax = 1 << 16;

class HostWalk {
public:
  HostWalk(MeteredSource &source, const Host &host, const Limits &limits,
           Discovery &out)
      : source_(source), host_(host), limits_(limits), out_(out),
        end_(std::min(host.end, source.size())) {}

  void read_sections();
  void scan_loads();
  void follow_wrappers();
  void note_kpacks();

private:
  const KnownSection *known(const HostEntry &s) const;
  std::vector<const HostEntry *> list_sections();
  Container container(const HostEntry &s) const;
  void read_containers(const HostEntry &s, const KnownSection &k);
  void read_wrappers(const HostEntry &s, Role role);
  void add_wrappers(Bytes bytes, Role role, Container &c);
  Result<kpack::Marker> marker_at(std::uint64_t offset, std::uint64_t size);
  void read_kpack_marker(const HostEntry &s);
  void follow_kpack_reference();
  bool scan_load(const HostLoad &load);
  std::vector<std::uint64_t>
  offsets_of(const std::vector<std::uint64_t> &addresses);

  MeteredSource &source_;
  const Host &host_;
  const Limits &limits_;
  Discovery &out_;
  const std::uint64_t end_;              // of the host in the source
  std::uint64_t walked_ = 0;             // sections up to here are done
  std::vector<std::uint64_t> addresses_; // of containers, by wrappers
  // Of records that refer to kpack archives: what they point to, beside how
  // many HIP records there are, and where the first stand.
  std::size_t hip_records_ = 0;
  std::optional<std::uint64_t> kpacks_at_;
  std::vector<std::uint64_t> markers_;
  std::optional<kpack::Marker> marker_;
};

std::string_view short_name(const HostEntry &s) {
  return s.name.value_or(std::string_view()).substr(0, kNameMax);
}

const KnownSection *HostWalk::known(const HostEntry &s) const {
  if (!s.name)
    return nullptr;
  const bool cut =
      host_.names_cut_to != 0 && s.name->size() == host_.names_cut_to;
  for (const KnownSection &k : host_.known)
    if ((k.prefix ? s.name->starts_with(k.name) : *s.name == k.name) ||
        (cut && k.name.starts_with(*s.name)))
      return &k;
  return nullptr;
}

Container HostWalk::container(const HostEntry &s) const {
  Container c;
  c.id = fmt::format("{}{}", host_.id_prefix, s.index);
  c.kind = ContainerKind::section;
  c.found_by = FoundBy::section;
  c.section = short_name(s);
  c.location = {{}, s.offset, s.size};
  if (!s.has_bytes) {
    c.location = {{}, std::min(s.offset, end_), 0};
    add(c, {"no-bytes",
            "the section has no bytes in this file, as in separated debug "
            "files and those whose code went into kpack archives",
            std::nullopt});
  } else if (!fits(s.offset, s.size, end_)) {
    c.location.offset = std::min(s.offset, end_);
    c.location.size = end_ - c.location.offset;
    add(c, {"truncated", "the section ends outside the file", s.offset});
  }
  return c;
}

void HostWalk::read_containers(const HostEntry &s, const KnownSection &k) {
  Region region;
  region.section = container(s);
  Container &c = *region.section;
  std::uint64_t begin = c.location.offset;
  std::uint64_t end = begin + c.location.size;
  // Hostile files have thousands of sections over the same bytes.
  if (begin < walked_ && c.location.size != 0) {
    add(c, {"overlap", "the section shares bytes with one before", begin});
    begin = std::min(std::max(begin, walked_), end);
  }
  walked_ = std::max(walked_, end);
  Origin origin{FoundBy::section, c.section, k.relocatable};
  auto walk = k.role == Role::images ? walk_images : walk_region;
  region.units = walk(source_, begin, end, origin, limits_, c);
  c.entries = c.host_entries + region.units.size();
  out_.regions.push_back(std::move(region));
}

void HostWalk::read_wrappers(const HostEntry &s, Role role) {
  Region region;
  region.section = container(s);
  Container &c = *region.section;
  Buffer scratch;
  if (c.location.size > limits_.table_bytes) {
    add(c, {"too-large", "registration records (limit table_bytes)", s.offset});
  } else if (c.location.size != 0) {
    auto bytes = source_.read(c.location.offset, c.location.size, scratch);
    if (bytes)
      add_wrappers(*bytes, role, c);
    else
      add(c, limitation(bytes.error()));
  }
  out_.regions.push_back(std::move(region));
}

void HostWalk::add_wrappers(Bytes bytes, Role role, Container &c) {
  auto damage = [&](const std::optional<Error> &error) {
    if (error)
      add(c, limitation(*error));
  };
  if (role == Role::cuda_wrappers) {
    fatbin::Wrappers w = fatbin::read_wrappers(bytes);
    damage(w.damage);
    c.wrappers = w.list.size();
    for (const fatbin::Wrapper &wrapper : w.list)
      addresses_.push_back(wrapper.address);
    return;
  }
  hip::Wrappers w = hip::read_wrappers(bytes);
  damage(w.damage);
  c.wrappers = w.list.size();
  hip_records_ += w.list.size();
  for (const hip::Wrapper &wrapper : w.list)
    if (wrapper.is_kpack())
      markers_.push_back(wrapper.address);
    else
      addresses_.push_back(wrapper.address);
  if (!markers_.empty() && !kpacks_at_)
    kpacks_at_ = c.location.offset;
}

Result<kpack::Marker> HostWalk::marker_at(std::uint64_t offset,
                                          std::uint64_t size) {
  Buffer scratch;
  GANTRY_TRY(Bytes bytes,
             source_.read(offset, std::min(size, kpack::kMarkerMax), scratch));
  auto marker = kpack::read_marker(bytes, limits_);
  if (!marker)
    marker.error().offset += offset;
  return marker;
}

void HostWalk::read_kpack_marker(const HostEntry &s) {
  Region region;
  region.section = container(s);
  Container &c = *region.section;
  if (c.location.size != 0) {
    auto marker = marker_at(c.location.offset, c.location.size);
    if (marker)
      marker_ = std::move(*marker);
    else
      add(c, limitation(marker.error()));
  }
  if (!kpacks_at_)
    kpacks_at_ = c.location.offset;
  out_.regions.push_back(std::move(region));
}

// Without the section the records lead to it: all of a file to the same. Those
// of shared libraries may hold 0, and a relocation has the address.
void HostWalk::follow_kpack_reference() {
  std::vector<std::uint64_t> offsets = offsets_of(markers_);
  if (offsets.empty())
    return;
  auto marker = marker_at(offsets[0], end_ - offsets[0]);
  if (marker)
    marker_ = std::move(*marker);
}

void HostWalk::note_kpacks() {
  if (!marker_)
    follow_kpack_reference();
  if (markers_.empty() && !marker_)
    return;
  std::string message =
      markers_.empty()
          ? std::string("the file refers to kpack archives")
          : fmt::format("{} of {} registration records refer to kpack archives",
                        markers_.size(), hip_records_);
  message += ": that device code is not in this file";
  if (marker_) {
    constexpr std::size_t kPathsMax = 4;
    std::string_view between = ", but in ";
    for (std::size_t i = 0; i < marker_->search_paths.size(); i++) {
      if (i == kPathsMax) {
        message += " …";
        break;
      }
      message += fmt::format("{}{}", between,
                             marker_->search_paths[i].substr(0, kNameMax));
      between = " or ";
    }
    message +=
        fmt::format(", named {}#N", marker_->kernel_name.substr(0, kNameMax));
  }
  out_.limitations.push_back(
      {"kpack-reference", std::move(message), kpacks_at_});
}

// All sections with their extents; returns those with known names in the order
// of the file.
std::vector<const HostEntry *> HostWalk::list_sections() {
  std::vector<const HostEntry *> order;
  std::uint64_t unnamed = 0, left_out = 0;
  for (const HostEntry &s : host_.sections) {
    if (!s.name)
      unnamed++;
    if (s.has_bytes && s.size != 0 && fits(s.offset, s.size, end_))
      out_.sections.push_back(
          {std::string(short_name(s)), s.offset, s.offset + s.size});
    if (!known(s))
      continue;
    if (order.size() < kSectionsMax)
      order.push_back(&s);
    else
      left_out++;
  }
  if (unnamed != 0)
    out_.limitations.push_back(
        {"unreadable-name",
         fmt::format("{} sections have no readable name", unnamed),
         std::nullopt});
  if (left_out != 0)
    out_.limitations.push_back(
        {"too-large",
         fmt::format("{} sections with GPU code are not read, after {} others",
                     left_out, kSectionsMax),
         std::nullopt});
  std::ranges::sort(out_.sections, {}, &HostSection::begin);
  std::ranges::sort(order, {}, [](const HostEntry *s) {
    return std::pair(s->offset, s->index);
  });
  return order;
}

void HostWalk::read_sections() {
  for (const HostEntry *s : list_sections()) {
    const KnownSection *k = known(*s);
    if (k->role == Role::containers || k->role == Role::images)
      read_containers(*s, *k);
    else if (k->role == Role::kpack_marker)
      read_kpack_marker(*s);
    else
      read_wrappers(*s, k->role);
  }
}

// False when reading failed.
bool HostWalk::scan_load(const HostLoad &load) {
  constexpr std::uint64_t kWindow = std::uint64_t{1} << 20;
  Buffer scratch;
  std::uint64_t first = (load.offset + 7) / 8 * 8;
  std::uint64_t end = load.offset + load.size;
  for (std::uint64_t at = first; at < end; at += kWindow) {
    auto bytes = source_.read(
        at, std::min(kWindow + fatbin::kWrapperSize, end - at), scratch);
    if (!bytes) {
      out_.limitations.push_back(limitation(bytes.error()));
      return false;
    }
    for (std::uint64_t i = 0;
         i < kWindow && fits(i, fatbin::kWrapperSize, bytes->size()); i += 8) {
      Reader r(bytes->subspan(i, fatbin::kWrapperSize));
      std::uint32_t magic = r.u32("magic"), version = r.u32("version");
      std::uint64_t address = r.u64("address");
      bool cuda =
          magic == fatbin::kWrapperMagic && (version == 1 || version == 2);
      bool hip = magic == hip::kMagicFatbin && version == 1;
      if (cuda || hip)
        addresses_.push_back(address);
      bool kpack = magic == hip::kMagicKpack && version == 1;
      if (kpack)
        markers_.push_back(address);
      hip_records_ += hip || kpack;
    }
  }
  return true;
}

// Without section headers: records are 8-aligned in the writable data.
void HostWalk::scan_loads() {
  for (const HostLoad &load : host_.loads)
    if (load.writable && fits(load.offset, load.size, end_) && !scan_load(load))
      return;
}

// Where in the file addresses lie, in order.
std::vector<std::uint64_t>
HostWalk::offsets_of(const std::vector<std::uint64_t> &addresses) {
  std::vector<const HostLoad *> loads;
  for (const HostLoad &load : host_.loads)
    if (fits(load.offset, load.size, end_))
      loads.push_back(&load);
  // Loads do not overlap in sound files.
  std::ranges::sort(loads, {}, &HostLoad::address);
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t address : addresses) {
    auto after =
        std::ranges::upper_bound(loads, address, {}, &HostLoad::address);
    if (address == 0 || after == loads.begin())
      continue;
    const HostLoad &load = **std::prev(after);
    if (address - load.address < load.size)
      offsets.push_back(load.offset + (address - load.address));
  }
  std::ranges::sort(offsets);
  offsets.erase(std::ranges::unique(offsets).begin(), offsets.end());
  return offsets;
}

void HostWalk::follow_wrappers() {
  // Records of relocatable files hold 0 until the linker fills them in.
  if (host_.relocatable)
    return;
  std::vector<Location> known_units = known_extents(out_.regions);
  std::uint64_t covered = 0;
  std::size_t next = 0;
  for (std::uint64_t offset : offsets_of(addresses_)) {
    while (next < known_units.size() &&
           known_units[next].offset + known_units[next].size <= offset)
      next++;
    bool inside =
        next < known_units.size() && known_units[next].offset <= offset;
    if (inside || offset < covered)
      continue;
    Origin origin{FoundBy::wrapper, {}, std::nullopt};
    std::uint64_t end =
        next < known_units.size() ? known_units[next].offset : end_;
    auto unit = read_unit(source_, offset, offset, end, origin, limits_);
    if (source_.exhausted()) {
      out_.limitations.push_back(
          {"too-large", "too many registration records that lead to no code",
           offset});
      return;
    }
    if (!unit)
      continue;
    source_.earn();
    covered = unit->end();
    Region region;
    region.units.push_back(std::move(*unit));
    out_.regions.push_back(std::move(region));
  }
}

} // namespace

std::span<const KnownSection> known_sections() { return kKnown; }

void discover_host(MeteredSource &source, const Host &host,
                   const Limits &limits, Discovery &out) {
  HostWalk walk(source, host, limits, out);
  walk.read_sections();
  if (host.sections.empty())
    walk.scan_loads();
  walk.follow_wrappers();
  walk.note_kpacks();
}

} // namespace gantry::inspect

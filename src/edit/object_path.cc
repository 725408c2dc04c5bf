// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "edit/object_path.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::edit {

namespace {

using inspect::ObjectKind;

std::string_view suffix(ObjectKind kind) {
  switch (kind) {
  case ObjectKind::cubin:
    return "cubin";
  case ObjectKind::ptx:
    return "ptx";
  case ObjectKind::lto_ir:
    return "ltoir";
  case ObjectKind::amdgpu:
    return "hsaco";
  case ObjectKind::bitcode:
    return "bc";
  case ObjectKind::spirv:
    return "spv";
  case ObjectKind::sycl_image:
  case ObjectKind::tile_ir:
  case ObjectKind::unknown:
    break;
  }
  return "bin";
}

// File systems take names of 255 bytes; targets are hostile text.
constexpr std::size_t kTargetMax = 64;

// "gfx90a:xnack+" → "gfx90a_xnack+"; nothing that a path or a shell minds.
std::string harmless(std::string_view text) {
  std::string out(text.substr(0, kTargetMax));
  std::ranges::replace_if(
      out,
      [](char c) {
        return !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') &&
               !(c >= 'a' && c <= 'z') && c != '-' && c != '+' && c != '_';
      },
      '_');
  return out;
}

// One step of a member's path. Empty ones ("a//b", "/a") stay apart, too.
std::string step(std::string_view name) {
  if (name.empty())
    return "%2F";
  if (name == "." || name == "..")
    return name == "." ? "%2E" : "%2E%2E";
  return std::string(name);
}

} // namespace

std::string object_path(const inspect::Object &object, bool stored) {
  std::string_view id = object.id;
  std::string out;
  if (std::size_t end = id.rfind('!'); end != id.npos) {
    std::string_view members = id.substr(0, end);
    id.remove_prefix(end + 1);
    while (true) {
      std::size_t cut = members.find_first_of("/!");
      out += step(members.substr(0, cut)) + '/';
      if (cut == members.npos)
        break;
      members.remove_prefix(cut + 1);
    }
  }
  out += id;
  const std::string &target =
      object.target.empty() ? object.payload_target : object.target;
  if (!target.empty())
    out += "." + harmless(target);
  out += fmt::format(".{}", suffix(object.kind));
  if (stored && object.compression != "none")
    out += fmt::format(".{}", object.compression);
  return out;
}

} // namespace gantry::edit

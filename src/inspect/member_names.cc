// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/member_names.h"

#include "base/digest.h"
#include "base/text.h"
#include "input/package.h"
#include "inspect/scan.h"
#include "inspect/units.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::inspect {

namespace {

using namespace std::string_view_literals;

// Sorted. A name without a suffix, and any other, can be code.
constexpr std::array kTexts = {
    "avi"sv,   "bat"sv,   "bmp"sv,   "c"sv,     "cc"sv,   "cfg"sv,   "cl"sv,
    "cmake"sv, "conf"sv,  "cpp"sv,   "css"sv,   "csv"sv,  "cu"sv,    "cuh"sv,
    "cxx"sv,   "eot"sv,   "f90"sv,   "gif"sv,   "go"sv,   "h"sv,     "hh"sv,
    "hip"sv,   "hpp"sv,   "htm"sv,   "html"sv,  "hxx"sv,  "ico"sv,   "in"sv,
    "inc"sv,   "ini"sv,   "ipynb"sv, "j2"sv,    "java"sv, "jinja"sv, "jpeg"sv,
    "jpg"sv,   "js"sv,    "json"sv,  "lua"sv,   "md"sv,   "mo"sv,    "mp3"sv,
    "mp4"sv,   "ogg"sv,   "otf"sv,   "pc"sv,    "pdf"sv,  "pl"sv,    "png"sv,
    "po"sv,    "pot"sv,   "proto"sv, "ps"sv,    "ps1"sv,  "pxd"sv,   "py"sv,
    "pyc"sv,   "pyi"sv,   "pyo"sv,   "pyx"sv,   "rs"sv,   "rst"sv,   "scss"sv,
    "sh"sv,    "svg"sv,   "tex"sv,   "tif"sv,   "tiff"sv, "toml"sv,  "ts"sv,
    "tsv"sv,   "ttf"sv,   "txt"sv,   "typed"sv, "wav"sv,  "webm"sv,  "webp"sv,
    "woff"sv,  "woff2"sv, "xml"sv,   "yaml"sv,  "yml"sv};
static_assert(std::ranges::is_sorted(kTexts));

} // namespace

bool skipped_by_name(std::string_view name) {
  name = name.substr(name.find_last_of("/\\") + 1);
  std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0)
    return false;
  std::string suffix(name.substr(dot + 1, 8));
  for (char &c : suffix)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return std::ranges::binary_search(kTexts, std::string_view(suffix));
}

bool starts_like_code(Bytes start, std::string_view name) {
  constexpr std::array kHosts = {"\x7f"
                                 "ELF"sv,
                                 "MZ"sv, "\xcf\xfa\xed\xfe"sv,
                                 "\xca\xfe\xba\xbe"sv, "KPAK"sv};
  std::string_view text = as_text(start);
  return std::ranges::any_of(
             kHosts, [&](std::string_view m) { return text.starts_with(m); }) ||
         container_magic(start) || sniff(start) != ObjectKind::unknown ||
         !input::package_format(start, name).empty();
}

std::string id_of_name(std::string_view name) {
  if (name.empty())
    return "%";
  std::string out;
  while (!name.empty()) {
    const std::string_view c = name.substr(0, character_size(name));
    name.remove_prefix(c.size());
    // Bytes that are no UTF-8 stay: whoever prints them escapes them.
    if (c == "%" || c == "!" || c == "@" || is_control(c))
      for (char byte : c)
        out += fmt::format("%{:02X}", static_cast<unsigned char>(byte));
    else
      out += c;
  }
  return out;
}

std::string MemberIds::next(std::string_view name) {
  Sha256 digest;
  digest.update(as_bytes(name));
  auto all = digest.digest();
  std::array<std::byte, 16> key;
  std::copy_n(all.begin(), key.size(), key.begin());
  std::uint32_t count = ++seen_[key];
  std::string id = id_of_name(name);
  return count == 1 ? id : fmt::format("{}@{}", id, count);
}

} // namespace gantry::inspect

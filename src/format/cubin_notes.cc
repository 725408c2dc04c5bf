// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ELF notes of the owner "NVIDIA Corp":
//
//   type 2000, section .note.nv.tkinfo
//     0   u32 version (2; 128 and 129 in toolkits 12.8 and 12.9)
//     4   five u32: offsets of strings in the area that starts at 24: object
//         name, tool, tool version, build, command line
//     24  the strings, each with its NUL
//   type 1000, section .note.nv.cuinfo (13.0 and later)
//     0   u16 version (2), u16 virtual SM, u32 CUDA API version (130); the
//         assembler of hand-written libraries stores the last in 16 bits
//   type 1000, section .note.nv.cuver (12.8, 12.9)
//     0   u16 version (1), u16 SM, u32 1, u32 1
//
// Observed with ptxas and nvlink 12.8 to 13.5 and in libraries of 13.0;
// nvdisasm 13.5 names the fields. The linker's note comes first in a
// device-linked cubin. Cubins in layout A have no notes.

#include "format/cubin_notes.h"

#include "format/elf.h"

#include <charconv>
#include <utility>

namespace gantry::cubin {

namespace {

constexpr std::uint32_t kTypeCuda = 1000;
constexpr std::uint32_t kTypeTool = 2000;
constexpr std::uint64_t kToolStrings = 24;
constexpr std::uint16_t kCudaInfoVersion = 2;

// Where the description of a note lies inside the section it was read from.
std::uint64_t offset_in(Bytes section, Bytes part) {
  return static_cast<std::uint64_t>(part.data() - section.data());
}

void read_tool(Bytes desc, std::uint64_t desc_offset, std::uint64_t offset,
               CudaNotes &out) {
  Reader r(desc);
  ToolNote note;
  note.offset = offset;
  note.version = r.u32("tool note: version");
  std::uint32_t at[5];
  for (std::uint32_t &a : at)
    a = r.u32("tool note: string offset");
  if (!r.ok()) {
    out.damaged(r.error(desc_offset).error());
    return;
  }
  const elf::Strings strings(desc.subspan(kToolStrings), desc.size());
  std::string_view *const fields[5] = {&note.object, &note.tool,
                                       &note.version_text, &note.build,
                                       &note.command_line};
  for (std::size_t i = 0; i < 5; i++) {
    if (auto text = strings.at(at[i]))
      *fields[i] = *text;
    else
      out.damaged(
          {Errc::bad_value, desc_offset + 4 + 4 * i, "tool note: string", {}});
  }
  out.tools.push_back(note);
}

void read_cuda(Bytes desc, std::uint64_t desc_offset, std::uint64_t offset,
               CudaNotes &out) {
  Reader r(desc);
  CudaNote note;
  note.offset = offset;
  note.version = r.u16("CUDA note: version");
  note.virtual_sm = r.u16("CUDA note: virtual SM");
  const std::uint32_t api = r.left() == 2 ? r.u16("CUDA note: API version")
                                          : r.u32("CUDA note: API version");
  if (!r.ok()) {
    out.damaged(r.error(desc_offset).error());
    return;
  }
  if (note.version >= kCudaInfoVersion)
    note.api_version = api;
  out.cuda.push_back(note);
}

} // namespace

std::optional<Version> ToolNote::release() const {
  constexpr std::string_view kWord = "release ";
  const std::size_t at = version_text.find(kWord);
  if (at == std::string_view::npos)
    return std::nullopt;
  const std::string_view text = version_text.substr(at + kWord.size());
  const char *const end = text.data() + text.size();
  Version v;
  auto major = std::from_chars(text.data(), end, v.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.')
    return std::nullopt;
  if (std::from_chars(major.ptr + 1, end, v.minor).ec != std::errc())
    return std::nullopt;
  return v;
}

std::string_view ToolNote::architecture() const {
  constexpr std::string_view kOption = "-arch";
  std::string_view rest = command_line;
  bool wanted = false; // the option was the word before
  while (!rest.empty()) {
    const std::size_t start = rest.find_first_not_of(' ');
    if (start == std::string_view::npos)
      break;
    rest.remove_prefix(start);
    const std::string_view text = rest.substr(0, rest.find(' '));
    rest.remove_prefix(text.size());
    if (wanted)
      return text;
    wanted = text == kOption;
    if (text.starts_with(kOption) &&
        text.substr(kOption.size()).starts_with('='))
      return text.substr(kOption.size() + 1);
  }
  return {};
}

void CudaNotes::damaged(Error error) {
  if (damage.size() < kKeptDamage)
    damage.push_back(std::move(error));
  else
    damage_dropped++;
}

void read_notes(Bytes section, std::uint64_t base, CudaNotes &out) {
  const elf::Notes notes = elf::read_notes(section);
  for (const elf::Note &note : notes.list) {
    if (note.owner != "NVIDIA Corp")
      continue;
    const std::uint64_t desc = base + offset_in(section, note.desc);
    if (note.type == kTypeTool)
      read_tool(note.desc, desc, base + note.offset, out);
    else if (note.type == kTypeCuda)
      read_cuda(note.desc, desc, base + note.offset, out);
  }
  if (notes.damage) {
    Error damage = *notes.damage;
    damage.offset += base;
    out.damaged(std::move(damage));
  }
}

} // namespace gantry::cubin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cubin is ELF for machine 190, linked (e_type 2) or relocatable (1).
//
//              layout A                        layout B
//   OS/ABI     0x33, ABI 2 to 7                0x41, ABI 8
//   e_version  toolkit: major * 10 + minor     1
//   SM         e_flags bits 0-7                bits 8-15
//   'a'        0x800, SM 90 and later only     0x08, toolkits 12.8 and 12.9
//   only others     bits 16-23 virtual SM           bits 24-31 a section number
//
// Layout A is what toolkits up to 12.x write, B that of 12.8 and 12.9 for SM
// 100 and later and of 13.0 for all. From 13.0 on 'a' stands in .nv.compat; 'f'
// can be read nowhere but in the command line of the tool's note.
//
// Where the facts of a kernel k live:
//   name, code     symbol: type FUNC, st_other bit 0x10, defined; its section
//   registers      REGCOUNT in .nv.info; else sh_info bits 24-31 of .text.k
//   barriers       A: sh_flags bits 20-26 of .text.k; B: NUM_BARRIERS in
//                  .nv.info.k, absent is 0
//   static shared  size of .nv.shared.k, which in linked cubins for SM 90 and
//                  later counts 1024 bytes that the system reserves
//   stack          FRAME_SIZE, MIN_STACK_SIZE in .nv.info (0xFFFFFFFF: the tool
//                  does not know, recursion)
//   parameters     KPARAM_INFO, CBANK_PARAM_SIZE, PARAM_CBANK in .nv.info.k; a
//                  kernel without parameters has none of them
//   constants      .nv.constant<bank>.k
//   the rest       attributes of .nv.info.k
//
// Sections .nv.merc.* and .nv.capmerc.* repeat some of this for the finaliser
// and can differ: they are not read.
//
// Observed with ptxas and nvlink 11.8 to 13.5 against cuobjdump 13.5, and in
// libraries of toolkits 7.5 to 13.1.

#include "format/cubin.h"

#include "format/cubin_attributes.h"
#include "format/cubin_kernels.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace gantry::cubin {

namespace {

constexpr std::uint8_t kOsAbiA = 0x33;
constexpr std::uint8_t kOsAbiB = 0x41;
constexpr std::uint32_t kFlagAcceleratedA = 0x800;
constexpr std::uint32_t kFlagAcceleratedB = 0x08;
constexpr std::uint32_t kFirstAcceleratedSm = 90;
constexpr std::uint64_t kMachineOffset = 18;

Layout layout_of(const elf::Header &elf) {
  if (elf.os_abi == kOsAbiA && elf.abi_version <= 7)
    return Layout::a;
  if (elf.os_abi == kOsAbiB && elf.abi_version == 8)
    return Layout::b;
  return Layout::unknown;
}

Result<Header> header_of(const elf::Header &elf) {
  if (elf.machine != elf::kMachineCuda)
    return fail(Errc::bad_magic, kMachineOffset, "ELF machine of a cubin");
  Header h;
  h.is_64 = elf.is_64;
  h.os_abi = elf.os_abi;
  h.abi_version = elf.abi_version;
  h.type = elf.type;
  h.version = elf.version;
  h.flags = elf.flags;
  h.flags_offset = elf::flags_offset(elf.is_64);
  h.layout = layout_of(elf);
  if (h.layout == Layout::a) {
    if (const std::uint32_t sm = elf.flags & 0xFF)
      h.sm = sm;
    if (const std::uint32_t sm = elf.flags >> 16 & 0xFF)
      h.virtual_sm = sm;
    // 8.0 and 9.0 set the bit for SM 50 to 61, where there is no 'a'.
    if (h.sm && *h.sm >= kFirstAcceleratedSm)
      h.flag_a = (elf.flags & kFlagAcceleratedA) != 0;
    if (elf.version >= 60 && elf.version <= 255)
      h.toolkit = Version{elf.version / 10, elf.version % 10};
  } else if (h.layout == Layout::b) {
    if (const std::uint32_t sm = elf.flags >> 8 & 0xFF)
      h.sm = sm;
    if (elf.flags & kFlagAcceleratedB)
      h.flag_a = true;
  }
  return h;
}

void limitation(Cubin &out, Gap gap, std::uint64_t offset,
                std::string message) {
  out.limitations.push_back({gap, std::move(message), offset, {}});
}

// Are the names of all sections readable?
bool check_names(const elf::File &file, Cubin &out) {
  for (const elf::Section &s : file.sections()) {
    if (s.type == elf::kSectionNull || file.has_name(s))
      continue;
    limitation(out, Gap::unreadable_name,
               file.header().section_offset +
                   std::uint64_t{s.index} * file.header().section_size,
               fmt::format("name of section {}", s.index));
    return false; // the first stands for all
  }
  return true;
}

// Notes and .nv.compat.
void module_sections(const elf::File &file, Bytes image, const Limits &limits,
                     Cubin &out) {
  std::uint64_t notes_left =
      std::min<std::uint64_t>(limits.note_bytes, image.size());
  std::uint64_t records_left = limits.records;
  for (const elf::Section &s : file.sections()) {
    const std::string_view name = file.name(s);
    const bool note = name.starts_with(".note.nv.");
    if (!note && name != ".nv.compat")
      continue;
    Buffer scratch;
    auto bytes = file.contents(s, scratch);
    if (!bytes) {
      limitation(out, Gap::damaged_section, s.offset,
                 fmt::format("{}: {}", name, bytes.error().text()));
    } else if (bytes->size() > notes_left) {
      limitation(out, Gap::limit, s.offset,
                 fmt::format("{} (limit note_bytes)", name));
    } else {
      notes_left -= bytes->size();
      if (note)
        read_notes(*bytes, s.offset, out.notes);
      else
        read_attributes(*bytes, s.offset, name, records_left, out.compat,
                        out.limitations);
    }
  }
  for (const Error &damage : out.notes.damage)
    limitation(out, Gap::damaged_note, damage.offset, damage.what);
}

// Hostile input can cause millions: the first stay, the others are counted.
void drop_limitations(Cubin &out) {
  constexpr std::size_t kKept = 1000;
  std::uint64_t dropped = out.notes.damage_dropped;
  if (out.limitations.size() > kKept) {
    dropped += out.limitations.size() - kKept;
    out.limitations.resize(kKept);
    out.limitations.shrink_to_fit();
  }
  if (dropped != 0)
    limitation(out, Gap::limit, 0,
               fmt::format("{} more limitations are left out", dropped));
}

void find_toolkit(Cubin &out) {
  const ToolNote *const tool = out.author();
  std::uint32_t api = 0; // the newest
  if (out.header.toolkit) {
    out.toolkit = out.header.toolkit;
    out.toolkit_source = ToolkitSource::elf_version;
    return;
  }
  if (tool && tool->release()) {
    out.toolkit = tool->release();
    out.toolkit_source = ToolkitSource::tool_note;
    return;
  }
  for (const CudaNote &note : out.notes.cuda)
    api = std::max(api, note.api_version.value_or(0));
  out.toolkit_source = ToolkitSource::cuda_note;
  if (api == 0) {
    for (const Kernel &kernel : out.kernels)
      api = std::max(api, kernel.cuda_api_version.value_or(0));
    out.toolkit_source = ToolkitSource::attribute;
  }
  if (api == 0)
    out.toolkit_source = ToolkitSource::none;
  else
    out.toolkit = Version{api / 10, api % 10};
}

// The letter of "sm_100f" when the number is `sm`.
std::optional<char> suffix_of(std::string_view architecture, std::uint32_t sm) {
  if (!architecture.starts_with("sm_"))
    return std::nullopt;
  architecture.remove_prefix(3);
  std::uint32_t number = 0;
  const char *const end = architecture.data() + architecture.size();
  auto digits = std::from_chars(architecture.data(), end, number);
  if (digits.ec != std::errc() || number != sm)
    return std::nullopt;
  if (digits.ptr == end)
    return '\0';
  if (end - digits.ptr == 1 && (*digits.ptr == 'a' || *digits.ptr == 'f'))
    return *digits.ptr;
  return std::nullopt;
}

void find_suffix(Cubin &out) {
  out.flag_a = out.header.flag_a;
  const bool has_flag =
      out.toolkit == Version{12, 8} || out.toolkit == Version{12, 9};
  if (out.header.layout == Layout::b && !out.flag_a && has_flag)
    out.flag_a = false;

  Fact<std::uint16_t> accelerator;
  for (const nvinfo::Record &r : out.compat)
    if (r.id == nvinfo::kCompatAcceleratorTarget &&
        r.format != nvinfo::kFormatNone && r.format != nvinfo::kFormatSized)
      accelerator.see(r.value);
  out.compat_accelerator = accelerator.get();
  if (accelerator.conflict())
    limitation(out, Gap::conflicting_facts, out.compat.front().offset,
               "contradicting accelerator targets in .nv.compat");

  if (const ToolNote *tool = out.author()) {
    out.note_architecture = tool->architecture();
    if (out.header.sm)
      out.suffix_hint = suffix_of(out.note_architecture, *out.header.sm);
  }
}

} // namespace

std::string_view word(Gap gap) {
  switch (gap) {
  case Gap::unknown_layout:
    return "unknown-layout";
  case Gap::damaged_tables:
    return "damaged-tables";
  case Gap::no_symbol_table:
    return "no-symbol-table";
  case Gap::no_sections:
    return "no-sections";
  case Gap::unreadable_name:
    return "unreadable-name";
  case Gap::damaged_section:
    return "damaged-section";
  case Gap::damaged_attributes:
    return "damaged-attributes";
  case Gap::damaged_note:
    return "damaged-note";
  case Gap::conflicting_facts:
    return "conflicting-facts";
  case Gap::bad_attribute:
    return "bad-attribute";
  case Gap::missing_attributes:
    return "missing-attributes";
  case Gap::missing_registers:
    return "missing-registers";
  case Gap::missing_parameters:
    return "missing-parameters";
  case Gap::limit:
    return "limit";
  }
  return "unknown";
}

const ToolNote *Cubin::author() const {
  auto linker = std::ranges::find(notes.tools, "nvlink", &ToolNote::tool);
  if (linker != notes.tools.end())
    return &*linker;
  return notes.tools.empty() ? nullptr : &notes.tools.front();
}

Result<Header> read_cubin_header(Bytes first_64_bytes) {
  GANTRY_TRY(elf::Header elf, elf::read_header(first_64_bytes));
  return header_of(elf);
}

Result<Cubin> read_cubin(Bytes image, const Limits &limits) {
  const MemorySource source(image);
  GANTRY_TRY(elf::File file, elf::File::open(source, limits));
  Cubin out;
  GANTRY_TRY(out.header, header_of(file.header()));
  if (!out.header.sm)
    limitation(out, Gap::unknown_layout, out.header.flags_offset,
               fmt::format("OS/ABI {:#04x}, ABI {}, flags {:#010x}: target not "
                           "known",
                           out.header.os_abi, out.header.abi_version,
                           out.header.flags));
  for (const Error &damage : file.damage())
    limitation(out, Gap::damaged_tables, damage.offset, damage.text());
  if (file.sections().empty()) {
    limitation(out, Gap::no_sections, 0, "no sections: nothing but the header");
    return out;
  }
  const bool all_names = check_names(file, out);
  module_sections(file, image, limits, out);
  read_kernels(file, image, all_names, limits, out);
  find_toolkit(out);
  find_suffix(out);
  out.virtual_sm = out.header.virtual_sm;
  if (!out.virtual_sm && !out.notes.cuda.empty())
    out.virtual_sm = out.notes.cuda.front().virtual_sm;
  drop_limitations(out);
  return out;
}

} // namespace gantry::cubin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel `k` has these symbols (LLVM's "User Guide for AMDGPU Backend",
// symbols; observed with clang 14 to 22 and with the finaliser of ROCm):
//
//   version 3 and later   `k` STT_FUNC in .text, `k.kd` STT_OBJECT of 64 bytes
//   version 2             `k` type 10 in .text: header and code
//   version 1             `&__k_kernel` type 10 in .hsatext, relocatable file
//
// clang 22 adds absolute symbols `k.num_vgpr` and so on, which are no kernels.

#include "format/amdgpu_symbols.h"

#include "format/amdgpu_descriptor.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::amdgpu {

namespace {

// st_shndx from here on is no section: absolute, common, extended.
constexpr std::uint32_t kReservedSections = 0xff00;

} // namespace

bool SymbolIndex::load(std::uint32_t section_type, Limitations &limitations) {
  const auto &sections = file_.sections();
  auto table = std::ranges::find(sections, section_type, &elf::Section::type);
  if (table == sections.end())
    return false;
  auto symbols = file_.symbols(*table, buffers_.emplace_back());
  if (!symbols) {
    limitations.add("symbols-unreadable", symbols.error().text(),
                    symbols.error().offset);
    return false;
  }
  // Names may overlap, so their sum is not limited by the table's size; a sound
  // file stays far below this.
  std::uint64_t names_size = sections[table->link].size;
  std::uint64_t left =
      names_size > UINT64_MAX / 8 ? names_size : names_size * 4 + 4096;
  std::uint64_t unnamed = 0;
  for (const elf::Symbol &s : symbols->list) {
    bool is_object = s.type() == elf::kSymbolObject;
    bool is_code = s.type() == elf::kSymbolFunc || s.type() == kSymbolHsaKernel;
    if (s.section == 0 || s.section >= kReservedSections ||
        (!is_object && !is_code))
      continue;
    std::optional<std::string_view> name = symbols->names.at(s.name);
    std::uint64_t cost =
        name ? name->size() + 1
             : names_size - std::min<std::uint64_t>(s.name, names_size);
    if (cost > left) {
      limitations.add("symbols-unreadable",
                      "symbol names overlap beyond reason", table->offset);
      return false;
    }
    left -= cost;
    if (!name) {
      unnamed++;
      continue;
    }
    Names &names = is_object ? objects_ : code_;
    if (names.emplace(*name, symbols_.size()).second)
      symbols_.push_back({*name, s});
  }
  if (unnamed != 0)
    limitations.add("symbols-unreadable",
                    fmt::format("{} symbols have no readable name", unnamed),
                    table->offset);
  return unnamed == 0;
}

KernelSymbol *SymbolIndex::find(const Names &names, std::string_view name) {
  auto found = names.find(name);
  return found == names.end() ? nullptr : &symbols_[found->second];
}

std::vector<KernelSymbol *> SymbolIndex::kernels() {
  std::vector<KernelSymbol *> out;
  for (KernelSymbol &s : symbols_) {
    bool is_descriptor = s.symbol.type() == elf::kSymbolObject &&
                         s.symbol.size == kDescriptorSize &&
                         s.name.size() > 3 && s.name.ends_with(".kd");
    if (is_descriptor || s.symbol.type() == kSymbolHsaKernel)
      out.push_back(&s);
  }
  return out;
}

const elf::Section *SymbolIndex::section(const elf::Symbol &symbol) const {
  if (symbol.section >= file_.sections().size())
    return nullptr;
  return &file_.sections()[symbol.section];
}

std::uint64_t SymbolIndex::address(const elf::Symbol &symbol) const {
  const elf::Section *s = section(symbol);
  if (file_.header().type == elf::kTypeRel && s)
    return s->address + symbol.value;
  return symbol.value;
}

std::optional<std::uint64_t>
SymbolIndex::file_offset(const elf::Symbol &symbol, std::uint64_t size,
                         std::uint64_t file_size) const {
  const elf::Section *s = section(symbol);
  if (!s || !s->has_bytes() || !fits(s->offset, s->size, file_size))
    return std::nullopt;
  // The value counts from the section in relocatable files, else it is an
  // address; below the section it wraps and does not fit.
  std::uint64_t in_section = symbol.value;
  if (file_.header().type != elf::kTypeRel)
    in_section -= s->address;
  if (!fits(in_section, size, s->size))
    return std::nullopt;
  return s->offset + in_section;
}

} // namespace gantry::amdgpu

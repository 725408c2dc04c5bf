// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The symbols of an AMDGPU code object that belong to kernels, by name.
#pragma once

#include "format/amdgpu_metadata.h"
#include "format/elf.h"

#include <map>

namespace gantry::amdgpu {

// Code object 1 and 2: a kernel's header and code. Later: not used.
inline constexpr std::uint8_t kSymbolHsaKernel = 10;

struct KernelSymbol {
  std::string_view name;
  elf::Symbol symbol;
  bool claimed = false; // belongs to a kernel that is already known
};

// Built from one table at a time; of symbols with the same name the first one
// counts. Views point into the file's bytes.
class SymbolIndex {
public:
  explicit SymbolIndex(const elf::File &file) : file_(file) {}

  // Adds the objects and functions of the first table of this type. False when
  // there is none or it cannot be read, which the limitations say.
  bool load(std::uint32_t section_type, Limitations &limitations);

  // STT_OBJECT: descriptors, and data. nullptr when there is none.
  KernelSymbol *object(std::string_view name) { return find(objects_, name); }
  // STT_FUNC or kSymbolHsaKernel.
  KernelSymbol *code(std::string_view name) { return find(code_, name); }

  // Descriptors (64-byte objects whose name ends in ".kd") and symbols of type
  // kSymbolHsaKernel, in the order of the tables.
  std::vector<KernelSymbol *> kernels();

  // Where the symbol's bytes start in the file, when `size` of them lie in its
  // section and in the `file_size` bytes of the file.
  std::optional<std::uint64_t> file_offset(const elf::Symbol &symbol,
                                           std::uint64_t size,
                                           std::uint64_t file_size) const;
  // What the symbol's value means as an address.
  std::uint64_t address(const elf::Symbol &symbol) const;

private:
  // Ordered: hostile names can share one hash value.
  using Names = std::map<std::string_view, std::size_t>;
  KernelSymbol *find(const Names &names, std::string_view name);
  const elf::Section *section(const elf::Symbol &symbol) const;

  const elf::File &file_;
  std::deque<Buffer> buffers_; // of names, when the source is not in memory
  std::deque<KernelSymbol> symbols_;
  Names objects_;
  Names code_;
};

} // namespace gantry::amdgpu

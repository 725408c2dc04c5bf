// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels and what their sections say. Which fact lives where: cubin.cc.
//
// Sections of a kernel are found through sh_info, the index of its code
// section, when the name agrees, else by name. Everything is one pass over
// sections, one over symbols and one over each attribute section.

#include "format/cubin_kernels.h"

#include "format/cubin_attributes.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace gantry::cubin {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::uint8_t kSymbolCuda = 13; // variables of relocatable objects
constexpr std::uint8_t kOtherEntry = 0x10;
constexpr std::uint8_t kOtherSpace = 0xE0;
constexpr std::uint8_t kOtherShared = 0x40;
constexpr std::uint32_t kSectionIndexReserved = 0xFF00;
constexpr std::uint32_t kSectionIndexExtended = 0xFFFF;
constexpr std::uint32_t kSectionRela = 4;
constexpr std::uint32_t kSectionRel = 9;
constexpr std::uint32_t kBanks = 32;

class KernelReader {
public:
  // Sections may overlap and names may share bytes, so that a small file could
  // name the same bytes thousands of times; a sound one reads each byte once.
  // Hence the image's size is the budget for contents and for names.
  KernelReader(const elf::File &file, Bytes image, bool all_names,
               const Limits &limits, Cubin &out)
      : file_(file), image_(image), all_names_(all_names), limits_(limits),
        out_(out), by_section_(file.sections().size(), kNone),
        contents_left_(image.size()), names_left_(image.size()),
        derived_left_(image.size()), records_left_(limits.records) {}

  void run();

private:
  bool symbol_kernels();
  void add_symbol(const elf::Symbol &symbol, const elf::Strings &names,
                  std::uint64_t offset);
  std::string_view symbol_name(std::uint32_t at, const elf::Strings &names);
  void section_kernels();
  bool add(Kernel kernel);

  void section(const elf::Section &s, std::string_view name);
  void constant_section(const elf::Section &s, std::string_view name);
  void code_section(std::uint32_t kernel, const elf::Section &s,
                    std::uint64_t value, std::uint64_t size);
  void info_section(std::uint32_t kernel, const elf::Section &s,
                    std::string_view name);
  void relocations(std::uint32_t kernel, const elf::Section &s);
  void module_attributes(const elf::Section &s, std::string_view name);

  std::optional<std::uint32_t> owner(const elf::Section &s,
                                     std::string_view name);
  std::optional<std::uint32_t> by_name(std::string_view name);
  std::optional<std::uint32_t> by_symbol(std::uint32_t symbol) const;
  std::optional<Bytes> contents(const elf::Section &s, std::string_view name,
                                std::optional<std::uint32_t> kernel);
  void add_bank(std::vector<Bank> &banks, std::uint32_t number,
                const elf::Section &s, std::optional<std::uint32_t> kernel);

  void limitation(Gap gap, std::uint64_t offset, std::string message,
                  std::optional<std::uint32_t> kernel = std::nullopt) {
    out_.limitations.push_back({gap, std::move(message), offset, kernel});
  }

  const elf::File &file_;
  Bytes image_;
  bool all_names_;
  const Limits &limits_;
  Cubin &out_;

  std::vector<Draft> drafts_;             // one per kernel
  std::vector<std::uint32_t> by_section_; // kernel of a code section, or kNone
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_symbol_; // sorted
  // Sorted; made when by_section_ does not answer for the first time.
  std::vector<std::pair<std::string_view, std::uint32_t>> by_name_;
  std::vector<bool> extern_shared_; // by symbol; empty when there is none
  bool full_ = false;               // more kernels than the limit allows
  std::uint64_t contents_left_;
  std::uint64_t names_left_;
  std::uint64_t derived_left_; // for names of sections that kernels repeat
  std::uint64_t records_left_;
};

// "axpy" of ".nv.info.axpy"; nothing when the prefix is another.
std::optional<std::string_view> after(std::string_view name,
                                      std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() == prefix.size())
    return std::nullopt;
  return name.substr(prefix.size());
}

void KernelReader::run() {
  out_.has_symbols = symbol_kernels();
  if (!out_.has_symbols)
    section_kernels();
  drafts_.resize(out_.kernels.size());
  for (std::uint32_t k = 0; k < drafts_.size(); k++) {
    const Kernel &kernel = out_.kernels[k];
    if (!kernel.section)
      continue;
    drafts_[k].code_info = file_.sections()[*kernel.section].info;
    drafts_[k].code_flags = file_.sections()[*kernel.section].flags;
  }
  for (const elf::Section &s : file_.sections())
    section(s, file_.name(s));
  for (std::uint32_t k = 0; k < drafts_.size(); k++)
    settle_kernel(out_, k, drafts_[k], all_names_);
  std::ranges::sort(out_.constants, {}, &Bank::number);
}

// False when there is no symbol table that can be read.
bool KernelReader::symbol_kernels() {
  auto table = std::ranges::find(file_.sections(), elf::kSectionSymtab,
                                 &elf::Section::type);
  if (table == file_.sections().end()) {
    limitation(Gap::no_symbol_table, 0,
               "no symbol table: names are those of sections");
    return false;
  }
  Buffer scratch;
  auto symbols = file_.symbols(*table, scratch);
  if (!symbols) {
    const Error &error = symbols.error();
    limitation(Gap::damaged_tables, error.offset, error.text());
    limitation(Gap::no_symbol_table, table->offset,
               "unreadable symbol table: names are those of sections");
    return false;
  }
  const std::uint64_t stride =
      table->size / std::max<std::size_t>(symbols->list.size(), 1);
  const auto is_kernel = [](const elf::Symbol &symbol) {
    return symbol.type() == elf::kSymbolFunc && (symbol.other & kOtherEntry) &&
           symbol.section != 0;
  };
  out_.kernels.reserve(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(std::ranges::count_if(
                                  symbols->list, is_kernel)),
                              limits_.records));
  for (const elf::Symbol &symbol : symbols->list) {
    if (is_kernel(symbol))
      add_symbol(symbol, symbols->names, table->offset + symbol.index * stride);
    if (symbol.type() == kSymbolCuda && symbol.section == 0 &&
        (symbol.other & kOtherSpace) == kOtherShared) {
      extern_shared_.resize(symbols->list.size());
      extern_shared_[symbol.index] = true;
    }
  }
  return true;
}

// "" when it cannot be read.
std::string_view KernelReader::symbol_name(std::uint32_t at,
                                           const elf::Strings &names) {
  if (names_left_ == 0)
    return {};
  const auto name = names.at(at);
  std::uint64_t cost = 0;
  if (name)
    cost = name->size();
  else if (at < names.size()) // looked at, and too long
    cost = limits_.name_bytes;
  const bool affordable = cost <= names_left_;
  names_left_ -= std::min(names_left_, cost);
  return name && affordable ? *name : std::string_view();
}

// `offset` is where the symbol's record stands in the image.
void KernelReader::add_symbol(const elf::Symbol &symbol,
                              const elf::Strings &names, std::uint64_t offset) {
  Kernel kernel;
  kernel.symbol = symbol.index;
  kernel.name = symbol_name(symbol.name, names);
  const bool has_section = symbol.section < kSectionIndexReserved &&
                           symbol.section < file_.sections().size();
  const bool readable = !kernel.name.empty();
  if (!readable && has_section) {
    auto text = after(file_.name(file_.sections()[symbol.section]), ".text.");
    if (text && text->size() <= derived_left_) {
      derived_left_ -= text->size();
      kernel.name = *text;
      kernel.derived_name = true;
    }
  }
  if (!add(std::move(kernel)))
    return;
  const auto index = static_cast<std::uint32_t>(out_.kernels.size() - 1);
  if (!readable)
    limitation(Gap::unreadable_name, offset,
               fmt::format("name of symbol {}", symbol.index), index);
  if (has_section)
    code_section(index, file_.sections()[symbol.section], symbol.value,
                 symbol.size);
  else if (symbol.section != kSectionIndexExtended)
    limitation(Gap::damaged_section, offset,
               fmt::format("code section {} does not exist", symbol.section),
               index);
}

// Kernels out of the names of code sections, then of attribute sections.
void KernelReader::section_kernels() {
  for (const elf::Section &s : file_.sections()) {
    auto name = after(file_.name(s), ".text.");
    if (!name)
      continue;
    Kernel kernel;
    kernel.name = *name;
    kernel.derived_name = true;
    if (const std::uint32_t symbol = s.info & 0xFFFFFF)
      kernel.symbol = symbol;
    if (!add(std::move(kernel)))
      return;
    code_section(static_cast<std::uint32_t>(out_.kernels.size() - 1), s, 0,
                 s.size);
  }
  std::vector<std::string_view> others;
  for (const elf::Section &s : file_.sections())
    if (auto name = after(file_.name(s), ".nv.info."); name && !by_name(*name))
      others.push_back(*name);
  std::ranges::sort(others);
  auto repeated = std::ranges::unique(others);
  others.erase(repeated.begin(), repeated.end());
  for (std::string_view name : others) {
    Kernel kernel;
    kernel.name = name;
    kernel.derived_name = true;
    if (!add(std::move(kernel)))
      return;
  }
  by_name_.clear();
  std::ranges::sort(by_symbol_);
}

bool KernelReader::add(Kernel kernel) {
  if (out_.kernels.size() >= limits_.records) {
    if (!std::exchange(full_, true))
      limitation(Gap::limit, 0, "kernels (limit records)");
    return false;
  }
  if (kernel.symbol)
    by_symbol_.emplace_back(*kernel.symbol,
                            static_cast<std::uint32_t>(out_.kernels.size()));
  out_.kernels.push_back(std::move(kernel));
  return true;
}

// `value` is where the code starts inside the section.
void KernelReader::code_section(std::uint32_t kernel, const elf::Section &s,
                                std::uint64_t value, std::uint64_t size) {
  Kernel &out = out_.kernels[kernel];
  out.section = s.index;
  if (by_section_[s.index] == kNone)
    by_section_[s.index] = kernel;
  if (size == 0)
    size = s.size;
  out.code_bytes = size;
  if (s.has_bytes() && fits(s.offset, s.size, image_.size()) &&
      fits(value, size, s.size))
    out.code_offset = s.offset + value;
  else
    limitation(Gap::damaged_section, s.offset, "code outside its section",
               kernel);
}

void KernelReader::section(const elf::Section &s, std::string_view name) {
  if (name == ".nv.info")
    return module_attributes(s, name);
  if (name == ".nv.global" || name == ".nv.global.init") {
    // Sizes are the file's word; saturate instead of wrapping.
    out_.global_bytes += std::min(s.size, ~out_.global_bytes);
    return;
  }
  if (name.starts_with(".nv.constant"))
    return constant_section(s, name.substr(12));
  if (auto k = after(name, ".nv.info.")) {
    if (auto kernel = owner(s, *k))
      info_section(*kernel, s, name);
  } else if (auto shared = after(name, ".nv.shared.")) {
    if (auto kernel = owner(s, *shared))
      drafts_[*kernel].shared.see(s.size);
  } else if (auto local = after(name, ".nv.local.")) {
    if (auto kernel = owner(s, *local))
      drafts_[*kernel].local.see(s.size);
  } else if (auto text = after(name, ".text.")) {
    // Symbols with an extended section index, which elf does not follow.
    if (by_section_[s.index] != kNone)
      return;
    auto kernel = by_name(*text);
    if (!kernel || out_.kernels[*kernel].section)
      return;
    code_section(*kernel, s, 0, 0);
    drafts_[*kernel].code_info = s.info;
    drafts_[*kernel].code_flags = s.flags;
  } else if (!extern_shared_.empty() &&
             (s.type == kSectionRel || s.type == kSectionRela)) {
    auto code =
        after(name, s.type == kSectionRel ? ".rel.text." : ".rela.text.");
    if (code)
      if (auto kernel = owner(s, *code))
        relocations(*kernel, s);
  }
}

// `name` continues ".nv.constant": "3" for a bank of the module, "0.axpy".
void KernelReader::constant_section(const elf::Section &s,
                                    std::string_view name) {
  std::uint32_t number = 0;
  const char *const end = name.data() + name.size();
  auto digits = std::from_chars(name.data(), end, number);
  if (digits.ec != std::errc() || number >= kBanks)
    return;
  if (digits.ptr == end)
    return add_bank(out_.constants, number, s, std::nullopt);
  name.remove_prefix(static_cast<std::size_t>(digits.ptr - name.data()));
  if (auto k = after(name, "."))
    if (auto kernel = owner(s, *k))
      add_bank(out_.kernels[*kernel].constants, number, s, kernel);
}

void KernelReader::add_bank(std::vector<Bank> &banks, std::uint32_t number,
                            const elf::Section &s,
                            std::optional<std::uint32_t> kernel) {
  auto known = std::ranges::find(banks, number, &Bank::number);
  if (known == banks.end())
    banks.push_back({number, s.size});
  else if (known->bytes != s.size)
    limitation(Gap::conflicting_facts, s.offset,
               fmt::format("constant bank {}: two sections", number), kernel);
}

void KernelReader::info_section(std::uint32_t kernel, const elf::Section &s,
                                std::string_view name) {
  Draft &draft = drafts_[kernel];
  draft.has_attributes = true;
  auto bytes = contents(s, name, kernel);
  if (!bytes || !read_attributes(*bytes, s.offset, name, records_left_,
                                 out_.kernels[kernel].attributes,
                                 out_.limitations, kernel))
    draft.attributes_readable = false;
}

// Does the kernel's code name an undefined shared variable?
void KernelReader::relocations(std::uint32_t kernel, const elf::Section &s) {
  auto bytes = contents(s, file_.name(s), kernel);
  if (!bytes || !file_.header().is_64) {
    drafts_[kernel].relocations_readable = false;
    return;
  }
  const std::uint64_t stride = s.type == kSectionRel ? 16 : 24;
  for (std::uint64_t at = 0; fits(at, stride, bytes->size()); at += stride) {
    Reader r(bytes->subspan(at, stride));
    r.skip(8, "relocation: offset");
    const std::uint64_t symbol = r.u64("relocation: info") >> 32;
    if (symbol < extern_shared_.size() && extern_shared_[symbol]) {
      out_.kernels[kernel].dynamic_shared = true;
      return;
    }
  }
}

void KernelReader::module_attributes(const elf::Section &s,
                                     std::string_view name) {
  const std::size_t first = out_.attributes.size();
  if (auto bytes = contents(s, name, std::nullopt))
    read_attributes(*bytes, s.offset, name, records_left_, out_.attributes,
                    out_.limitations);
  bool bad = false; // one limitation for all
  for (std::size_t i = first; i < out_.attributes.size(); i++) {
    const nvinfo::Record &r = out_.attributes[i];
    if (r.id != nvinfo::kRegisterCount && r.id != nvinfo::kFrameSize &&
        r.id != nvinfo::kMinStackSize)
      continue;
    auto fact = nvinfo::symbol_value(r);
    if (!fact) {
      if (!std::exchange(bad, true))
        limitation(Gap::bad_attribute, r.offset,
                   fmt::format(".nv.info: attribute {:#04x} of {} bytes", r.id,
                               r.payload.size()));
      continue;
    }
    auto kernel = by_symbol(fact->symbol);
    if (!kernel)
      continue; // a device function
    Draft &draft = drafts_[*kernel];
    if (r.id == nvinfo::kRegisterCount)
      draft.registers.see(fact->value);
    else if (r.id == nvinfo::kFrameSize)
      draft.frame.see(fact->value);
    else
      draft.stack.see(fact->value);
  }
}

// The kernel whose section this is. `name` is the kernel's.
std::optional<std::uint32_t> KernelReader::owner(const elf::Section &s,
                                                 std::string_view name) {
  if (s.info < by_section_.size() && by_section_[s.info] != kNone &&
      out_.kernels[by_section_[s.info]].name == name)
    return by_section_[s.info];
  return by_name(name);
}

std::optional<std::uint32_t> KernelReader::by_name(std::string_view name) {
  if (by_name_.empty()) {
    for (std::uint32_t k = 0; k < out_.kernels.size(); k++)
      by_name_.emplace_back(out_.kernels[k].name, k);
    std::ranges::sort(by_name_);
  }
  const auto found = std::ranges::equal_range(
      by_name_, name, {}, &std::pair<std::string_view, std::uint32_t>::first);
  if (found.size() != 1) // none, or ambiguous
    return std::nullopt;
  return found.front().second;
}

std::optional<std::uint32_t>
KernelReader::by_symbol(std::uint32_t symbol) const {
  auto found = std::ranges::lower_bound(
      by_symbol_, symbol, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
  if (found == by_symbol_.end() || found->first != symbol)
    return std::nullopt;
  return found->second;
}

std::optional<Bytes>
KernelReader::contents(const elf::Section &s, std::string_view name,
                       std::optional<std::uint32_t> kernel) {
  Buffer scratch;
  auto bytes = file_.contents(s, scratch);
  if (!bytes) {
    limitation(Gap::damaged_section, s.offset,
               fmt::format("{}: {}", name, bytes.error().text()), kernel);
    return std::nullopt;
  }
  if (bytes->size() > contents_left_) {
    limitation(Gap::damaged_section, s.offset,
               fmt::format("{}: overlaps other sections", name), kernel);
    return std::nullopt;
  }
  contents_left_ -= bytes->size();
  return *bytes;
}

} // namespace

bool read_attributes(Bytes section, std::uint64_t offset, std::string_view name,
                     std::uint64_t &left, std::vector<nvinfo::Record> &out,
                     std::vector<Limitation> &limitations,
                     std::optional<std::uint32_t> kernel) {
  constexpr std::uint64_t kUsual = 8; // bytes of a record
  out.reserve(out.size() + std::min(left, section.size() / kUsual));
  nvinfo::Walk walk(section, offset);
  while (auto record = walk.next()) {
    if (left == 0) {
      limitations.push_back({Gap::limit,
                             fmt::format("{} (limit records)", name),
                             record->offset, kernel});
      return false;
    }
    left--;
    out.push_back(*record);
  }
  if (!walk.damage())
    return true;
  limitations.push_back({Gap::damaged_attributes,
                         fmt::format("{}: {}", name, walk.damage()->what),
                         walk.damage()->offset, kernel});
  return false;
}

void read_kernels(const elf::File &file, Bytes image, bool all_names,
                  const Limits &limits, Cubin &out) {
  KernelReader(file, image, all_names, limits, out).run();
}

} // namespace gantry::cubin

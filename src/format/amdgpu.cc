// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An AMDGPU code object is a little-endian ELF file of machine 224 (LLVM's
// "User Guide for AMDGPU Backend"; observed with clang 14 to 22 and in
// libraries of ROCm 5 to 7):
//
//   OS/ABI 64 HSA, 65 PAL, 66 Mesa, 0 none
//   ABI version (HSA) 0: version 1 or 2; 1 to 4: version 3 to 6
//   e_flags           processor and features, of version 2 and later
//
// Notes, names and descriptions padded to 4 bytes even where the section says
// 8:
//
//   "AMD"     1   u32 major, u32 minor: code object version 1 or 2
//   "AMD"     3   u16 vendor size, u16 architecture size, u32 major, minor,
//                 stepping, both texts with their NULs   (versions 1 and 2)
//   "AMD"    10   YAML metadata                          (version 2)
//   "AMD"    11   name of the target                     (version 2)
//   "AMD"    12   PAL metadata
//   "AMDGPU" 32   MessagePack metadata                   (version 3 and later)
//
// Metadata names the kernels; each has a descriptor, found by a symbol.

#include "format/amdgpu.h"

#include "format/amdgpu_symbols.h"
#include "format/amdgpu_yaml.h"
#include "format/elf.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace gantry::amdgpu {

namespace {

enum : std::uint32_t {
  kNoteVersion = 1,
  kNoteIsa = 3,
  kNoteYaml = 10,
  kNoteIsaName = 11,
  kNotePal = 12,
  kNoteMetadata = 32,
};

// A linked object has one metadata note per input; each one costs a table of
// the unknown keys before it.
constexpr std::uint32_t kMetadataNotes = 1000;

Header header_of(const elf::Header &elf) {
  Header h;
  h.is_64 = elf.is_64;
  h.os_abi = elf.os_abi;
  h.abi_version = elf.abi_version;
  h.type = elf.type;
  h.e_flags = elf.flags;
  h.e_flags_offset = elf::flags_offset(elf.is_64);
  if (h.os_abi == kOsAbiHsa && h.abi_version >= 1 && h.abi_version <= 4)
    h.code_object_version = h.abi_version + 2u;
  return h;
}

bool is_yaml(const Note &n) { return n.owner == "AMD" && n.type == kNoteYaml; }
bool is_metadata(const Note &n) {
  return is_yaml(n) || (n.owner == "AMDGPU" && n.type == kNoteMetadata);
}

std::string_view without_nuls(std::string_view s) {
  while (s.ends_with('\0'))
    s.remove_suffix(1);
  return s;
}

// "k.kd" and "k@kd" are descriptors of k.
std::string_view without_kd(std::string_view symbol) {
  if (symbol.size() > 3 && (symbol.ends_with(".kd") || symbol.ends_with("@kd")))
    symbol.remove_suffix(3);
  return symbol;
}

// Names go into messages, and hostile ones can be huge.
std::string_view shortened(std::string_view name) {
  return name.substr(0, 200);
}

class ObjectReader {
public:
  ObjectReader(Bytes image, const elf::File &file, const Limits &limits)
      : image_(image), file_(file), limits_(limits), symbols_(file),
        note_bytes_left_(limits.note_bytes) {}

  Object read();

private:
  std::uint64_t offset_of(Bytes part) const {
    return static_cast<std::uint64_t>(part.data() - image_.data());
  }
  void limit(std::string_view code, std::string message, std::uint64_t offset) {
    out_.limitations.add(code, std::move(message), offset);
  }

  void read_all_notes();
  void read_notes_in(std::uint64_t offset, std::uint64_t size);
  void read_note(const Note &note);
  void read_version_note(const Note &note);
  void read_isa_note(const Note &note);
  void identify();
  void read_metadata_note(const Note &note);
  void read_kernels();
  Kernel declared(KernelMetadata metadata);
  void find_symbols(Kernel &kernel);
  bool is_resolved(const Kernel &kernel) const {
    return kernel.descriptor || kernel.code_header;
  }
  void describe(Kernel &kernel, KernelSymbol &symbol);
  void add_derived();
  bool has_room();

  Bytes image_;
  const elf::File &file_;
  const Limits &limits_;
  SymbolIndex symbols_;
  std::uint64_t note_bytes_left_;
  bool notes_full_ = false; // more metadata notes than are read
  Object out_;
};

Object ObjectReader::read() {
  out_.header = header_of(file_.header());
  for (const Error &e : file_.damage())
    limit("damaged-elf", e.text(), e.offset);
  read_all_notes();
  identify();
  for (const Note &note : out_.notes)
    if (is_metadata(note))
      read_metadata_note(note);
  read_kernels();
  return std::move(out_);
}

// Sections know the notes exactly; files without sections have segments.
void ObjectReader::read_all_notes() {
  for (const elf::Section &s : file_.sections())
    if (s.type == elf::kSectionNote)
      read_notes_in(s.offset, s.size);
  if (!out_.notes.empty())
    return;
  for (const elf::Segment &s : file_.segments())
    if (s.type == elf::kSegmentNote)
      read_notes_in(s.offset, s.file_size);
}

void ObjectReader::read_notes_in(std::uint64_t offset, std::uint64_t size) {
  if (!fits(offset, 0, image_.size())) {
    out_.notes_complete = false;
    return limit("damaged-notes", "notes start outside the file", offset);
  }
  Bytes rest = image_.subspan(offset);
  Bytes bytes = rest.first(std::min<std::uint64_t>(size, rest.size()));
  if (bytes.size() > note_bytes_left_) {
    out_.notes_complete = false;
    return limit("limit", "notes (limit note_bytes)", offset);
  }
  note_bytes_left_ -= bytes.size();
  elf::Notes notes = elf::read_notes(bytes);
  for (const elf::Note &n : notes.list) {
    out_.notes.push_back({n.owner, n.type, n.desc, offset + n.offset});
    read_note(out_.notes.back());
  }
  if (notes.damage) {
    out_.notes_complete = false;
    limit("damaged-notes",
          fmt::format("{}: {}", notes.damage->what, word(notes.damage->code)),
          offset + notes.damage->offset);
  } else if (size > bytes.size()) {
    out_.notes_complete = false;
    limit("damaged-notes", "notes end outside the file", image_.size());
  }
}

void ObjectReader::read_note(const Note &note) {
  if (note.owner != "AMD")
    return;
  if (note.type == kNoteVersion)
    read_version_note(note);
  else if (note.type == kNoteIsa)
    read_isa_note(note);
  else if (note.type == kNoteIsaName)
    out_.isa_name = without_nuls(as_text(note.description));
  else if (note.type == kNotePal)
    limit("pal-metadata", "PAL metadata is not read", note.offset);
}

void ObjectReader::read_version_note(const Note &note) {
  Reader r(note.description);
  std::uint32_t major = r.u32("version note: major");
  std::uint32_t minor = r.u32("version note: minor");
  if (!r.ok())
    return limit("damaged-notes", "version note: truncated",
                 offset_of(note.description) + r.pos());
  out_.version_note = {major, minor};
}

void ObjectReader::read_isa_note(const Note &note) {
  Reader r(note.description);
  IsaNote isa;
  std::uint16_t vendor = r.u16("ISA note: vendor size");
  std::uint16_t architecture = r.u16("ISA note: architecture size");
  isa.major = r.u32("ISA note: major");
  isa.minor = r.u32("ISA note: minor");
  isa.stepping = r.u32("ISA note: stepping");
  if (!r.ok())
    return limit("damaged-notes", "ISA note: truncated",
                 offset_of(note.description) + r.pos());
  isa.vendor = without_nuls(r.text(vendor, "ISA note: vendor"));
  // The finaliser of version 1 counts one byte less than it writes: the last
  // NUL stands in the padding.
  std::uint64_t size = architecture;
  if (r.ok() && size == r.left() + 1)
    size--;
  isa.architecture = without_nuls(r.text(size, "ISA note: architecture"));
  if (!r.ok())
    limit("damaged-notes", "ISA note: truncated",
          offset_of(note.description) + r.pos());
  out_.isa = isa;
}

// Version and family, from the header and the notes.
void ObjectReader::identify() {
  const Header &h = out_.header;
  out_.code_object_version = h.code_object_version;
  bool is_old = h.os_abi == kOsAbiHsa && h.abi_version == 0;
  if (is_old && out_.version_note) {
    std::uint32_t major = (*out_.version_note)[0];
    if (major == 1 || major == 2)
      out_.code_object_version = major;
  } else if (is_old && std::ranges::any_of(out_.notes, is_yaml)) {
    out_.code_object_version = 2;
  }
  // The old e_flags do not always hold the processor; the ISA note does.
  if (is_old && out_.isa)
    out_.family =
        family_of_isa(out_.isa->major, out_.isa->minor, out_.isa->stepping);
  if (out_.family == Family::unknown)
    out_.family = family_of_mach(h.e_flags & 0xff);
}

void ObjectReader::read_metadata_note(const Note &note) {
  std::uint64_t offset = offset_of(note.description);
  if (out_.metadata.notes == kMetadataNotes) {
    out_.metadata.kernels_known = false;
    if (!std::exchange(notes_full_, true))
      limit("limit",
            fmt::format("only {} metadata notes are read", kMetadataNotes),
            offset);
    return;
  }
  if (out_.metadata.notes == 0)
    out_.metadata_offset = offset;
  out_.metadata_bytes += note.description.size();
  auto read = is_yaml(note) ? read_yaml_metadata : read_metadata;
  read(note.description, offset, limits_, out_.metadata, out_.limitations);
}

// Joins metadata, symbols and descriptors. The dynamic symbols hold every
// kernel of a linked object and are few; the others are read when something is
// missing.
void ObjectReader::read_kernels() {
  auto is_pal = [](const UnknownKey &k) {
    return k.name.starts_with("amdpal.");
  };
  if (std::ranges::any_of(out_.metadata.unknown_keys, is_pal))
    limit("pal-metadata", "PAL metadata is not read", out_.metadata_offset);
  if (out_.metadata.notes == 0 && !out_.limitations.has("pal-metadata"))
    limit("no-metadata", "the object has no metadata note", 0);
  bool has_dynamic = symbols_.load(elf::kSectionDynsym, out_.limitations);
  bool whole = out_.metadata.kernels_known;
  bool full = false;
  std::vector<KernelMetadata> declarations =
      std::exchange(out_.metadata.kernels, {});
  out_.kernels.reserve(std::min<std::uint64_t>(
      declarations.size(), limits_.note_bytes / sizeof(Kernel)));
  for (KernelMetadata &m : declarations) {
    full = !has_room();
    if (full)
      break;
    out_.kernels.push_back(declared(std::move(m)));
    find_symbols(out_.kernels.back());
  }
  bool missing = !std::ranges::all_of(
      out_.kernels, [&](const Kernel &k) { return is_resolved(k); });
  bool has_static = false;
  if (missing || !whole || !has_dynamic) {
    has_static = symbols_.load(elf::kSectionSymtab, out_.limitations);
    for (Kernel &k : out_.kernels)
      if (!is_resolved(k))
        find_symbols(k);
  }
  bool need_symbols = missing || !whole;
  if (need_symbols && !has_static && !has_dynamic &&
      !out_.limitations.has("symbols-unreadable"))
    limit("symbols-unreadable", "the object has no symbol table", 0);
  for (std::uint32_t i = 0; i < out_.kernels.size(); i++)
    if (!is_resolved(out_.kernels[i]))
      out_.limitations.add("no-descriptor",
                           fmt::format("no descriptor for kernel {}",
                                       shortened(out_.kernels[i].name)),
                           out_.kernels[i].metadata.offset, i);
  out_.kernels_complete = !full && (whole || has_static || has_dynamic);
  add_derived();
}

Kernel ObjectReader::declared(KernelMetadata metadata) {
  Kernel k;
  k.metadata = std::move(metadata);
  k.symbol = k.metadata.symbol.value_or("");
  k.name = k.metadata.name.value_or(without_kd(k.symbol));
  if (k.name.empty())
    out_.limitations.add("unnamed-kernel", "metadata of a kernel without name",
                         k.metadata.offset,
                         static_cast<std::uint32_t>(out_.kernels.size()));
  return k;
}

// Fills descriptor, code header and code as far as symbols are loaded.
void ObjectReader::find_symbols(Kernel &k) {
  KernelSymbol *object = nullptr;
  if (!k.symbol.empty())
    object = symbols_.object(k.symbol);
  else if (!k.name.empty())
    object = symbols_.object(std::string(k.name) + ".kd");
  if (object) {
    k.symbol = object->name;
    describe(k, *object);
  }
  KernelSymbol *code = symbols_.code(k.name);
  if (!code)
    code = symbols_.code(without_kd(k.symbol));
  if (!code)
    return;
  if (code->symbol.type() == kSymbolHsaKernel)
    describe(k, *code);
  auto offset =
      symbols_.file_offset(code->symbol, code->symbol.size, image_.size());
  if (offset && code->symbol.size != 0)
    k.code = Range{*offset, symbols_.address(code->symbol), code->symbol.size};
}

void ObjectReader::describe(Kernel &k, KernelSymbol &symbol) {
  symbol.claimed = true;
  bool is_old = symbol.symbol.type() == kSymbolHsaKernel;
  std::uint64_t size = is_old ? kCodeHeaderSize : kDescriptorSize;
  auto offset = symbols_.file_offset(symbol.symbol, size, image_.size());
  if (!offset)
    return;
  Bytes bytes = image_.subspan(*offset, size);
  std::uint64_t address = symbols_.address(symbol.symbol);
  if (is_old) {
    if (auto h = read_code_header(bytes, *offset, address, out_.family))
      k.code_header = *h;
  } else if (auto d = read_descriptor(bytes, *offset, address, out_.family)) {
    k.descriptor = *d;
  }
}

// Kernels that only symbols know.
void ObjectReader::add_derived() {
  for (KernelSymbol *s : symbols_.kernels()) {
    if (s->claimed)
      continue;
    if (!has_room()) {
      out_.kernels_complete = false;
      return;
    }
    auto index = static_cast<std::uint32_t>(out_.kernels.size());
    Kernel &k = out_.kernels.emplace_back();
    k.origin = KernelOrigin::symbol;
    k.symbol = s->name;
    k.name = without_kd(s->name);
    find_symbols(k);
    if (out_.metadata.notes != 0)
      out_.limitations.add(
          "kernel-not-declared",
          fmt::format("the metadata does not name kernel {}",
                      shortened(k.name)),
          is_resolved(k) && k.descriptor ? k.descriptor->offset : 0, index);
  }
}

// Whether one more kernel is allowed; says so once when not.
bool ObjectReader::has_room() {
  if (out_.kernels.size() < limits_.note_bytes / sizeof(Kernel))
    return true;
  if (!out_.limitations.has("limit"))
    limit("limit", "kernel records (limit note_bytes)", 0);
  return false;
}

} // namespace

Result<Header> read_header(Bytes start) {
  GANTRY_TRY(elf::Header elf, elf::read_header(start));
  if (elf.machine != elf::kMachineAmdgpu)
    return fail(Errc::bad_magic, 18, "ELF machine is not AMDGPU");
  return header_of(elf);
}

Result<Object> read_object(Bytes image, const Limits &limits) {
  GANTRY_CHECK(
      read_header(image.first(std::min<std::size_t>(64, image.size()))));
  MemorySource source(image);
  GANTRY_TRY(elf::File file, elf::File::open(source, limits));
  return ObjectReader(image, file, limits).read();
}

} // namespace gantry::amdgpu

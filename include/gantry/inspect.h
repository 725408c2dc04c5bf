// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What GPU code is in a file: the one model that every view prints.
//
//   bytes → containers → code objects → kernels
//
// Nothing is executed and no vendor tool is called. What is not known is
// std::nullopt, and a Limitation says why; known to be empty is 0 or an empty
// list. All sizes and offsets count bytes. Order is file order.
// Vocabularies are in docs/inspect.md; word() gives the spelling that JSON has.
#pragma once

#include "gantry/base.h"

#include <array>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace gantry::inspect {

enum class Analysis { inventory, kernels };

// How much of something was looked at.
enum class Coverage {
  not_requested,
  not_selected,
  unexamined,
  partial,
  complete
};

enum class ObjectKind {
  cubin,
  ptx,
  lto_ir,
  amdgpu,
  bitcode,
  spirv,
  sycl_image,
  tile_ir,
  unknown
};

enum class ContainerKind {
  section,        // of the host file
  fatbin,         // CUDA fat binary
  bundle,         // clang offload bundle
  ccob,           // compressed clang offload bundle
  offload_binary, // LLVM offload binary
  kpack,          // kpack archive
  bare,           // a code object without any container
  text_bundle,    // clang offload bundle of text files
  sycl_images,    // a run of compressed SYCL device images
  member          // a member of a package: wheel, zip, tar, deb, rpm, ar …
};

enum class FoundBy {
  file,    // the input itself
  section, // a section known by its name
  wrapper, // a registration record that points to it
  content  // the search through all bytes
};

std::string_view word(Analysis);
std::string_view word(Coverage);
std::string_view word(ObjectKind);
std::string_view word(ContainerKind);
std::string_view word(FoundBy);
std::optional<Analysis> analysis_from(std::string_view);
std::optional<ObjectKind> object_kind_from(std::string_view);

// A stated reason for something not known.
struct Limitation {
  std::string code;                    // stable word, e.g. "no-symbol-table"
  std::string message;                 // one sentence
  std::optional<std::uint64_t> offset; // in the bytes of what it stands on
};

// A range of bytes. `in` is "" for offsets in the file, else the id of the
// container or member whose decoded bytes are counted.
struct Location {
  std::string in;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

inline constexpr std::uint32_t kNone = UINT32_MAX;

// Ids are positions (docs/design.md 5): hexadecimal offset of the outermost
// container in the file, then ".<entry>" inwards. A section is "s<index>". Of a
// package the path of the member and "!" come first: "lib/x.so!4cbd50.3"; the
// id of a member is its path: "lib/x.so", "a.tar!b.o". In the names of members
// '%', '!', '@' and control characters are percent-encoded; the second member
// of the same name is "b.o@2".
//
// Members are listed when something was found in them or is to be said about
// them; Package counts all.
struct Container {
  std::string id;
  ContainerKind kind = ContainerKind::bare;
  FoundBy found_by = FoundBy::file;
  std::uint32_t parent = kNone; // index in Report::containers
  std::string section;          // name of the host section it lies in
  Location location;
  std::optional<std::uint64_t> decoded_bytes;
  std::string_view compression = "none"; // static words
  std::optional<std::uint32_t> version;
  // Of a member: what its bytes are, "elf", "pe", "zip" …; "" nothing known.
  std::string format;
  std::uint64_t entries = 0;            // all, host entries too
  std::uint64_t host_entries = 0;       // of a bundle
  std::uint64_t wrappers = 0;           // registration records of a section
  std::uint64_t padding_bytes = 0;      // zeros between containers (sections)
  std::uint64_t unrecognised_bytes = 0; // neither container nor zeros
  Coverage coverage = Coverage::complete;
  std::vector<Limitation> limitations;
};

// What a cubin's header says, kept also when its layout is not known.
struct CudaTargetHeader {
  std::uint32_t os_abi = 0;
  std::uint32_t e_flags = 0;
  Location location; // of e_flags
};

struct Object {
  std::string id;
  ObjectKind kind = ObjectKind::unknown;
  std::uint32_t container = kNone; // index in Report::containers
  FoundBy found_by = FoundBy::file;
  // e_type of a decoded cubin decides; until then only the host section
  // __nv_relfatbin declares it.
  std::optional<bool> relocatable;
  std::string declared;       // as spelled: bundle entry id, "sm_90a"; "" none
  std::string target;         // canonical: declared, else observed; "" unknown
  std::string payload_target; // observed, PTX as spelled; "" not known
  std::string_view target_consistency = "unexamined"; // words of target.h
  std::string_view compression = "none";
  bool obfuscated = false;
  std::string name;    // of a fat binary entry
  std::string options; // ptxas or LTO options of a fat binary entry
  std::string toolkit; // "13.0"; "" not known
  std::string version; // PTX ISA, code object version; "" not known
  // nullopt for objects that are compressed together with others.
  std::optional<std::uint64_t> encoded_bytes;
  std::optional<std::uint64_t> decoded_bytes;
  Location location; // decoded bytes, in the innermost decoded container
  Location encoded_location; // the bytes in the file that hold it
  std::string digest;        // SHA-256 of the decoded bytes; "" not computed
  bool selected = true;
  Coverage kernel_analysis = Coverage::not_requested;
  std::optional<std::uint64_t> kernels;
  std::optional<CudaTargetHeader> cuda_header;
  std::optional<std::uint32_t> e_flags; // of an AMDGPU code object
  // Static shared memory that PTX declares outside its kernels.
  std::optional<std::uint64_t> module_shared_bytes;
  // Everything else that the code object or its container states, key → text,
  // in its order (producer, SPIR-V capabilities, offload kind …).
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Limitation> limitations;
};

struct Parameter {
  std::string name; // "" when the format has none
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> size;
  std::string kind;          // AMD's value_kind; "" unknown
  std::string address_space; // pointee; "" none or unknown
  std::string type_name;
  std::string access;
  std::optional<std::uint64_t> pointee_align;
  bool hidden = false;
};

using Extent3 = std::array<std::uint32_t, 3>;

struct Kernel {
  std::string name;
  std::string symbol;           // AMD: descriptor symbol
  std::string demangled;        // C++ names, where they were asked for; else ""
  std::uint32_t object = kNone; // index in Report::objects
  std::string_view representation = "";   // "sass", "ptx", "amdgpu", "spirv"
  bool derived_name = false;              // from a section, not from a symbol
  std::optional<std::uint32_t> registers; // per thread: SASS, AMD vector (VGPR)
  std::optional<std::uint64_t> shared_bytes;         // static, without reserve
  std::optional<std::uint64_t> shared_section_bytes; // as the section says
  std::optional<bool> dynamic_shared;
  std::optional<std::uint64_t>
      local_bytes; // per thread: frame, private segment
  std::optional<std::uint64_t> stack_bytes; // needed; nullopt: not known
  std::optional<std::uint64_t> code_bytes;
  std::optional<std::uint32_t> barriers;
  std::optional<std::uint32_t> register_limit;
  std::optional<Extent3> max_threads;
  std::optional<Extent3> required_threads;
  std::optional<Extent3> cluster;
  std::optional<std::uint32_t> max_cluster_rank;
  std::optional<std::uint32_t> max_flat_threads; // AMD
  std::optional<std::uint32_t> parameter_count;  // hidden ones too
  std::optional<std::uint32_t> hidden_parameter_count;
  std::optional<std::uint64_t> parameter_bytes;
  std::optional<std::uint64_t> parameter_base; // CUDA: offset in bank 0
  std::vector<Parameter> parameters;
  bool parameters_known = false; // parameters is the whole list
  // Virtual registers of PTX by type; nullopt: no PTX, or not all are known.
  std::optional<std::vector<std::pair<std::string, std::uint64_t>>>
      virtual_registers;
  // CUDA: constant bank → bytes. AMD: see the counts below.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> constant_banks;
  std::optional<std::uint32_t> sgprs, vgprs, agprs;
  std::optional<std::uint32_t> sgpr_spills, vgpr_spills;
  std::optional<std::uint32_t> allocated_vgprs, allocated_sgprs;
  std::optional<std::uint32_t> wavefront_size;
  std::string language;
  // Everything else that the code object states, key → text, in its order.
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Limitation> limitations;
};

// One row per target, kind and relocatable, ordered by them: sm_90 before
// sm_100, gfx90a before gfx1030.
struct TargetRow {
  std::string target; // "" unknown
  ObjectKind kind = ObjectKind::unknown;
  std::optional<bool> relocatable;
  std::uint64_t objects = 0;
  std::optional<std::uint64_t> kernels;
  std::optional<std::uint64_t> encoded_bytes;
  std::optional<std::uint64_t> decoded_bytes;
  Coverage coverage = Coverage::complete;
};

// object + compressed_together + container + padding + other ==
// accounted_bytes: the size of the file, or of a package the sizes of all
// members that were looked into, unpacked.
struct Usage {
  std::uint64_t accounted_bytes = 0;
  std::uint64_t bytes_read = 0;    // from the file, for the digest too
  std::uint64_t decoded_bytes = 0; // produced by decoders
  std::uint64_t object_bytes = 0;
  std::uint64_t compressed_together_bytes = 0; // blobs shared by objects
  std::uint64_t container_bytes = 0; // headers, host entries, inner padding
  std::uint64_t padding_bytes = 0;   // rest of GPU sections
  std::uint64_t other_bytes = 0;     // host code and all else
  std::uint64_t overlap_bytes = 0;   // counted by more than one object
  std::uint64_t objects_not_selected = 0;
};

// The members of a package, nested packages' too.
struct Package {
  std::string format;        // "zip", "tar", "ar" …; "" no package
  std::uint64_t members = 0; // files; folders and links are none
  std::uint64_t opened = 0;  // unpacked and looked into
  // By their names they hold no code (texts, pictures); Options::deep opens
  // them, too.
  std::uint64_t skipped = 0;
  std::uint64_t unpacked_bytes = 0;
};

struct Report {
  std::string path;
  std::uint64_t size = 0;
  std::string format; // of the file: "elf", "pe", "zip" …; "" unknown
  Package package;
  std::string sha256; // "" when not computed
  Analysis analysis = Analysis::inventory;
  bool searched = false; // all bytes were looked at
  Coverage coverage = Coverage::complete;
  std::vector<Limitation> limitations;
  std::vector<Container> containers;
  std::vector<Object> objects;
  std::vector<Kernel> kernels;
  std::vector<TargetRow> targets;
  Usage usage;
};

struct Options {
  Analysis analysis = Analysis::inventory;
  // Spellings as on the command line: compute_90 is sm_90 and kind ptx; an
  // entry id or a triple means what is spelled exactly so. Empty selects
  // everything.
  std::vector<std::string> targets;
  std::vector<ObjectKind> kinds;
  // Only kernels of these names (raw, demangled or of the descriptor) are kept
  // in the report; empty: all. Object::kernels counts all.
  std::vector<std::string> kernels;
  // Only these objects, by id; empty: all. Needs expect_sha256. An id that is
  // not there is an error (not_found).
  std::vector<std::string> objects;
  // The file's SHA-256 as 64 hex digits, or their first 16 or more. Another
  // file is refused (changed) before any payload is decoded and before any
  // member is unpacked.
  std::string expect_sha256;
  bool digest = true; // SHA-256 of the file, and the search with it
  // Search by content also without digest, and open members of packages
  // whatever their name.
  bool deep = false;
  bool payload_digests = false; // SHA-256 of every decoded payload
  bool ptx_digests = true;      // also of PTX in an analysis of kernels
  bool attributes = false;      // fill Kernel::attributes
  bool demangled = false;       // fill Kernel::demangled
  bool parameters = true; // fill Kernel::parameters; they are counted anyway
  unsigned threads = 0;   // 0: as many as the machine has
  Limits limits;
  std::stop_token stop;
  // Called now and then from the calling thread: bytes done, bytes in all.
  std::function<void(std::uint64_t, std::uint64_t)> progress;
  // Called with the decoded bytes of each selected object whose payload is
  // decoded, from worker threads, several at a time and in no order.
  std::function<void(const Object &, Bytes)> payload;
  // `payload` gets the bytes as they are stored, perhaps compressed; not called
  // for objects that are stored together with others.
  bool stored_payloads = false;
  // Called once for each object (selected or not) in the order of the report,
  // one call at a time, as soon as all before it are done, from any thread.
  // Object::container does not count yet. What is left in the list goes into
  // the report, so that whoever streams or pages keeps only what is needed.
  std::function<void(const Object &, std::vector<Kernel> &)> done;
};

// Errors: io (cannot be opened or read), invalid_argument (a target that cannot
// be parsed, an id without expect_sha256), changed, not_found. Damage in the
// file is not an error: it stands in the report. A package (wheel, zip, tar,
// deb, rpm, ar …) is one report over all its members; nothing is written to
// disk.
Result<Report> file(const std::string &path, const Options &options);

// The same for bytes in memory; `path` is only a name.
Result<Report> memory(Bytes bytes, const std::string &path,
                      const Options &options);

} // namespace gantry::inspect

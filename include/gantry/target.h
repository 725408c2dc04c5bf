// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What code is made for: names of targets, what containers and code objects
// say about theirs, and whether the two agree.
//
// Everything here is a value: nothing points into the input it was read from.
// What is not known is an empty optional; raw spellings stay beside parsed
// ones. Nothing here decides which code runs where.
#pragma once

#include "gantry/base.h"

#include <optional>
#include <span>
#include <vector>

namespace gantry {

// ---- targets ---------------------------------------------------------------

enum class Vendor : std::uint8_t {
  nvidia,
  amd,
  other, // known by its spelling only: amdgcnspirv, spir64, host, x86_64 …
};

// Variant of an NVIDIA target: exactly this SM (a), or its family (f).
enum class Suffix : std::uint8_t { none, a, f };

// How code was compiled with respect to a feature of AMD devices (xnack,
// sramecc). Since code object version 4 (V4) target ids and e_flags can say
// any, off and on, and an id that omits a selectable feature means any. V2 and
// V3 can say less: a "+feature" suffix or a set bit means on or any, and an id
// that omits a feature says nothing.
enum class Feature : std::uint8_t {
  unspecified, // not stated, or not selectable on this processor
  any,         // runs with the feature on or off
  off,
  on,
  on_or_any, // V2 and V3 only
};

// A target without the kind of code (cubin, PTX, LTO-IR …), which is a property
// of the object. Two targets are the same when their target_name() is the same;
// operator== also tells apart how much was stated (any or unspecified, generic
// version).
struct Target {
  Vendor vendor = Vendor::other;

  // NVIDIA: 10 × major + minor, any well-formed number, also unknown ones.
  std::uint32_t sm = 0;
  Suffix suffix = Suffix::none;

  // AMD: the processor ("gfx90a", "gfx9-4-generic", "gfx1250-strict").
  // Other: the spelling as it was written. NVIDIA: empty.
  std::string processor;

  // AMD. A feature that the processor has no choice in is unspecified, except
  // "off" where it is always on, which contradicts the processor.
  Feature xnack = Feature::unspecified;
  Feature sramecc = Feature::unspecified;
  // AMD, generic processors in code objects of version 6.
  std::optional<std::uint8_t> generic_version;

  bool operator==(const Target &) const = default;
};

// The one spelling that gantry prints: "sm_90a", "gfx90a:sramecc+:xnack-",
// "gfx9-4-generic", "amdgcnspirv". Features are in alphabetical order, and only
// where they are selectable (gfx1250 never has ":xnack+"). on_or_any is spelled
// as V2 and V3 do: "gfx906+sramecc+xnack". parse_target() reads all of these
// but spellings of vendor other that it does not know.
std::string target_name(const Target &target);

// Whether a text reads as an LLVM triple of GPU code or of its host, which is
// what bitcode is made for: "nvptx64-nvidia-cuda".
bool is_triple(std::string_view text);

// "sm_90a", "compute_90a", "lto_90a"
enum class Spelling : std::uint8_t {
  sm,            // sm_90a: machine code
  compute,       // compute_90a: PTX
  lto,           // lto_90a: LTO-IR
  processor,     // gfx90a:xnack+, gfx906+xnack, fiji, amdgcn-amd-amdhsa--gfx90a
  sub_processor, // amdgpu9.42
  other,         // amdgcnspirv
};

struct ParsedTarget {
  Target target;
  Spelling spelling = Spelling::other;
};

// What a user or an `arch` string means. Features that are not written are
// unspecified. Errors: invalid_argument, with the offset of the first character
// that does not fit. known_target_names() has what to offer instead.
Result<ParsedTarget> parse_target(std::string_view text);

Target nvidia_target(std::uint32_t sm, Suffix suffix = Suffix::none);
Target other_target(std::string_view spelling);

// The target that a triple and a target id declare (bundle ids, offload
// binaries). An empty id leaves what the triple says: amdgpu9.42 is gfx942,
// spir64 is itself, amdgcn and nvptx64 say nothing. Nothing, too, when the id
// is damaged or has a feature that is not known.
std::optional<Target> target_from_triple(std::string_view triple,
                                         std::string_view target_id);

// The stable words of JSON: "nvidia" …; "unspecified", "on-or-any" …
std::string_view word(Vendor vendor);
std::string_view word(Feature feature);

// ---- entry ids of clang offload bundles -------------------------------------

enum class OffloadKind : std::uint8_t {
  host,
  hip,
  hipv4,
  openmp,
  sycl,
  hcc,
  other, // kind_text has it
};
std::string_view word(OffloadKind kind);

// "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", in any of the spellings that
// compilers and build scripts have used. What an id does not have is empty.
struct EntryId {
  std::string raw;
  OffloadKind kind = OffloadKind::other;
  std::string kind_text;
  std::string arch; // "amdgcn", "amdgpu9.42", "x86_64"
  std::string vendor;
  std::string os;
  std::string environment;
  std::string target_id; // as written, without the dashes before it
  // Host entries: other_target("host"). Nothing: the id exposes no target (ask
  // the object), or one that could not be parsed (target_id is not empty).
  // For hipv4 and for ids with ":feature" omitted features are `any`.
  std::optional<Target> target;
  bool is_host = false;
};
EntryId parse_entry_id(std::string_view id); // never fails

// ---- what AMDGPU code objects say ------------------------------------------

// From e_flags and EI_ABIVERSION (0 is V2 and everything that is not HSA; 1 to
// 4 are V3 to V6). Nothing: unknown machine number (amd_mach_text() shows it)
// or unknown ABI version.
std::optional<Target> amd_target_from_flags(std::uint32_t e_flags,
                                            std::uint8_t abi_version);
std::string amd_mach_text(std::uint32_t e_flags); // "mach 0x6A", display only

// From the ISA note of V1 and V2 (owner AMD, type 3), as the runtime maps it.
std::optional<Target> amd_target_from_isa_note(std::uint32_t major,
                                               std::uint32_t minor,
                                               std::uint32_t stepping);

// From a full target text, "amdgcn-amd-amdhsa--gfx90a:xnack+": amdhsa.target of
// V4 and later, note type 11 of V2 (where gfx907 means gfx906 with xnack).
// `abi_version` tells what an omitted feature means.
std::optional<Target> amd_target_from_text(std::string_view text,
                                           std::uint8_t abi_version);

// ---- declared against observed ---------------------------------------------

enum class Consistency : std::uint8_t {
  equal,
  base_only,        // the base agrees; a or f cannot be seen in the object
  conflict,         // both are known and differ
  feature_mismatch, // AMD: same processor, other features
  unknown,          // not enough is known to compare
  unexamined,       // the payload was not looked at
  single_source,    // there is only one of the two
};
// "equal", "base-only", "conflict", "feature-mismatch", "unknown",
// "unexamined", "single-source"
std::string_view word(Consistency consistency);

// In all three: `declared` is empty when no container declares anything (a
// declaration that could not be parsed is other_target(raw)), `observed` is
// empty when the payload was not examined.

// What a cubin says about itself. Empty: the file has no such statement.
struct NvidiaEvidence {
  std::optional<std::uint32_t> sm; // header
  // 'a' in the header: 0x800 in OS/ABI 0x33 for SM 90 and later, 0x08 in 0x41
  // as 12.8 and 12.9 write it. Leave it empty where the layout cannot say it.
  std::optional<bool> a_bit;
  std::optional<bool> compat_a; // .nv.compat record 9
  // Suffix of -arch in the toolkit note, when its base is the header's.
  std::optional<Suffix> note_suffix;
};

// The suffix as far as the object proves it. The header and .nv.compat outrank
// the note.
std::optional<Suffix> observed_suffix(const NvidiaEvidence &observed);

Consistency compare_nvidia(const std::optional<Target> &declared,
                           const std::optional<NvidiaEvidence> &observed);

struct PtxEvidence {
  std::optional<Target> target; // of the .target directive
};
Consistency compare_ptx(const std::optional<Target> &declared,
                        const std::optional<PtxEvidence> &observed);

struct AmdEvidence {
  std::uint8_t abi_version = 0;
  std::optional<Target> flags; // amd_target_from_flags()
  std::optional<Target> note;  // amd_target_from_isa_note() or _text()
};
Consistency compare_amd(const std::optional<Target> &declared,
                        const std::optional<AmdEvidence> &observed);

// e_flags against note of one object; single_source when one is missing.
Consistency compare_amd_object(const AmdEvidence &observed);

// ---- what is known ----------------------------------------------------------

// A CUDA toolkit release. 0.0 stands for "none".
struct Toolkit {
  std::uint8_t major = 0;
  std::uint8_t minor = 0;
  auto operator<=>(const Toolkit &) const = default;
};

struct SmInfo {
  std::uint32_t sm = 0;
  // The first member of its family for 'f' targets; 0 without.
  std::uint32_t family = 0;
  bool has_a = false;
  bool has_f = false;
  bool tegra = false;  // systems on chip
  Toolkit first, last; // that compile for it; last 0.0: still do
  Toolkit first_a, first_f;
  std::string_view devices; // "Hopper"
};
std::span<const SmInfo> known_sms();     // ascending
const SmInfo *find_sm(std::uint32_t sm); // null: unknown

enum class Selectable : std::uint8_t {
  no,        // the processor does not have the feature
  yes,       // code is compiled for any, on or off
  always_on, // there is no other way
};

struct AmdProcessor {
  std::string_view name;
  std::uint8_t mach = 0; // EF_AMDGPU_MACH
  Selectable xnack = Selectable::no;
  Selectable sramecc = Selectable::no;
  std::string_view generic; // the generic processor it belongs to, or ""
  std::string_view devices; // "CDNA 2, Instinct MI200"
};
// Exact processors and generics, by name in the order of their generations.
std::span<const AmdProcessor> known_amd_processors();
const AmdProcessor *find_amd_processor(std::string_view name);

struct AmdGenericMember {
  std::string_view generic;
  std::string_view processor;
  std::uint8_t minimum_version = 1; // of the generic code that it can run
};
std::span<const AmdGenericMember> amd_generic_members();

// Every name that gantry knows, in the order of the tables: sm_50 … sm_121f,
// gfx600 … gfx13-generic, amdgcnspirv. For "did you mean" and completion.
std::vector<std::string> known_target_names();

} // namespace gantry

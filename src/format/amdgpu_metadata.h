// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an AMDGPU code object declares about itself and its kernels. Code object
// 3 and later say it in MessagePack (amdgpu_metadata.cc), 2 in YAML
// (amdgpu_yaml.cc); both fill the same structs.
#pragma once

#include "base/reader.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace gantry::amdgpu {

// Something that could not be read, and why. `code` is a static word:
//   "damaged-elf"         tables of sections or segments
//   "damaged-notes"       reading of notes stopped early
//   "damaged-metadata"    reading of the metadata stopped early
//   "no-metadata"         no metadata; kernels come from symbols
//   "metadata-conflict"   several metadata notes that contradict each other
//   "pal-metadata"        graphics metadata, which is not read
//   "bad-value"           a key has a value of the wrong type; it stays unknown
//   "unnamed-kernel"      metadata of a kernel without name and symbol
//   "symbols-unreadable"  no symbol table, or a damaged one
//   "no-descriptor"       a kernel's descriptor was not found or cannot be read
//   "kernel-not-declared" a descriptor whose kernel the metadata does not name
//   "limit"               a limit stopped the reading
struct Limitation {
  std::string_view code;
  std::string message;
  std::uint64_t offset = 0;            // in the image
  std::optional<std::uint32_t> kernel; // index of the kernel it is about
};

// Limitations in the order they were met. Hostile input can cause millions, so
// only the first are kept and the rest counted.
struct Limitations {
  static constexpr std::size_t kKept = 1000;
  std::vector<Limitation> list;
  std::uint64_t dropped = 0;
  std::vector<std::string_view> codes; // distinct ones, of dropped ones too

  void add(std::string_view code, std::string message, std::uint64_t offset,
           std::optional<std::uint32_t> kernel = std::nullopt);
  // Whether there was one, kept or not.
  bool has(std::string_view code) const;
};

// A metadata key that this version of gantry does not know.
struct UnknownKey {
  std::string_view name;
  std::uint64_t count = 0;
  std::uint64_t offset = 0; // in the image, of the first one
};

struct Argument {
  std::optional<std::string_view> name;
  std::optional<std::string_view> type_name;
  std::optional<std::string_view> value_kind; // verbatim: "global_buffer",
                                              // in version 2 "GlobalBuffer"
  std::optional<std::string_view> value_type; // version 2 and early 3
  std::optional<std::string_view> address_space;
  std::optional<std::string_view> access;
  std::optional<std::string_view> actual_access;
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> size;
  std::optional<std::uint64_t> align; // version 2
  std::optional<std::uint64_t> pointee_align;
  std::optional<bool> is_const, is_restrict, is_volatile, is_pipe;
  bool offset_derived = false; // version 2: laid out by size and alignment
  bool hidden = false;         // value_kind begins with "hidden" in any case
};

// What the metadata says about one kernel. Sizes in bytes; unknown when the key
// is missing or has a value of the wrong type.
struct KernelMetadata {
  std::optional<std::string_view> name;
  std::optional<std::string_view> symbol; // of the descriptor
  std::optional<std::string_view> language;
  std::optional<std::string_view> kind; // "normal", "init", "fini"
  std::optional<std::string_view> vec_type_hint;
  std::optional<std::string_view> device_enqueue_symbol;
  std::optional<std::array<std::uint64_t, 2>> language_version;
  std::optional<std::array<std::uint64_t, 3>> reqd_workgroup_size;
  std::optional<std::array<std::uint64_t, 3>> workgroup_size_hint;
  std::optional<std::array<std::uint64_t, 3>> cluster_dims;
  std::optional<std::uint64_t> max_num_workgroups_x, max_num_workgroups_y,
      max_num_workgroups_z;
  std::optional<std::uint64_t> kernarg_segment_size;
  std::optional<std::uint64_t> kernarg_segment_align;
  std::optional<std::uint64_t> group_segment_fixed_size;
  std::optional<std::uint64_t> private_segment_fixed_size;
  std::optional<std::uint64_t> wavefront_size;
  std::optional<std::uint64_t> sgpr_count, vgpr_count, agpr_count;
  std::optional<std::uint64_t> sgpr_spill_count, vgpr_spill_count;
  std::optional<std::uint64_t> max_flat_workgroup_size;
  std::optional<std::uint64_t> uniform_work_group_size; // 0 or 1
  std::optional<bool> uses_dynamic_stack;
  std::optional<bool> workgroup_processor_mode;
  std::optional<bool> xnack_enabled; // version 2
  // All arguments in order, hidden ones too. Compilers leave the key out when
  // there are none, so an empty list is an answer; `arguments_known` is false
  // when the list was damaged, and for kernels that no metadata names.
  std::vector<Argument> arguments;
  bool arguments_known = false;
  std::uint32_t hidden_arguments = 0;
  std::uint64_t offset = 0; // in the image: where the kernel's entry starts,
                            // or its first key
};

enum class MetadataFormat : std::uint8_t { none, message_pack, yaml };

// Texts are views into the image, or into `owned` where escapes had to be
// replaced; copies share it. An object linked from several has a metadata note
// of each: their kernels stand here one after another.
struct Metadata {
  MetadataFormat format = MetadataFormat::none; // of the first note
  std::uint32_t notes = 0;
  std::optional<std::array<std::uint64_t, 2>> version; // as declared
  std::optional<std::string_view> target; // "amdgcn-amd-amdhsa--gfx90a:xnack+"
  std::vector<std::string_view> printf;
  std::vector<KernelMetadata> kernels;
  bool kernels_known = false;           // `kernels` is the whole list
  std::vector<UnknownKey> unknown_keys; // distinct names, at most kKeptKeys
  std::uint64_t unknown_key_count = 0;  // all occurrences
  std::uint64_t record_bytes = 0;       // memory of kernels and arguments
  std::vector<std::shared_ptr<std::deque<std::string>>> owned;

  static constexpr std::size_t kKeptKeys = 256;
};

// A metadata key and the field that its value goes to.
template <class T, class Owner> struct Field {
  std::string_view key;
  std::optional<T> Owner::*member;
};

// What both readers of metadata do while they fill it: look after memory, count
// keys they do not know and report values of the wrong type. All offsets count
// from the start of the note.
class MetadataBuilder {
public:
  // `base`: where the note's text starts in the image.
  MetadataBuilder(Metadata &out, MetadataFormat format, std::uint64_t base,
                  const Limits &limits, Limitations &limitations);

  // A new kernel or argument with unknown fields. Nothing, and a limitation,
  // when all records together would take more than Limits::note_bytes.
  KernelMetadata *add_kernel(std::uint64_t offset);
  Argument *add_argument(KernelMetadata &kernel, std::uint64_t offset);
  // Room for a list of so many, as far as the limit allows.
  void expect_kernels(std::uint64_t count);
  void expect_arguments(KernelMetadata &kernel, std::uint64_t count);
  // What is reported from here on is not about the last kernel.
  void leave_kernel() { kernel_.reset(); }

  void unknown_key(std::string_view key, std::uint64_t offset);
  void bad_value(std::string_view key, std::uint64_t offset,
                 std::string_view expected, std::string_view found);
  // For keys that every note has: the first value stays.
  template <class T>
  void keep_first(std::optional<T> &kept, const std::optional<T> &next,
                  std::string_view key, std::uint64_t offset) {
    if (kept && next && *kept != *next)
      conflict(key, offset);
    if (!kept)
      kept = next;
  }
  void damaged(const Error &error);
  // Once per note, at its end: whether all its kernels could be read.
  void finish(bool kernels_known);

private:
  bool charge(std::uint64_t bytes, std::uint64_t offset);
  void conflict(std::string_view key, std::uint64_t offset);
  std::uint64_t left() const {
    return limit_ - std::min(limit_, out_.record_bytes);
  }

  Metadata &out_;
  std::uint64_t base_;
  std::uint64_t limit_;
  Limitations &limitations_;
  std::optional<std::uint32_t> kernel_; // that is being filled
  bool damaged_ = false;
  std::unordered_map<std::string_view, std::size_t> keys_;
};

// What a field takes, for messages: "an integer", "three integers".
std::string_view expected(const std::optional<std::uint64_t> &);
std::string_view expected(const std::optional<std::string_view> &);
std::string_view expected(const std::optional<bool> &);
std::string_view expected(const std::optional<std::array<std::uint64_t, 2>> &);
std::string_view expected(const std::optional<std::array<std::uint64_t, 3>> &);

// Whether a value kind names an argument that the runtime fills in.
bool is_hidden(std::string_view value_kind);

// Adds what a MessagePack metadata note says. Its bytes start at `base` in the
// image. Whatever cannot be read is unknown and stands in `limitations`.
void read_metadata(Bytes note, std::uint64_t base, const Limits &limits,
                   Metadata &out, Limitations &limitations);

} // namespace gantry::amdgpu

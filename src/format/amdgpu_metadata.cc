// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metadata of code object version 3 and later: one MessagePack map (LLVM's
// "User Guide for AMDGPU Backend", code object metadata):
//
//   amdhsa.version [major, minor]    amdhsa.target text (version 4 and later)
//   amdhsa.printf [text, …]          amdhsa.kernels [map, …]
//
// and in each kernel's map `.name`, `.symbol`, numbers, and `.args` [map, …];
// the tables below name all keys. Keys come in any order, numbers in any width,
// texts as str or bin. Assembly written by hand leaves keys out or has values
// of other types (observed in the objects of a public wheel), so each key
// stands for itself: what cannot be used is reported and stays unknown.

#include "format/amdgpu_metadata.h"

#include "base/msgpack.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::amdgpu {

namespace {

using msgpack::Kind;
using msgpack::Value;

constexpr Field<std::uint64_t, KernelMetadata> kKernelIntegers[] = {
    {".kernarg_segment_size", &KernelMetadata::kernarg_segment_size},
    {".kernarg_segment_align", &KernelMetadata::kernarg_segment_align},
    {".group_segment_fixed_size", &KernelMetadata::group_segment_fixed_size},
    {".private_segment_fixed_size",
     &KernelMetadata::private_segment_fixed_size},
    {".wavefront_size", &KernelMetadata::wavefront_size},
    {".sgpr_count", &KernelMetadata::sgpr_count},
    {".vgpr_count", &KernelMetadata::vgpr_count},
    {".agpr_count", &KernelMetadata::agpr_count},
    {".sgpr_spill_count", &KernelMetadata::sgpr_spill_count},
    {".vgpr_spill_count", &KernelMetadata::vgpr_spill_count},
    {".max_flat_workgroup_size", &KernelMetadata::max_flat_workgroup_size},
    {".uniform_work_group_size", &KernelMetadata::uniform_work_group_size},
    {".max_num_workgroups_x", &KernelMetadata::max_num_workgroups_x},
    {".max_num_workgroups_y", &KernelMetadata::max_num_workgroups_y},
    {".max_num_workgroups_z", &KernelMetadata::max_num_workgroups_z},
};
constexpr Field<std::string_view, KernelMetadata> kKernelTexts[] = {
    {".name", &KernelMetadata::name},
    {".symbol", &KernelMetadata::symbol},
    {".language", &KernelMetadata::language},
    {".kind", &KernelMetadata::kind},
    {".vec_type_hint", &KernelMetadata::vec_type_hint},
    {".device_enqueue_symbol", &KernelMetadata::device_enqueue_symbol},
};
constexpr Field<bool, KernelMetadata> kKernelBooleans[] = {
    {".uses_dynamic_stack", &KernelMetadata::uses_dynamic_stack},
    {".workgroup_processor_mode", &KernelMetadata::workgroup_processor_mode},
};
constexpr Field<std::array<std::uint64_t, 3>, KernelMetadata> kKernelExtents[] =
    {
        {".reqd_workgroup_size", &KernelMetadata::reqd_workgroup_size},
        {".workgroup_size_hint", &KernelMetadata::workgroup_size_hint},
        {".cluster_dims", &KernelMetadata::cluster_dims},
};
constexpr Field<std::array<std::uint64_t, 2>, KernelMetadata>
    kKernelVersions[] = {
        {".language_version", &KernelMetadata::language_version},
};

constexpr Field<std::uint64_t, Argument> kArgumentIntegers[] = {
    {".offset", &Argument::offset},
    {".size", &Argument::size},
    {".pointee_align", &Argument::pointee_align},
};
constexpr Field<std::string_view, Argument> kArgumentTexts[] = {
    {".value_kind", &Argument::value_kind},
    {".address_space", &Argument::address_space},
    {".name", &Argument::name},
    {".type_name", &Argument::type_name},
    {".access", &Argument::access},
    {".actual_access", &Argument::actual_access},
    {".value_type", &Argument::value_type},
};
constexpr Field<bool, Argument> kArgumentBooleans[] = {
    {".is_const", &Argument::is_const},
    {".is_restrict", &Argument::is_restrict},
    {".is_volatile", &Argument::is_volatile},
    {".is_pipe", &Argument::is_pipe},
};

// One overload per type of field: whether `value` could be used.
bool assign(std::optional<std::uint64_t> &out, Value value) {
  out = value.unsigned_integer();
  if (auto b = value.boolean())
    out = *b;
  return out.has_value();
}

bool assign(std::optional<std::string_view> &out, Value value) {
  out = value.text();
  return out.has_value();
}

bool assign(std::optional<bool> &out, Value value) {
  out = value.boolean();
  if (auto n = value.unsigned_integer(); n && *n <= 1)
    out = *n == 1;
  return out.has_value();
}

template <std::size_t N>
bool assign(std::optional<std::array<std::uint64_t, N>> &out, Value value) {
  if (value.kind() != Kind::array || value.count() != N)
    return false;
  std::array<std::uint64_t, N> numbers{};
  std::size_t good = 0, i = 0;
  value.each([&](Value v) {
    auto n = v.unsigned_integer();
    numbers[i++] = n.value_or(0);
    good += n ? 1 : 0;
  });
  if (good == N)
    out = numbers;
  return good == N;
}

class Decoder {
public:
  Decoder(const msgpack::Document &document, Metadata &out,
          MetadataBuilder &builder)
      : start_(as_text(document.input).data()), out_(out), builder_(builder) {}

  // Whether all kernels could be read.
  bool root(Value root);

private:
  // Where a key stands in the note.
  std::uint64_t at(std::string_view key) const {
    return static_cast<std::uint64_t>(key.data() - start_);
  }

  // Calls f(key, offset, value) for the pairs of a map whose keys are texts.
  template <class F> void pairs(Value map, F f) {
    map.each_pair([&](Value k, Value value) {
      if (auto key = k.text())
        f(*key, at(*key), value);
      else
        builder_.unknown_key(word(k.kind()), 0);
    });
  }

  template <class T>
  void set(std::optional<T> &out, std::string_view key, std::uint64_t offset,
           Value value) {
    if (!assign(out, value))
      builder_.bad_value(key, offset, expected(out), word(value.kind()));
  }

  template <class T>
  void set_first(std::optional<T> &out, std::string_view key,
                 std::uint64_t offset, Value value) {
    std::optional<T> next;
    set(next, key, offset, value);
    builder_.keep_first(out, next, key, offset);
  }

  // Whether one of `fields` has this key; then it is set.
  template <class T, class Owner, std::size_t N>
  bool field(const Field<T, Owner> (&fields)[N], Owner &owner,
             std::string_view key, std::uint64_t offset, Value value) {
    for (const Field<T, Owner> &f : fields)
      if (f.key == key) {
        set(owner.*f.member, key, offset, value);
        return true;
      }
    return false;
  }

  bool kernels(std::uint64_t offset, Value list);
  void kernel(Value map, KernelMetadata &k);
  void arguments(std::uint64_t offset, Value list, KernelMetadata &k);
  void argument(Value map, Argument &a);

  const char *start_;
  Metadata &out_;
  MetadataBuilder &builder_;
};

bool Decoder::root(Value root) {
  if (root.kind() != Kind::map) {
    builder_.bad_value("metadata", 0, "a map", word(root.kind()));
    return false;
  }
  bool kernels_known = false;
  pairs(root, [&](std::string_view key, std::uint64_t offset, Value value) {
    if (key == "amdhsa.version") {
      set_first(out_.version, key, offset, value);
    } else if (key == "amdhsa.target") {
      set_first(out_.target, key, offset, value);
    } else if (key == "amdhsa.kernels") {
      kernels_known = kernels(offset, value);
    } else if (key == "amdhsa.printf") {
      if (value.kind() != Kind::array)
        builder_.bad_value(key, offset, "an array", word(value.kind()));
      value.each([&](Value format) {
        if (auto text = format.text())
          out_.printf.push_back(*text);
        else
          builder_.bad_value(key, offset, "a text", word(format.kind()));
      });
    } else {
      builder_.unknown_key(key, offset);
    }
  });
  return kernels_known;
}

// Whether the whole list could be read.
bool Decoder::kernels(std::uint64_t offset, Value list) {
  if (list.kind() != Kind::array) {
    builder_.bad_value("amdhsa.kernels", offset, "an array", word(list.kind()));
    return false;
  }
  builder_.expect_kernels(list.count());
  bool whole = true;
  bool full = false;
  list.each([&](Value map) {
    if (full)
      return;
    if (map.kind() != Kind::map) {
      builder_.bad_value("amdhsa.kernels", offset, "a map", word(map.kind()));
      whole = false;
      return;
    }
    if (KernelMetadata *k = builder_.add_kernel(offset))
      kernel(map, *k);
    else
      full = true;
  });
  builder_.leave_kernel();
  return whole && !full;
}

void Decoder::kernel(Value map, KernelMetadata &k) {
  k.arguments_known = true;
  bool first = true;
  pairs(map, [&](std::string_view key, std::uint64_t offset, Value value) {
    if (first)
      k.offset += offset; // add_kernel() left it at the metadata's start
    first = false;
    if (key == ".args")
      arguments(offset, value, k);
    else if (!field(kKernelIntegers, k, key, offset, value) &&
             !field(kKernelTexts, k, key, offset, value) &&
             !field(kKernelBooleans, k, key, offset, value) &&
             !field(kKernelExtents, k, key, offset, value) &&
             !field(kKernelVersions, k, key, offset, value))
      builder_.unknown_key(key, offset);
  });
}

void Decoder::arguments(std::uint64_t offset, Value list, KernelMetadata &k) {
  if (list.kind() != Kind::array) {
    builder_.bad_value(".args", offset, "an array", word(list.kind()));
    k.arguments_known = false;
    return;
  }
  builder_.expect_arguments(k, list.count());
  bool full = false;
  list.each([&](Value map) {
    if (full)
      return;
    Argument *a = builder_.add_argument(k, offset);
    full = a == nullptr;
    if (full || map.kind() != Kind::map)
      k.arguments_known = false;
    if (full)
      return;
    if (map.kind() != Kind::map) {
      builder_.bad_value(".args", offset, "a map", word(map.kind()));
      return;
    }
    argument(map, *a);
    if (a->hidden)
      k.hidden_arguments++;
  });
}

void Decoder::argument(Value map, Argument &a) {
  pairs(map, [&](std::string_view key, std::uint64_t offset, Value value) {
    if (!field(kArgumentIntegers, a, key, offset, value) &&
        !field(kArgumentTexts, a, key, offset, value) &&
        !field(kArgumentBooleans, a, key, offset, value))
      builder_.unknown_key(key, offset);
  });
  a.hidden = a.value_kind && is_hidden(*a.value_kind);
}

} // namespace

std::string_view expected(const std::optional<std::uint64_t> &) {
  return "an integer";
}
std::string_view expected(const std::optional<std::string_view> &) {
  return "a text";
}
std::string_view expected(const std::optional<bool> &) { return "a boolean"; }
std::string_view expected(const std::optional<std::array<std::uint64_t, 2>> &) {
  return "two integers";
}
std::string_view expected(const std::optional<std::array<std::uint64_t, 3>> &) {
  return "three integers";
}

void Limitations::add(std::string_view code, std::string message,
                      std::uint64_t offset,
                      std::optional<std::uint32_t> kernel) {
  if (!has(code))
    codes.push_back(code);
  if (list.size() < kKept)
    list.push_back({code, std::move(message), offset, kernel});
  else
    dropped++;
}

bool Limitations::has(std::string_view code) const {
  return std::ranges::find(codes, code) != codes.end();
}

MetadataBuilder::MetadataBuilder(Metadata &out, MetadataFormat format,
                                 std::uint64_t base, const Limits &limits,
                                 Limitations &limitations)
    : out_(out), base_(base), limit_(limits.note_bytes),
      limitations_(limitations) {
  if (out.notes == 0)
    out.format = format;
  for (std::size_t i = 0; i < out.unknown_keys.size(); i++)
    keys_.emplace(out.unknown_keys[i].name, i);
}

bool MetadataBuilder::charge(std::uint64_t bytes, std::uint64_t offset) {
  if (fits(out_.record_bytes, bytes, limit_)) {
    out_.record_bytes += bytes;
    return true;
  }
  if (!limitations_.has("limit"))
    limitations_.add("limit", "metadata records (limit note_bytes)",
                     base_ + offset, kernel_);
  return false;
}

KernelMetadata *MetadataBuilder::add_kernel(std::uint64_t offset) {
  if (!charge(sizeof(KernelMetadata), offset))
    return nullptr;
  kernel_ = static_cast<std::uint32_t>(out_.kernels.size());
  KernelMetadata &k = out_.kernels.emplace_back();
  k.offset = base_;
  return &k;
}

Argument *MetadataBuilder::add_argument(KernelMetadata &kernel,
                                        std::uint64_t offset) {
  if (!charge(sizeof(Argument), offset))
    return nullptr;
  return &kernel.arguments.emplace_back();
}

void MetadataBuilder::expect_kernels(std::uint64_t count) {
  out_.kernels.reserve(out_.kernels.size() +
                       std::min(count, left() / sizeof(KernelMetadata)));
}

void MetadataBuilder::expect_arguments(KernelMetadata &kernel,
                                       std::uint64_t count) {
  kernel.arguments.reserve(kernel.arguments.size() +
                           std::min(count, left() / sizeof(Argument)));
}

void MetadataBuilder::unknown_key(std::string_view key, std::uint64_t offset) {
  out_.unknown_key_count++;
  if (auto known = keys_.find(key); known != keys_.end()) {
    out_.unknown_keys[known->second].count++;
  } else if (out_.unknown_keys.size() < Metadata::kKeptKeys) {
    keys_.emplace(key, out_.unknown_keys.size());
    out_.unknown_keys.push_back({key, 1, base_ + offset});
  }
}

void MetadataBuilder::bad_value(std::string_view key, std::uint64_t offset,
                                std::string_view expected_type,
                                std::string_view found) {
  limitations_.add(
      "bad-value",
      fmt::format("{}: expected {}, found {}", key, expected_type, found),
      base_ + offset, kernel_);
}

void MetadataBuilder::conflict(std::string_view key, std::uint64_t offset) {
  limitations_.add("metadata-conflict",
                   fmt::format("{}: not the same in all metadata notes", key),
                   base_ + offset);
}

void MetadataBuilder::damaged(const Error &error) {
  limitations_.add("damaged-metadata",
                   fmt::format("{}: {}", error.what, word(error.code)),
                   base_ + error.offset);
  damaged_ = true;
  // The last kernel may have lost arguments.
  if (!out_.kernels.empty())
    out_.kernels.back().arguments_known = false;
}

void MetadataBuilder::finish(bool kernels_known) {
  bool before = out_.notes == 0 || out_.kernels_known;
  out_.kernels_known = before && kernels_known && !damaged_;
  out_.notes++;
}

bool is_hidden(std::string_view value_kind) {
  return value_kind.starts_with("hidden") || value_kind.starts_with("Hidden");
}

void read_metadata(Bytes note, std::uint64_t base, const Limits &limits,
                   Metadata &out, Limitations &limitations) {
  MetadataBuilder builder(out, MetadataFormat::message_pack, base, limits,
                          limitations);
  msgpack::Parsed parsed = msgpack::parse(note, limits);
  bool kernels_known = false;
  if (!parsed.document.empty())
    kernels_known =
        Decoder(parsed.document, out, builder).root(parsed.document.root());
  if (parsed.damage)
    builder.damaged(*parsed.damage);
  else if (!std::ranges::all_of(note.subspan(parsed.document.end),
                                [](std::byte b) { return b == std::byte{0}; }))
    builder.damaged(
        {Errc::bad_value, parsed.document.end, "bytes after the metadata", {}});
  builder.finish(kernels_known);
}

} // namespace gantry::amdgpu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metadata of code object version 2 (LLVM's "User Guide for AMDGPU Backend",
// code object V2 metadata; observed with clang 14):
//
//   ---
//   Version:         [ 1, 0 ]
//   Printf:          [ '1:1:4:%d\n' ]
//   Kernels:
//     - Name:            axpy
//       SymbolName:      'axpy@kd'
//       Language:        OpenCL C
//       LanguageVersion: [ 2, 0 ]
//       Attrs:
//         ReqdWorkGroupSize: [ 64, 1, 1 ]
//       Args:
//         - Name:            x
//           Size:            4
//           Align:           4
//           ValueKind:       ByValue
//       CodeProps:
//         KernargSegmentSize: 52
//   ...
//
// Arguments have no offsets: they lie one after another, each at the next
// multiple of its Align.

#include "format/amdgpu_yaml.h"

#include "format/yaml.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace gantry::amdgpu {

namespace {

using yaml::Kind;
using yaml::Node;

constexpr Field<std::string_view, KernelMetadata> kKernelTexts[] = {
    {"Name", &KernelMetadata::name},
    {"SymbolName", &KernelMetadata::symbol},
    {"Language", &KernelMetadata::language},
};
constexpr Field<std::array<std::uint64_t, 2>, KernelMetadata>
    kKernelVersions[] = {
        {"LanguageVersion", &KernelMetadata::language_version},
};
constexpr Field<std::array<std::uint64_t, 3>, KernelMetadata> kAttrExtents[] = {
    {"ReqdWorkGroupSize", &KernelMetadata::reqd_workgroup_size},
    {"WorkGroupSizeHint", &KernelMetadata::workgroup_size_hint},
};
constexpr Field<std::string_view, KernelMetadata> kAttrTexts[] = {
    {"VecTypeHint", &KernelMetadata::vec_type_hint},
    {"RuntimeHandle", &KernelMetadata::device_enqueue_symbol},
};
constexpr Field<std::uint64_t, KernelMetadata> kPropIntegers[] = {
    {"KernargSegmentSize", &KernelMetadata::kernarg_segment_size},
    {"KernargSegmentAlign", &KernelMetadata::kernarg_segment_align},
    {"GroupSegmentFixedSize", &KernelMetadata::group_segment_fixed_size},
    {"PrivateSegmentFixedSize", &KernelMetadata::private_segment_fixed_size},
    {"WavefrontSize", &KernelMetadata::wavefront_size},
    {"NumSGPRs", &KernelMetadata::sgpr_count},
    {"NumVGPRs", &KernelMetadata::vgpr_count},
    {"NumSpilledSGPRs", &KernelMetadata::sgpr_spill_count},
    {"NumSpilledVGPRs", &KernelMetadata::vgpr_spill_count},
    {"MaxFlatWorkGroupSize", &KernelMetadata::max_flat_workgroup_size},
};
constexpr Field<bool, KernelMetadata> kPropBooleans[] = {
    {"IsDynamicCallStack", &KernelMetadata::uses_dynamic_stack},
    {"IsXNACKEnabled", &KernelMetadata::xnack_enabled},
};

constexpr Field<std::uint64_t, Argument> kArgumentIntegers[] = {
    {"Size", &Argument::size},
    {"Align", &Argument::align},
    {"Offset", &Argument::offset},
    {"PointeeAlign", &Argument::pointee_align},
};
constexpr Field<std::string_view, Argument> kArgumentTexts[] = {
    {"Name", &Argument::name},
    {"TypeName", &Argument::type_name},
    {"ValueKind", &Argument::value_kind},
    {"ValueType", &Argument::value_type},
    {"AddrSpaceQual", &Argument::address_space},
    {"AccQual", &Argument::access},
    {"ActualAccQual", &Argument::actual_access},
};
constexpr Field<bool, Argument> kArgumentBooleans[] = {
    {"IsConst", &Argument::is_const},
    {"IsRestrict", &Argument::is_restrict},
    {"IsVolatile", &Argument::is_volatile},
    {"IsPipe", &Argument::is_pipe},
};

std::optional<std::uint64_t> integer(const Node &n) {
  std::uint64_t v = 0;
  const char *end = n.text.data() + n.text.size();
  auto [stop, error] = std::from_chars(n.text.data(), end, v);
  if (n.kind != Kind::scalar || error != std::errc() || stop != end)
    return std::nullopt;
  return v;
}

class Decoder {
public:
  Decoder(const yaml::Document &document, Metadata &out,
          MetadataBuilder &builder)
      : document_(document), out_(out), builder_(builder) {}

  // Whether all kernels could be read.
  bool root();

private:
  // One overload per type of field: whether the node could be used.
  bool assign(std::optional<std::uint64_t> &out, const Node &n, std::size_t) {
    out = integer(n);
    return out.has_value();
  }
  bool assign(std::optional<std::string_view> &out, const Node &n,
              std::size_t) {
    if (n.kind == Kind::scalar)
      out = n.text;
    return out.has_value();
  }
  bool assign(std::optional<bool> &out, const Node &n, std::size_t) {
    if (n.kind == Kind::scalar && (n.text == "true" || n.text == "false"))
      out = n.text == "true";
    return out.has_value();
  }
  template <std::size_t N>
  bool assign(std::optional<std::array<std::uint64_t, N>> &out, const Node &n,
              std::size_t index) {
    std::array<std::uint64_t, N> numbers{};
    std::size_t count = 0, good = 0;
    if (n.kind == Kind::sequence)
      document_.each(index, [&](const Node &item, std::size_t) {
        auto v = integer(item);
        if (count < N)
          numbers[count] = v.value_or(0);
        count++;
        good += v ? 1 : 0;
      });
    if (count == N && good == N)
      out = numbers;
    return out.has_value();
  }

  template <class T>
  void set(std::optional<T> &out, const Node &n, std::size_t index) {
    out.reset();
    if (!n.empty() && !assign(out, n, index))
      bad(n, expected(out));
  }

  template <class T, class Owner, std::size_t N>
  bool field(const Field<T, Owner> (&fields)[N], Owner &owner, const Node &n,
             std::size_t index) {
    for (const Field<T, Owner> &f : fields)
      if (f.key == n.key) {
        set(owner.*f.member, n, index);
        return true;
      }
    return false;
  }

  // Whether the node has the kind; if not, that is reported.
  bool is(Kind kind, const Node &n) {
    if (n.kind != kind && !n.empty())
      bad(n, word(kind));
    return n.kind == kind;
  }
  void bad(const Node &n, std::string_view wanted) {
    builder_.bad_value(n.key.empty() ? "item" : n.key, n.offset, wanted,
                       n.kind == Kind::scalar ? n.text.substr(0, 40)
                                              : word(n.kind));
  }
  void unknown(const Node &n) { builder_.unknown_key(n.key, n.offset); }

  void printf(const Node &n, std::size_t index);
  bool kernels(const Node &n, std::size_t index);
  void kernel(std::size_t index, KernelMetadata &k);
  void attributes(std::size_t index, KernelMetadata &k);
  void properties(std::size_t index, KernelMetadata &k);
  void arguments(const Node &n, std::size_t index, KernelMetadata &k);
  void argument(std::size_t index, Argument &a);
  void lay_out(KernelMetadata &k);

  const yaml::Document &document_;
  Metadata &out_;
  MetadataBuilder &builder_;
};

bool Decoder::root() {
  if (document_.nodes.empty() || !is(Kind::map, document_.nodes[0]))
    return false;
  bool kernels_known = false;
  document_.each(0, [&](const Node &n, std::size_t index) {
    if (n.key == "Version") {
      std::optional<std::array<std::uint64_t, 2>> version;
      set(version, n, index);
      builder_.keep_first(out_.version, version, n.key, n.offset);
    } else if (n.key == "Printf")
      printf(n, index);
    else if (n.key == "Kernels")
      kernels_known = kernels(n, index);
    else
      unknown(n);
  });
  return kernels_known;
}

void Decoder::printf(const Node &n, std::size_t index) {
  if (!is(Kind::sequence, n))
    return;
  document_.each(index, [&](const Node &format, std::size_t) {
    if (is(Kind::scalar, format))
      out_.printf.push_back(format.text);
  });
}

// Whether the whole list could be read.
bool Decoder::kernels(const Node &n, std::size_t index) {
  if (n.empty())
    return true;
  if (!is(Kind::sequence, n))
    return false;
  bool whole = true;
  bool full = false;
  document_.each(index, [&](const Node &item, std::size_t i) {
    if (full || !is(Kind::map, item)) {
      whole = false;
      return;
    }
    if (KernelMetadata *k = builder_.add_kernel(item.offset)) {
      k->offset += item.offset;
      kernel(i, *k);
    } else {
      full = true;
    }
  });
  builder_.leave_kernel();
  return whole && !full;
}

void Decoder::kernel(std::size_t index, KernelMetadata &k) {
  k.arguments_known = true;
  document_.each(index, [&](const Node &n, std::size_t i) {
    if (n.key == "Args")
      arguments(n, i, k);
    else if (n.key == "Attrs")
      attributes(i, k);
    else if (n.key == "CodeProps")
      properties(i, k);
    else if (!field(kKernelTexts, k, n, i) && !field(kKernelVersions, k, n, i))
      unknown(n);
  });
}

void Decoder::attributes(std::size_t index, KernelMetadata &k) {
  if (!is(Kind::map, document_.nodes[index]))
    return;
  document_.each(index, [&](const Node &n, std::size_t i) {
    if (!field(kAttrExtents, k, n, i) && !field(kAttrTexts, k, n, i))
      unknown(n);
  });
}

void Decoder::properties(std::size_t index, KernelMetadata &k) {
  if (!is(Kind::map, document_.nodes[index]))
    return;
  document_.each(index, [&](const Node &n, std::size_t i) {
    if (!field(kPropIntegers, k, n, i) && !field(kPropBooleans, k, n, i))
      unknown(n);
  });
}

void Decoder::arguments(const Node &n, std::size_t index, KernelMetadata &k) {
  if (n.empty())
    return;
  k.arguments_known = is(Kind::sequence, n);
  if (!k.arguments_known)
    return;
  bool full = false;
  document_.each(index, [&](const Node &item, std::size_t i) {
    Argument *a = full ? nullptr : builder_.add_argument(k, item.offset);
    full = a == nullptr;
    if (full || !is(Kind::map, item)) {
      k.arguments_known = false;
      return;
    }
    argument(i, *a);
    if (a->hidden)
      k.hidden_arguments++;
  });
  lay_out(k);
}

void Decoder::argument(std::size_t index, Argument &a) {
  document_.each(index, [&](const Node &n, std::size_t i) {
    if (!field(kArgumentIntegers, a, n, i) && !field(kArgumentTexts, a, n, i) &&
        !field(kArgumentBooleans, a, n, i))
      unknown(n);
  });
  a.hidden = a.value_kind && is_hidden(*a.value_kind);
}

// Offsets that are not stated, as long as all sizes before are known.
void Decoder::lay_out(KernelMetadata &k) {
  constexpr std::uint64_t kSane = std::uint64_t{1} << 32;
  std::uint64_t at = 0;
  for (Argument &a : k.arguments) {
    if (!a.offset) {
      if (!a.align || !std::has_single_bit(*a.align) || *a.align > kSane)
        return;
      a.offset = (at + *a.align - 1) / *a.align * *a.align;
      a.offset_derived = true;
    }
    if (!a.size || *a.size > kSane || *a.offset > kSane)
      return;
    at = *a.offset + *a.size;
  }
}

} // namespace

void read_yaml_metadata(Bytes note, std::uint64_t base, const Limits &limits,
                        Metadata &out, Limitations &limitations) {
  MetadataBuilder builder(out, MetadataFormat::yaml, base, limits, limitations);
  yaml::Document document = yaml::parse(as_text(note), limits);
  if (!document.owned->empty())
    out.owned.push_back(document.owned);
  bool kernels_known = Decoder(document, out, builder).root();
  if (document.damage)
    builder.damaged(*document.damage);
  builder.finish(kernels_known);
}

} // namespace gantry::amdgpu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry ids of clang offload bundles (clang documentation, "Clang Offload
// Bundler"), and what compilers and build scripts wrote instead:
//
//   id     = kind "-" triple [ "-" target-id ]
//   triple = arch "-" vendor "-" os "-" [ environment ]
//
//   host-x86_64-unknown-linux                    clang 14 (clang 19: "--" more)
//   hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-       V4 and later
//   hip-amdgcn-amd-amdhsa-gfx1030                old: no environment, one dash
//   hcc-amdgcn--amdhsa-gfx803                    old: no vendor either
//   hipv4-amdgcn-amd-amdhsa-unknown-gfx906       environment spelled out
//   hipv4-amdgcn-amd-amdhsa-unknown--gfx1100     and one dash too many
//   hipv4-amdgpu9.42-amd-amdhsa--                processor in the triple
//
// So fields are cut at the first dashes only, and the rest is the target id,
// whose own dashes (gfx9-4-generic) stay. A fourth field that looks like a
// target id is one.

#include "gantry/target.h"

#include "target/amd_name.h"
#include "target/amd_table.h"

#include <algorithm>

namespace gantry {

namespace {

struct KindName {
  std::string_view text;
  OffloadKind kind;
};
constexpr KindName kKinds[] = {
    {"host", OffloadKind::host},   {"hip", OffloadKind::hip},
    {"hipv4", OffloadKind::hipv4}, {"openmp", OffloadKind::openmp},
    {"sycl", OffloadKind::sycl},   {"hcc", OffloadKind::hcc},
};

constexpr std::string_view kSubPrefix = "amdgpu";

struct Triple {
  std::string_view arch, vendor, os, environment, target_id;
};

// The text up to the next dash, which is removed too.
std::string_view cut(std::string_view &rest) {
  std::size_t dash = std::min(rest.find('-'), rest.size());
  std::string_view field = rest.substr(0, dash);
  rest.remove_prefix(std::min(dash + 1, rest.size()));
  return field;
}

bool looks_like_target_id(std::string_view text) {
  auto numbered = [&](std::string_view prefix) {
    return text.size() > prefix.size() && text.starts_with(prefix) &&
           text[prefix.size()] >= '0' && text[prefix.size()] <= '9';
  };
  return numbered("gfx") || numbered("sm_") || text == "amdgcnspirv";
}

Triple split(std::string_view text) {
  Triple t;
  t.arch = cut(text);
  t.vendor = cut(text);
  t.os = cut(text);
  if (!looks_like_target_id(text)) {
    t.environment = cut(text);
    text.remove_prefix(std::min(text.find_first_not_of('-'), text.size()));
  }
  t.target_id = text;
  return t;
}

bool is_amd(std::string_view arch) {
  return arch == "amdgcn" || arch == "r600" || arch.starts_with(kSubPrefix);
}

// What the architecture alone says.
std::optional<Target> from_arch(std::string_view arch) {
  if (is_amd(arch)) {
    if (!arch.starts_with(kSubPrefix))
      return std::nullopt;
    auto processor = amd::sub_processor(arch.substr(kSubPrefix.size()));
    if (processor.empty())
      return std::nullopt;
    return amd::target(processor);
  }
  if (arch.empty() || arch.starts_with("nvptx"))
    return std::nullopt;
  return other_target(arch);
}

std::optional<Target> from_arch_and_id(std::string_view arch,
                                       std::string_view id) {
  if (id.empty() || id == "generic")
    return from_arch(arch);
  if (is_amd(arch) || id.starts_with("gfx")) {
    auto t = amd::parse_id(id);
    return t ? std::optional(*std::move(t)) : std::nullopt;
  }
  if (arch.starts_with("nvptx") || id.starts_with("sm_")) {
    auto t = parse_target(id);
    if (t && t->target.vendor == Vendor::nvidia)
      return std::move(t)->target;
    return std::nullopt;
  }
  return other_target(id);
}

// Before V4 the ISA name of a processor with xnack was a number of its own
// (LLVM, code object V2).
struct OldName {
  std::string_view name, processor;
};
constexpr OldName kNamesWithXnack[] = {
    {"gfx901", "gfx900"},
    {"gfx903", "gfx902"},
    {"gfx905", "gfx904"},
    {"gfx907", "gfx906"},
};

} // namespace

std::optional<Target> target_from_triple(std::string_view triple,
                                         std::string_view target_id) {
  return from_arch_and_id(cut(triple), target_id);
}

EntryId parse_entry_id(std::string_view id) {
  EntryId out;
  out.raw = id;
  out.kind_text = cut(id);
  auto kind = std::ranges::find(kKinds, out.kind_text, &KindName::text);
  if (kind != std::end(kKinds))
    out.kind = kind->kind;

  Triple t = split(id);
  out.arch = t.arch;
  out.vendor = t.vendor;
  out.os = t.os;
  out.environment = t.environment;
  out.target_id = t.target_id;
  out.is_host = out.kind == OffloadKind::host;
  if (out.is_host) {
    out.target = other_target("host");
    return out;
  }
  // Something else with dashes in it ("gfx11-generic") is no entry id.
  if (out.kind == OffloadKind::other && t.os.empty())
    return out;
  out.target = from_arch_and_id(t.arch, t.target_id);
  // The kind "hip" and others say nothing about the version: clang 22 writes
  // it for any.
  if (out.target && (out.kind == OffloadKind::hipv4 ||
                     t.target_id.find(':') != t.target_id.npos))
    amd::omitted_means_any(*out.target);
  return out;
}

std::optional<Target> amd_target_from_text(std::string_view text,
                                           std::uint8_t abi_version) {
  constexpr std::uint8_t kV4 = 2;
  std::optional<Target> out;
  if (text.starts_with("gfx")) {
    out = from_arch_and_id({}, text);
  } else {
    Triple t = split(text);
    if (is_amd(t.arch))
      out = from_arch_and_id(t.arch, t.target_id);
  }
  if (!out)
    return out;
  if (abi_version >= kV4) {
    amd::omitted_means_any(*out);
    return out;
  }
  auto old = std::ranges::find(kNamesWithXnack, out->processor, &OldName::name);
  if (old != std::end(kNamesWithXnack))
    out = amd::target(old->processor, out->sramecc, Feature::on_or_any);
  return out;
}

std::string_view word(OffloadKind kind) {
  auto at = std::ranges::find(kKinds, kind, &KindName::kind);
  return at != std::end(kKinds) ? at->text : "other";
}

} // namespace gantry

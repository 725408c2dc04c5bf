// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The spelling of the model's vocabularies. JSON and --kind use these words, so
// they are stable.

#include "gantry/inspect.h"

namespace gantry::inspect {

std::string_view word(Analysis a) {
  return a == Analysis::inventory ? "inventory" : "kernels";
}

std::string_view word(Coverage c) {
  switch (c) {
  case Coverage::not_requested:
    return "not-requested";
  case Coverage::not_selected:
    return "not-selected";
  case Coverage::unexamined:
    return "unexamined";
  case Coverage::partial:
    return "partial";
  case Coverage::complete:
    return "complete";
  }
  return "unexamined";
}

std::string_view word(ObjectKind k) {
  switch (k) {
  case ObjectKind::cubin:
    return "cubin";
  case ObjectKind::ptx:
    return "ptx";
  case ObjectKind::lto_ir:
    return "lto-ir";
  case ObjectKind::amdgpu:
    return "amdgpu";
  case ObjectKind::bitcode:
    return "bitcode";
  case ObjectKind::spirv:
    return "spirv";
  case ObjectKind::sycl_image:
    return "sycl-image";
  case ObjectKind::tile_ir:
    return "tile-ir";
  case ObjectKind::unknown:
    return "unknown";
  }
  return "unknown";
}

std::string_view word(ContainerKind k) {
  switch (k) {
  case ContainerKind::section:
    return "section";
  case ContainerKind::fatbin:
    return "fatbin";
  case ContainerKind::bundle:
    return "bundle";
  case ContainerKind::ccob:
    return "ccob";
  case ContainerKind::offload_binary:
    return "offload-binary";
  case ContainerKind::kpack:
    return "kpack";
  case ContainerKind::bare:
    return "bare";
  case ContainerKind::text_bundle:
    return "text-bundle";
  case ContainerKind::sycl_images:
    return "sycl-images";
  case ContainerKind::member:
    return "member";
  }
  return "bare";
}

std::string_view word(FoundBy f) {
  switch (f) {
  case FoundBy::file:
    return "file";
  case FoundBy::section:
    return "section";
  case FoundBy::wrapper:
    return "wrapper";
  case FoundBy::content:
    return "content";
  }
  return "content";
}

std::optional<Analysis> analysis_from(std::string_view text) {
  for (Analysis a : {Analysis::inventory, Analysis::kernels})
    if (word(a) == text)
      return a;
  return std::nullopt;
}

std::optional<ObjectKind> object_kind_from(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(ObjectKind::unknown); i++)
    if (word(static_cast<ObjectKind>(i)) == text)
      return static_cast<ObjectKind>(i);
  return std::nullopt;
}

} // namespace gantry::inspect

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/verb.h"

namespace gantry::cli {

namespace {
constexpr const Verb *kVerbs[] = {&kInspect,    &kView, &kExtract, &kExplain,
                                  &kCompletion, &kHelp, &kVersion};
}

std::span<const Verb *const> verbs() { return kVerbs; }

const Verb *find_verb(std::string_view name) {
  for (const Verb *verb : kVerbs)
    if (verb->name == name)
      return verb;
  return nullptr;
}

} // namespace gantry::cli

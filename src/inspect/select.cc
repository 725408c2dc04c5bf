// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/select.h"

#include "base/demangle.h"
#include "base/error.h"
#include "gantry/target.h"

#include <algorithm>

namespace gantry::inspect {

namespace {

// "ns::fill<double>" of "void ns::fill<double>(double*, int)": without return
// type and parameters, the way people name a kernel.
std::string_view function_name(std::string_view readable) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < readable.size(); i++) {
    const char c = readable[i];
    if (c == '<')
      depth++;
    else if (c == '>')
      depth--;
    else if (depth == 0 && c == ' ')
      begin = i + 1;
    else if (depth == 0 && c == '(' && i != begin)
      return readable.substr(begin, i - begin);
  }
  return readable.substr(begin);
}

} // namespace

Result<Selection> Selection::parse(const Options &options) {
  Selection s;
  for (const std::string &text : options.targets) {
    auto parsed = parse_target(text);
    if (!parsed) {
      // An entry id means this spelling, also when it names no processor.
      EntryId id = parse_entry_id(text);
      if (id.kind == OffloadKind::other || id.arch.empty())
        return std::unexpected(std::move(parsed).error().in("target " + text));
      s.targets_.push_back({text, {}, std::nullopt});
      continue;
    }
    Wanted wanted{text, target_name(parsed->target), std::nullopt};
    if (parsed->spelling == Spelling::compute)
      wanted.kind = ObjectKind::ptx;
    else if (parsed->spelling == Spelling::lto)
      wanted.kind = ObjectKind::lto_ir;
    s.targets_.push_back(std::move(wanted));
  }
  s.kinds_ = options.kinds;
  s.kernels_ = options.kernels;
  return s;
}

bool Selection::selects(const Object &o) const {
  if (!kinds_.empty() && std::ranges::find(kinds_, o.kind) == kinds_.end())
    return false;
  return targets_.empty() ||
         std::ranges::any_of(targets_, [&](const Wanted &w) {
           return w.text == o.declared ||
                  (!w.target.empty() && w.target == o.target &&
                   (!w.kind || *w.kind == o.kind));
         });
}

bool Selection::selects(const Kernel &k) const {
  if (kernels_.empty())
    return true;
  if (std::ranges::find(kernels_, k.name) != kernels_.end() ||
      std::ranges::find(kernels_, k.symbol) != kernels_.end())
    return true;
  const std::string readable = demangle(k.name);
  if (readable.empty())
    return false;
  const std::string_view function = function_name(readable);
  const std::string_view plain = function.substr(0, function.find('<'));
  return std::ranges::any_of(kernels_, [&](const std::string &wanted) {
    return wanted == readable || wanted == function || wanted == plain;
  });
}

} // namespace gantry::inspect

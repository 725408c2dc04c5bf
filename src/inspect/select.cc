// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/select.h"

#include "base/demangle.h"
#include "base/error.h"
#include "gantry/target.h"

#include <fmt/core.h>

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
      const bool is_id = id.kind != OffloadKind::other && !id.arch.empty();
      // Bitcode is made for what its triple says.
      if (!is_id && !is_triple(text))
        return std::unexpected(std::move(parsed).error().in("target " + text));
      s.targets_.push_back({text, is_id ? "" : text, std::nullopt});
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
  s.objects_ = options.objects;
  std::ranges::sort(s.objects_);
  return s;
}

bool Selection::selects(const Object &o) const {
  if (!objects_.empty() && !std::ranges::binary_search(objects_, o.id))
    return false;
  if (!kinds_.empty() && std::ranges::find(kinds_, o.kind) == kinds_.end())
    return false;
  return targets_.empty() ||
         std::ranges::any_of(targets_, [&](const Wanted &w) {
           return w.text == o.declared ||
                  (!w.target.empty() && w.target == o.target &&
                   (!w.kind || *w.kind == o.kind));
         });
}

bool Selection::reaches(std::string_view container) const {
  if (objects_.empty())
    return true;
  const std::string inside = std::string(container) + '.';
  auto at = std::ranges::lower_bound(objects_, inside);
  return at != objects_.end() && at->starts_with(inside);
}

Result<void> Selection::check_ids(const Report &report) const {
  std::vector<bool> found(objects_.size());
  for (const Object &o : report.objects) {
    auto at = std::ranges::lower_bound(objects_, o.id);
    for (; at != objects_.end() && *at == o.id; ++at)
      found[static_cast<std::size_t>(at - objects_.begin())] = true;
  }
  auto missing = std::ranges::find(found, false);
  if (missing == found.end())
    return {};
  const std::string &id =
      objects_[static_cast<std::size_t>(missing - found.begin())];
  const bool is_container =
      std::ranges::find(report.containers, id, &Container::id) !=
      report.containers.end();
  return fail(Errc::not_found, 0,
              is_container ? fmt::format("{} is a container, not an object", id)
                           : fmt::format("there is no object {}", id));
}

bool Selection::selects(const Kernel &k) const {
  if (kernels_.empty())
    return true;
  if (std::ranges::find(kernels_, k.name) != kernels_.end() ||
      std::ranges::find(kernels_, k.symbol) != kernels_.end())
    return true;
  const std::string readable =
      k.demangled.empty() ? demangle(k.name) : k.demangled;
  if (readable.empty())
    return false;
  const std::string_view function = function_name(readable);
  const std::string_view plain = function.substr(0, function.find('<'));
  return std::ranges::any_of(kernels_, [&](const std::string &wanted) {
    return wanted == readable || wanted == function || wanted == plain;
  });
}

} // namespace gantry::inspect

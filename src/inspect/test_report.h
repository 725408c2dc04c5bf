// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests and fuzzing: what holds for the report of any file, however
// damaged.
#pragma once

#include "base/reader.h"
#include "gantry/inspect.h"

#include <algorithm>
#include <set>

namespace gantry::inspect {

inline bool lies_in_file(const Report &r, const Location &l) {
  return !l.in.empty() || fits(l.offset, l.size, r.size);
}

inline std::string broken_container_rule(const Report &r) {
  std::set<std::string_view> ids;
  for (std::uint32_t i = 0; i < r.containers.size(); i++) {
    const Container &c = r.containers[i];
    if (!lies_in_file(r, c.location))
      return "container " + c.id + " lies in the file";
    if (c.parent != kNone && c.parent >= i)
      return "container " + c.id + " follows its parent";
    if (!ids.insert(c.id).second)
      return "container id " + c.id + " is unique";
    // Of these the entries may say it.
    const bool of_entries = c.kind == ContainerKind::bundle ||
                            c.kind == ContainerKind::text_bundle ||
                            c.kind == ContainerKind::offload_binary;
    if ((c.coverage == Coverage::complete) != c.limitations.empty() &&
        !of_entries)
      return "container " + c.id + " says why it is partial";
  }
  return {};
}

inline std::string broken_object_rule(const Report &r) {
  std::vector<std::uint64_t> kernels(r.objects.size());
  for (const Kernel &k : r.kernels) {
    if (k.object >= r.objects.size())
      return "kernel " + k.name + " belongs to an object";
    kernels[k.object]++;
  }
  // Where bytes are stored: in the file, of a package in its members.
  std::set<std::string_view> places;
  if (r.package.format.empty())
    places.insert("");
  for (const Container &c : r.containers)
    if (c.kind == ContainerKind::member)
      places.insert(c.id);
  std::set<std::string_view> ids;
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < r.objects.size(); i++) {
    const Object &o = r.objects[i];
    if (!lies_in_file(r, o.location) || !lies_in_file(r, o.encoded_location) ||
        !places.contains(o.encoded_location.in) ||
        (o.cuda_header && !lies_in_file(r, o.cuda_header->location)))
      return "object " + o.id + " lies in the file";
    if (o.container >= r.containers.size() || o.container < last)
      return "object " + o.id + " stands in its container's order";
    last = o.container;
    if (!ids.insert(o.id).second)
      return "object id " + o.id + " is unique";
    if (o.selected == (o.kernel_analysis == Coverage::not_selected))
      return "object " + o.id + " says whether it is selected";
    if (r.analysis == Analysis::inventory && o.selected &&
        o.kernel_analysis != Coverage::not_requested)
      return "object " + o.id + " was not asked for kernels";
    if (kernels[i] > o.kernels.value_or(0))
      return "object " + o.id + " counts its kernels";
    if (o.kernel_analysis == Coverage::complete && !o.kernels)
      return "object " + o.id + " knows its kernels";
  }
  return {};
}

// Whether something is wrong or was not looked at.
inline bool is_doubtful(const Report &r) {
  return !r.searched ||
         std::ranges::any_of(r.containers,
                             [](const Container &c) {
                               return c.coverage != Coverage::complete;
                             }) ||
         std::ranges::any_of(r.objects, [](const Object &o) {
           return !o.limitations.empty() || !o.selected ||
                  o.target_consistency == "conflict";
         });
}

// The first rule that a report breaks; "" for none.
inline std::string broken_rule(const Report &r) {
  const Usage &u = r.usage;
  if (u.object_bytes + u.compressed_together_bytes + u.container_bytes +
          u.padding_bytes + u.other_bytes !=
      u.accounted_bytes)
    return "usage adds up to what is accounted for";
  if (r.package.format.empty() && u.accounted_bytes != r.size)
    return "usage is about the whole file";
  if (std::string rule = broken_container_rule(r); !rule.empty())
    return rule;
  if (std::string rule = broken_object_rule(r); !rule.empty())
    return rule;
  std::uint64_t in_rows = 0;
  for (const TargetRow &row : r.targets)
    in_rows += row.objects;
  if (in_rows != r.objects.size())
    return "every object stands in one row";
  if (is_doubtful(r) && r.coverage == Coverage::complete)
    return "a report with doubts is partial";
  if (!is_doubtful(r) && r.coverage != Coverage::complete &&
      r.limitations.empty() && r.analysis == Analysis::inventory)
    return "a partial report says why";
  return {};
}

inline const Limitation *find(const std::vector<Limitation> &list,
                              std::string_view code) {
  auto at = std::ranges::find(list, code, &Limitation::code);
  return at == list.end() ? nullptr : &*at;
}

} // namespace gantry::inspect

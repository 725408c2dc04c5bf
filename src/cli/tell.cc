// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/tell.h"

#include "base/text.h"
#include "gantry/target.h"

#include <fmt/core.h>

namespace gantry::cli {

namespace {

void tell(const Console &console, const std::string &path,
          const std::string &where, const inspect::Limitation &limitation) {
  std::string line = printable(path);
  if (!where.empty())
    line += "!" + printable(where);
  line += ": " + printable(limitation.message);
  if (limitation.offset)
    line += fmt::format(" (at byte {:#x})", *limitation.offset);
  console.note(fmt::format("{} [{}]", line, printable(limitation.code)));
}

} // namespace

void tell_limitations(const Console &console, const inspect::Report &report) {
  for (const auto &one : report.limitations)
    tell(console, report.path, {}, one);
  for (const auto &container : report.containers)
    for (const auto &one : container.limitations)
      tell(console, report.path, container.id, one);
  for (const auto &object : report.objects)
    for (const auto &one : object.limitations)
      tell(console, report.path, object.id, one);
  for (const auto &kernel : report.kernels)
    for (const auto &one : kernel.limitations)
      tell(console, report.path,
           kernel.object == inspect::kNone
               ? kernel.name
               : report.objects[kernel.object].id + ": " + kernel.name,
           one);
}

void tell_unknown_targets(const Console &console,
                          const std::vector<std::string> &targets) {
  for (const std::string &text : targets) {
    const auto parsed = parse_target(text);
    if (!parsed)
      continue;
    const Target &target = parsed->target;
    const bool known = target.vendor == Vendor::nvidia
                           ? find_sm(target.sm) != nullptr
                       : target.vendor == Vendor::amd
                           ? find_amd_processor(target.processor) != nullptr
                           : true;
    if (!known)
      console.note(fmt::format("{} is no target that gantry knows; it is "
                               "looked for all the same",
                               printable(text)));
  }
}

} // namespace gantry::cli

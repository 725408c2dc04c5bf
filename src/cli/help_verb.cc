// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gantry help [VERB]
#include "cli/dispatch.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/topics.h"

namespace gantry::cli {

namespace {

int run(const Arguments &arguments, Console &console) {
  if (arguments.operands().empty())
    return print(help_overview(), console);
  const std::string &name = arguments.operands()[0];
  if (const Verb *verb = find_verb(name))
    return print(help_of(*verb), console);
  if (const Topic *topic = find_topic(name))
    return print(topic->text, console);
  return console.fail(unknown_verb(name));
}

constexpr Status kStatuses[] = {
    {0, "The help was printed."},
    {2, "There is no such verb or topic, or writing failed."},
};

} // namespace

constinit const Verb kHelp{
    .name = "help",
    .group = "Learn",
    .summary = "how to use gantry, or one of its verbs",
    .about = "The same as gantry VERB --help. Topics of gantry explain are "
             "taken, too.",
    .operand = {"VERB", ValueKind::verb, 0, 1},
    .statuses = kStatuses,
    .run = run};

} // namespace gantry::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gantry help [VERB]
#include "cli/dispatch.h"
#include "cli/help.h"
#include "cli/man.h"
#include "cli/parse.h"
#include "cli/topics.h"

namespace gantry::cli {

namespace {

int run(const Arguments &arguments, Console &console) {
  const bool man = arguments.has("man");
  if (arguments.operands().empty())
    return print(man ? man_overview() : help_overview(), console);
  const std::string &name = arguments.operands()[0];
  if (const Verb *verb = find_verb(name))
    return print(man ? man_page(*verb) : help_of(*verb), console);
  if (const Topic *topic = find_topic(name))
    return print(topic->text, console);
  return console.fail(unknown_verb(name));
}

constexpr Option kOptions[] = {
    {.name = "man",
     .help = "The manual page of gantry or of VERB, for man(1).",
     .group = kOutputGroup},
};

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
    .options = kOptions,
    .statuses = kStatuses,
    .run = run};

} // namespace gantry::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gantry explain TOPIC
#include "base/text.h"
#include "cli/dispatch.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/topics.h"
#include "gantry/target.h"

#include <fmt/core.h>

namespace gantry::cli {

namespace {

std::string list_of_topics() {
  std::string out = "gantry explain TOPIC explains:\n\n";
  for (const Topic &topic : topics())
    out += fmt::format("  {:<13} {}\n", topic.name, topic.summary);
  return out;
}

std::string known_targets() {
  std::string names;
  for (const std::string &name : known_target_names())
    names += (names.empty() ? "" : " ") + name;
  return "\nNames that gantry knows\n" + wrapped(names, 2);
}

int run(const Arguments &arguments, Console &console) {
  if (arguments.operands().empty())
    return print(list_of_topics(), console);
  const std::string &name = arguments.operands()[0];
  if (name == "targets")
    return print(std::string(find_topic(name)->text) + known_targets(),
                 console);
  if (const Topic *topic = find_topic(name))
    return print(topic->text, console);
  std::vector<std::string_view> names;
  for (const Topic &topic : topics())
    names.push_back(topic.name);
  return console.fail(
      {Errc::invalid_argument,
       fmt::format("there is no topic {}", printable(name)),
       did_you_mean(name, names, "gantry explain lists the topics")});
}

constexpr Status kStatuses[] = {
    {0, "The text was printed."},
    {2, "There is no such topic, or writing failed."},
};

constexpr Example kExamples[] = {
    {"gantry explain", "Which topics are there?"},
    {"gantry explain targets", "What do sm_90a and gfx90a:xnack+ mean?"},
};

} // namespace

constinit const Verb kExplain{
    .name = "explain",
    .group = "Learn",
    .summary = "the words in gantry's answers, in prose; alone: the topics",
    .operand = {"TOPIC", ValueKind::topic, 0, 1},
    .statuses = kStatuses,
    .examples = kExamples,
    .run = run};

} // namespace gantry::cli

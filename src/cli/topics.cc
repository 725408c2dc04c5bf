// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each text is one raw string literal, so that it reads as it prints.
#include "cli/topics.h"

namespace gantry::cli {

namespace {

constexpr Topic kTopics[] = {
    {
        "targets",
        "names of targets, and which GPUs run code for them",
#include "cli/topics/targets.txt"
    },
    {
        "kinds",
        "kinds of code objects, and what each still needs to run",
#include "cli/topics/kinds.txt"
    },
    {
        "containers",
        "where GPU code lies in a file, ids, how bytes add up",
#include "cli/topics/containers.txt"
    },
    {
        "consistency",
        "declared against observed target",
#include "cli/topics/consistency.txt"
    },
    {
        "coverage",
        "how much was looked at, and what that means for an answer",
#include "cli/topics/coverage.txt"
    },
    {
        "limitations",
        "the codes that say why something is not known",
#include "cli/topics/limitations.txt"
    },
    {
        "fields",
        "what --fields can ask for",
#include "cli/topics/fields.txt"
    },
    {
        "ids",
        "naming one code object, and which file it is in",
#include "cli/topics/ids.txt"
    },
    {
        "pages",
        "--limit, --after, texts, saved records, interrupts",
#include "cli/topics/pages.txt"
    },
    {
        "exit-codes",
        "exit statuses, and how to use them in scripts",
#include "cli/topics/exit-codes.txt"
    },
};

} // namespace

std::span<const Topic> topics() { return kTopics; }

const Topic *find_topic(std::string_view name) {
  for (const Topic &topic : kTopics)
    if (topic.name == name)
      return &topic;
  return nullptr;
}

} // namespace gantry::cli

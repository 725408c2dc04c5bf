// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gantry completion SHELL
#include "cli/completion.h"

#include "base/text.h"
#include "cli/dispatch.h"
#include "cli/parse.h"
#include "cli/topics.h"
#include "gantry/report.h"
#include "gantry/target.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::cli {

namespace {

struct Shell {
  std::string_view name;
  std::string (*script)();
};
constexpr Shell kShells[] = {{"bash", bash_completion},
                             {"zsh", zsh_completion},
                             {"fish", fish_completion}};

std::vector<std::string> field_names() {
  std::vector<std::string> out;
  for (auto c : {report::Collection::targets, report::Collection::objects,
                 report::Collection::kernels, report::Collection::containers})
    for (std::string_view name : report::fields(c))
      if (std::ranges::find(out, name) == out.end())
        out.emplace_back(name);
  return out;
}

int run(const Arguments &arguments, Console &console) {
  const std::string &name = arguments.operands()[0];
  for (const Shell &shell : kShells)
    if (shell.name == name)
      return print(shell.script(), console);
  std::vector<std::string_view> known;
  for (const Shell &shell : kShells)
    known.push_back(shell.name);
  return console.fail(
      {Errc::invalid_argument,
       fmt::format("there is no completion for {}", printable(name)),
       did_you_mean(name, known, "gantry knows bash, zsh and fish")});
}

constexpr Status kStatuses[] = {
    {0, "The script was printed."},
    {2, "Wrong usage, or writing failed."},
};

constexpr Example kExamples[] = {
    {"source <(gantry completion bash)", "For this bash."},
    {"gantry completion zsh > ~/.zfunc/_gantry",
     "For every zsh, where ~/.zfunc is in fpath."},
    {"gantry completion fish > ~/.config/fish/completions/gantry.fish",
     "For every fish."},
};

} // namespace

std::vector<std::string> offered(ValueKind kind,
                                 std::span<const std::string_view> choices) {
  std::vector<std::string> out(choices.begin(), choices.end());
  switch (kind) {
  case ValueKind::target:
    return known_target_names();
  case ValueKind::field:
    return field_names();
  case ValueKind::topic:
    for (const Topic &topic : topics())
      out.emplace_back(topic.name);
    break;
  case ValueKind::verb:
    for (const Verb *verb : verbs())
      out.emplace_back(verb->name);
    break;
  case ValueKind::limit:
    for (const LimitName &limit : limit_names())
      out.push_back(fmt::format("{}=", limit.name));
    break;
  case ValueKind::shell:
    for (const Shell &shell : kShells)
      out.emplace_back(shell.name);
    break;
  default:
    break;
  }
  return out;
}

std::string identifier(std::string_view verb) {
  std::string out(verb);
  std::ranges::replace(out, '-', '_');
  return out;
}

constinit const Verb kCompletion{
    .name = "completion",
    .group = "Learn",
    .summary = "a completion script for bash, zsh or fish",
    .about = "Prints a script that lets the shell complete verbs, options and "
             "their values. An installed gantry brings all three along.",
    .operand = {"SHELL", ValueKind::shell, 1, 1},
    .statuses = kStatuses,
    .examples = kExamples,
    .run = run};

} // namespace gantry::cli

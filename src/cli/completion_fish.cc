// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/completion.h"

#include <fmt/core.h>

namespace gantry::cli {

namespace {

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + "'";
}

std::string words(ValueKind kind, std::span<const std::string_view> choices) {
  std::string out;
  for (const std::string &word : offered(kind, choices))
    out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string line(const Verb &verb, const Option &option) {
  std::string out = fmt::format(
      "complete -c gantry -n '__fish_seen_subcommand_from {}' -l {}", verb.name,
      option.name);
  if (option.letter)
    out += fmt::format(" -s {}", option.letter);
  if (option.kind != ValueKind::none) {
    out += takes_files(option.kind) ? " -rF" : " -x";
    if (std::string list = words(option.kind, option.choices); !list.empty())
      // Of a list only the last part is completed.
      out += option.list ? fmt::format(" -a \"(__fish_append , {})\"", list)
                         : fmt::format(" -a {}", quoted(list));
  }
  return out +
         fmt::format(" -d {}\n",
                     quoted(option.help.substr(0, option.help.find(". "))));
}

} // namespace

std::string fish_completion() {
  std::string out = "# fish completion for gantry\n"
                    "complete -c gantry -f\n";
  for (const Verb *verb : verbs())
    out +=
        fmt::format("complete -c gantry -n __fish_use_subcommand -a {} -d {}\n",
                    verb->name, quoted(verb->summary));
  for (const Verb *verb : verbs()) {
    for (const Option &option : verb->options)
      out += line(*verb, option);
    const Operand &operand = verb->operand;
    if (operand.most == 0)
      continue;
    std::string list = words(operand.kind, {});
    out += fmt::format(
        "complete -c gantry -n '__fish_seen_subcommand_from {}'{}\n",
        verb->name,
        takes_files(operand.kind) ? std::string(" -F")
                                  : fmt::format(" -a {}", quoted(list)));
  }
  return out;
}

} // namespace gantry::cli

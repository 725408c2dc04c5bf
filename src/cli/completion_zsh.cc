// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/completion.h"

#include <fmt/core.h>

namespace gantry::cli {

namespace {

// For a string between single quotes in a spec of _arguments, where brackets
// and colons have a meaning.
std::string quoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string action(ValueKind kind, std::span<const std::string_view> choices,
                   bool list) {
  if (takes_files(kind))
    return "_files";
  std::string words;
  for (const std::string &word : offered(kind, choices))
    words += " " + quoted(word);
  if (words.empty())
    return " ";
  if (list)
    return "_sequence compadd -" + words;
  return "(" + words.substr(1) + ")";
}

// The first sentence: a menu has one line each.
std::string_view brief(std::string_view help) {
  return help.substr(0, help.find(". "));
}

std::string spec(const Option &option) {
  std::string value =
      option.kind == ValueKind::none
          ? ""
          : fmt::format(":{}:{}", quoted(option.value),
                        action(option.kind, option.choices, option.list));
  std::string tail = fmt::format("'[{}]{}'", quoted(brief(option.help)), value);
  std::string many = option.repeatable ? "*" : "";
  std::string equals = option.kind == ValueKind::none ? "" : "=";
  std::string out =
      fmt::format("    '{}--{}{}{}", many, option.name, equals, tail.substr(1));
  if (option.letter)
    out +=
        fmt::format(" \\\n    '{}-{}{}", many, option.letter, tail.substr(1));
  return out + " \\\n";
}

} // namespace

std::string zsh_completion() {
  std::string out = "#compdef gantry\n\n";
  for (const Verb *verb : verbs()) {
    out += fmt::format("_gantry_{}() {{\n  _arguments -s -S \\\n",
                       identifier(verb->name));
    for (const Option &option : verb->options)
      out += spec(option);
    out += "    '--help[how to use it]'";
    if (verb->operand.most != 0)
      out += fmt::format(
          " \\\n    '{}:{}:{}'", verb->operand.most > 1 ? "*" : "1",
          quoted(verb->operand.name), action(verb->operand.kind, {}, false));
    out += "\n}\n\n";
  }
  out += "_gantry() {\n"
         "  if ((CURRENT == 2)); then\n"
         "    local -a verbs=(\n";
  for (const Verb *verb : verbs())
    out += fmt::format("      '{}:{}'\n", verb->name, quoted(verb->summary));
  return out + "    )\n"
               "    _describe verb verbs\n"
               "    return\n"
               "  fi\n"
               "  local call=_gantry_${words[2]//-/_}\n"
               "  shift words\n"
               "  ((CURRENT--))\n"
               "  (($+functions[$call])) && $call\n"
               "}\n\n"
               "if [ \"$funcstack[1]\" = _gantry ]; then\n"
               "  _gantry \"$@\"\n"
               "else\n"
               "  compdef _gantry gantry\n"
               "fi\n";
}

} // namespace gantry::cli

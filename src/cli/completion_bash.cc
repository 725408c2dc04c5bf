// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bash splits words at ':' and '=', which occur in targets and in
// --option=value. The script puts them together again, so it needs nothing but
// bash.
#include "cli/completion.h"

#include <fmt/core.h>

namespace gantry::cli {

namespace {

constexpr std::string_view kHead = R"(# bash completion for gantry
_gantry_words() { # WORDS: those that begin as the current word does
  local head= part=$cur
  # Of a list only the last part is completed.
  if [ -n "$list" ] && [[ $part == *,* ]]; then
    head=${part%,*},
    part=${part##*,}
  fi
  COMPREPLY=($(compgen -W "$1" -- "$part"))
  COMPREPLY=("${COMPREPLY[@]/#/$head}")
  # What readline takes for a word begins after the last ':' or '='.
  local taken=${cur%"${cur##*[:=]}"}
  COMPREPLY=("${COMPREPLY[@]#"$taken"}")
}

_gantry() {
  local cur prev verb list= i
  COMPREPLY=()
  local line=${COMP_LINE:0:COMP_POINT}
  read -ra words <<<"$line"
  [[ $line == *' ' ]] && words+=('')
  local last=$((${#words[@]} - 1))
  cur=${words[last]-}
  prev=${words[last - 1]-}
  verb=${words[1]-}
  if [[ $cur == --*=* ]]; then
    prev=${cur%%=*}
    cur=${cur#*=}
  fi
)";

std::string join(const std::vector<std::string> &words) {
  std::string out;
  for (const std::string &word : words)
    out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string options_of(const Verb &verb) {
  std::string out = "--help";
  for (const Option &option : verb.options) {
    out += fmt::format(" --{}", option.name);
    if (option.letter)
      out += fmt::format(" -{}", option.letter);
  }
  return out;
}

std::string answer(ValueKind kind, std::span<const std::string_view> choices,
                   bool list) {
  if (takes_files(kind))
    return "compopt -o default";
  return fmt::format("{}_gantry_words \"{}\"", list ? "list=yes; " : "",
                     join(offered(kind, choices)));
}

} // namespace

std::string bash_completion() {
  std::string out(kHead);
  out += fmt::format("  if [ \"$last\" -le 1 ]; then\n"
                     "    _gantry_words \"{} --help --version\"\n"
                     "    return\n  fi\n  case $verb:$prev in\n",
                     join(offered(ValueKind::verb, {})));
  for (const Verb *verb : verbs())
    for (const Option &option : verb->options) {
      if (option.kind == ValueKind::none)
        continue;
      std::string names = fmt::format("{}:--{}", verb->name, option.name);
      if (option.letter)
        names += fmt::format(" | {}:-{}", verb->name, option.letter);
      out += fmt::format("  {}) {}; return ;;\n", names,
                         answer(option.kind, option.choices, option.list));
    }
  out += "  esac\n  case $verb:$cur in\n";
  for (const Verb *verb : verbs()) {
    out += fmt::format("  {}:-*) _gantry_words \"{}\" ;;\n", verb->name,
                       options_of(*verb));
    if (verb->operand.most != 0)
      out += fmt::format("  {}:*) {} ;;\n", verb->name,
                         answer(verb->operand.kind, {}, false));
  }
  return out + "  esac\n}\ncomplete -F _gantry gantry\n";
}

} // namespace gantry::cli

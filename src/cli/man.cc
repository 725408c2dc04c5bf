// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/man.h"

#include "cli/help.h"
#include "cli/topics.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::cli {

namespace {

// Backslashes and dashes have a meaning in roff, and so have a dot or a quote
// at the start of a line.
std::string roff(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += std::string("\\&") + c;
    else
      out += c;
  }
  return out;
}

std::string paragraphs(std::string_view text) {
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t end = std::min(rest.find("\n\n"), rest.size());
    out += ".PP\n" + roff(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return out;
}

std::string head(std::string_view page, std::string_view summary) {
  std::string upper(page);
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return fmt::format(".TH {} 1 \"\" gantry \"gantry manual\"\n"
                     ".SH NAME\n{} \\- {}\n",
                     roff(upper), roff(page), roff(summary));
}

std::string name_of(const Option &option) {
  std::string out;
  if (option.letter)
    out = fmt::format("\\fB\\-{}\\fR, ", option.letter);
  out += fmt::format("\\fB\\-\\-{}\\fR", roff(option.name));
  if (!option.value.empty())
    out += fmt::format(" \\fI{}\\fR", roff(option.value));
  return out;
}

std::string options_of(const Verb &verb) {
  std::string out = ".SH OPTIONS\n";
  std::vector<std::string_view> groups;
  for (const Option &option : verb.options)
    if (std::ranges::find(groups, option.group) == groups.end())
      groups.push_back(option.group);
  for (std::string_view group : groups) {
    out += fmt::format(".SS {}\n", roff(group));
    for (const Option &option : verb.options)
      if (option.group == group)
        out += fmt::format(".TP\n{}\n{}\n", name_of(option),
                           roff(full_help(option)));
  }
  return out;
}

} // namespace

std::string man_overview() {
  std::string out = head("gantry", "GPU code in binaries") +
                    ".SH SYNOPSIS\n.B gantry\n.I VERB\n[options] …\n";
  std::string_view group;
  out += ".SH VERBS\n";
  for (const Verb *verb : verbs()) {
    if (verb->group != group)
      out += fmt::format(".SS {}\n", roff(group = verb->group));
    out += fmt::format(".TP\n.BR gantry\\-{} (1)\n{}\n", roff(verb->name),
                       roff(verb->summary));
  }
  out += ".SH TOPICS\n.B gantry explain\n.I TOPIC\ntells about:\n";
  for (const Topic &topic : topics())
    out +=
        fmt::format(".TP\n.B {}\n{}\n", roff(topic.name), roff(topic.summary));
  return out;
}

std::string man_page(const Verb &verb) {
  std::string out = head(fmt::format("gantry-{}", verb.name), verb.summary);
  out += fmt::format(".SH SYNOPSIS\n.B gantry {}\n{}{}\n", roff(verb.name),
                     verb.options.empty() ? "" : "[options] ",
                     roff(operand_of(verb)));
  if (!verb.about.empty())
    out += ".SH DESCRIPTION\n" + paragraphs(verb.about);
  if (!verb.options.empty())
    out += options_of(verb);
  out += ".SH EXIT STATUS\n";
  for (const Status &status : verb.statuses)
    out += fmt::format(".TP\n.B {}\n{}\n", status.code, roff(status.meaning));
  if (!verb.examples.empty())
    out += ".SH EXAMPLES\n";
  for (const Example &example : verb.examples)
    out += fmt::format(".TP\n.B {}\n{}\n", roff(example.command),
                       roff(example.purpose));
  return out + ".SH SEE ALSO\n.BR gantry (1)\n";
}

} // namespace gantry::cli

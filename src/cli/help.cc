// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/help.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::cli {

namespace {

constexpr std::size_t kOptionColumn = 24;
constexpr std::size_t kStatusColumn = 5;
constexpr std::size_t kVerbColumn = 20;

// "  left   right …", the right part wrapped; on a line of its own when the
// left one is long.
std::string row(std::string_view left, std::string_view right,
                std::size_t column) {
  std::string out = fmt::format("  {}", left);
  const std::string lines = wrapped(right, column);
  if (columns(out) + 2 > column)
    return out + "\n" + lines;
  return out + lines.substr(columns(out));
}

std::string left_of(const Option &option) {
  std::string out =
      option.letter ? fmt::format("-{}, ", option.letter) : "    ";
  out += fmt::format("--{}", option.name);
  return option.value.empty() ? out : fmt::format("{} {}", out, option.value);
}

std::string options_of(const Verb &verb) {
  std::string out;
  std::vector<std::string_view> groups;
  for (const Option &option : verb.options)
    if (std::ranges::find(groups, option.group) == groups.end())
      groups.push_back(option.group);
  for (std::string_view group : groups) {
    out += fmt::format("\n{}:\n", group);
    for (const Option &option : verb.options)
      if (option.group == group)
        out += row(left_of(option), full_help(option), kOptionColumn);
  }
  return out;
}

} // namespace

std::string operand_of(const Verb &verb) {
  const Operand &operand = verb.operand;
  if (operand.most == 0)
    return {};
  std::string out = std::string(operand.name);
  if (operand.most > 1)
    out += "…";
  return operand.least == 0 ? fmt::format("[{}]", out) : out;
}

std::string full_help(const Option &option) {
  std::string out(option.help);
  if (option.repeatable && option.list)
    out += " May be repeated, or several separated by commas.";
  else if (option.repeatable)
    out += " May be repeated.";
  return out;
}

std::size_t columns(std::string_view utf8) {
  return static_cast<std::size_t>(std::ranges::count_if(utf8, [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string wrapped(std::string_view text, std::size_t indent,
                    std::size_t width) {
  std::string out, line;
  const auto finish_line = [&] {
    if (!line.empty())
      out += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && indent + columns(line) + 1 + columns(word) > width)
      finish_line();
    if (!word.empty())
      line += (line.empty() ? "" : " ") + std::string(word);
    if (text.substr(end).starts_with("\n\n")) {
      finish_line();
      out += '\n';
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  finish_line();
  return out;
}

std::string help_overview() {
  std::string out = "gantry tells which GPU code is in a binary.\n\n"
                    "usage: gantry VERB [options] …\n";
  std::string_view group;
  for (const Verb *verb : verbs()) {
    if (verb->group != group)
      out += fmt::format("\n{}:\n", group = verb->group);
    const std::string left =
        fmt::format("{} {}", verb->name, operand_of(*verb));
    out += row(left, verb->summary, kVerbColumn);
  }
  out +=
      "\n`gantry VERB --help` tells all about a verb; `gantry explain` lists "
      "what can be\nexplained, exit statuses among them.\n";
  return out;
}

std::string help_of(const Verb &verb) {
  std::string out = fmt::format("gantry {}: {}\n\nusage: gantry {}", verb.name,
                                verb.summary, verb.name);
  if (!verb.options.empty())
    out += " [options]";
  if (const std::string operand = operand_of(verb); !operand.empty())
    out += " " + operand;
  out += "\n";
  if (!verb.about.empty())
    out += "\n" + wrapped(verb.about, 0);
  out += options_of(verb);
  out += "\nExit status:\n";
  for (const Status &status : verb.statuses)
    out += row(fmt::format("{}", status.code), status.meaning, kStatusColumn);
  if (!verb.examples.empty())
    out += "\nExamples:\n";
  for (const Example &example : verb.examples)
    out +=
        fmt::format("  {}\n{}", example.command, wrapped(example.purpose, 6));
  if (!verb.topics.empty())
    out +=
        "\n" + wrapped(fmt::format("More: gantry explain {}.", verb.topics), 0);
  return out;
}

} // namespace gantry::cli

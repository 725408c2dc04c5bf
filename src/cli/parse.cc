// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only file that sees CLI11. It gets the options out of the table and takes
// the words apart; what the words mean is checked here, so that every message
// is ours.
#include "cli/parse.h"

#include "base/text.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <charconv>

namespace gantry::cli {

namespace {

constexpr unsigned kMostJobs = 1024;

std::string dashed(const Option &option) {
  return fmt::format("--{}", option.name);
}

std::string cli11_names(const Option &option) {
  return option.letter ? fmt::format("-{},--{}", option.letter, option.name)
                       : dashed(option);
}

bool is_option(std::string_view word) {
  return word.size() > 1 && word.starts_with('-');
}

Failure unknown_option(const Verb &verb, std::string_view word) {
  std::vector<std::string> names = {"--help"};
  for (const Option &option : verb.options)
    names.push_back(dashed(option));
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view name = word.substr(0, word.find('='));
  return {Errc::invalid_argument,
          fmt::format("{} has no option {}", verb.name, printable(name)),
          did_you_mean(name, candidates,
                       fmt::format("gantry {} --help lists the options; a file "
                                   "whose name starts with - goes after --",
                                   verb.name))};
}

Failure missing_value(const Option &option) {
  return {Errc::invalid_argument,
          fmt::format("{} needs a value", dashed(option)),
          fmt::format("write {} {}", dashed(option), option.value)};
}

// CLI11 would take the next word for the value of "--target=".
const Option *empty_assignment(const Verb &verb,
                               std::span<const std::string> words) {
  for (const std::string &word : words) {
    if (word == "--")
      break;
    for (const Option &option : verb.options)
      if (option.kind != ValueKind::none && word == dashed(option) + "=")
        return &option;
  }
  return nullptr;
}

std::vector<std::string> split(const std::string &list) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t at; (at = list.find(',', start)) != list.npos;
       start = at + 1)
    parts.push_back(list.substr(start, at - start));
  parts.push_back(list.substr(start));
  return parts;
}

std::optional<unsigned> parse_count(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() ||
      number > kMostJobs)
    return std::nullopt;
  return number;
}

std::string joined(std::span<const std::string_view> words) {
  std::string out;
  for (std::string_view word : words)
    out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

std::expected<void, Failure> check_value(const Option &option,
                                         const std::string &value) {
  if (value.empty())
    return std::unexpected(missing_value(option));
  if (option.kind == ValueKind::choice &&
      std::ranges::find(option.choices, value) == option.choices.end())
    return refuse(
        fmt::format("{} cannot be {}", dashed(option), printable(value)),
        did_you_mean(value, option.choices,
                     "one of: " + joined(option.choices)));
  if (option.kind == ValueKind::count && !parse_count(value))
    return refuse(fmt::format("{}: {} is not a number from 0 to {}",
                              dashed(option), printable(value), kMostJobs));
  return {};
}

std::expected<std::vector<std::string>, Failure>
values_of(const Option &option, std::vector<std::string> given) {
  if (option.kind == ValueKind::none) {
    for (const std::string &value : given)
      if (value != "true")
        return refuse(fmt::format("{} takes no value", dashed(option)));
    return given;
  }
  if (given.size() > 1 && !option.repeatable)
    return refuse(
        fmt::format("{} was given {} times", dashed(option), given.size()));
  std::vector<std::string> values;
  for (const std::string &word : given)
    for (std::string &value :
         option.list ? split(word) : std::vector<std::string>{word}) {
      if (const auto good = check_value(option, value); !good)
        return std::unexpected(good.error());
      values.push_back(std::move(value));
    }
  return values;
}

std::string_view article(std::string_view word) {
  return word.find_first_of("AEIO") == 0 ? "an" : "a";
}

// What CLI11 did not take: operands, and options that it does not know.
std::expected<std::vector<std::string>, Failure>
operands_of(const Verb &verb, const std::vector<std::string> &rest) {
  std::vector<std::string> operands;
  bool options_ended = false;
  for (const std::string &word : rest) {
    if (!options_ended && word == "--")
      options_ended = true;
    else if (!options_ended && is_option(word))
      return std::unexpected(unknown_option(verb, word));
    else
      operands.push_back(word);
  }
  const std::string usage = fmt::format("gantry {} --help", verb.name);
  if (operands.size() < verb.operand.least)
    return refuse(fmt::format("{} needs {} {}", verb.name,
                              article(verb.operand.name), verb.operand.name),
                  usage + " shows how it is used");
  if (operands.size() > verb.operand.most)
    return refuse(fmt::format("{} does not take {} as well", verb.name,
                              printable(operands[verb.operand.most])),
                  usage + " shows how it is used");
  return operands;
}

CLI::Option *declare(CLI::App &app, const Option &option) {
  if (option.kind == ValueKind::none)
    return app.add_flag(cli11_names(option))
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return app.add_option(cli11_names(option), CLI::callback_t{})
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

// CLI11's own complaints: only that a value is missing is left to it.
Failure failure_from_cli11(const Verb &verb, std::string_view what) {
  for (const Option &option : verb.options)
    if (what.starts_with(dashed(option) + ":"))
      return missing_value(option);
  return {Errc::invalid_argument, printable(what), {}};
}

} // namespace

std::string_view Arguments::value(std::string_view option) const {
  const auto &list = values(option);
  return list.empty() ? std::string_view{} : std::string_view(list.back());
}

const std::vector<std::string> &
Arguments::values(std::string_view option) const {
  const auto found = std::ranges::find(options_, option, &Option::name);
  assert(found != options_.end() && "the verb's table lacks this option");
  return values_[static_cast<std::size_t>(found - options_.begin())];
}

std::optional<unsigned> Arguments::count(std::string_view option) const {
  return has(option) ? parse_count(value(option)) : std::nullopt;
}

std::expected<Arguments, Failure> parse(const Verb &verb,
                                        std::span<const std::string> words) {
  if (const Option *option = empty_assignment(verb, words))
    return std::unexpected(missing_value(*option));
  Arguments arguments;
  arguments.options_ = verb.options;
  try {
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    std::vector<CLI::Option *> declared;
    for (const Option &option : verb.options)
      declared.push_back(declare(app, option));
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    for (std::size_t i = 0; i < declared.size(); ++i) {
      auto values = values_of(verb.options[i], declared[i]->results());
      if (!values)
        return std::unexpected(values.error());
      arguments.values_.push_back(std::move(*values));
    }
    auto operands = operands_of(verb, app.remaining());
    if (!operands)
      return std::unexpected(operands.error());
    arguments.operands_ = std::move(*operands);
  } catch (const CLI::Error &error) {
    return std::unexpected(failure_from_cli11(verb, error.what()));
  }
  return arguments;
}

bool mentions(std::span<const std::string> words, std::string_view flag) {
  for (const std::string &word : words) {
    if (word == "--")
      return false;
    if (word == flag)
      return true;
  }
  return false;
}

} // namespace gantry::cli

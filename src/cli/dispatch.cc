// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/dispatch.h"

#include "base/text.h"
#include "cli/help.h"
#include "cli/parse.h"

#include <fmt/core.h>

namespace gantry::cli {

namespace {

int run(const Verb &verb, std::span<const std::string> words,
        Console &console) {
  if (mentions(words, "--help") || mentions(words, "-h"))
    return print(help_of(verb), console);
  // Known before the words are understood, for usage errors.
  console.quiet = mentions(words, "-q") || mentions(words, "--quiet");
  console.json = mentions(words, "--json");
  console.ndjson = mentions(words, "--ndjson");
  console.schema = fmt::format("gantry.{}/1", verb.name);
  const auto arguments = parse(verb, words);
  if (!arguments)
    return console.fail(arguments.error());
  return verb.run(*arguments, console);
}

} // namespace

int print(std::string_view text, const Console &console) {
  auto output = Output::open("");
  if (!output)
    return console.fail(output.error());
  output->write(text);
  if (const auto done = output->finish(); !done)
    return console.fail(done.error());
  return 0;
}

Failure unknown_verb(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Verb *verb : verbs())
    names.push_back(verb->name);
  return {Errc::invalid_argument,
          fmt::format("there is no verb {}", printable(name)),
          did_you_mean(name, names, "gantry --help lists the verbs")};
}

int dispatch(std::span<const std::string> words, Console &console) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h")
    return print(help_overview(), console);
  std::string_view name = words[0];
  if (name == "--version")
    name = "version";
  if (const Verb *verb = find_verb(name))
    return run(*verb, words.subspan(1), console);
  if (!name.starts_with('-'))
    return console.fail(unknown_verb(name));
  constexpr std::string_view known[] = {"--help", "--version"};
  return console.fail(
      {Errc::invalid_argument,
       fmt::format("there is no option {} before the verb", printable(name)),
       did_you_mean(name, known,
                    "options go after the verb: gantry VERB [options] …")});
}

} // namespace gantry::cli

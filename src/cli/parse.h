// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A command line against the table of its verb.
#pragma once

#include "cli/failure.h"
#include "cli/verb.h"

#include <optional>

namespace gantry::cli {

class Arguments {
public:
  bool has(std::string_view option) const { return !values(option).empty(); }
  // The last value, "" without; flags have the value "true".
  std::string_view value(std::string_view option) const;
  // All values in their order; comma-separated lists are taken apart.
  const std::vector<std::string> &values(std::string_view option) const;
  std::optional<unsigned> count(std::string_view option) const;
  const std::vector<std::string> &operands() const { return operands_; }

private:
  friend std::expected<Arguments, Failure>
  parse(const Verb &verb, std::span<const std::string> words);

  std::span<const Option> options_;
  std::vector<std::vector<std::string>> values_; // one list per option
  std::vector<std::string> operands_;
};

// `words` are those after the verb. Checks all that the table says: which
// options exist, which take a value, choices, counts, how many operands.
std::expected<Arguments, Failure> parse(const Verb &verb,
                                        std::span<const std::string> words);

// Whether a flag ("--json") is among words that may be nonsense otherwise.
bool mentions(std::span<const std::string> words, std::string_view flag);

} // namespace gantry::cli

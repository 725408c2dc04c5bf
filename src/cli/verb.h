// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a verb of the command is, as data: parsing, help, completion and man
// pages all come from these tables.
#pragma once

#include "gantry/base.h"

#include <vector>

namespace gantry::cli {

class Arguments;
class Console;

// What a value means; completion offers accordingly.
enum class ValueKind : std::uint8_t {
  none, // a flag
  text,
  choice, // one of Option::choices
  count,  // a number, 0 to 1024
  path,
  target,
  kernel,
  field,
  topic,
  verb,
  shell,
  limit, // NAME=VALUE
};

struct Option {
  std::string_view name = {};  // "target", for --target
  char letter = 0;             // 'o', for -o
  std::string_view value = {}; // "T", as help shows it; empty for a flag
  ValueKind kind = ValueKind::none;
  std::string_view help = {};
  std::string_view group = {}; // heading in help
  bool repeatable = false;
  bool list = false; // a value may hold several, separated by commas
  std::span<const std::string_view> choices = {};
};

// What stands on the command line without a dash.
struct Operand {
  std::string_view name = {}; // "FILE"
  ValueKind kind = ValueKind::path;
  std::size_t least = 0;
  std::size_t most = 0;
};

struct Status {
  int code = 0;
  std::string_view meaning = {};
};

struct Example {
  std::string_view command = {};
  std::string_view purpose = {};
};

struct Verb {
  std::string_view name = {};
  std::string_view group = {};   // heading in the list of verbs
  std::string_view summary = {}; // one line
  std::string_view about = {};   // paragraphs, separated by an empty line
  Operand operand = {};
  std::span<const Option> options = {};
  std::span<const Status> statuses = {};
  std::span<const Example> examples = {};
  std::string_view topics = {}; // "targets, kinds", of `gantry explain`
  // The exit status.
  int (*run)(const Arguments &, Console &) = nullptr;
};

// In the order in which help lists them.
std::span<const Verb *const> verbs();
const Verb *find_verb(std::string_view name);

extern const Verb kInspect, kView, kExtract, kExplain, kCompletion, kVersion,
    kHelp;

// ---- options that mean the same for every verb ------------------------------

inline constexpr std::string_view kOutputGroup = "Output";
inline constexpr std::string_view kColorWords[] = {"auto", "always", "never"};

inline constexpr Option kJson{
    .name = "json",
    .help = "One JSON document on standard output, and nothing else there, "
            "also after an error.",
    .group = kOutputGroup};
inline constexpr Option kNdjson{
    .name = "ndjson",
    .help = "One JSON record a line on standard output: one for each row, the "
            "last is the summary.",
    .group = kOutputGroup};
inline constexpr Option kTimeout{
    .name = "timeout",
    .value = "S",
    .kind = ValueKind::text,
    .help = "Stop after S seconds (0.5 is half a second) and report what is "
            "known by then, as after an interrupt.",
    .group = "What is analysed"};
inline constexpr Option kOutput{
    .name = "output",
    .letter = 'o',
    .value = "FILE",
    .kind = ValueKind::path,
    .help = "Write to FILE instead of standard output. FILE appears when it "
            "is complete, not before.",
    .group = kOutputGroup};
inline constexpr Option kJobs{.name = "jobs",
                              .letter = 'j',
                              .value = "N",
                              .kind = ValueKind::count,
                              .help = "Use N threads (default: one per core). "
                                      "The output does not depend on it.",
                              .group = kOutputGroup};
inline constexpr Option kQuiet{.name = "quiet",
                               .letter = 'q',
                               .help =
                                   "No progress, notes or hints; errors only.",
                               .group = kOutputGroup};
inline constexpr Option kVerbose{
    .name = "verbose",
    .letter = 'v',
    .help = "Say on standard error what is not known, and why.",
    .group = kOutputGroup};
inline constexpr Option kColor{
    .name = "color",
    .value = "WHEN",
    .kind = ValueKind::choice,
    .help = "auto (default: on a terminal, unless NO_COLOR is set), always "
            "or never.",
    .group = kOutputGroup,
    .choices = kColorWords};

} // namespace gantry::cli

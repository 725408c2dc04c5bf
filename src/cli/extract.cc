// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gantry extract FILE [ID…] -o DIR
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/dispatch.h"
#include "cli/inspect.h"
#include "cli/interrupt.h"
#include "cli/status.h"
#include "cli/tell.h"
#include "cli/values.h"
#include "gantry/edit.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::cli {

namespace {

std::expected<edit::ExtractOptions, Failure>
extract_options(const Arguments &arguments) {
  Question asked;
  const std::span<const std::string> operands(arguments.operands());
  if (auto good = take_targets(arguments, asked.options); !good)
    return std::unexpected(good.error());
  if (auto good = take_ids(operands.subspan(1), operands[0], asked); !good)
    return std::unexpected(good.error());
  if (auto good = take_digest(arguments, asked); !good)
    return std::unexpected(good.error());
  if (auto good = take_budgets(arguments, asked.options); !good)
    return std::unexpected(good.error());
  edit::ExtractOptions options;
  options.inspect = std::move(asked.options);
  options.inspect.threads = arguments.count("jobs").value_or(0);
  options.folder = arguments.value("output");
  options.stored = arguments.has("raw");
  options.dry_run = arguments.has("dry-run");
  if (options.folder.empty())
    return refuse("extract needs a folder: -o DIR",
                  "it is created when it is not there; nothing in it is "
                  "overwritten");
  return options;
}

std::string as_json(const std::string &path, const edit::Extraction &done,
                    const edit::ExtractOptions &options) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("schema", "gantry.extract/1");
  json.key("input");
  json.begin_object(JsonWriter::Lines::one);
  json.member("path", printable(path));
  json.member("size", done.report.size);
  if (done.report.sha256.empty())
    json.null_member("sha256");
  else
    json.member("sha256", done.report.sha256);
  json.end_object();
  json.member("folder", printable(options.folder));
  json.member("dry_run", options.dry_run);
  json.member("not_reached", done.not_reached);
  json.key("objects");
  json.begin_array();
  for (const edit::Extracted &e : done.objects) {
    json.begin_object(JsonWriter::Lines::one);
    json.member("id", e.id);
    json.member("path", printable(e.path));
    if (e.sha256.empty()) {
      json.null_member("size");
      json.null_member("sha256");
    } else {
      json.member("size", e.size);
      json.member("sha256", e.sha256);
    }
    json.key("error");
    if (e.failure) {
      json.begin_object(JsonWriter::Lines::one);
      json.member("code", word(e.failure->code));
      json.member("message", printable(e.failure->text()));
      json.end_object();
    } else {
      json.null();
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out;
}

std::string as_text(const edit::Extraction &done) {
  std::string out;
  for (const edit::Extracted &e : done.objects)
    if (!e.failure)
      out += fmt::format("{}  {}\n", printable(e.path), human_bytes(e.size));
  return out;
}

int status_of(const edit::Extraction &done) {
  const auto failed =
      std::ranges::count_if(done.objects, [](const edit::Extracted &e) {
        return e.failure.has_value();
      });
  if (done.not_reached != 0)
    return static_cast<std::size_t>(failed) == done.objects.size()
               ? kStatusError
               : kStatusSomeFailed;
  if (done.objects.empty())
    return done.report.coverage == inspect::Coverage::complete ? kStatusNone
                                                               : kStatusUnknown;
  if (failed == 0)
    return kStatusFound;
  return static_cast<std::size_t>(failed) == done.objects.size()
             ? kStatusError
             : kStatusSomeFailed;
}

Result<edit::Extraction> read_and_extract(const std::string &path,
                                          const edit::ExtractOptions &options) {
  if (path != kStandardInput)
    return edit::extract(path, options);
  GANTRY_TRY(const std::vector<std::byte> bytes,
             read_standard_input(options.inspect.limits, options.inspect.stop));
  return edit::extract(bytes, path, options);
}

int run(const Arguments &arguments, Console &console) {
  console.verbose = arguments.has("verbose");
  auto options = extract_options(arguments);
  if (!options)
    return console.fail(options.error());
  std::optional<std::chrono::nanoseconds> limit;
  if (arguments.has("timeout")) {
    limit = parse_seconds(arguments.value("timeout"));
    if (!limit)
      return console.fail({Errc::invalid_argument,
                           "--timeout is not a number of seconds",
                           "write 30, or 0.5"});
  }
  const std::string &path = arguments.operands()[0];
  Interrupt interrupt(limit);
  options->inspect.stop = interrupt.token();
  Progress progress(console, path);
  if (console.shows_progress())
    options->inspect.progress = [&](std::uint64_t now, std::uint64_t total) {
      progress.show(now, total);
    };
  auto done = read_and_extract(path, *options);
  progress.clear();
  if (!done)
    return console.fail(failure_from(done.error(), path));
  for (const edit::Extracted &e : done->objects)
    if (e.failure)
      console.complain(failure_from(*e.failure, e.id));
  if (done->not_reached != 0)
    console.complain({Errc::interrupted,
                      fmt::format("interrupted: {} of {} code objects were "
                                  "not reached",
                                  done->not_reached,
                                  done->not_reached + done->objects.size()),
                      {}});
  else if (done->objects.empty())
    console.note(printable(path) + ": nothing to extract");
  if (console.verbose)
    tell_limitations(console, done->report);
  if (int bad =
          print(console.json ? as_json(path, *done, *options) : as_text(*done),
                console))
    return bad;
  return status_of(*done);
}

constexpr Option kFolder{
    .name = "output",
    .letter = 'o',
    .value = "DIR",
    .kind = ValueKind::path,
    .help = "The folder to write to, created when it is not there. Nothing in "
            "it is overwritten.",
    .group = kOutputGroup};

constexpr Option kOptions[] = {
    kTarget,
    kKind,
    kExpectSha256,
    kFrom,
    {.name = "raw",
     .help = "The bytes as they are stored, perhaps compressed, instead of "
             "decoded.",
     .group = "What is written"},
    {.name = "dry-run",
     .help = "Decode and name everything, but write nothing.",
     .group = "What is written"},
    kFolder,
    kJson,
    kBudget,
    kTimeout,
    kJobs,
    kQuiet,
    kVerbose,
};

constexpr Status kStatuses[] = {
    {0, "All that was asked for was written (or could be, with --dry-run)."},
    {1, "There is nothing to extract, and everything was looked at."},
    {2, "Error: wrong usage, another file than expected, or nothing could be "
        "written."},
    {3, "Some code objects were not written: damaged, a file of that name "
        "exists, or an interrupt."},
    {4, "There is nothing to extract, but not all was looked at."},
};

constexpr Example kExamples[] = {
    {"gantry extract libmine.so -o out", "Every code object, decoded."},
    {"gantry extract libmine.so 4cbd50.3@0a120a42190dfdce -o out",
     "One, by its id in the output of gantry inspect."},
    {"gantry extract torch.whl --target gfx90a --dry-run -o out",
     "What would be written for one target out of a wheel?"},
};

} // namespace

constinit const Verb kExtract{
    .name = "extract",
    .group = "Look into files",
    .summary = "takes code objects out of a file",
    .about =
        "Writes code objects to files of their own, decoded, out of anything "
        "that gantry inspect reads. Each file is read back and compared before "
        "it counts. Members of packages become folders: "
        "lib/libx.so/4cbd50.3.sm_90a.cubin.\n\nAn ID is a position in one "
        "file: it needs the file's digest behind an @, --expect-sha256 or "
        "--from. Without IDs everything is extracted that --target and --kind "
        "select.",
    .operand = {"FILE [ID]", ValueKind::path, 1, SIZE_MAX},
    .options = kOptions,
    .statuses = kStatuses,
    .examples = kExamples,
    .topics = "ids, targets, kinds, limitations",
    .run = run};

} // namespace gantry::cli

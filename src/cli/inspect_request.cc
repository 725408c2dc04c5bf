// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/inspect.h"

#include "base/text.h"
#include "cli/values.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace gantry::cli {

namespace {

using report::Collection;
using Done = std::expected<void, Failure>;

// Options that are about one file, or about rows that follow each other.
constexpr std::string_view kOfOneFile[] = {
    "object", "expect-sha256", "from", "evidence", "limit", "after"};

bool contains(const auto &list, const auto &item) {
  return std::ranges::find(list, item) != list.end();
}

std::expected<inspect::Analysis, Failure>
analysis_of(const Arguments &arguments, const Question &asked) {
  const bool needs_kernels = contains(asked.view.show, Collection::kernels) ||
                             arguments.has("kernel") || asked.text;
  const std::string_view word = arguments.value("analysis");
  if (word == "inventory" && needs_kernels)
    return refuse("--analysis inventory does not read kernels",
                  "leave --analysis out: --show kernels, --show ptx and "
                  "--kernel imply --analysis kernels");
  if (word == "inventory" && arguments.has("evidence"))
    return refuse("--analysis inventory is too little for a saved record",
                  "leave --analysis out: --evidence implies --analysis "
                  "kernels");
  return needs_kernels || word == "kernels" || arguments.has("evidence")
             ? inspect::Analysis::kernels
             : inspect::Analysis::inventory;
}

// The record says which file was meant, and which ids it has.
Done take_record(const std::string &path, Question &out) {
  const auto record = report::Evidence::open(path);
  if (!record)
    return std::unexpected(failure_from(record.error(), path));
  if (record->sha256().empty())
    return refuse(
        fmt::format("{} does not say which file it is about", printable(path)),
        "it was written without the file's SHA-256");
  if (!agree(out.digest, record->sha256()))
    return refuse(fmt::format("{} is about another file than the ids or the "
                              "cursor",
                              printable(path)),
                  "use ids of that record");
  out.digest = record->sha256();
  if (out.options.objects.empty())
    return {};
  report::EvidenceQuery query;
  query.show = Collection::objects;
  query.objects = out.options.objects;
  query.limit = 1;
  if (const auto page = record->page(query); !page)
    return std::unexpected(failure_from(page.error(), path));
  return {};
}

Done check_digest(const Arguments &arguments, const Question &asked) {
  if (!arguments.has("no-digest"))
    return {};
  if (!asked.options.expect_sha256.empty())
    return refuse("--no-digest cannot tell whether this is the file that is "
                  "meant",
                  "leave --no-digest out");
  if (asked.paged)
    return refuse("--no-digest leaves pages without cursors",
                  "leave --no-digest out: cursors hold for one SHA-256");
  if (arguments.has("evidence"))
    return refuse("a saved record needs the file's SHA-256",
                  "leave --no-digest out");
  return {};
}

// Digests cost a pass over each payload, the others time and memory for each
// kernel: only where somebody sees them.
void take_costly(const Question &asked, inspect::Options &options) {
  const report::View &view = asked.view;
  const auto shown = [&](Collection collection, std::string_view field) {
    if (!contains(view.show, collection))
      return false;
    if (!view.fields.empty())
      return contains(view.fields, field);
    return view.detail == report::Detail::full ||
           (view.detail == report::Detail::by_form && asked.form != Form::text);
  };
  options.payload_digests =
      shown(Collection::objects, "digest") &&
      (!view.fields.empty() || options.analysis == inspect::Analysis::kernels);
  options.ptx_digests = options.payload_digests;
  options.attributes = shown(Collection::kernels, "attributes");
  options.parameters = shown(Collection::kernels, "parameters");
  // Where all are shown, and not a page of them.
  options.demangled =
      contains(view.show, Collection::kernels) && !asked.paged &&
      (view.fields.empty() || contains(view.fields, "demangled"));
}

// Of two that are not there yet, whether they would be the same.
bool same_file(const std::string &a, const std::string &b) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto place = [&](const std::string &path) {
    return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  };
  return fs::equivalent(a, b, ignored) || place(a) == place(b);
}

} // namespace

// Which file the request is about, as far as it says.
Done take_digest(const Arguments &arguments, Question &out) {
  const std::string_view expected = arguments.value("expect-sha256");
  if (arguments.has("expect-sha256") && arguments.has("from"))
    return refuse("--expect-sha256 and --from exclude each other",
                  "the record of --from says which file is expected");
  if (arguments.has("expect-sha256")) {
    const auto digest = parse_digest(expected);
    if (!digest)
      return refuse(
          fmt::format("--expect-sha256: {} is no SHA-256", printable(expected)),
          "write its 64 hexadecimal digits, or the first 16 or more");
    if (!agree(out.digest, *digest))
      return refuse("--expect-sha256 and the ids or the cursor are those of "
                    "different files");
  }
  if (arguments.has("from"))
    if (auto good = take_record(std::string(arguments.value("from")), out);
        !good)
      return good;
  if (out.digest.empty() && !out.options.objects.empty())
    return refuse(
        "an id is a position in one file: which file is meant is missing",
        "write ID@ and the first 16 digits of the file's SHA-256, as text "
        "output shows them, or add --expect-sha256 or --from");
  out.options.expect_sha256 = out.digest;
  return {};
}

Done take_budgets(const Arguments &arguments, inspect::Options &options) {
  for (const std::string &text : arguments.values("budget"))
    if (auto good = set_limit(options.limits, text); !good)
      return good;
  return {};
}

std::expected<InspectRequest, Failure>
inspect_request(const Arguments &arguments) {
  const auto &operands = arguments.operands();
  InspectRequest request;
  auto asked = question(arguments, operands.size() == 1 ? operands[0] : "");
  if (!asked)
    return std::unexpected(asked.error());
  const auto analysis = analysis_of(arguments, *asked);
  if (!analysis)
    return std::unexpected(analysis.error());
  inspect::Options &options = asked->options;
  options.analysis = *analysis;
  options.digest = !arguments.has("no-digest");
  options.deep = arguments.has("deep");
  options.threads = arguments.count("jobs").value_or(0);
  take_costly(*asked, options);
  if (auto good = take_budgets(arguments, options); !good)
    return std::unexpected(good.error());
  if (auto good = check_cursor(*asked); !good)
    return std::unexpected(good.error());
  if (auto good = take_digest(arguments, *asked); !good)
    return std::unexpected(good.error());
  if (auto good = check_digest(arguments, *asked); !good)
    return std::unexpected(good.error());
  if (arguments.has("timeout")) {
    request.timeout = parse_seconds(arguments.value("timeout"));
    if (!request.timeout)
      return refuse(fmt::format("--timeout: {} is not a number of seconds",
                                printable(arguments.value("timeout"))),
                    "write 30, or 0.5");
  }
  if (arguments.value("evidence") == kStandardInput)
    return refuse("--evidence needs the name of a file",
                  "a record is not written to standard output");
  request.question = std::move(*asked);
  request.strict = arguments.has("strict");
  request.evidence = arguments.value("evidence");
  return request;
}

std::expected<void, Failure> check_inputs(const Arguments &arguments,
                                          const Inputs &inputs) {
  if (std::ranges::count(inputs.files, kStandardInput, &InputFile::path) > 1)
    return refuse("standard input can be read once only");
  if (inputs.several)
    for (std::string_view option : kOfOneFile)
      if (arguments.has(option))
        return refuse(fmt::format("--{} goes with one FILE", option),
                      "call gantry once for each file");
  std::vector<std::string> read;
  for (const InputFile &file : inputs.files)
    if (file.path != kStandardInput)
      read.push_back(file.path);
  if (arguments.has("from"))
    read.emplace_back(arguments.value("from"));
  std::vector<std::pair<std::string_view, std::string>> written;
  for (std::string_view option : {"output", "evidence"})
    if (arguments.has(option) && arguments.value(option) != "-")
      written.emplace_back(option, arguments.value(option));
  for (const auto &[option, path] : written)
    for (const std::string &input : read)
      if (same_file(path, input))
        return refuse(fmt::format("{} is an input, --{} would replace it",
                                  printable(input), option));
  if (written.size() == 2 && same_file(written[0].second, written[1].second))
    return refuse(fmt::format("{} cannot be both --output and --evidence",
                              printable(written[0].second)));
  return {};
}

} // namespace gantry::cli

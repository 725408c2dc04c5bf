// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gantry view EVIDENCE
#include "base/error.h"
#include "base/text.h"
#include "cli/printer.h"
#include "cli/status.h"
#include "cli/tell.h"
#include "cli/text_part.h"
#include "cli/values.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace gantry::cli {

namespace {

using report::Collection;
using report::Evidence;

report::EvidenceQuery query_of(const Question &question) {
  const inspect::Options &options = question.options;
  report::EvidenceQuery query;
  query.targets = options.targets;
  query.kinds = options.kinds;
  query.kernels = options.kernels;
  query.objects = options.objects;
  return query;
}

// is_found(), of a record.
Result<bool> finds(const Evidence &record, const Question &question) {
  report::EvidenceQuery query = query_of(question);
  query.show =
      query.kernels.empty() ? Collection::objects : Collection::kernels;
  query.limit = 1;
  GANTRY_TRY(const report::EvidencePage page, record.page(query));
  return page.total != 0;
}

struct ViewAnswer {
  inspect::Report report;
  std::optional<report::Page> page;
  bool found = false;
};

// `with_reasons`: of all collections, whatever is shown.
Result<ViewAnswer> ask(const Evidence &record, const Question &question,
                       bool with_reasons) {
  ViewAnswer out;
  GANTRY_TRY(out.found, finds(record, question));
  report::EvidenceQuery query = query_of(question);
  const bool one = question.view.show.size() == 1;
  if (!question.paged && (with_reasons || !one)) {
    GANTRY_TRY(out.report, record.report(query));
    return out;
  }
  const report::Page asked = page_of(question);
  query.show = question.view.show[0];
  query.first = asked.first;
  query.limit = asked.limit;
  GANTRY_TRY(report::EvidencePage page, record.page(query));
  out.report = std::move(page.report);
  if (!question.paged)
    return out;
  out.page = asked;
  out.page->total = page.total;
  // Of a run that was stopped nobody knows how many there would have been.
  if (std::ranges::find(out.report.limitations, word(Errc::interrupted),
                        &inspect::Limitation::code) !=
      out.report.limitations.end())
    out.page->total.reset();
  out.page->dropped = asked.first;
  out.page->rows = report::count(out.report, query.show);
  set_next(*out.page, question, record.sha256());
  return out;
}

Failure no_text(const Error &error) {
  Failure failure = failure_from(error);
  if (failure.code == Errc::not_found)
    failure.hint = "--show objects --kind ptx lists those that have a text";
  return failure;
}

// `bytes` keeps what the part views.
std::expected<report::TextPart, Failure> read_text(const Evidence &record,
                                                   const Question &question,
                                                   std::string &bytes) {
  const std::string &id = question.options.objects[0];
  const auto whole = record.text(id, 0, 0);
  if (!whole)
    return std::unexpected(no_text(whole.error()));
  if (auto good = check_range(
          *question.text, whole->size,
          [&](std::uint64_t at) { return record.text(id, at, 0).has_value(); });
      !good)
    return std::unexpected(good.error());
  auto text = record.text(id, question.text->offset, question.text->length);
  if (!text)
    return std::unexpected(no_text(text.error()));
  bytes = std::move(text->bytes);
  return part_of(bytes, text->offset, text->size, text->sha256);
}

class ViewRun {
public:
  ViewRun(const Arguments &arguments, Console &console)
      : arguments_(arguments), console_(console),
        path_(arguments.operands()[0]) {}

  int run() {
    auto record = Evidence::open(path_);
    if (!record)
      return fail(record.error());
    auto asked = understand(*record);
    if (!asked)
      return console_.fail(asked.error());
    if (arguments_.has("verify")) {
      if (const auto whole = record->verify(); !whole)
        return fail(whole.error());
      console_.note(printable(path_) + ": the whole record is sound");
    }
    auto output = Output::open(arguments_.value("output"));
    if (!output)
      return console_.fail(output.error());
    set_style(asked->view, arguments_, console_, *output);
    const int status = asked->text ? print_text(*record, *asked, *output)
                                   : print(*record, *asked, *output);
    if (const auto done = output->finish(); !done) {
      console_.complain(done.error());
      return kStatusError;
    }
    return status;
  }

private:
  int fail(const Error &error) {
    Failure failure = failure_from(error, path_);
    if (error.code == Errc::bad_magic)
      failure.hint = "gantry inspect --evidence writes such records";
    return console_.fail(failure);
  }

  std::expected<Question, Failure> understand(const Evidence &record) {
    auto asked = question(arguments_, record.input());
    if (!asked)
      return asked;
    asked->view.schema = "gantry.view/1";
    asked->options.analysis = inspect::Analysis::kernels;
    if (auto good = check_cursor(*asked); !good)
      return std::unexpected(good.error());
    if (!agree(asked->digest, record.sha256()))
      return std::unexpected(
          Failure{Errc::changed,
                  printable(path_) + " is about another file than the ids or "
                                     "the cursor",
                  "ask again without what follows @, or without --after"});
    std::error_code ignored;
    const std::string output(arguments_.value("output"));
    if (!output.empty() && std::filesystem::equivalent(output, path_, ignored))
      return refuse(fmt::format("{} is the record, --output would replace it",
                                printable(path_)));
    tell_unknown_targets(console_, asked->options.targets);
    return asked;
  }

  int print(const Evidence &record, const Question &asked, Output &output) {
    // Text ends with what is not known, and why.
    const auto got =
        ask(record, asked, asked.form == Form::text || console_.verbose);
    if (!got)
      return fail(got.error());
    if (console_.verbose)
      tell_limitations(console_, got->report);
    Printer printer(asked, false, output);
    printer.report(got->report, got->page);
    const Answer one[] = {
        answer(got->report.coverage, got->found, arguments_.has("strict"))};
    return exit_status(one);
  }

  int print_text(const Evidence &record, const Question &asked,
                 Output &output) {
    std::string bytes;
    auto part = read_text(record, asked, bytes);
    if (!part)
      return console_.fail(part.error());
    part->object = asked.options.objects[0];
    const auto summary = record.summary();
    if (!summary)
      return fail(summary.error());
    Printer(asked, false, output).text(*summary, *part);
    if (part->next && asked.form == Form::text)
      console_.note(fmt::format("the text goes on: --offset {}", *part->next));
    return kStatusFound;
  }

  const Arguments &arguments_;
  Console &console_;
  std::string path_;
};

int run(const Arguments &arguments, Console &console) {
  console.quiet = arguments.has("quiet");
  console.verbose = arguments.has("verbose");
  return ViewRun(arguments, console).run();
}

constexpr Option kOptions[] = {
    kShow,
    kFields,
    kDetail,
    kLimit,
    kAfter,
    kOffset,
    kLength,
    kTarget,
    kKind,
    kKernel,
    {.name = "object",
     .value = "ID",
     .kind = ValueKind::text,
     .help = "Only the code object of this id; gantry explain ids.",
     .group = kSelectionGroup,
     .repeatable = true},
    {.name = "verify",
     .help = "Check the whole record first, not only what is shown of it.",
     .group = kAnalysisGroup},
    kStrict,
    kJson,
    kNdjson,
    kOutput,
    kQuiet,
    kVerbose,
    kColor,
};

constexpr Status kStatuses[] = {
    {0, "The record has GPU code (with --kernel: a kernel of that name)."},
    {1, "It has none, and everything had been looked at."},
    {2,
     "Error: wrong usage, no such record, a damaged one, or writing failed."},
    {3, "With --strict: not all of the file had been looked at."},
    {4, "It has none, but not all of the file had been looked at."},
};

constexpr Example kExamples[] = {
    {"gantry inspect --limit 20 --show kernels --evidence mine.evidence "
     "libmine.so",
     "A first page, and everything in a record."},
    {"gantry view mine.evidence --show kernels --target sm_90",
     "Another question, without reading the library again."},
};

} // namespace

constinit const Verb kView{
    .name = "view",
    .group = "Look into files",
    .summary = "the same questions, asked of a saved record",
    .about = "Answers from what gantry inspect --evidence saved; the file "
             "itself is not opened again. The record is checked against its "
             "digests as far as it is read.",
    .operand = {"EVIDENCE", ValueKind::path, 1, 1},
    .options = kOptions,
    .statuses = kStatuses,
    .examples = kExamples,
    .topics = "pages, ids, coverage, limitations, fields",
    .run = run};

} // namespace gantry::cli

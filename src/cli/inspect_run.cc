// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/inspect_run.h"

#include "base/text.h"
#include "cli/tell.h"
#include "cli/text_part.h"

#include <fmt/core.h>

#include <algorithm>
#include <new>

namespace gantry::cli {

namespace {

using report::Collection;

Failure failure_of_input(const Error &error, const std::string &path) {
  Failure failure = failure_from(error, path);
  if (error.code == Errc::changed)
    failure.hint = "it is not the file that --expect-sha256, --from, --after "
                   "or the id means: ask again without them";
  else if (error.code == Errc::not_found)
    failure.hint = "--show objects lists the ids";
  return failure;
}

bool is_interrupted(const inspect::Report &report) {
  return std::ranges::find(report.limitations, "interrupted",
                           &inspect::Limitation::code) !=
         report.limitations.end();
}

} // namespace

struct InspectRun::Rows {
  std::optional<KernelPage> page;
  std::uint64_t kernels = 0; // kept or printed
  std::string text;          // of --show ptx
  bool has_text = false;
};

InspectRun::InspectRun(const InspectRequest &request, const Inputs &inputs,
                       const Interrupt &interrupt, Console &console,
                       report::Sink &output)
    : request_(request), question_(request.question), inputs_(inputs),
      interrupt_(interrupt), console_(console),
      printer_(question_, inputs.several, output) {}

int InspectRun::run() {
  if (!request_.evidence.empty()) {
    auto writer = report::EvidenceWriter::create(request_.evidence);
    if (!writer)
      return console_.fail(failure_from(writer.error(), request_.evidence));
    evidence_.emplace(std::move(*writer));
  }
  Progress progress(console_, "inspect");
  for (const InputFile &input : inputs_.files) {
    if (inputs_.several)
      progress.show_files(answers_.size(), inputs_.files.size());
    one(input);
  }
  progress.clear();
  printer_.end();
  if (left_out_ != 0)
    console_.note(
        fmt::format("interrupted; files not looked at: {}", left_out_));
  if (not_saved_)
    return kStatusError;
  if (inputs_.files.empty() && interrupt_.requested()) {
    console_.note("interrupted before the folders were looked through");
    answers_.push_back(left_out_answer());
  } else if (inputs_.files.empty()) {
    console_.note("there is no file in these folders");
    answers_.push_back(Answer::none);
  }
  return exit_status(answers_);
}

void InspectRun::set_hooks(inspect::Options &options, const std::string &path,
                           Rows &rows) {
  options.stop = interrupt_.token();
  const bool shows_kernels =
      std::ranges::find(question_.view.show, Collection::kernels) !=
      question_.view.show.end();
  if (question_.paged && shows_kernels)
    rows.page.emplace(page_of(question_).first, question_.limit);
  if (rows.page || printer_.streams_kernels())
    options.done = [&](const inspect::Object &object,
                       std::vector<inspect::Kernel> &kernels) {
      if (rows.page)
        rows.page->take(kernels);
      rows.kernels += kernels.size();
      if (!printer_.streams_kernels())
        return;
      printer_.kernels(path, object, kernels);
      kernels = {};
    };
  if (question_.text)
    options.payload = [&](const inspect::Object &object, Bytes bytes) {
      if (object.kind != inspect::ObjectKind::ptx)
        return;
      rows.text.assign(reinterpret_cast<const char *>(bytes.data()),
                       bytes.size());
      rows.has_text = true;
    };
  if (evidence_)
    evidence_->install(options);
}

Result<inspect::Report> InspectRun::look_at(const std::string &path,
                                            inspect::Options &options) {
  Progress progress(console_, path);
  if (console_.shows_progress())
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
      progress.show(done, total);
    };
  if (path != kStandardInput)
    return inspect::file(path, options);
  const auto bytes = read_standard_input(options.limits, options.stop);
  if (!bytes)
    return std::unexpected(bytes.error());
  return inspect::memory(*bytes, path, options);
}

void InspectRun::one(const InputFile &input) {
  if (input.failure)
    return failed(input.path, failure_of_input(*input.failure, input.path));
  // The first input says itself what is known by then.
  if (interrupt_.requested() && !answers_.empty())
    return leave_out(input.path);
  inspect::Options options = question_.options;
  Rows rows;
  set_hooks(options, input.path, rows);
  try {
    const auto report = look_at(input.path, options);
    if (!report)
      return failed(input.path, failure_of_input(report.error(), input.path));
    if (evidence_)
      if (auto saved = evidence_->finish(*report); !saved) {
        console_.complain(failure_from(saved.error(), request_.evidence));
        not_saved_ = true;
      }
    if (console_.verbose)
      tell_limitations(console_, *report);
    question_.text ? print_text(*report, rows) : print(*report, rows);
  } catch (const std::bad_alloc &) {
    failed(input.path,
           {Errc::too_large, printable(input.path) + ": out of memory", {}});
  }
}

void InspectRun::print(const inspect::Report &report, const Rows &rows) {
  std::optional<report::Page> page;
  const std::uint64_t kernels = std::max<std::uint64_t>(
      rows.page ? rows.page->total() : rows.kernels, report.kernels.size());
  if (question_.paged) {
    const Collection shown = question_.view.show[0];
    page = page_of(question_);
    const std::uint64_t total =
        rows.page ? kernels : report::count(report, shown);
    page->rows = std::min(page->limit, total - std::min(page->first, total));
    if (!is_interrupted(report))
      page->total = total;
    if (rows.page)
      page->dropped = page->first;
    set_next(*page, question_, report.sha256);
  }
  std::optional<std::uint64_t> named;
  if (!question_.options.kernels.empty())
    named = kernels;
  answers_.push_back(
      answer(report.coverage, is_found(report, named), request_.strict));
  printer_.report(report, page);
}

void InspectRun::print_text(const inspect::Report &report, const Rows &rows) {
  const std::string &id = question_.options.objects[0];
  const auto object =
      std::ranges::find(report.objects, id, &inspect::Object::id);
  if (!rows.has_text) {
    Failure failure{Errc::not_found,
                    fmt::format("{}: object {} has no text",
                                printable(report.path), printable(id)),
                    "--show objects --kind ptx lists those that have one"};
    if (is_interrupted(report))
      failure = {Errc::interrupted,
                 printable(report.path) + ": interrupted before the text was "
                                          "read",
                 {}};
    else if (object != report.objects.end() && !object->limitations.empty())
      failure.message += ": " + printable(object->limitations[0].message);
    return failed(report.path, std::move(failure));
  }
  auto part = text_part(rows.text, *question_.text);
  if (!part)
    return failed(report.path, part.error());
  part->object = id;
  answers_.push_back(Answer::found);
  printer_.text(report, *part);
  if (part->next && question_.form == Form::text)
    console_.note(fmt::format("the text goes on: --offset {}", *part->next));
}

void InspectRun::failed(const std::string &path, Failure failure) {
  console_.complain(failure);
  answers_.push_back(Answer::failed);
  printer_.failed({path, failure.code, failure.message, failure.hint});
}

void InspectRun::leave_out(const std::string &path) {
  left_out_++;
  answers_.push_back(left_out_answer());
  printer_.failed({path,
                   Errc::interrupted,
                   printable(path) + ": interrupted before it was looked at",
                   {}});
}

} // namespace gantry::cli

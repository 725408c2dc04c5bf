// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/printer.h"

#include "cli/text_part.h"

#include <algorithm>

namespace gantry::cli {

using report::Collection;

Printer::Printer(const Question &question, bool several, report::Sink &out)
    : form_(question.form),
      streams_kernels_(
          question.form == Form::ndjson &&
          std::ranges::find(question.view.show, Collection::kernels) !=
              question.view.show.end()),
      view_(question.view), out_(out) {
  if (form_ == Form::json && several)
    documents_.emplace(view_, out_);
  if (form_ == Form::ndjson)
    records_.emplace(view_, several, out_);
}

void Printer::kernels(std::string_view path, const inspect::Object &object,
                      std::span<const inspect::Kernel> kernels) {
  if (records_)
    records_->kernels(path, object, kernels);
}

void Printer::report(const inspect::Report &report,
                     const std::optional<report::Page> &page) {
  view_.page = page;
  if (documents_)
    return documents_->add(report);
  if (form_ == Form::json)
    return report::json(report, view_, out_);
  if (records_) {
    // Kernels that were printed already are not in the report any more.
    for (Collection collection : view_.show)
      records_->rows(report, collection);
    return records_->end_input(report);
  }
  if (printed_)
    out_.write("\n");
  report::text(report, view_, out_);
  printed_ = true;
}

void Printer::text(const inspect::Report &report,
                   const report::TextPart &part) {
  if (records_) {
    records_->text(report, part);
    return records_->end_input(report);
  }
  if (form_ == Form::json)
    return report::json(report, part, view_, out_);
  // Fat binaries end a text with a NUL.
  const std::string_view text =
      part.text.substr(0, part.text.find_last_not_of('\0') + 1);
  const bool to_terminal = view_.width != 0;
  if (to_terminal)
    out_.write(harmless_text(text));
  else
    out_.write(text);
}

void Printer::failed(const report::Failed &failed) {
  if (documents_)
    documents_->add(failed);
  else if (records_)
    records_->add(failed);
  else if (form_ == Form::json)
    report::json(failed, view_, out_);
}

void Printer::end() {
  if (documents_)
    documents_->end();
  if (records_)
    records_->end();
}

} // namespace gantry::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text.h"
#include "report/document.h"

namespace gantry::report {

namespace {

// Of one row: "target", "object" …
std::string_view row_word(Collection c) {
  const std::string_view all = word(c);
  return all.substr(0, all.size() - 1);
}

} // namespace

struct Records::State {
  State(const View &shown, bool more_than_one, Sink &sink)
      : view(shown), several(more_than_one),
        json([&sink](std::string_view text) { sink.write(text); },
             JsonWriter::Style::compact) {}

  void begin(std::string_view record) {
    json.begin_object();
    json.member("record", record);
  }
  void row(const inspect::Report &report, Collection c, std::size_t index,
           std::string_view path) {
    begin(row_word(c));
    if (several)
      json.member("input", printable(path));
    for (const Field *f : chosen(c, view, Detail::full))
      write(*f, report, index, json);
    json.end_object();
  }

  const View &view;
  bool several;
  JsonWriter json;
  Totals totals;
};

Records::Records(const View &view, bool several, Sink &sink)
    : state_(std::make_unique<State>(view, several, sink)) {}

Records::~Records() = default;

void Records::rows(const inspect::Report &report, Collection c) {
  for (std::size_t index : report::rows(report, c, state_->view))
    state_->row(report, c, index, report.path);
}

void Records::kernels(std::string_view path, const inspect::Object &object,
                      std::span<const inspect::Kernel> kernels) {
  if (kernels.empty())
    return;
  // Fields are read from a report: one of this object alone.
  inspect::Report part;
  part.objects = {object};
  part.kernels.assign(kernels.begin(), kernels.end());
  for (inspect::Kernel &kernel : part.kernels)
    kernel.object = 0;
  for (std::size_t index = 0; index < part.kernels.size(); index++)
    state_->row(part, Collection::kernels, index, path);
}

void Records::text(const inspect::Report &report, const TextPart &part) {
  state_->begin("text");
  if (state_->several)
    state_->json.member("input", printable(report.path));
  write_text(part, state_->json);
  state_->json.end_object();
}

void Records::end_input(const inspect::Report &report) {
  state_->totals.add(report);
  state_->begin(state_->several ? "input" : "summary");
  state_->json.member("schema", state_->view.schema);
  write_facts(report, state_->view, state_->json);
  state_->json.end_object();
}

void Records::add(const Failed &failed) {
  state_->totals.add_failure();
  state_->begin("error");
  state_->json.member("schema", state_->view.schema);
  write_failed(failed, state_->json);
  state_->json.end_object();
}

void Records::end() {
  if (!state_->several)
    return;
  state_->begin("summary");
  state_->json.member("schema", state_->view.schema);
  state_->totals.write(state_->json);
  state_->json.end_object();
}

} // namespace gantry::report

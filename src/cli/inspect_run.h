// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `gantry inspect`, from a request to answers.
#pragma once

#include "cli/console.h"
#include "cli/inspect.h"
#include "cli/interrupt.h"
#include "cli/printer.h"
#include "cli/status.h"

namespace gantry::cli {

class InspectRun {
public:
  InspectRun(const InspectRequest &request, const Inputs &inputs,
             const Interrupt &interrupt, Console &console,
             report::Sink &output);

  // Looks at all inputs and returns the exit status.
  int run();

private:
  // What became of the rows of one input while they came.
  struct Rows;

  void one(const InputFile &input);
  Result<inspect::Report> look_at(const std::string &path,
                                  inspect::Options &options);
  void set_hooks(inspect::Options &options, const std::string &path,
                 Rows &rows);
  void print(const inspect::Report &report, const Rows &rows);
  void print_text(const inspect::Report &report, const Rows &rows);
  void failed(const std::string &path, Failure failure);
  void leave_out(const std::string &path);
  Answer left_out_answer() const {
    return request_.strict ? Answer::partial : Answer::unknown;
  }

  const InspectRequest &request_;
  const Question &question_;
  const Inputs &inputs_;
  const Interrupt &interrupt_;
  Console &console_;
  Printer printer_;
  std::optional<report::EvidenceWriter> evidence_;
  std::vector<Answer> answers_;
  std::uint64_t left_out_ = 0; // inputs behind an interrupt
  bool not_saved_ = false;
};

} // namespace gantry::cli

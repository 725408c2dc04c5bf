// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers in the form that was asked for, each as soon as it is known.
#pragma once

#include "cli/question.h"

namespace gantry::cli {

class Printer {
public:
  // `several` inputs: JSON is a list then, and records name their input.
  // `question` must outlive this.
  Printer(const Question &question, bool several, report::Sink &out);
  Printer(const Printer &) = delete;
  Printer &operator=(const Printer &) = delete;

  // Whether rows of kernels are printed as they come, and need not be kept.
  bool streams_kernels() const { return streams_kernels_; }
  void kernels(std::string_view path, const inspect::Object &object,
               std::span<const inspect::Kernel> kernels);
  void report(const inspect::Report &report,
              const std::optional<report::Page> &page);
  void text(const inspect::Report &report, const report::TextPart &part);
  void failed(const report::Failed &failed);
  // After the last input.
  void end();

private:
  Form form_;
  bool streams_kernels_;
  report::View view_; // documents_ and records_ refer to it
  report::Sink &out_;
  std::optional<report::Documents> documents_;
  std::optional<report::Records> records_;
  bool printed_ = false;
};

} // namespace gantry::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What class Evidence answers, each of its questions in a file of its own.
#pragma once

#include "report/evidence_assembly.h"

namespace gantry::report {

Result<inspect::Report> evidence_summary(EvidenceFile &);
Result<EvidencePage> evidence_page(EvidenceFile &, const EvidenceQuery &);
Result<inspect::Report> evidence_report(EvidenceFile &, const EvidenceQuery &);
Result<EvidenceText> evidence_text(EvidenceFile &, const std::string &object,
                                   std::uint64_t offset, std::uint64_t length);
Result<void> verify_evidence(EvidenceFile &);

// What a query selects.
class EvidenceSelection {
public:
  static Result<EvidenceSelection> parse(const EvidenceQuery &);
  EvidenceSelection(EvidenceSelection &&) noexcept;
  ~EvidenceSelection();

  bool all_objects() const;
  bool all_kernels() const;
  bool selects(const inspect::Object &);
  bool selects(const inspect::Kernel &) const;
  // False: the line is no object, or no kernel, that is selected. Looking is
  // much faster than reading.
  bool may_be_object(std::string_view line) const;
  bool may_be_kernel(std::string_view line) const;
  // After all objects were asked for: refuses ids that none had.
  Result<void> check_ids() const;

private:
  struct State;
  explicit EvidenceSelection(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace gantry::report

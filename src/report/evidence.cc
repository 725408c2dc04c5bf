// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file.h"
#include "report/evidence_queries.h"

namespace gantry::report {

struct Evidence::State {
  EvidenceFile file;
  Totals totals;
  std::string path; // "" in memory

  template <class T> Result<T> named(Result<T> result) {
    if (result || path.empty())
      return result;
    return std::unexpected(std::move(result).error().in(path));
  }
};

Evidence::Evidence(std::unique_ptr<State> state) : state_(std::move(state)) {
  const EvidenceFile &file = state_->file;
  state_->totals = {file.rows(RowKind::container), file.rows(RowKind::object),
                    file.rows(RowKind::kernel), file.rows(RowKind::target),
                    file.rows(RowKind::text)};
}
Evidence::~Evidence() = default;
Evidence::Evidence(Evidence &&) noexcept = default;
Evidence &Evidence::operator=(Evidence &&) noexcept = default;

Result<Evidence> Evidence::open(const std::string &path, const Limits &limits) {
  auto source = FileSource::open(path);
  if (!source)
    return std::unexpected(std::move(source).error().in(path));
  auto file = EvidenceFile::open(std::move(*source), limits);
  if (!file)
    return std::unexpected(std::move(file).error().in(path));
  return Evidence(std::make_unique<State>(std::move(*file), Totals(), path));
}

Result<Evidence> Evidence::memory(Bytes bytes, const Limits &limits) {
  GANTRY_TRY(EvidenceFile file,
             EvidenceFile::open(std::make_unique<MemorySource>(bytes), limits));
  return Evidence(std::make_unique<State>(std::move(file), Totals(), ""));
}

const std::string &Evidence::input() const {
  return state_->file.index().input;
}
std::uint64_t Evidence::input_size() const {
  return state_->file.index().input_size;
}
const std::string &Evidence::sha256() const {
  return state_->file.index().input_sha256;
}
const Evidence::Totals &Evidence::totals() const { return state_->totals; }

Result<inspect::Report> Evidence::summary() const {
  return state_->named(evidence_summary(state_->file));
}
Result<EvidencePage> Evidence::page(const EvidenceQuery &query) const {
  return state_->named(evidence_page(state_->file, query));
}
Result<inspect::Report> Evidence::report(const EvidenceQuery &query) const {
  return state_->named(evidence_report(state_->file, query));
}
Result<EvidenceText> Evidence::text(const std::string &object,
                                    std::uint64_t offset,
                                    std::uint64_t length) const {
  return state_->named(evidence_text(state_->file, object, offset, length));
}
Result<void> Evidence::verify() const {
  return state_->named(verify_evidence(state_->file));
}

} // namespace gantry::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands in until src/report/evidence*.cc has these.
#include "gantry/report.h"

namespace gantry::report {

#define WEAK __attribute__((weak))

struct EvidenceWriter::State {};
struct Evidence::State {};
static const std::string kNone;
static const Evidence::Totals kNothing;
static Error none() { return {Errc::unsupported, 0, "not in this build", {}}; }

WEAK Result<EvidenceWriter> EvidenceWriter::create(const std::string &) {
  return std::unexpected(none());
}
WEAK EvidenceWriter::~EvidenceWriter() = default;
WEAK EvidenceWriter::EvidenceWriter(EvidenceWriter &&) noexcept = default;
WEAK void EvidenceWriter::install(inspect::Options &) {}
WEAK Result<void> EvidenceWriter::finish(const inspect::Report &) {
  return std::unexpected(none());
}
WEAK Result<Evidence> Evidence::open(const std::string &, const Limits &) {
  return std::unexpected(none());
}
WEAK Evidence::~Evidence() = default;
WEAK Evidence::Evidence(Evidence &&) noexcept = default;
WEAK const std::string &Evidence::input() const { return kNone; }
WEAK const std::string &Evidence::sha256() const { return kNone; }
WEAK const Evidence::Totals &Evidence::totals() const { return kNothing; }
WEAK Result<inspect::Report> Evidence::summary() const {
  return std::unexpected(none());
}
WEAK Result<EvidencePage> Evidence::page(const EvidenceQuery &) const {
  return std::unexpected(none());
}
WEAK Result<inspect::Report> Evidence::report(const EvidenceQuery &) const {
  return std::unexpected(none());
}
WEAK Result<EvidenceText> Evidence::text(const std::string &, std::uint64_t,
                                         std::uint64_t) const {
  return std::unexpected(none());
}
WEAK Result<void> Evidence::verify() const { return std::unexpected(none()); }

} // namespace gantry::report

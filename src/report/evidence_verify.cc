// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All of a saved record, and what only all of its rows together can break.

#include "base/digest.h"
#include "report/evidence_queries.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace gantry::report {

namespace {

using inspect::Object;
using inspect::Report;

class Verifier {
public:
  Verifier(EvidenceFile &file, Report summary)
      : file_(file), assembly_(file, std::move(summary)) {}

  Result<void> run() {
    GANTRY_CHECK(outline());
    GANTRY_CHECK(objects());
    GANTRY_CHECK(kernels());
    GANTRY_CHECK(targets());
    return texts();
  }

private:
  Result<void> outline();
  Result<void> objects();
  Result<void> kernels();
  Result<void> targets();
  Result<void> texts();
  Result<void> text(std::uint64_t object, std::uint64_t &row);

  EvidenceFile &file_;
  Assembly assembly_;
};

std::vector<std::uint64_t> all(std::uint64_t count) {
  std::vector<std::uint64_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

std::unexpected<Error> bad_object(std::uint64_t row, std::string_view why) {
  return fail(Errc::bad_value, 0, fmt::format("object {}: {}", row, why));
}

// Containers and objects, each against the others.
Result<void> Verifier::outline() {
  GANTRY_CHECK(assembly_.load(all(file_.rows(RowKind::object)),
                              all(file_.rows(RowKind::container)), true));
  std::set<std::string_view> ids;
  const Report &report = assembly_.report();
  for (std::size_t i = 0; i < report.containers.size(); i++)
    if (!ids.insert(report.containers[i].id).second)
      return fail(Errc::bad_value, 0,
                  fmt::format("container {}: value.id: there twice", i));
  // An object without a container has the id of its own.
  ids.clear();
  for (std::size_t i = 0; i < report.objects.size(); i++)
    if (!ids.insert(report.objects[i].id).second)
      return bad_object(i, "value.id: there twice");
  return {};
}

// Their kernels follow each other, and the summary counts them.
Result<void> Verifier::objects() {
  std::uint64_t kernels = 0, unselected = 0;
  const Report &report = assembly_.report();
  for (std::size_t i = 0; i < report.objects.size(); i++) {
    const ObjectRows &row = assembly_.object_rows(i);
    if (row.first_kernel != kernels)
      return bad_object(i, "first_kernel: not behind the object before");
    kernels += row.kernel_rows;
    unselected += !report.objects[i].selected;
  }
  if (kernels != file_.rows(RowKind::kernel))
    return fail(Errc::bad_value, 0,
                fmt::format("objects have {} kernels of {}", kernels,
                            file_.rows(RowKind::kernel)));
  if (unselected != report.usage.objects_not_selected)
    return fail(Errc::bad_value, 0,
                "summary 0: value.usage.objects_not_selected: not so many");
  return {};
}

Result<void> Verifier::kernels() {
  const std::uint64_t count = file_.rows(RowKind::kernel);
  for (std::uint64_t row = 0; row < count; row++) {
    GANTRY_TRY(EvidenceLine line, file_.line(RowKind::kernel, row));
    GANTRY_TRY(KernelLine kernel, read_kernel(line, file_.limits()));
    GANTRY_CHECK(assembly_.add(line, std::move(kernel)));
    assembly_.report().kernels.clear();
  }
  return {};
}

Result<void> Verifier::targets() {
  const std::uint64_t count = file_.rows(RowKind::target);
  for (std::uint64_t row = 0; row < count; row++)
    GANTRY_CHECK(assembly_.add_target(row));
  std::uint64_t objects = 0;
  for (const inspect::TargetRow &t : assembly_.report().targets)
    objects += t.objects;
  if (count != 0 && objects != file_.rows(RowKind::object))
    return fail(Errc::bad_value, 0,
                fmt::format("targets have {} objects of {}", objects,
                            file_.rows(RowKind::object)));
  return {};
}

// Pieces follow each other, in the order of objects, and give the digest.
Result<void> Verifier::texts() {
  std::uint64_t row = 0;
  for (std::uint64_t i = 0; i < assembly_.report().objects.size(); i++)
    if (assembly_.object_rows(i).text_bytes)
      GANTRY_CHECK(text(i, row));
  if (row != file_.rows(RowKind::text)) {
    GANTRY_TRY(EvidenceLine line, file_.line(RowKind::text, row));
    return bad_row(line, "object: it has no such text");
  }
  return {};
}

Result<void> Verifier::text(std::uint64_t object, std::uint64_t &row) {
  const Object &o = assembly_.report().objects[object];
  const std::uint64_t size = *assembly_.object_rows(object).text_bytes;
  Sha256 digest;
  for (std::uint64_t at = 0; at < size; row++) {
    if (row == file_.rows(RowKind::text))
      return bad_object(object, "text_bytes: its text ends early");
    GANTRY_TRY(EvidenceLine line, file_.line(RowKind::text, row));
    GANTRY_TRY(TextPiece piece, read_text(line, file_.limits()));
    if (piece.object != o.id)
      return bad_row(line, "object: not the one whose turn it is");
    if (object < line.block->refers_first || object > line.block->refers_last)
      return bad_row(line, "object: not as the index says");
    if (piece.sha256 != o.digest)
      return bad_row(line, "sha256: not the object's digest");
    if (piece.offset != at || piece.bytes.size() > size - at)
      return bad_row(line, "offset: not behind the piece before");
    digest.update(as_bytes(piece.bytes));
    at += piece.bytes.size();
  }
  if (digest.hex() != o.digest)
    return bad_object(object, "value.digest: not that of its text");
  return {};
}

} // namespace

Result<void> verify_evidence(EvidenceFile &file) {
  GANTRY_TRY(Report summary, evidence_summary(file));
  return Verifier(file, std::move(summary)).run();
}

} // namespace gantry::report

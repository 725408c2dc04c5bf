// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages of a saved record. Without a selection the page's rows are known by
// their numbers. A selection of objects reads all objects, one of kernels looks
// at the kernels of these.

#include "base/reader.h"
#include "report/evidence_queries.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace gantry::report {

namespace {

using inspect::Report;
using Rows = std::vector<std::uint64_t>;

// Rows [first, first + limit) of `total`.
Rows window(std::uint64_t total, const EvidenceQuery &query) {
  std::uint64_t first = std::min(query.first, total);
  Rows rows(std::min(query.limit, total - first));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

class Pager {
public:
  Pager(EvidenceFile &file, const EvidenceQuery &query,
        EvidenceSelection selection, Report summary)
      : file_(file), query_(query), selection_(std::move(selection)),
        unselected_(summary.usage.objects_not_selected != 0),
        assembly_(file, std::move(summary)) {}

  Result<EvidencePage> page() {
    EvidencePage out;
    GANTRY_CHECK(fill(out));
    out.report = std::move(assembly_.report());
    return out;
  }

private:
  Result<void> fill(EvidencePage &out) {
    switch (query_.show) {
    case Collection::targets:
      return targets(out);
    case Collection::objects:
      return objects(out);
    case Collection::kernels:
      return kernels(out);
    case Collection::containers:
      return containers(out);
    }
    return {};
  }

  Result<void> targets(EvidencePage &out);
  Result<void> objects(EvidencePage &out);
  Result<void> kernels(EvidencePage &out);
  Result<void> containers(EvidencePage &out);

  // Calls each(row number, object) for the objects that are selected.
  template <class Each> Result<void> each_object(Each each);
  // Appends those of kernel rows [first, first + count) that are selected and
  // in the page, and counts all that are selected.
  Result<void> add_kernels(std::uint64_t first, std::uint64_t count,
                           std::uint64_t &total, Rows &rows);
  bool in_page(std::uint64_t position) const {
    return position >= query_.first && position - query_.first < query_.limit;
  }

  EvidenceFile &file_;
  const EvidenceQuery &query_;
  EvidenceSelection selection_;
  bool unselected_; // the record has objects that were not selected
  Assembly assembly_;
};

template <class Each> Result<void> Pager::each_object(Each each) {
  const std::uint64_t count = file_.rows(RowKind::object);
  std::uint64_t kernels = 0; // of the objects before
  for (std::uint64_t row = 0; row < count; row++) {
    GANTRY_TRY(EvidenceLine line, file_.line(RowKind::object, row));
    if (!selection_.may_be_object(line.text))
      continue;
    GANTRY_TRY(EvidenceObject object, read_object(line, file_.limits()));
    const ObjectRows &rows = object.rows;
    if (rows.first_kernel < kernels)
      return bad_row(line, "first_kernel: that of another object");
    if (!fits(rows.first_kernel, rows.kernel_rows, file_.rows(RowKind::kernel)))
      return bad_row(line, "kernel_rows: there are fewer");
    kernels = rows.first_kernel + rows.kernel_rows;
    if (selection_.selects(object.part))
      GANTRY_CHECK(each(row, object));
  }
  return selection_.check_ids();
}

Result<void> Pager::targets(EvidencePage &out) {
  using Key = std::tuple<std::string, inspect::ObjectKind, std::optional<bool>>;
  std::set<Key> keys;
  if (!selection_.all_objects())
    GANTRY_CHECK(
        each_object([&](std::uint64_t, EvidenceObject &o) -> Result<void> {
          keys.insert({o.part.target, o.part.kind, o.part.relocatable});
          return {};
        }));
  std::vector<inspect::TargetRow> &rows = assembly_.report().targets;
  const std::uint64_t count = file_.rows(RowKind::target);
  for (std::uint64_t row = 0; row < count; row++) {
    GANTRY_CHECK(assembly_.add_target(row));
    const inspect::TargetRow &t = rows.back();
    bool selected = selection_.all_objects() ||
                    keys.contains({t.target, t.kind, t.relocatable});
    if (!selected || !in_page(out.total))
      rows.pop_back();
    out.total += selected;
  }
  return {};
}

Result<void> Pager::objects(EvidencePage &out) {
  Rows rows;
  if (selection_.all_objects() && !unselected_) {
    out.total = file_.rows(RowKind::object);
    rows = window(out.total, query_);
  } else {
    GANTRY_CHECK(
        each_object([&](std::uint64_t row, EvidenceObject &) -> Result<void> {
          if (in_page(out.total++))
            rows.push_back(row);
          return {};
        }));
  }
  return assembly_.load(std::move(rows), {}, false);
}

Result<void> Pager::add_kernels(std::uint64_t first, std::uint64_t count,
                                std::uint64_t &total, Rows &rows) {
  if (selection_.all_kernels()) {
    // Those of the page, without a look at the others.
    std::uint64_t from = std::max(query_.first, total);
    for (; from - total < count && in_page(from); from++)
      rows.push_back(first + (from - total));
    total += count;
    return {};
  }
  for (std::uint64_t row = first; row - first < count; row++) {
    GANTRY_TRY(EvidenceLine line, file_.line(RowKind::kernel, row));
    if (!selection_.may_be_kernel(line.text))
      continue;
    GANTRY_TRY(KernelLine kernel, read_kernel(line, file_.limits()));
    if (selection_.selects(kernel.part) && in_page(total++))
      rows.push_back(row);
  }
  return {};
}

Result<void> Pager::kernels(EvidencePage &out) {
  Rows rows;
  GANTRY_CHECK(
      selection_.all_objects()
          ? add_kernels(0, file_.rows(RowKind::kernel), out.total, rows)
          : each_object([&](std::uint64_t, EvidenceObject &o) {
              return add_kernels(o.rows.first_kernel, o.rows.kernel_rows,
                                 out.total, rows);
            }));
  std::vector<std::pair<EvidenceLine, KernelLine>> kernels;
  Rows objects;
  for (std::uint64_t row : rows) {
    GANTRY_TRY(EvidenceLine line, file_.line(RowKind::kernel, row));
    GANTRY_TRY(KernelLine kernel, read_kernel(line, file_.limits()));
    objects.push_back(*kernel.owner);
    kernels.emplace_back(line, std::move(kernel));
  }
  std::ranges::sort(objects);
  objects.erase(std::ranges::unique(objects).begin(), objects.end());
  GANTRY_CHECK(assembly_.load(std::move(objects), {}, false));
  for (auto &[line, kernel] : kernels)
    GANTRY_CHECK(assembly_.add(line, std::move(kernel)));
  return {};
}

// With their objects, because the rows count these.
Result<void> Pager::containers(EvidencePage &out) {
  out.total = file_.rows(RowKind::container);
  Rows rows = window(out.total, query_);
  if (rows.empty())
    return {};
  Rows objects;
  for (std::size_t i = 0; i < file_.blocks(RowKind::object); i++) {
    const EvidenceBlock &b = file_.block(RowKind::object, i);
    if (b.refers_last < rows.front() || b.refers_first > rows.back())
      continue;
    for (std::uint64_t row = b.first; row - b.first < b.rows; row++) {
      GANTRY_TRY(EvidenceLine line, file_.line(RowKind::object, row));
      GANTRY_TRY(EvidenceObject object, read_object(line, file_.limits()));
      if (*object.owner >= rows.front() && *object.owner <= rows.back())
        objects.push_back(row);
    }
  }
  const std::size_t count = rows.size();
  GANTRY_CHECK(assembly_.load(std::move(objects), std::move(rows), true));
  out.before = assembly_.report().containers.size() - count;
  return {};
}

} // namespace

Result<Report> evidence_summary(EvidenceFile &file) {
  GANTRY_TRY(EvidenceLine line, file.line(RowKind::summary, 0));
  GANTRY_TRY(Report report, read_summary(line, file.limits()));
  const EvidenceIndex &index = file.index();
  if (report.path != index.input || report.size != index.input_size ||
      report.sha256 != index.input_sha256)
    return bad_row(line, "value.input: not that of the index");
  return report;
}

Result<EvidencePage> evidence_page(EvidenceFile &file,
                                   const EvidenceQuery &query) {
  GANTRY_TRY(EvidenceSelection selection, EvidenceSelection::parse(query));
  GANTRY_TRY(Report summary, evidence_summary(file));
  return Pager(file, query, std::move(selection), std::move(summary)).page();
}

Result<Report> evidence_report(EvidenceFile &file, const EvidenceQuery &query) {
  GANTRY_TRY(EvidenceSelection selection, EvidenceSelection::parse(query));
  GANTRY_TRY(Report summary, evidence_summary(file));
  Assembly assembly(file, std::move(summary));
  Rows objects(file.rows(RowKind::object));
  Rows containers(file.rows(RowKind::container));
  std::iota(objects.begin(), objects.end(), 0);
  std::iota(containers.begin(), containers.end(), 0);
  GANTRY_CHECK(assembly.load(std::move(objects), std::move(containers), true));
  Report &report = assembly.report();
  for (inspect::Object &o : report.objects)
    o.selected = selection.selects(o);
  GANTRY_CHECK(selection.check_ids());
  const std::uint64_t targets = file.rows(RowKind::target);
  for (std::uint64_t row = 0; row < targets; row++)
    GANTRY_CHECK(assembly.add_target(row));
  const std::uint64_t kernels = file.rows(RowKind::kernel);
  for (std::uint64_t row = 0; row < kernels; row++) {
    GANTRY_TRY(EvidenceLine line, file.line(RowKind::kernel, row));
    if (!selection.may_be_kernel(line.text))
      continue;
    GANTRY_TRY(KernelLine kernel, read_kernel(line, file.limits()));
    GANTRY_CHECK(assembly.add(line, std::move(kernel)));
    const inspect::Kernel &k = report.kernels.back();
    if (!report.objects[k.object].selected || !selection.selects(k))
      report.kernels.pop_back();
  }
  return std::move(report);
}

} // namespace gantry::report

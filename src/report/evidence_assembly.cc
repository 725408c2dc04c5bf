// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/evidence_assembly.h"

#include "base/reader.h"
#include "report/evidence_check.h"

#include <algorithm>
#include <queue>

namespace gantry::report {

namespace {

// A container that the limit counts once can be several of the report's: a
// section, a compressed bundle and the bundle in it.
constexpr std::uint32_t kDepthSlack = 4;

// Where a row stands among those that were read.
std::uint32_t position(const auto &origins, std::uint64_t row) {
  auto at = std::ranges::lower_bound(
      origins, row, {}, [](const auto &origin) { return origin.line.row; });
  return at == origins.end() || at->line.row != row
             ? inspect::kNone
             : static_cast<std::uint32_t>(at - origins.begin());
}

} // namespace

Result<void> Assembly::load(std::vector<std::uint64_t> objects,
                            std::vector<std::uint64_t> containers, bool whole) {
  std::vector<std::uint64_t> wanted = containers;
  GANTRY_CHECK(read_objects(objects, wanted));
  GANTRY_CHECK(read_containers(wanted));
  GANTRY_CHECK(link());
  if (!whole)
    containers.clear();
  return check(containers);
}

Result<void> Assembly::read_objects(const std::vector<std::uint64_t> &rows,
                                    std::vector<std::uint64_t> &containers) {
  for (std::uint64_t row : rows) {
    GANTRY_TRY(EvidenceLine line, file_.line(RowKind::object, row));
    GANTRY_TRY(EvidenceObject object, read_object(line, file_.limits()));
    if (!fits(object.rows.first_kernel, object.rows.kernel_rows,
              file_.rows(RowKind::kernel)))
      return bad_row(line, "kernel_rows: there are fewer");
    if (containers.empty() || containers.back() != *object.owner)
      containers.push_back(*object.owner);
    report_.objects.push_back(std::move(object.part));
    objects_.push_back(
        {{line, object.owner, std::move(object.claims)}, object.rows});
  }
  return {};
}

// With the parents, which have lower numbers: from the highest on downwards.
Result<void> Assembly::read_containers(const std::vector<std::uint64_t> &rows) {
  std::priority_queue<std::uint64_t> left(rows.begin(), rows.end());
  std::optional<std::uint64_t> last;
  while (!left.empty()) {
    std::uint64_t row = left.top();
    left.pop();
    if (last == row)
      continue;
    last = row;
    GANTRY_TRY(EvidenceLine line, file_.line(RowKind::container, row));
    GANTRY_TRY(ContainerLine container, read_container(line, file_.limits()));
    if (container.owner)
      left.push(*container.owner);
    report_.containers.push_back(std::move(container.part));
    containers_.push_back({line, container.owner, std::move(container.claims)});
  }
  std::ranges::reverse(report_.containers);
  std::ranges::reverse(containers_);
  return {};
}

Result<void> Assembly::link() {
  // Of each container, so that nobody follows long chains again and again.
  std::vector<std::uint32_t> depths(containers_.size());
  for (std::size_t i = 0; i < containers_.size(); i++) {
    if (!containers_[i].owner)
      continue;
    std::uint32_t parent = position(containers_, *containers_[i].owner);
    report_.containers[i].parent = parent;
    depths[i] = depths[parent] + 1;
    if (depths[i] / kDepthSlack > file_.limits().depth)
      return fail(Errc::too_large, containers_[i].line.block->offset,
                  containers_[i].line.name() + ": (limit depth)");
  }
  for (std::size_t i = 0; i < objects_.size(); i++)
    report_.objects[i].container = position(containers_, *objects_[i].owner);
  return {};
}

Result<void>
Assembly::check(const std::vector<std::uint64_t> &whole_containers) {
  for (std::size_t i = 0; i < containers_.size(); i++) {
    const EvidenceLine &line = containers_[i].line;
    bool whole = std::ranges::binary_search(whole_containers, line.row);
    GANTRY_CHECK(check_container(line, report_, i));
    GANTRY_CHECK(check_claims(line, containers_[i].claims,
                              Collection::containers, report_, i,
                              whole ? "" : "objects"));
  }
  for (std::size_t i = 0; i < objects_.size(); i++) {
    const EvidenceLine &line = objects_[i].line;
    GANTRY_CHECK(check_object(line, report_, i));
    GANTRY_CHECK(check_claims(line, objects_[i].claims, Collection::objects,
                              report_, i));
    objects_[i].claims = {};
  }
  return {};
}

Result<void> Assembly::add(const EvidenceLine &line, KernelLine kernel) {
  std::uint32_t object = position(objects_, *kernel.owner);
  const ObjectRows &rows = objects_[object].rows;
  if (line.row < rows.first_kernel ||
      line.row - rows.first_kernel >= rows.kernel_rows)
    return bad_row(line, "object_row: that object has other kernels");
  kernel.part.object = object;
  report_.kernels.push_back(std::move(kernel.part));
  return check_claims(line, kernel.claims, Collection::kernels, report_,
                      report_.kernels.size() - 1);
}

Result<void> Assembly::add_target(std::uint64_t row) {
  GANTRY_TRY(EvidenceLine line, file_.line(RowKind::target, row));
  GANTRY_TRY(TargetLine target, read_target(line, file_.limits()));
  report_.targets.push_back(std::move(target.part));
  return check_claims(line, target.claims, Collection::targets, report_,
                      report_.targets.size() - 1);
}

} // namespace gantry::report

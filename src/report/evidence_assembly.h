// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A report put together from rows of a saved record, with what they refer to.
#pragma once

#include "report/evidence_file.h"

namespace gantry::report {

class Assembly {
public:
  // `summary` is the report without collections.
  Assembly(EvidenceFile &file, inspect::Report summary)
      : file_(file), report_(std::move(summary)) {}

  // Reads these rows, which ascend, the containers around them, and checks all
  // against each other. `whole`: the containers asked for have no other
  // objects. Once.
  Result<void> load(std::vector<std::uint64_t> objects,
                    std::vector<std::uint64_t> containers, bool whole);

  // Adds a kernel whose object was loaded.
  Result<void> add(const EvidenceLine &line, KernelLine kernel);
  // Adds row `row` of the targets.
  Result<void> add_target(std::uint64_t row);

  // What the rows of objects say beside the model.
  const ObjectRows &object_rows(std::size_t i) const {
    return objects_[i].rows;
  }
  inspect::Report &report() { return report_; }

private:
  Result<void> read_objects(const std::vector<std::uint64_t> &rows,
                            std::vector<std::uint64_t> &containers);
  Result<void> read_containers(const std::vector<std::uint64_t> &rows);
  Result<void> link();
  Result<void> check(const std::vector<std::uint64_t> &whole_containers);

  EvidenceFile &file_;
  inspect::Report report_;
  // Beside the report's containers and objects.
  struct Origin {
    EvidenceLine line; // without its text
    std::optional<std::uint64_t> owner;
    std::vector<Claim> claims; // until they are checked
  };
  struct ObjectOrigin : Origin {
    ObjectRows rows;
  };
  std::vector<ObjectOrigin> objects_;
  std::vector<Origin> containers_;
};

} // namespace gantry::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which objects and kernels the caller asked for.
#pragma once

#include "gantry/inspect.h"

namespace gantry::inspect {

class Selection {
public:
  // Errors: invalid_argument for a target that cannot be parsed and is no
  // bundle entry id either.
  static Result<Selection> parse(const Options &options);

  bool everything() const {
    return targets_.empty() && kinds_.empty() && objects_.empty();
  }
  bool selects(const Object &object) const;
  // Whether objects in the container of this id can be selected.
  bool reaches(std::string_view container) const;
  // Refuses (not_found) the first id asked for that is no object of the report.
  Result<void> check_ids(const Report &report) const;
  // Whether kernels are chosen by name.
  bool names_kernels() const { return !kernels_.empty(); }
  // Raw, descriptor's or demangled name. Kernel::demangled is used where it is
  // there.
  bool selects(const Kernel &kernel) const;

private:
  struct Wanted {
    std::string text;   // as given: a bundle entry id counts as it is spelled
    std::string target; // canonical name; "" for entry ids
    std::optional<ObjectKind> kind;
  };
  std::vector<Wanted> targets_;
  std::vector<ObjectKind> kinds_;
  std::vector<std::string> kernels_;
  std::vector<std::string> objects_; // ids, sorted
};

} // namespace gantry::inspect

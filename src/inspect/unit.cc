// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/unit.h"

#include <fmt/core.h>

namespace gantry::inspect {

std::string position_id(std::uint64_t offset) {
  return fmt::format("{:x}", offset);
}

Limitation limitation(const Error &e) {
  std::string message = e.context.empty() ? e.what : e.context + ": " + e.what;
  return {std::string(word(e.code)), std::move(message), e.offset};
}

void add(Container &container, Limitation reason) {
  container.limitations.push_back(std::move(reason));
  container.coverage = Coverage::partial;
}

void add(Object &object, Limitation reason) {
  object.limitations.push_back(std::move(reason));
}

} // namespace gantry::inspect

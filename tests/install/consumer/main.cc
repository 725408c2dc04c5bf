// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user of an installed gantry: it compiles against the public headers only
// and links the library with what that needs.
#include <gantry/inspect.h>

#include <iostream>

int main(int argc, char **argv) {
  auto report = gantry::inspect::file(argc > 1 ? argv[1] : "", {});
  if (!report) {
    std::cout << report.error().text() << "\n";
    return 2;
  }
  for (const auto &row : report->targets)
    std::cout << row.target << " " << gantry::inspect::word(row.kind) << "\n";
}

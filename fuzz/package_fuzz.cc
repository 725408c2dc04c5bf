// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packages of all kinds, with limits that small inputs reach.
#include "inspect/test_report.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  gantry::inspect::Options options;
  options.analysis = gantry::inspect::Analysis::kernels;
  options.threads = 1;
  options.digest = false;
  options.deep = size % 2 != 0;
  options.limits.ratio_floor = 1 << 20;
  options.limits.decoded_ratio = 100;
  options.limits.members = 1000;
  options.limits.depth = 4;
  auto report = gantry::inspect::memory(std::as_bytes(std::span(data, size)),
                                        "input.lzma", options);
  std::string rule =
      report ? gantry::inspect::broken_rule(*report) : report.error().text();
  if (!rule.empty()) {
    std::fprintf(stderr, "broken rule: %s\n", rule.c_str());
    std::abort();
  }
  return 0;
}

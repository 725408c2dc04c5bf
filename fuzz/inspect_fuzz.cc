// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole way from bytes to output. Limits are small, so that one input costs
// little.
#include "inspect/test_report.h"
#include "report/test_json.h"
#include "report/test_text.h"

#include <cstdio>
#include <cstdlib>

using namespace gantry;

static void expect(bool holds, const std::string &what) {
  if (holds)
    return;
  std::fprintf(stderr, "broken: %s\n", what.c_str());
  std::abort();
}

static inspect::Options options(inspect::Analysis analysis, std::size_t size) {
  inspect::Options o;
  o.analysis = analysis;
  o.threads = 1;
  o.limits.decoded_bytes = 1 << 20;
  o.limits.ratio_floor = 1 << 16;
  o.limits.table_bytes = 1 << 20;
  o.limits.note_bytes = 1 << 20;
  o.limits.name_bytes = 1 << 12;
  o.limits.records = 1 << 12;
  o.limits.candidates = 1 << 10;
  // Some inputs are searched, others not.
  o.digest = size % 2 == 0;
  o.deep = size % 3 == 0;
  o.attributes = o.payload_digests = analysis == inspect::Analysis::kernels;
  return o;
}

static void look(Bytes file, const inspect::Options &o) {
  auto r = inspect::memory(file, "input", o);
  expect(r.has_value(), "there is a report");
  std::string rule = broken_rule(*r);
  expect(rule.empty(), rule);
  expect(report::is_json(report::json_text(*r)), "the output is JSON");
  expect(report::is_harmless(report::plain_text(*r)), "the text is harmless");
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  const Bytes file = std::as_bytes(std::span(data, size));
  look(file, options(inspect::Analysis::inventory, size));
  inspect::Options kernels = options(inspect::Analysis::kernels, size);
  look(file, kernels);
  kernels.targets = {"sm_90", "gfx90a", "compute_80",
                     "hipv4-amdgcn-amd-amdhsa--gfx906"};
  kernels.kernels = {"axpy", "axpy(float, float*)"};
  look(file, kernels);
  return 0;
}

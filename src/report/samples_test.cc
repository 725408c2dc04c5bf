// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The committed samples, from the file to the last byte of the output.
#include "inspect/test_samples.h"
#include "report/test_text.h"

#include <gtest/gtest.h>

namespace gantry::report {
namespace {

using namespace inspect;

Options options(unsigned threads) {
  Options o;
  o.analysis = Analysis::kernels;
  o.threads = threads;
  o.payload_digests = true;
  o.attributes = true;
  return o;
}

TEST(SamplesParallel, GiveTheSameAnswerWithAnyNumberOfThreads) {
  for (const Sample &s : samples()) {
    auto a = memory(s.bytes, "sample", options(1));
    auto b = memory(s.bytes, "sample", options(4));
    ASSERT_TRUE(a && b);
    EXPECT_EQ(json_text(*a), json_text(*b)) << s.name;
  }
}

TEST(SamplesParallel, GiveTheSameAnswerFromFileAndMemory) {
  for (const Sample &s : samples()) {
    auto a = inspect::file(s.name, options(2));
    auto b = memory(s.bytes, s.name, options(2));
    ASSERT_TRUE(a && b);
    EXPECT_GE(a->usage.bytes_read, s.bytes.size());
    a->usage.bytes_read = b->usage.bytes_read;
    EXPECT_EQ(json_text(*a), json_text(*b)) << s.name;
  }
}

} // namespace
} // namespace gantry::report

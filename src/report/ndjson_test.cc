// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/test_json.h"
#include "report/test_model.h"
#include "report/test_text.h"

#include <gtest/gtest.h>

#include <sstream>

namespace gantry::report {
namespace {

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    EXPECT_TRUE(is_json(line)) << line;
    out.push_back(line);
  }
  EXPECT_TRUE(text.ends_with('\n'));
  return out;
}

View view_of(Collection c, std::vector<std::string> fields) {
  View view;
  view.show = {c};
  view.fields = std::move(fields);
  return view;
}

TEST(Records, AreOneALineAndTheSummaryIsTheLast) {
  View view = view_of(Collection::objects, {"id", "kind"});
  TextSink sink;
  Records records(view, false, sink);
  records.rows(known_report(), Collection::objects);
  records.end_input(known_report());
  records.end();
  const auto lines = lines_of(sink.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], R"({"record":"object","id":"40.0.1","kind":"cubin"})");
  EXPECT_TRUE(lines[1].starts_with(
      R"({"record":"summary","schema":"gantry.inspect/1","input":{"path":)"))
      << lines[1];
  EXPECT_NE(lines[1].find(R"("usage":{)"), std::string::npos);
  EXPECT_EQ(lines[1].find(R"("objects":[)"), std::string::npos);
}

TEST(Records, SayWhichOfSeveralInputsTheyBelongTo) {
  View view = view_of(Collection::targets, {"target"});
  TextSink sink;
  Records records(view, true, sink);
  records.rows(known_report(), Collection::targets);
  records.end_input(known_report());
  records.add(Failed{"b", Errc::io, "cannot open", {}});
  records.end();
  const auto lines = lines_of(sink.out);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0],
            R"({"record":"target","input":"lib.so","target":"sm_90a"})");
  EXPECT_TRUE(lines[1].starts_with(R"({"record":"input","schema":)"));
  EXPECT_EQ(lines[2],
            R"({"record":"error","schema":"gantry.inspect/1","input":)"
            R"({"path":"b"},"error":{"code":"io","message":"cannot open",)"
            R"("hint":null}})");
  EXPECT_EQ(lines[3], R"({"record":"summary","schema":"gantry.inspect/1",)"
                      R"("inputs":2,"found":1,"failed":1,"objects":1})");
}

TEST(Records, OfKernelsAreTheSameAsTheyComeAndFromTheReport) {
  View view;
  view.show = {Collection::kernels};
  const inspect::Report report = known_report();
  TextSink from_report, as_they_come;
  Records(view, false, from_report).rows(report, Collection::kernels);
  std::vector<inspect::Kernel> kernels = report.kernels;
  kernels[0].object = 77; // does not count yet
  Records(view, false, as_they_come)
      .kernels(report.path, report.objects[0], kernels);
  EXPECT_EQ(lines_of(from_report.out).size(), 1u);
  EXPECT_EQ(from_report.out, as_they_come.out);
}

TEST(Records, HoldAText) {
  TextSink sink;
  Records(View{}, false, sink)
      .text(known_report(), TextPart{.object = "40",
                                     .sha256 = std::string(64, '0'),
                                     .bytes = 2,
                                     .offset = 0,
                                     .text = "a\n",
                                     .next = std::nullopt});
  EXPECT_TRUE(lines_of(sink.out)[0].ends_with(
      R"("bytes":2,"offset":0,"length":2,"text":"a\n","next":null}})"))
      << sink.out;
}

} // namespace
} // namespace gantry::report

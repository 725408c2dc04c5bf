// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words and members that records may hold are those of the schema.
#include "base/file.h"
#include "base/json_reader.h"
#include "report/test_evidence.h"
#include "report/test_model.h"

#include <gtest/gtest.h>

namespace gantry::report {
namespace {

JsonValue inspect_schema() {
  Buffer scratch;
  auto file =
      FileSource::open(GANTRY_SAMPLES "/../docs/schema/inspect-1.json").value();
  Bytes bytes = file->read(0, file->size(), scratch).value();
  return parse_json(as_text(bytes)).value();
}

// Whether a record whose row has this value for a member is read.
bool accepts(RowKind kind, std::string_view from, const std::string &to) {
  RecordParts parts = RecordParts::of(record_of(known_report()));
  std::string &line = parts.line(kind);
  line = replaced(line, from, to);
  std::string record = parts.record();
  auto evidence = Evidence::memory(as_bytes(record));
  if (!evidence)
    return false;
  auto report = evidence->report();
  return report || report.error().what.find("known word") == std::string::npos;
}

TEST(EvidenceWords, AreThoseOfTheSchema) {
  struct Case {
    RowKind kind;
    std::string_view words, member, known;
  };
  const JsonValue schema = inspect_schema();
  for (const Case &c : std::initializer_list<Case>{
           {RowKind::object, "object_kind", "kind", "cubin"},
           {RowKind::object, "found_by", "found_by", "file"},
           {RowKind::object, "compression", "compression", "zstd"},
           {RowKind::object, "target_consistency", "target_consistency",
            "base-only"},
           {RowKind::object, "coverage", "kernel_analysis", "complete"},
           {RowKind::container, "container_kind", "kind", "ccob"},
           {RowKind::kernel, "representation", "representation", "sass"},
           {RowKind::summary, "analysis", "analysis", "inventory"},
       }) {
    const JsonValue *words = schema.find("$defs")->find(c.words)->find("enum");
    ASSERT_TRUE(words && words->array()) << c.words;
    auto member = [&](std::string_view word) {
      return "\"" + std::string(c.member) + "\":\"" + std::string(word) + "\"";
    };
    for (const JsonValue &word : *words->array())
      EXPECT_TRUE(accepts(c.kind, member(c.known), member(*word.text())))
          << c.words << " " << *word.text();
    EXPECT_FALSE(accepts(c.kind, member(c.known), member("no-such-word")))
        << c.words;
  }
}

} // namespace
} // namespace gantry::report

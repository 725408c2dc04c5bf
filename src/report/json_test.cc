// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/test_json.h"
#include "report/test_model.h"
#include "report/test_text.h"

#include <gtest/gtest.h>

namespace gantry::report {
namespace {

using inspect::Report;

bool has(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(ReportJson, HasEveryFieldWhenNothingIsKnown) {
  Report r = unknown_report();
  std::string out = json_text(r);
  ASSERT_TRUE(is_json(out)) << out;
  for (Collection c : kAllCollections)
    for (std::string_view field : fields(c))
      EXPECT_TRUE(has(out, "\"" + std::string(field) + "\":"))
          << word(c) << " " << field;
  for (std::string_view unknown : {"target",
                                   "relocatable",
                                   "declared",
                                   "payload_target",
                                   "encoded_bytes",
                                   "decoded_bytes",
                                   "kernels",
                                   "digest",
                                   "toolkit",
                                   "version",
                                   "cuda_target_header",
                                   "e_flags",
                                   "member",
                                   "registers",
                                   "shared_bytes",
                                   "parameters",
                                   "max_threads",
                                   "language",
                                   "parent",
                                   "share",
                                   "dynamic_shared",
                                   "virtual_registers"})
    EXPECT_TRUE(has(out, "\"" + std::string(unknown) + "\": null")) << unknown;
  EXPECT_TRUE(has(out, "\"sha256\": null"));
  for (std::string_view empty : {"attributes", "limitations"})
    EXPECT_TRUE(has(out, "\"" + std::string(empty) + "\": []")) << empty;
}

TEST(ReportJson, HasNoNullWhenEverythingIsKnown) {
  Report r = known_report();
  View view = view_of_all();
  view.show = {Collection::objects};
  std::string out = json_text(r, view);
  ASSERT_TRUE(is_json(out)) << out;
  // Files of this version have no members, and offsets no container.
  std::size_t nulls = 0;
  for (std::size_t at = 0; (at = out.find("null", at)) != std::string::npos;
       at++)
    nulls++;
  EXPECT_EQ(nulls, 3u) << out;
  EXPECT_TRUE(has(out, R"("parents": ["40", "40.0"])"));
  EXPECT_TRUE(has(out, R"("container": "40.0")"));
  EXPECT_TRUE(
      has(out, R"("location": {"in": "40", "offset": 8, "size": 2000})"))
      << out;
  EXPECT_TRUE(has(
      out, R"("encoded_location": {"in": null, "offset": 64, "size": 1000})"));
  EXPECT_TRUE(
      has(out, R"("cuda_target_header": {"os_abi": 65, "e_flags": 90)"));

  view.show = {Collection::kernels};
  out = json_text(r, view);
  ASSERT_TRUE(is_json(out)) << out;
  EXPECT_TRUE(has(out, "\"demangled\": \"axpy(float, float*)\""));
  EXPECT_TRUE(has(out, R"("max_threads": [9, 10, 11])"));
  EXPECT_TRUE(has(out, R"("constant_banks": {"0": 23})"));
  EXPECT_TRUE(has(out, R"("virtual_registers": {"b32": 22})"));
  EXPECT_TRUE(has(out, R"({"name": "EIATTR", "value": "2"})"));
  EXPECT_FALSE(has(out, R"("registers": null)"));

  view.show = {Collection::targets};
  out = json_text(r, view);
  EXPECT_FALSE(has(out, "null")) << out;
  EXPECT_TRUE(has(out, R"("share": 0.244)"));
}

TEST(ReportJson, TellsEmptyFromUnknown) {
  Report r = unknown_report();
  r.kernels[0].parameters_known = true;
  r.kernels[0].representation = "sass";
  View view = view_of_all();
  std::string out = json_text(r, view);
  EXPECT_TRUE(has(out, R"("parameters": [])"));
  EXPECT_TRUE(has(out, R"("constant_banks": {})"));
  r.objects[0].kernels = 0;
  EXPECT_TRUE(has(json_text(r, view), R"("kernels": 0)"));
}

TEST(ReportJson, BeginsWithItsSchema) {
  std::string out = json_text(known_report());
  EXPECT_EQ(out.find("\"schema\": \"gantry.inspect/1\""), out.find('"'))
      << out.substr(0, 80);
  EXPECT_TRUE(out.ends_with("}\n"));
  EXPECT_TRUE(has(
      out,
      R"("input": {"path": "lib.so", "size": 4096, "format": "zip", "sha256")"));
}

TEST(ReportJson, ShowsTheCollectionsThatAreAskedFor) {
  View view;
  view.show = {Collection::containers};
  std::string out = json_text(known_report(), view);
  EXPECT_TRUE(has(out, "\"containers\": ["));
  for (std::string_view other : {"targets", "objects", "kernels"})
    EXPECT_FALSE(has(out, "\"" + std::string(other) + "\": [")) << other;
}

TEST(ReportJson, KeepsTheOrderOfFields) {
  View view;
  view.show = {Collection::objects};
  view.fields = {"target", "id", "target", "kind"};
  std::string out = json_text(known_report(), view);
  EXPECT_TRUE(
      has(out, R"({"target": "sm_90a", "id": "40.0.1", "kind": "cubin"})"))
      << out;
  ASSERT_TRUE(is_json(out)) << "no key is there twice";
}

TEST(ReportJson, LeavesOutObjectsThatAreNotSelected) {
  Report r = known_report();
  r.objects.push_back(r.objects[0]);
  r.objects[1].id = "gone";
  r.objects[1].selected = false;
  EXPECT_FALSE(has(json_text(r), "gone"));
}

TEST(ReportJson, JoinsSeveralInputs) {
  TextSink sink;
  View view = view_of_all();
  Documents documents(view, sink);
  documents.add(known_report());
  Report empty;
  empty.path = "b";
  documents.add(empty);
  documents.add(
      Failed{"c\x1b[31m", Errc::io, "No such file or directory", "look"});
  documents.end();
  ASSERT_TRUE(is_json(sink.out)) << sink.out;
  EXPECT_TRUE(
      has(sink.out, R"("summary": {"inputs": 3, "found": 1, "failed": 1)"))
      << sink.out;
  EXPECT_TRUE(has(sink.out, R"("path": "c\\x1b[31m")"));
  EXPECT_TRUE(has(sink.out, R"("code": "io")"));
  EXPECT_TRUE(has(sink.out, R"("hint": "look")"));

  TextSink none;
  Documents nothing(view, none);
  nothing.end();
  EXPECT_TRUE(is_json(none.out));
}

TEST(ReportJson, TellsWhyThereIsNoAnswer) {
  TextSink sink;
  View view;
  view.schema = "gantry.view/1";
  json(Failed{{}, Errc::changed, "another file", {}}, view, sink);
  EXPECT_EQ(sink.out, "{\n  \"schema\": \"gantry.view/1\",\n  \"error\": {\n"
                      "    \"code\": \"changed\",\n"
                      "    \"message\": \"another file\",\n"
                      "    \"hint\": null\n  }\n}\n");
}

// Rows 0 to 4 of kernels named k0 to k4.
Report five_kernels() {
  Report r = known_report();
  r.kernels.assign(5, r.kernels[0]);
  for (std::size_t i = 0; i < 5; i++)
    r.kernels[i].name = "k" + std::to_string(i);
  return r;
}

TEST(ReportJson, ShowsThePageAndWhereTheNextBegins) {
  View view;
  view.show = {Collection::kernels};
  view.fields = {"name"};
  view.page =
      Page{.first = 1, .limit = 2, .rows = 2, .total = 5, .next = "3-0-0"};
  std::string out = json_text(five_kernels(), view);
  EXPECT_TRUE(has(out, R"("page": {"collection": "kernels", "first": 1, )"
                       R"("rows": 2, "total": 5, "next": "3-0-0"})"))
      << out;
  EXPECT_TRUE(has(out, "[\n    {\"name\": \"k1\"},\n    {\"name\": \"k2\"}\n"))
      << out;

  // The report holds nothing before the page, and nobody knows how many there
  // are.
  view.page->dropped = 1;
  view.page->total.reset();
  view.page->next.clear();
  out = json_text(five_kernels(), view);
  EXPECT_TRUE(has(out, R"("total": null, "next": null})")) << out;
  EXPECT_TRUE(has(out, "[\n    {\"name\": \"k0\"},\n    {\"name\": \"k1\"}\n"))
      << out;
}

TEST(ReportJson, PagesThroughSelectedObjectsOnly) {
  Report r = known_report();
  r.objects.assign(4, r.objects[0]);
  for (std::size_t i = 0; i < 4; i++)
    r.objects[i].id = "i" + std::to_string(i);
  r.objects[1].selected = false;
  View view;
  view.show = {Collection::objects};
  view.fields = {"id"};
  view.page = Page{.first = 1, .limit = 1, .rows = 1, .total = 3};
  EXPECT_EQ(count(r, Collection::objects), 3u);
  std::string out = json_text(r, view);
  EXPECT_TRUE(has(out, "[\n    {\"id\": \"i2\"}\n  ]")) << out;
}

TEST(ReportJson, HasAShortChoiceOfFields) {
  View view;
  view.show = {Collection::kernels};
  view.detail = Detail::summary;
  std::string out = json_text(known_report(), view);
  EXPECT_TRUE(has(out, "\"demangled\":")) << out;
  EXPECT_FALSE(has(out, "\"attributes\":")) << out;
  view.detail = Detail::full;
  EXPECT_TRUE(has(json_text(known_report(), view), "\"attributes\":"));
}

TEST(ReportJson, ShowsAPartOfAText) {
  TextPart part{.object = "40.0.1",
                .sha256 = std::string(64, 'c'),
                .bytes = 30,
                .offset = 5,
                .text = "a\n\x1b",
                .next = 8};
  TextSink sink;
  json(known_report(), part, View{}, sink);
  ASSERT_TRUE(is_json(sink.out)) << sink.out;
  EXPECT_TRUE(has(sink.out, R"("object": "40.0.1")"));
  EXPECT_TRUE(has(sink.out, "\"bytes\": 30,\n    \"offset\": 5,\n    "
                            "\"length\": 3,\n    \"text\": \"a\\n\\u001b\",\n"
                            "    \"next\": 8"))
      << sink.out;
  part.next.reset();
  TextSink last;
  json(known_report(), part, View{}, last);
  EXPECT_TRUE(has(last.out, "\"next\": null"));
}

// Every text that comes from a file, made as bad as it can be.
Report hostile_report(const std::string &name) {
  Report r = known_report();
  r.path = name;
  inspect::Object &o = r.objects[0];
  o.declared = o.target = o.payload_target = o.name = o.options = name;
  o.toolkit = o.version = name;
  inspect::Limitation reason{"corrupt", name, std::nullopt};
  r.limitations = o.limitations = r.containers[0].limitations = {reason};
  r.containers[0].section = r.containers[1].section = name;
  inspect::Kernel &k = r.kernels[0];
  k.name = k.symbol = k.language = name;
  k.limitations = {reason};
  k.attributes = {{name, name}};
  k.virtual_registers = {{name, 1}};
  inspect::Parameter &p = k.parameters[0];
  p.name = p.kind = p.type_name = p.access = p.address_space = name;
  r.targets[0].target = name;
  return r;
}

const std::vector<std::string> &hostile_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out = {"\x1b[2J\x1b]0;title\x07",
                                    "a\r\nb\tc\b\x7f",
                                    "\"quoted\\\"",
                                    "\xff\xfe\x80",
                                    "\xc3",
                                    "\xe2\x80\xae"
                                    "abc",
                                    "\xc2\x9b"
                                    "31m",
                                    "\xe2\x80\xa8line",
                                    "\xed\xa0\x80surrogate",
                                    "\xf5\x80\x80\x80",
                                    "</script>",
                                    "%s%n",
                                    "\\x1b",
                                    std::string(10'000, 'n'),
                                    std::string(10'000, '\xff'),
                                    std::string("nul\0inside", 10),
                                    "_Z" + std::string(3000, '1'),
                                    "größe"};
    std::string all;
    for (int c = 0; c < 256; c++)
      all += static_cast<char>(c);
    out.push_back(all);
    return out;
  }();
  return names;
}

TEST(ReportJson, StaysJsonWhateverTheNamesAre) {
  for (const std::string &name : hostile_names()) {
    std::string out = json_text(hostile_report(name));
    EXPECT_TRUE(is_json(out)) << out.substr(0, 400);
    EXPECT_TRUE(is_harmless(out));
  }
}

TEST(ReportText, IsHarmlessWhateverTheNamesAre) {
  for (const std::string &name : hostile_names())
    for (std::size_t width : {0, 80, 1}) {
      View view = view_of_all();
      view.width = width;
      std::string out = plain_text(hostile_report(name), view);
      EXPECT_TRUE(is_harmless(out)) << out.substr(0, 400);
      // A terminal shows few lines of a long name.
      EXPECT_TRUE(width != 80 || out.size() < 50'000) << out.size();
    }
}

TEST(ReportText, IsHarmlessWithAllFields) {
  for (const std::string &name : hostile_names())
    for (Collection c : kAllCollections) {
      View view;
      view.show = {c};
      for (std::string_view field : fields(c))
        view.fields.emplace_back(field);
      EXPECT_TRUE(is_harmless(plain_text(hostile_report(name), view)));
    }
}

TEST(JsonChecker, TellsJsonFromOtherTexts) {
  for (std::string_view good :
       {"{}", " [1, -2.5e+3, \"\\u00e4\\n\", null, true] ", "{\"a\":{\"a\":0}}",
        "\"gr\xc3\xb6\xc3\x9f"
        "e\""})
    EXPECT_TRUE(is_json(good)) << good;
  for (std::string_view bad :
       {"", "{", "{}x", "[1,]", "{\"a\":1,\"a\":2}", "01", "1.", "'a'",
        "\"\x1b\"", "\"\xff\"", "\"\xed\xa0\x80\"", "\"\xc0\x80\"", "\"\\x\"",
        "nul", "[1 2]", "{\"a\"}", "\"a"})
    EXPECT_FALSE(is_json(bad)) << bad;
}

} // namespace
} // namespace gantry::report

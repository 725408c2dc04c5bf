// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/fields.h"
#include "report/table.h"
#include "report/test_model.h"
#include "report/test_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gantry::report {
namespace {

using inspect::Report;

bool has(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines(const std::string &text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string show(const Report &r, Collection c, std::size_t width = 80) {
  View view;
  view.show = {c};
  view.width = width;
  return plain_text(r, view);
}

TEST(ReportText, NamesTheFileWithItsSizeAndDigest) {
  std::string out = show(known_report(), Collection::targets);
  EXPECT_EQ(lines(out)[0], "lib.so  4.1 kB  sha256:aaaaaaaaaaaaaaaa");
  EXPECT_EQ(lines(show(unknown_report(), Collection::targets))[0],
            "lib.so  0 B");
}

TEST(ReportText, AddsUpTheBytesOfTheFile) {
  Report r = known_report();
  r.package = {};
  r.size = 1'234'567;
  r.usage.other_bytes = r.size - 4000;
  std::string out = show(r, Collection::targets);
  EXPECT_TRUE(has(out, "1,230,567")) << out;
  EXPECT_TRUE(has(out, "file                  1,234,567")) << out;
  std::uint64_t sum = 0, file = 0;
  bool in_table = false;
  for (const std::string &line : lines(out)) {
    if (line == "bytes" || line.starts_with("bytes "))
      in_table = true;
    else if (line.empty())
      in_table = false;
    else if (in_table) {
      std::string number;
      for (char c : line.substr(0, line.find('%')))
        if ((c >= '0' && c <= '9') || c == '.')
          number += c;
      // "1,000  24.4%" reads as 100024.4 here: cut the share off.
      std::size_t share = line.find_last_of(' ');
      std::string amount = line.ends_with('%') ? line.substr(0, share) : line;
      std::uint64_t value = 0;
      for (char c : amount)
        if (c >= '0' && c <= '9')
          value = 10 * value + static_cast<std::uint64_t>(c - '0');
      (line.starts_with("file") ? file : sum) += value;
    }
  }
  EXPECT_EQ(file, r.size);
  EXPECT_EQ(sum, r.size);
}

TEST(ReportText, GroupsDigitsByThousands) {
  Report r = known_report();
  for (auto [count, text] : {std::pair{7u, " 7 "},
                             {999u, " 999 "},
                             {1000u, " 1,000 "},
                             {12'345u, " 12,345 "},
                             {1'234'567u, " 1,234,567 "}}) {
    r.targets[0].objects = count;
    EXPECT_TRUE(has(show(r, Collection::targets), text)) << text;
  }
}

TEST(ReportText, FitsIntoATerminal) {
  Report r = known_report();
  // As wide as sound files get.
  std::string target = "gfx942:sramecc+:xnack-";
  r.objects[0].target = r.targets[0].target = target;
  r.objects[0].target_consistency = "feature-mismatch";
  r.objects[0].kernel_analysis = inspect::Coverage::unexamined;
  r.objects[0].id = "1234567890.12345.12";
  r.kernels[0].name = std::string(10'000, 'k');
  r.kernels[0].local_bytes = 1'000'000;
  r.containers[0].section = ".a_section_with_a_long_name";
  r.targets.push_back(r.targets[0]);
  r.targets[1].relocatable = false;
  r.targets[1].coverage = inspect::Coverage::not_requested;
  for (Collection c : kAllCollections) {
    bool in_table = true;
    for (const std::string &line : lines(show(r, c))) {
      in_table = in_table && line != "not known";
      EXPECT_TRUE(!in_table || display_width(line) <= 80) << line;
    }
    // What is left out stays in wide terminals.
    EXPECT_GE(show(r, c, 0).size(), show(r, c).size());
  }
  EXPECT_TRUE(has(show(r, Collection::objects, 0), "compression"));
  EXPECT_TRUE(has(show(r, Collection::objects), "consistency"));
}

TEST(ReportText, ShowsEachFieldThatIsAskedForAtAnyWidth) {
  View view;
  view.show = {Collection::objects};
  for (std::string_view field : fields(Collection::objects))
    view.fields.emplace_back(field);
  std::string heading = lines(plain_text(known_report(), view))[3];
  std::size_t at = 0;
  for (const std::string &field : view.fields) {
    std::size_t next = heading.find(field.substr(0, 4), at);
    ASSERT_NE(next, std::string::npos) << field << " in " << heading;
    at = next;
  }
}

TEST(ReportText, LeavesOutColumnsThatSayNothing) {
  Report r = unknown_report();
  r.targets[0].objects = 1;
  std::string out = show(r, Collection::targets);
  for (std::string_view silent : {"kernels", "relocatable", "decoded"})
    EXPECT_FALSE(has(out, silent)) << out;
  EXPECT_TRUE(has(out, "objects"));
}

TEST(ReportText, ShowsUnknownAsADash) {
  Report r = known_report();
  r.targets.push_back(r.targets[0]);
  r.targets[1].target = "";
  r.targets[1].kernels.reset();
  std::string row = lines(show(r, Collection::targets))[5];
  EXPECT_EQ(row.substr(0, 2), "- ") << row;
}

TEST(ReportText, CollectsReasonsOfAKind) {
  Report r = known_report();
  r.objects.resize(1500, r.objects[0]);
  std::string out = show(r, Collection::targets);
  EXPECT_TRUE(has(out, "corrupt: damaged (and 1,503 more)")) << out;
  EXPECT_FALSE(has(show(unknown_report(), Collection::targets), "not known"));
}

TEST(ReportText, SaysWhenThereIsNoCode) {
  Report r;
  r.path = "x";
  r.coverage = inspect::Coverage::complete;
  EXPECT_TRUE(has(show(r, Collection::targets), "no GPU code\n"));
  r.coverage = inspect::Coverage::partial;
  EXPECT_TRUE(
      has(show(r, Collection::targets), "not everything was looked at"));
  r = known_report();
  r.objects[0].selected = false;
  EXPECT_TRUE(has(show(r, Collection::targets), "no object is selected"));
}

TEST(Fields, AreCheckedAgainstTheShownCollections) {
  View view;
  view.show = {Collection::targets, Collection::kernels};
  view.fields = {"share", "registers"};
  EXPECT_TRUE(check(view));
  view.fields = {"share", "encoded_location"};
  auto bad = check(view);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Errc::invalid_argument);
  EXPECT_TRUE(has(bad.error().what, "encoded_location"));
  view.fields = {"\x1b[2J"};
  EXPECT_FALSE(has(check(view).error().what, "\x1b"));
}

TEST(Fields, AreThoseOfTheContract) {
  auto all = [](Collection c, std::initializer_list<std::string_view> names) {
    auto have = fields(c);
    for (std::string_view name : names)
      EXPECT_EQ(std::ranges::count(have, name), 1) << name;
  };
  all(Collection::targets,
      {"target", "kind", "relocatable", "objects", "kernels", "encoded_bytes",
       "decoded_bytes", "coverage"});
  all(Collection::objects, {"id",
                            "member",
                            "kind",
                            "relocatable",
                            "container",
                            "found_by",
                            "target",
                            "payload_target",
                            "target_consistency",
                            "compression",
                            "obfuscated",
                            "encoded_bytes",
                            "decoded_bytes",
                            "location",
                            "encoded_location",
                            "digest",
                            "parents",
                            "kernel_analysis",
                            "limitations",
                            "cuda_target_header"});
  all(Collection::kernels,
      {"name", "demangled", "object", "target", "representation", "registers",
       "virtual_registers", "shared_bytes", "parameter_count",
       "parameter_bytes", "parameters"});
}

TEST(Fields, OfCollectionsAreReadBack) {
  for (Collection c : kAllCollections)
    EXPECT_EQ(collection_from(word(c)), c);
  EXPECT_EQ(collection_from("Targets"), std::nullopt);
}

TEST(ReportText, HasABlockOfLinesForEachRowInFull) {
  View view;
  view.show = {Collection::kernels};
  view.detail = Detail::full;
  std::string out = plain_text(known_report(), view);
  EXPECT_TRUE(has(out, "\nkernel\n  name: _Z4axpyfPf\n  demangled: "
                       "axpy(float, float*)\n  object: 40.0.1\n"))
      << out;
  for (std::string_view field : fields(Collection::kernels))
    EXPECT_TRUE(has(out, "\n  " + std::string(field) + ": ")) << field;
  view.show = {Collection::targets};
  EXPECT_TRUE(has(plain_text(known_report(), view),
                  "\ntarget\n  target: sm_90a\n  kind: cubin\n  relocatable: "
                  "yes\n  objects: 1\n  kernels: 1\n  encoded_bytes: 1,000\n"));
}

TEST(ReportText, SaysWhichRowsAPageHasAndHowToGoOn) {
  View view;
  view.show = {Collection::kernels};
  view.page = Page{.first = 1000,
                   .limit = 1,
                   .rows = 1,
                   .total = 39'968,
                   .next = "1001-0a120a42190dfdce-3f9ac2e1",
                   .dropped = 1000};
  std::string out = plain_text(known_report(), view);
  EXPECT_TRUE(has(out, "\nrows 1,001 to 1,001 of 39,968\nnext page: --after "
                       "1001-0a120a42190dfdce-3f9ac2e1\n"))
      << out;
  view.page->total.reset();
  view.page->next.clear();
  out = plain_text(known_report(), view);
  EXPECT_TRUE(has(out, "\nrows 1,001 to 1,001\n")) << out;
  EXPECT_FALSE(has(out, "next page")) << out;
  // Nothing else is said about a page without rows.
  Report empty;
  view.page = Page{.first = 7, .rows = 0, .total = 7};
  out = plain_text(empty, view);
  EXPECT_TRUE(has(out, "\nno rows behind 7 of 7\n")) << out;
  EXPECT_FALSE(has(out, "no GPU code")) << out;
}

TEST(ReportText, SaysHowToChooseAnObject) {
  std::string choose = "choose one: --object ID@aaaaaaaaaaaaaaaa\n";
  EXPECT_TRUE(has(show(known_report(), Collection::objects), choose));
  EXPECT_FALSE(has(show(known_report(), Collection::targets), "choose"));
  Report r = known_report();
  r.sha256.clear();
  EXPECT_FALSE(has(show(r, Collection::objects), "choose"));
}

TEST(ReportText, SaysHowToRaiseALimitThatWasHit) {
  Report r = known_report();
  r.limitations = {{"too-large", "a member is too large (limit member_bytes)",
                    std::nullopt}};
  r.objects[0].limitations = {
      {"too-large", "too much (limit decoded_ratio)", std::nullopt},
      {"too-large", "too much (limit decoded_ratio)", std::nullopt},
      {"corrupt", "names (limit \x1b[31m) and (limit", std::nullopt}};
  std::string out = show(r, Collection::targets);
  EXPECT_TRUE(out.ends_with("\n  raise with --budget decoded_ratio=…\n"
                            "  raise with --budget member_bytes=…\n"))
      << out;
  EXPECT_FALSE(has(show(known_report(), Collection::targets), "--budget"));
}

TEST(ReportText, AddsUpTheBytesOfMembers) {
  Report r = known_report();
  r.package = {"zip", 12, 2, 9, 9000};
  r.size = 1000;
  r.usage.accounted_bytes = 4096;
  std::string out = show(r, Collection::targets);
  EXPECT_EQ(lines(out)[1], "zip: 12 members, 2 unpacked, 9 skipped by name");
  EXPECT_TRUE(has(out, "members, unpacked     4,096\nfile                  "
                       "1,000\n"))
      << out;
  EXPECT_TRUE(has(out, "1,000  24.4%")) << out;
}

} // namespace
} // namespace gantry::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/pages.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace gantry::cli {
namespace {

using report::Collection;

TEST(Cursor, IsReadAsItIsWritten) {
  const std::string written = text(Cursor{
      500, std::string("0a120a42190dfdce") + std::string(48, 'f'), "3f9ac2e1"});
  EXPECT_EQ(written, "500-0a120a42190dfdce-3f9ac2e1");
  const auto cursor = parse_cursor(written);
  ASSERT_TRUE(cursor);
  EXPECT_EQ(cursor->first, 500u);
  EXPECT_EQ(cursor->file, "0a120a42190dfdce");
  EXPECT_EQ(cursor->question, "3f9ac2e1");
  // A shell takes it as it is.
  EXPECT_EQ(written.find_first_not_of("0123456789abcdef-"), written.npos);
}

TEST(Cursor, RefusesAnythingElse) {
  const std::string good = "500-0a120a42190dfdce-3f9ac2e1";
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(parse_cursor(good.substr(0, size))) << size;
  for (std::size_t at = 3; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = 'x';
    EXPECT_FALSE(parse_cursor(bad)) << bad;
  }
  for (std::string_view bad :
       {"-0a120a42190dfdce-3f9ac2e1", "-1-0a120a42190dfdce-3f9ac2e1",
        "500-0A120a42190dfdce-3f9ac2e1", "500-0a120a42190dfdce-3f9ac2e10",
        "18446744073709551616-0a120a42190dfdce-3f9ac2e1"})
    EXPECT_FALSE(parse_cursor(bad)) << bad;
  EXPECT_EQ(parse_cursor("x\x1b").error().message, "x\\x1b is no cursor");
}

TEST(Question, IsAnotherOneWhereOtherRowsCanCome) {
  const std::vector<std::function<void(inspect::Options &)>> changes = {
      [](auto &) {},
      [](auto &o) { o.analysis = inspect::Analysis::kernels; },
      [](auto &o) { o.targets = {"sm_90"}; },
      [](auto &o) { o.targets = {"sm_90", "sm_80"}; },
      [](auto &o) { o.kinds = {inspect::ObjectKind::ptx}; },
      [](auto &o) { o.kernels = {"sm_90"}; },
      [](auto &o) { o.objects = {"sm_90"}; },
      [](auto &o) { o.deep = true; },
      [](auto &o) { o.limits.members = 7; },
      [](auto &o) { o.limits.depth = 7; },
  };
  std::set<std::string> seen;
  for (Collection shown : {Collection::objects, Collection::kernels})
    for (const auto &change : changes) {
      inspect::Options options;
      change(options);
      EXPECT_TRUE(seen.insert(question_digits(shown, options)).second);
    }
}

TEST(Question, IsTheSameWhateverTheOrderOfWords) {
  inspect::Options a, b;
  a.targets = {"sm_80", "sm_90"};
  b.targets = {"sm_90", "sm_80", "sm_90"};
  b.threads = 7;
  EXPECT_EQ(question_digits(Collection::objects, a),
            question_digits(Collection::objects, b));
}

// The names of the kernels that a page keeps of lists of these sizes.
std::string kept(std::uint64_t first, std::uint64_t limit,
                 std::vector<std::size_t> sizes) {
  KernelPage page(first, limit);
  std::string out;
  char name = 'a';
  std::uint64_t all = 0;
  for (std::size_t size : sizes) {
    std::vector<inspect::Kernel> kernels(size);
    for (inspect::Kernel &kernel : kernels)
      kernel.name = name++;
    page.take(kernels);
    for (const inspect::Kernel &kernel : kernels)
      out += kernel.name;
    all += size;
  }
  EXPECT_EQ(page.total(), all);
  return out;
}

TEST(KernelPage, KeepsItsRowsOnly) {
  EXPECT_EQ(kept(0, 3, {2, 2, 2}), "abc");
  EXPECT_EQ(kept(3, 2, {2, 2, 2}), "de");
  EXPECT_EQ(kept(1, 4, {6}), "bcde");
  EXPECT_EQ(kept(2, 2, {2, 0, 2, 2}), "cd");
  EXPECT_EQ(kept(5, UINT64_MAX, {3, 4}), "fg");
  EXPECT_EQ(kept(0, UINT64_MAX, {1, 1}), "ab");
  EXPECT_EQ(kept(6, 5, {3, 3}), "");
  EXPECT_EQ(kept(UINT64_MAX, UINT64_MAX, {3}), "");
  EXPECT_EQ(kept(0, 1, {}), "");
}

} // namespace
} // namespace gantry::cli

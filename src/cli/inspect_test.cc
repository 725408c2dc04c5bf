// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/inspect.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace gantry::cli {
namespace {

using report::Collection;
using Words = std::vector<std::string>;

std::expected<InspectRequest, Failure> request(Words words) {
  words.push_back("file");
  const auto arguments = parse(kInspect, words);
  if (!arguments)
    return std::unexpected(arguments.error());
  return inspect_request(*arguments);
}

std::string refusal(const Words &words) {
  const auto made = request(words);
  return made ? "nothing" : made.error().message + " | " + made.error().hint;
}

TEST(InspectRequest, ShowsTargetsOfAnInventoryByDefault) {
  const auto made = request({});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->question.view.show, std::vector{Collection::targets});
  EXPECT_EQ(made->question.options.analysis, inspect::Analysis::inventory);
  EXPECT_TRUE(made->question.options.digest);
  EXPECT_FALSE(made->question.options.deep);
  EXPECT_EQ(made->question.options.threads, 0u);
}

TEST(InspectRequest, AnalysesKernelsWhereTheyAreNeeded) {
  for (const Words &words : {Words{"--show", "kernels"},
                             {"--show=targets,kernels"},
                             {"--kernel", "axpy"},
                             {"--analysis", "kernels"}})
    EXPECT_EQ(request(words)->question.options.analysis,
              inspect::Analysis::kernels);
  EXPECT_EQ(refusal({"--analysis=inventory", "--show=kernels"}),
            "--analysis inventory does not read kernels | leave --analysis "
            "out: --show kernels, --show ptx and --kernel imply --analysis "
            "kernels");
}

TEST(InspectRequest, KeepsTheOrderOfWhatIsShown) {
  EXPECT_EQ(request({"--show", "objects,targets", "--show", "objects"})
                ->question.view.show,
            (std::vector{Collection::objects, Collection::targets}));
}

TEST(InspectRequest, PassesTheSelectionOn) {
  const auto made =
      request({"--target", "sm_90a,gfx90a:xnack+", "--target",
               "hipv4-amdgcn-amd-amdhsa--gfx942", "--kind", "ptx,lto-ir",
               "--kernel", "f(int, int)", "-j3", "--no-digest", "--deep"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(
      made->question.options.targets,
      (Words{"sm_90a", "gfx90a:xnack+", "hipv4-amdgcn-amd-amdhsa--gfx942"}));
  EXPECT_EQ(
      made->question.options.kinds,
      (std::vector{inspect::ObjectKind::ptx, inspect::ObjectKind::lto_ir}));
  EXPECT_EQ(made->question.options.kernels, Words{"f(int, int)"});
  EXPECT_EQ(made->question.options.threads, 3u);
  EXPECT_FALSE(made->question.options.digest);
  EXPECT_TRUE(made->question.options.deep);
}

TEST(InspectRequest, KnowsEveryKindOfTheModel) {
  std::size_t known = 0;
  while (word(static_cast<inspect::ObjectKind>(known)) != "unknown")
    ++known;
  EXPECT_EQ(std::size(kKindWords), known + 1);
  for (std::string_view kind : kKindWords)
    EXPECT_TRUE(inspect::object_kind_from(kind)) << kind;
}

TEST(InspectRequest, RefusesWhatIsNoTarget) {
  EXPECT_EQ(refusal({"--target", "sm90a"}),
            "sm90a is not the name of a target | did you mean sm_90a?");
  EXPECT_EQ(refusal({"--target", "sm_90,nonsense"}),
            "nonsense is not the name of a target | names look like sm_90a, "
            "compute_90 or gfx90a:xnack+; gantry explain targets");
}

TEST(InspectRequest, RefusesFieldsThatNothingShownHas) {
  EXPECT_TRUE(request({"--fields", "target,kind"}));
  EXPECT_TRUE(request({"--show", "targets,objects", "--fields", "id"}));
  EXPECT_EQ(refusal({"--fields", "targt"}),
            "targets have no field targt | did you mean target?");
  EXPECT_EQ(refusal({"--fields", "registers"}),
            "targets have no field registers | gantry explain fields lists the "
            "fields");
}

TEST(InspectRequest, ComputesOnlyWhatIsAskedFor) {
  EXPECT_FALSE(
      request({"--show", "objects"})->question.options.payload_digests);
  EXPECT_TRUE(request({"--show", "objects", "--fields", "id,digest"})
                  ->question.options.payload_digests);
  EXPECT_FALSE(request({"--show", "kernels"})->question.options.ptx_digests);
  EXPECT_TRUE(request({"--show", "kernels,objects", "--json"})
                  ->question.options.ptx_digests);
  EXPECT_FALSE(request({"--show", "kernels"})->question.options.attributes);
  EXPECT_TRUE(
      request({"--show", "kernels", "--json"})->question.options.attributes);
  EXPECT_FALSE(request({"--show", "kernels", "--json", "--fields", "name"})
                   ->question.options.attributes);
  EXPECT_TRUE(request({"--show", "kernels", "--fields", "attributes"})
                  ->question.options.attributes);
}

TEST(InspectRequest, FillsTheFieldsOfKernelsThatAreShown) {
  const auto options = [](std::vector<std::string> words) {
    return request(std::move(words))->question.options;
  };
  EXPECT_FALSE(options({"--show", "kernels"}).parameters);
  EXPECT_TRUE(options({"--show", "kernels"}).demangled);
  EXPECT_TRUE(options({"--show", "kernels", "--json"}).parameters);
  EXPECT_TRUE(
      options({"--show", "kernels", "--fields", "parameters"}).parameters);
  EXPECT_FALSE(options({"--show", "kernels", "--fields", "name"}).demangled);
  EXPECT_FALSE(options({"--show", "kernels", "--limit", "5"}).demangled)
      << "only those of a page are";
  EXPECT_FALSE(options({"--show", "objects", "--json"}).demangled);
}

TEST(InspectRequest, ComputesAllThatIsShownInFull) {
  EXPECT_TRUE(request({"--show", "kernels", "--detail", "full"})
                  ->question.options.attributes);
  EXPECT_FALSE(request({"--show", "kernels", "--detail", "summary", "--json"})
                   ->question.options.attributes);
  EXPECT_TRUE(
      request({"--show", "kernels", "--ndjson"})->question.options.attributes);
  EXPECT_TRUE(request({"--show", "objects", "--detail", "full", "--analysis",
                       "kernels"})
                  ->question.options.payload_digests);
}

TEST(InspectRequest, KnowsTheForms) {
  EXPECT_EQ(request({})->question.form, Form::text);
  EXPECT_EQ(request({"--json"})->question.form, Form::json);
  EXPECT_EQ(request({"--ndjson"})->question.form, Form::ndjson);
  EXPECT_EQ(refusal({"--json", "--ndjson"}),
            "--json and --ndjson exclude each other | --json is one document, "
            "--ndjson a record a line");
}

TEST(InspectRequest, KnowsHowMuchOfEachRow) {
  EXPECT_EQ(request({})->question.view.detail, report::Detail::by_form);
  EXPECT_EQ(request({"--detail", "full"})->question.view.detail,
            report::Detail::full);
  EXPECT_EQ(request({"--detail", "summary"})->question.view.detail,
            report::Detail::summary);
  EXPECT_EQ(refusal({"--detail", "full", "--fields", "kind"}),
            "--fields and --detail exclude each other | --fields says itself "
            "which fields are shown");
}

constexpr std::string_view kDigest = "0123456789abcdef";

TEST(InspectRequest, TakesIdsOfOneFile) {
  const auto made = request({"--object", "file!40.1@0123456789abcdef",
                             "--object", "40.2", "--object", "40.1"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->question.options.objects, (Words{"40.1", "40.2"}));
  EXPECT_EQ(made->question.options.expect_sha256, kDigest);
  EXPECT_EQ(refusal({"--object", "40.1@0123456789abcdef", "--object",
                     "40.2@1123456789abcdef"}),
            "the ids are those of different files | what follows @ is the "
            "SHA-256 of the file: take ids of one file only");
}

TEST(InspectRequest, RefusesIdsOfUnknownFiles) {
  EXPECT_EQ(refusal({"--object", "40.1"}),
            "an id is a position in one file: which file is meant is missing | "
            "write ID@ and the first 16 digits of the file's SHA-256, as text "
            "output shows them, or add --expect-sha256 or --from");
  EXPECT_TRUE(
      request({"--object", "40.1", "--expect-sha256", std::string(kDigest)}));
  EXPECT_EQ(refusal({"--object", "40.1@0123456789abcdef", "--no-digest"}),
            "--no-digest cannot tell whether this is the file that is meant | "
            "leave --no-digest out");
}

TEST(InspectRequest, ExpectsAFile) {
  const std::string whole = std::string(kDigest) + std::string(48, '0');
  EXPECT_EQ(request({"--expect-sha256", whole})->question.options.expect_sha256,
            whole);
  EXPECT_EQ(
      request({"--expect-sha256", whole, "--object", "40@0123456789abcdef"})
          ->question.options.expect_sha256,
      whole);
  EXPECT_EQ(refusal({"--expect-sha256", "0123"}),
            "--expect-sha256: 0123 is no SHA-256 | write its 64 hexadecimal "
            "digits, or the first 16 or more");
  EXPECT_EQ(
      refusal({"--expect-sha256", whole, "--object", "40@1123456789abcdef"}),
      "--expect-sha256 and the ids or the cursor are those of different "
      "files | ");
  EXPECT_TRUE(refusal({"--expect-sha256", whole, "--no-digest"})
                  .starts_with("--no-digest cannot tell"));
  EXPECT_TRUE(refusal({"--expect-sha256", whole, "--from", "e"})
                  .starts_with("--expect-sha256 and --from exclude"));
}

TEST(InspectRequest, PagesThroughOneCollection) {
  const auto made = request({"--show", "objects", "--limit", "2K"});
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->question.paged);
  EXPECT_EQ(made->question.limit, 2048u);
  EXPECT_FALSE(request({})->question.paged);
  EXPECT_EQ(refusal({"--show", "objects,kernels", "--limit", "2"}),
            "--limit and --after page through one collection | name one with "
            "--show");
  EXPECT_EQ(refusal({"--limit", "0"}),
            "--limit 0 shows nothing | ask for one row at least");
  EXPECT_TRUE(
      refusal({"--limit", "few"}).starts_with("--limit: few is not a number"));
  EXPECT_TRUE(refusal({"--limit", "2", "--no-digest"})
                  .starts_with("--no-digest leaves pages without cursors"));
}

TEST(InspectRequest, GoesOnWithTheSameQuestionOnly) {
  const auto first = request({"--show", "objects", "--target", "sm_90"});
  ASSERT_TRUE(first);
  const Cursor cursor{
      3, std::string(kDigest),
      question_digits(Collection::objects, first->question.options)};
  const auto next =
      request({"--show", "objects", "--target", "sm_90", "--after",
               text(cursor), "--json", "--limit", "9"});
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(page_of(next->question).first, 3u);
  // A cursor says which file it belongs to.
  EXPECT_EQ(next->question.options.expect_sha256, kDigest);
  for (const Words &other :
       {Words{"--show", "objects"},
        {"--show", "objects", "--target", "sm_80"},
        {"--show", "kernels", "--target", "sm_90"},
        {"--show", "objects", "--target", "sm_90", "--analysis", "kernels"}}) {
    Words words = other;
    words.insert(words.end(), {"--after", text(cursor)});
    EXPECT_TRUE(
        refusal(words).starts_with("the cursor belongs to another question"));
  }
  EXPECT_TRUE(
      refusal({"--after", "page-2"}).starts_with("page-2 is no cursor"));
  EXPECT_EQ(refusal({"--show", "objects", "--target", "sm_90", "--after",
                     text(cursor), "--object", "40@1123456789abcdef"}),
            "the cursor and the ids are those of different files | leave "
            "--after out to begin with the first page");
}

TEST(Page, HasANextOneWhileRowsAreLeft) {
  const auto made = request({"--limit", "2"});
  ASSERT_TRUE(made);
  report::Page page = page_of(made->question);
  const std::string sha256(64, 'a');
  page.rows = 2;
  set_next(page, made->question, sha256);
  EXPECT_EQ(page.next, "") << "nobody knows how many there are";
  page.total = 2;
  set_next(page, made->question, sha256);
  EXPECT_EQ(page.next, "");
  page.total = 3;
  set_next(page, made->question, "");
  EXPECT_EQ(page.next, "") << "nobody knows which file it is";
  set_next(page, made->question, sha256);
  EXPECT_TRUE(page.next.starts_with("2-aaaaaaaaaaaaaaaa-"));
}

TEST(InspectRequest, ShowsPartsOfOneText) {
  const Words show = {"--show", "ptx", "--object", "40@0123456789abcdef"};
  const auto with = [&](const Words &more) {
    Words words = show;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto made = request(with({"--offset", "8", "--length", "1K"}));
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_TRUE(made->question.text);
  EXPECT_EQ(made->question.text->offset, 8u);
  EXPECT_EQ(made->question.text->length, 1024u);
  EXPECT_TRUE(made->question.view.show.empty());
  EXPECT_EQ(made->question.options.analysis, inspect::Analysis::kernels);
  EXPECT_EQ(request(show)->question.text->length, UINT64_MAX);

  EXPECT_EQ(refusal({"--show", "ptx"}),
            "--show ptx needs one --object | --show objects --kind ptx lists "
            "the ids");
  EXPECT_TRUE(
      refusal(with({"--object", "41"})).starts_with("--show ptx needs"));
  EXPECT_TRUE(refusal(with({"--show", "objects"}))
                  .starts_with("--show ptx shows one text"));
  for (const Words &more : {Words{"--limit", "1"},
                            {"--target", "sm_90"},
                            {"--fields", "id"},
                            {"--kernel", "k"}})
    EXPECT_EQ(refusal(with(more)),
              more[0] + " does not go with --show ptx | --object says which "
                        "text, --offset and --length which part of it");
  EXPECT_TRUE(refusal(with({"--analysis", "inventory"}))
                  .starts_with("--analysis inventory does not read"));
  EXPECT_TRUE(refusal(with({"--offset", "-1"})).starts_with("--offset: -1 is"));
  EXPECT_TRUE(refusal(with({"--length", "x"})).starts_with("--length: x is"));
  EXPECT_EQ(refusal({"--offset", "1"}), "--offset goes with --show ptx | ");
  EXPECT_EQ(refusal({"--length", "1"}), "--length goes with --show ptx | ");
}

TEST(InspectRequest, TakesTimeAndBudgets) {
  const auto made = request(
      {"--timeout", "0.5", "--budget", "members=2K", "--budget", "depth=3"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->timeout, std::chrono::milliseconds(500));
  EXPECT_EQ(made->question.options.limits.members, 2048u);
  EXPECT_EQ(made->question.options.limits.depth, 3u);
  EXPECT_FALSE(request({})->timeout);
  EXPECT_EQ(refusal({"--timeout", "soon"}),
            "--timeout: soon is not a number of seconds | write 30, or 0.5");
  EXPECT_EQ(refusal({"--budget", "member=1"}),
            "there is no budget member | did you mean members?");
}

TEST(InspectRequest, SavesAllOrNothing) {
  const auto made = request({"--evidence", "e"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->evidence, "e");
  EXPECT_EQ(made->question.options.analysis, inspect::Analysis::kernels);
  EXPECT_EQ(made->question.view.show, std::vector{Collection::targets});
  EXPECT_EQ(refusal({"--evidence", "e", "--no-digest"}),
            "a saved record needs the file's SHA-256 | leave --no-digest out");
  EXPECT_TRUE(refusal({"--evidence", "e", "--analysis", "inventory"})
                  .starts_with("--analysis inventory is too little"));
  EXPECT_TRUE(refusal({"--evidence", "-"}).starts_with("--evidence needs"));
}

std::string inputs_refusal(Words words, const Words &files) {
  words.insert(words.end(), files.begin(), files.end());
  const auto arguments = parse(kInspect, words);
  EXPECT_TRUE(arguments);
  const auto good = check_inputs(*arguments, find_inputs(files, {}));
  return good ? "nothing" : good.error().message;
}

TEST(InspectInputs, AreNotReplaced) {
  const std::string path = testing::TempDir() + "gantry_inspect_test";
  const std::string other = testing::TempDir() + "./gantry_inspect_test";
  std::ofstream(path) << "x";
  EXPECT_EQ(inputs_refusal({"-o", other}, {path}),
            path + " is an input, --output would replace it");
  EXPECT_EQ(inputs_refusal({"--evidence", other}, {path}),
            path + " is an input, --evidence would replace it");
  EXPECT_EQ(inputs_refusal({"--from", path, "-o", other}, {"-"}),
            path + " is an input, --output would replace it");
  EXPECT_EQ(inputs_refusal({"--from", path, "--evidence", other}, {"-"}),
            path + " is an input, --evidence would replace it");
  // None of the two is there yet.
  EXPECT_EQ(inputs_refusal({"-o", "new", "--evidence", "./new"}, {path}),
            "new cannot be both --output and --evidence");
  EXPECT_EQ(inputs_refusal({"-o", "-"}, {"-"}), "nothing");
  std::remove(path.c_str());
}

TEST(InspectInputs, AreOneWhereTheRequestIsAboutOne) {
  const std::string folder = testing::TempDir() + "gantry_inspect_folder";
  std::filesystem::create_directory(folder);
  for (const Words &words : {Words{"--object", "40"},
                             {"--expect-sha256", "0"},
                             {"--from", "e"},
                             {"--evidence", "e"},
                             {"--limit", "1"},
                             {"--after", "c"}}) {
    EXPECT_EQ(inputs_refusal(words, {"a", "b"}),
              words[0] + " goes with one FILE");
    EXPECT_EQ(inputs_refusal(words, {folder}),
              words[0] + " goes with one FILE");
    EXPECT_EQ(inputs_refusal(words, {"a"}), "nothing");
  }
  std::filesystem::remove(folder);
  EXPECT_EQ(inputs_refusal({}, {"-", "-"}),
            "standard input can be read once only");
}

} // namespace
} // namespace gantry::cli

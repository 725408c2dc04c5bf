// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/inspect.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(made->view.show, std::vector{Collection::targets});
  EXPECT_EQ(made->options.analysis, inspect::Analysis::inventory);
  EXPECT_TRUE(made->options.digest);
  EXPECT_FALSE(made->options.deep);
  EXPECT_EQ(made->options.threads, 0u);
}

TEST(InspectRequest, AnalysesKernelsWhereTheyAreNeeded) {
  for (const Words &words : {Words{"--show", "kernels"},
                             {"--show=targets,kernels"},
                             {"--kernel", "axpy"},
                             {"--analysis", "kernels"}})
    EXPECT_EQ(request(words)->options.analysis, inspect::Analysis::kernels);
  EXPECT_EQ(refusal({"--analysis=inventory", "--show=kernels"}),
            "--analysis inventory does not read kernels | leave --analysis "
            "out: --show kernels and --kernel imply --analysis kernels");
}

TEST(InspectRequest, KeepsTheOrderOfWhatIsShown) {
  EXPECT_EQ(
      request({"--show", "objects,targets", "--show", "objects"})->view.show,
      (std::vector{Collection::objects, Collection::targets}));
}

TEST(InspectRequest, PassesTheSelectionOn) {
  const auto made =
      request({"--target", "sm_90a,gfx90a:xnack+", "--target",
               "hipv4-amdgcn-amd-amdhsa--gfx942", "--kind", "ptx,lto-ir",
               "--kernel", "f(int, int)", "-j3", "--no-digest", "--deep"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->options.targets, (Words{"sm_90a", "gfx90a:xnack+",
                                          "hipv4-amdgcn-amd-amdhsa--gfx942"}));
  EXPECT_EQ(made->options.kinds, (std::vector{inspect::ObjectKind::ptx,
                                              inspect::ObjectKind::lto_ir}));
  EXPECT_EQ(made->options.kernels, Words{"f(int, int)"});
  EXPECT_EQ(made->options.threads, 3u);
  EXPECT_FALSE(made->options.digest);
  EXPECT_TRUE(made->options.deep);
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
  EXPECT_FALSE(request({"--show", "objects"})->options.payload_digests);
  EXPECT_TRUE(request({"--show", "objects", "--fields", "id,digest"})
                  ->options.payload_digests);
  EXPECT_FALSE(request({"--show", "kernels"})->options.attributes);
  EXPECT_TRUE(request({"--show", "kernels", "--json"})->options.attributes);
  EXPECT_FALSE(request({"--show", "kernels", "--json", "--fields", "name"})
                   ->options.attributes);
  EXPECT_TRUE(request({"--show", "kernels", "--fields", "attributes"})
                  ->options.attributes);
}

TEST(InspectRequest, RefusesToReplaceAnInput) {
  const std::string path = testing::TempDir() + "gantry_inspect_test";
  std::ofstream(path) << "x";
  EXPECT_EQ(refusal({"-o", path, path}),
            path + " is an input, --output would replace it | ");
  std::remove(path.c_str());
}

} // namespace
} // namespace gantry::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects chosen by id, and the digest that ids are bound to.
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

namespace gantry::inspect {
namespace {

Image a_file() {
  return fatbin_of(
             {cubin_entry(80), cubin_entry(90), ptx_entry(90, ptx_text())}) +
         ccob_of(bundle_of({{amd_id("gfx1030"), amdgpu_image()},
                            {amd_id("gfx90a"), amdgpu_image(kGfx90a)}})) +
         ccob_of(bundle_of({{amd_id("gfx90a"), amdgpu_image(kGfx90a)}}));
}

std::string digest_of(Bytes bytes) {
  Sha256 sha;
  sha.update(bytes);
  return sha.hex();
}

Options choose(const Image &file, std::vector<std::string> ids) {
  Options o;
  o.analysis = Analysis::kernels;
  o.objects = std::move(ids);
  o.expect_sha256 = digest_of(file);
  return o;
}

Report look(const Image &file, const Options &options) {
  auto r = memory(file, "test", options);
  EXPECT_TRUE(r) << r.error().text();
  EXPECT_EQ(r ? broken_rule(*r) : "", "");
  return r ? std::move(*r) : Report{};
}

Errc refusal(const Image &file, const Options &options) {
  auto r = memory(file, "test", options);
  EXPECT_FALSE(r);
  return r ? Errc::io : r.error().code;
}

TEST(Ids, SelectTheseObjectsOnly) {
  const Image file = a_file();
  Report all = look(file, {});
  ASSERT_EQ(all.objects.size(), 6u);
  for (const Object &wanted : all.objects) {
    Report r = look(file, choose(file, {wanted.id}));
    EXPECT_EQ(r.sha256, digest_of(file));
    EXPECT_TRUE(r.searched);
    std::size_t selected = 0;
    for (const Object &o : r.objects) {
      EXPECT_EQ(o.selected, o.id == wanted.id);
      selected += o.selected;
      EXPECT_EQ(o.kernels.has_value(), o.selected);
    }
    EXPECT_EQ(selected, 1u) << wanted.id;
  }
}

TEST(Ids, JoinOtherSelections) {
  const Image file = a_file();
  Options options = choose(file, {"0.0", "0.1", "0.2"});
  options.targets = {"sm_90"};
  Report r = look(file, options);
  EXPECT_FALSE(r.objects[0].selected);
  EXPECT_TRUE(r.objects[1].selected);
  EXPECT_TRUE(r.objects[2].selected);
}

// Those that hold no selected object are left closed, and say so.
TEST(Ids, LeaveOtherCompressedBundlesClosed) {
  const Image file = a_file();
  Report all = look(file, {});
  Report r = look(file, choose(file, {all.objects[3].id}));
  EXPECT_EQ(r.objects.size(), 5u) << "the last bundle is not opened";
  EXPECT_EQ(r.containers.back().kind, ContainerKind::ccob);
  EXPECT_EQ(r.containers.back().coverage, Coverage::not_selected);
  EXPECT_TRUE(find(r.containers.back().limitations, "not-selected"));
  EXPECT_EQ(r.coverage, Coverage::partial);
}

TEST(Ids, ThatAreNotThereAreNamed) {
  const Image file = a_file();
  const std::string bundle = look(file, {}).objects[3].id;
  for (const std::string &id :
       {std::string("0.3"), std::string("ffff.0"), std::string("0.1.0"),
        bundle + "0", std::string("nonsense"), std::string()}) {
    auto r = memory(file, "test", choose(file, {"0.1", id}));
    ASSERT_FALSE(r) << id;
    EXPECT_EQ(r.error().code, Errc::not_found);
    EXPECT_NE(r.error().what.find("no object " + id), std::string::npos)
        << r.error().what;
  }
}

TEST(Ids, OfContainersAreTold) {
  const Image file = a_file();
  const std::string bundle = look(file, {}).containers.back().id;
  for (const std::string &id : {std::string("0"), bundle}) {
    auto r = memory(file, "test", choose(file, {id}));
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().code, Errc::not_found);
    EXPECT_NE(r.error().what.find(id + " is a container"), std::string::npos)
        << r.error().what;
  }
}

TEST(Ids, NeedAnExpectedDigest) {
  const Image file = a_file();
  Options options = choose(file, {"0.0"});
  options.expect_sha256.clear();
  EXPECT_EQ(refusal(file, options), Errc::invalid_argument);
  options = choose(file, {"0.0"});
  options.digest = false;
  EXPECT_EQ(refusal(file, options), Errc::invalid_argument);
}

TEST(ExpectedDigest, MayBeShort) {
  const Image file = a_file();
  const std::string whole = digest_of(file);
  for (std::size_t digits = 16; digits <= 64; digits++) {
    Options options = choose(file, {"0.0"});
    options.expect_sha256 = whole.substr(0, digits);
    EXPECT_EQ(look(file, options).sha256, whole);
  }
  Options options = choose(file, {});
  for (char &c : options.expect_sha256)
    c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(look(file, options).sha256, whole);
}

TEST(ExpectedDigest, RefusesWhatIsNoDigest) {
  const Image file = a_file();
  const std::string whole = digest_of(file);
  for (const std::string &text :
       {whole.substr(0, 15), whole + "0", std::string("x") + whole.substr(1),
        " " + whole.substr(0, 20)}) {
    Options options;
    options.expect_sha256 = text;
    EXPECT_EQ(refusal(file, options), Errc::invalid_argument) << text;
  }
}

TEST(ExpectedDigest, RefusesAnotherFileBeforeItDecodes) {
  Image file = a_file();
  Options options = choose(file, {"0.0"});
  options.payload = [](const Object &, Bytes) { ADD_FAILURE(); };
  options.done = [](const Object &, std::vector<Kernel> &) { ADD_FAILURE(); };
  file.back() ^= std::byte{1};
  auto r = memory(file, "test", options);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, Errc::changed);
  EXPECT_NE(r.error().what.find(digest_of(file)), std::string::npos);
  options.objects.clear();
  EXPECT_EQ(refusal(file, options), Errc::changed);
  options.expect_sha256.resize(16);
  EXPECT_EQ(refusal(file, options), Errc::changed);
}

} // namespace
} // namespace gantry::inspect

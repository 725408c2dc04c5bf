// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/members.h"

#include "input/test_packages.h"
#include "inspect/member_names.h"
#include "inspect/test_inputs.h"
#include "inspect/test_report.h"

#include <gtest/gtest.h>

#include <mutex>

namespace gantry::inspect {
namespace {

using input::ar_of;
using input::tar_of;
using input::zip_of;
using input::ZipItem;
using Ids = std::vector<std::string>;

std::string str(const Image &image) { return std::string(as_text(image)); }
std::string cubin() { return str(cubin_image()); }
std::string fatbin() {
  return str(fatbin_of({cubin_entry(80), cubin_entry(90)}));
}

Options kernels() {
  Options o;
  o.analysis = Analysis::kernels;
  o.threads = 1;
  return o;
}

Report look(std::string_view file, const Options &options = kernels(),
            const std::string &path = "package") {
  auto report = memory(as_bytes(file), path, options);
  EXPECT_TRUE(report) << report.error().text();
  if (!report)
    return {};
  EXPECT_EQ(broken_rule(*report), "");
  return *report;
}

Error refusal(std::string_view file, const Options &options) {
  auto report = memory(as_bytes(file), "package", options);
  EXPECT_FALSE(report);
  return report ? Error{} : report.error();
}

Ids object_ids(const Report &r) {
  Ids out;
  for (const Object &o : r.objects)
    out.push_back(o.id);
  return out;
}

Ids container_ids(const Report &r) {
  Ids out;
  for (const Container &c : r.containers)
    out.push_back(c.id);
  return out;
}

const Container *member(const Report &r, std::string_view id) {
  for (const Container &c : r.containers)
    if (c.id == id && c.kind == ContainerKind::member)
      return &c;
  return nullptr;
}

TEST(Members, BecomeOneReport) {
  std::string zip = zip_of({{"lib/fat.bin", fatbin(), 8},
                            {"lib/plain.so", "no code"},
                            {"a.cubin", cubin()},
                            {"README.md", "text", 8},
                            {"k.co", str(amdgpu_image()), 8}});
  Report r = look(zip);
  EXPECT_EQ(r.format, "zip");
  EXPECT_EQ(r.package.format, "zip");
  EXPECT_EQ(r.package.members, 5u);
  EXPECT_EQ(r.package.opened, 4u);
  EXPECT_EQ(r.package.skipped, 1u);
  EXPECT_EQ(r.size, zip.size());
  EXPECT_EQ(r.sha256.size(), 64u);
  EXPECT_TRUE(r.searched);
  EXPECT_EQ(object_ids(r),
            (Ids{"lib/fat.bin!0.0", "lib/fat.bin!0.1", "a.cubin!0", "k.co!0"}));
  EXPECT_EQ(container_ids(r), (Ids{"lib/fat.bin", "lib/fat.bin!0", "a.cubin",
                                   "a.cubin!0", "k.co", "k.co!0"}));
  EXPECT_EQ(r.containers[1].parent, 0u);
  EXPECT_EQ(r.containers[0].parent, kNone);
  EXPECT_EQ(r.objects[1].container, 1u);
  EXPECT_EQ(r.objects[1].location.in, "lib/fat.bin");
  EXPECT_EQ(r.objects[1].encoded_location.in, "lib/fat.bin");
  ASSERT_TRUE(r.objects[0].cuda_header);
  EXPECT_EQ(r.objects[0].cuda_header->location.in, "lib/fat.bin");
  const Container &fat = r.containers[0];
  EXPECT_EQ(fat.location.in, "");
  EXPECT_EQ(zip.substr(fat.location.offset, fat.location.size),
            input::deflated(fatbin()));
  EXPECT_EQ(fat.decoded_bytes, fatbin().size());
  EXPECT_EQ(fat.compression, "deflate");
  ASSERT_EQ(r.targets.size(), 3u);
  EXPECT_EQ(r.targets[1].objects, 2u) << "sm_90 of two members is one row";
  EXPECT_EQ(r.usage.accounted_bytes, r.package.unpacked_bytes);
}

TEST(Members, AreFoundInPackagesInPackages) {
  std::string tar =
      tar_of({{"./b.a", ar_of({{"c.o", cubin()}, {"d.o", "x"}})}});
  std::string zip = zip_of({{"a.tar", tar, 8}});
  Report r = look(zip);
  EXPECT_EQ(object_ids(r), (Ids{"a.tar!./b.a!c.o!0"}));
  EXPECT_EQ(container_ids(r), (Ids{"a.tar", "a.tar!./b.a", "a.tar!./b.a!c.o",
                                   "a.tar!./b.a!c.o!0"}));
  EXPECT_EQ(r.containers[0].format, "tar");
  EXPECT_EQ(r.containers[0].entries, 1u);
  EXPECT_EQ(r.containers[1].format, "ar");
  EXPECT_EQ(r.containers[1].entries, 2u);
  EXPECT_EQ(r.containers[2].parent, 1u);
  EXPECT_EQ(r.containers[2].location.in, "a.tar!./b.a");
  EXPECT_EQ(r.objects[0].location.in, "a.tar!./b.a!c.o");
  EXPECT_EQ(r.package.members, 4u);
  EXPECT_EQ(r.package.opened, 4u);
  EXPECT_EQ(r.usage.accounted_bytes, cubin().size() + 1)
      << "packages count as their members";
}

TEST(Members, OfArchivesAreNotCopied) {
  std::string ar = ar_of({{"a.o", "x"}, {"c.o", cubin()}});
  Report r = look(ar);
  EXPECT_EQ(r.format, "ar");
  const Container *c = member(r, "c.o");
  ASSERT_TRUE(c);
  EXPECT_EQ(ar.substr(c->location.offset, c->location.size), cubin());
  EXPECT_EQ(r.package.unpacked_bytes, 0u);
}

TEST(Members, HaveIdsThatAreUniqueAndOneLine) {
  Report r = look(zip_of({{"a!b%@\n.co", cubin()},
                          {"x.o", cubin()},
                          {"y.o", "nothing"},
                          {"x.o", cubin()},
                          {"y.o", cubin()},
                          {"../up", cubin()},
                          {"gr\xc3\xb6sse", cubin()},
                          {"c\xc2\x9b"
                           "31m\xe2\x80\xae\xff",
                           cubin()}}));
  EXPECT_EQ(object_ids(r),
            (Ids{"a%21b%25%40%0A.co!0", "x.o!0", "x.o@2!0", "y.o@2!0",
                 "../up!0", "gr\xc3\xb6sse!0", "c%C2%9B31m%E2%80%AE\xff!0"}));
}

TEST(Members, AreSkippedByNameUnlessTheyBeginLikeCode) {
  std::string inside = "text " + fatbin();
  std::vector<ZipItem> items = {{"a.py", inside, 8},
                                {"b.PNG", inside},
                                {"c.txt", cubin(), 8},
                                {"d.json", zip_of({{"e", cubin()}})}};
  Report r = look(zip_of(items));
  EXPECT_EQ(r.package.skipped, 2u);
  EXPECT_EQ(object_ids(r), (Ids{"c.txt!0", "d.json!e!0"}));
  EXPECT_EQ(r.coverage, Coverage::complete);
  Options deep = kernels();
  deep.deep = true;
  r = look(zip_of(items), deep);
  EXPECT_EQ(r.package.skipped, 0u);
  EXPECT_EQ(r.objects.size(), 6u);
  // A digest to compare with does not open more.
  Options digest = kernels();
  digest.expect_sha256 = look(zip_of(items)).sha256;
  EXPECT_EQ(look(zip_of(items), digest).package.skipped, 2u);
}

TEST(Members, AreSearchedAlsoWithoutADigest) {
  Options o = kernels();
  o.digest = false;
  Report r = look(zip_of({{"a.bin", "text " + fatbin(), 8}}), o);
  EXPECT_EQ(r.objects.size(), 2u);
  EXPECT_TRUE(r.searched);
  EXPECT_EQ(r.sha256, "");
  EXPECT_EQ(r.coverage, Coverage::complete);
}

TEST(Members, ThatHoldNothingAreCountedOnly) {
  Report r = look(zip_of({{"a.so", "x"}, {"b", "y", 8}}));
  EXPECT_TRUE(r.containers.empty());
  EXPECT_TRUE(r.limitations.empty());
  EXPECT_EQ(r.coverage, Coverage::complete);
  EXPECT_EQ(r.package.opened, 2u);
}

TEST(Members, ThatAreDamagedDoNotHideTheOthers) {
  Report r = look(zip_of({{"crc.co", cubin(), 8, 0, 0100644, 0x12345678},
                          {"secret.so", "x", 8, 1},
                          {"method.so", "x", 99},
                          {"good.co", cubin()}}));
  EXPECT_EQ(object_ids(r), (Ids{"crc.co!0", "good.co!0"}));
  ASSERT_TRUE(member(r, "crc.co"));
  EXPECT_TRUE(find(member(r, "crc.co")->limitations, "corrupt"));
  EXPECT_TRUE(find(member(r, "secret.so")->limitations, "unsupported"));
  EXPECT_TRUE(find(member(r, "method.so")->limitations, "unsupported"));
  EXPECT_EQ(r.coverage, Coverage::partial);
  EXPECT_FALSE(r.searched);
}

TEST(Members, OfATruncatedPackageAreRead) {
  std::string zip = zip_of({{"a.co", cubin()}, {"b.co", cubin()}});
  Report r = look(zip.substr(0, zip.find("PK\1\2")));
  EXPECT_EQ(r.objects.size(), 2u);
  EXPECT_TRUE(find(r.limitations, "truncated"));
  EXPECT_EQ(r.coverage, Coverage::partial);
}

TEST(Members, OfThinArchivesAreNotRead) {
  Report r = look("!<thin>\n" + input::ar_header("a.o/", 100));
  EXPECT_TRUE(find(r.limitations, "thin-archive"));
  EXPECT_EQ(r.package.members, 1u);
  EXPECT_EQ(r.package.opened, 0u);
  EXPECT_EQ(r.coverage, Coverage::partial);
}

TEST(Members, OverALimitAreRefusedByItsName) {
  std::string zeros(2'000'000, '\0');
  std::string zip = zip_of({{"bomb", zeros, 8}, {"good.co", cubin()}});
  Options o = kernels();
  o.limits.ratio_floor = 1000;
  o.limits.decoded_ratio = 10;
  Report r = look(zip, o);
  EXPECT_EQ(object_ids(r), (Ids{"good.co!0"}));
  ASSERT_TRUE(member(r, "bomb"));
  const Limitation *l = find(member(r, "bomb")->limitations, "too-large");
  ASSERT_TRUE(l);
  EXPECT_NE(l->message.find("(limit decoded_ratio)"), std::string::npos);

  o = kernels();
  o.limits.member_bytes = 100'000;
  l = find(member(r = look(zip, o), "bomb")->limitations, "too-large");
  ASSERT_TRUE(l);
  EXPECT_NE(l->message.find("(limit member_bytes)"), std::string::npos);

  o = kernels();
  o.limits.members = 1;
  r = look(zip, o);
  l = find(r.limitations, "too-large");
  ASSERT_TRUE(l);
  EXPECT_NE(l->message.find("(limit members)"), std::string::npos);
  EXPECT_EQ(r.package.members, 1u);

  o = kernels();
  o.limits.records = 3;
  r = look(zip_of({{"a.co", cubin()}, {"b.co", cubin()}, {"c.co", cubin()}}),
           o);
  l = find(r.limitations, "too-large");
  ASSERT_TRUE(l);
  EXPECT_NE(l->message.find("(limit records)"), std::string::npos);
  EXPECT_EQ(r.objects.size(), 1u);
}

TEST(Members, TogetherMayUnpackToSoMuch) {
  // Each is fine alone; one stored copy would serve them all in a bomb.
  std::string zeros(500'000, '\0');
  std::vector<ZipItem> items(20, {"x", zeros, 8});
  Options o = kernels();
  o.limits.ratio_floor = 100'000;
  o.limits.decoded_ratio = 1000;
  Report r = look(zip_of(items), o);
  EXPECT_TRUE(r.limitations.empty());
  o.limits.decoded_ratio = 1;
  o.limits.ratio_floor = 500'000; // 8 MB and a few kB
  r = look(zip_of(items), o);
  std::size_t refused = r.containers.size();
  EXPECT_GE(refused, 3u);
  EXPECT_LE(refused, 4u);
  EXPECT_TRUE(find(r.containers[0].limitations, "too-large"));
}

TEST(Members, NestOnlySoDeep) {
  std::string package = cubin();
  for (int i = 0; i < 20; i++)
    package = zip_of({{"p", package}});
  Report r = look(package);
  ASSERT_EQ(r.containers.size(), 17u);
  EXPECT_EQ(r.objects.size(), 1u) << "found by content";
  const Limitation *l = find(r.containers[15].limitations, "too-large");
  ASSERT_TRUE(l);
  EXPECT_NE(l->message.find("(limit depth)"), std::string::npos);
  package = cubin();
  for (int i = 0; i < 16; i++)
    package = zip_of({{"p", package}});
  EXPECT_EQ(look(package).objects.size(), 1u);
}

TEST(Members, WithEndlessNamesAreNotOpened) {
  Report r =
      look(zip_of({{std::string(2000, 'n'), cubin()}, {"b.co", cubin()}}));
  EXPECT_EQ(object_ids(r), (Ids{"b.co!0"}));
  EXPECT_TRUE(find(r.limitations, "too-large"));
}

TEST(Members, CanBeChosenById) {
  std::string zip =
      zip_of({{"a.fatbin", fatbin(), 8},
              {"b.zip", zip_of({{"c", cubin()}, {"d", cubin()}}), 8},
              {"bad", "x", 99}});
  Options o = kernels();
  o.expect_sha256 = look(zip).sha256;
  o.objects = {"b.zip!c!0", "a.fatbin!0.1"};
  Report r = look(zip, o);
  Ids selected;
  for (const Object &object : r.objects)
    if (object.selected)
      selected.push_back(object.id);
  EXPECT_EQ(selected, (Ids{"a.fatbin!0.1", "b.zip!c!0"}));
  EXPECT_EQ(r.package.opened, 3u) << "a.fatbin, b.zip and c";
  EXPECT_FALSE(member(r, "bad")) << "not even looked at";
  EXPECT_FALSE(r.searched);
  EXPECT_EQ(r.coverage, Coverage::partial);

  for (const char *id : {"a.fatbin!0.7", "nothing!0", "b.zip!e!0", "0.0"}) {
    o.objects = {id};
    Error e = refusal(zip, o);
    EXPECT_EQ(e.code, Errc::not_found) << id;
  }
  o.objects = {"a.fatbin!0.1"};
  o.expect_sha256 = std::string(64, '0');
  EXPECT_EQ(refusal(zip, o).code, Errc::changed);
}

TEST(Members, HandTheirIdsToTheHooks) {
  Options o = kernels();
  std::mutex mutex;
  Ids payloads, done;
  o.payload = [&](const Object &object, Bytes bytes) {
    std::lock_guard lock(mutex);
    EXPECT_EQ(as_text(bytes).substr(0, 4), "\x7f"
                                           "ELF");
    payloads.push_back(object.id);
  };
  o.done = [&](const Object &object, std::vector<Kernel> &) {
    done.push_back(object.id);
  };
  std::string zip = zip_of(
      {{"a.co", cubin()}, {"b.tar", tar_of({{"c.fatbin", fatbin()}}), 8}});
  Report r = look(zip, o);
  EXPECT_EQ(done, object_ids(r));
  std::ranges::sort(payloads);
  EXPECT_EQ(payloads,
            (Ids{"a.co!0", "b.tar!c.fatbin!0.0", "b.tar!c.fatbin!0.1"}));
}

TEST(Members, StopWhenTheyAreAskedTo) {
  std::stop_source stop;
  Options o = kernels();
  o.stop = stop.get_token();
  o.done = [&](const Object &, std::vector<Kernel> &) { stop.request_stop(); };
  Report r = look(zip_of({{"a.co", cubin()}, {"b.co", cubin()}}), o);
  EXPECT_EQ(r.objects.size(), 1u);
  EXPECT_TRUE(find(r.limitations, "interrupted"));
  EXPECT_EQ(r.coverage, Coverage::partial);
}

TEST(Members, ReportProgressInBytesOfThePackage) {
  std::uint64_t last = 0, total = 0;
  Options o = kernels();
  o.digest = false;
  o.progress = [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, all);
    last = done;
    total = all;
  };
  std::string zip = zip_of({{"a", fatbin(), 8}, {"b", fatbin()}, {"c", "x"}});
  look(zip, o);
  EXPECT_EQ(total, zip.size());
  EXPECT_GT(last, 0u);
}

TEST(Members, OfNamesWithoutEndAreWalkedInOneGo) {
  std::vector<ZipItem> items(100'000, {"folder/name.py", "x"});
  items.push_back({"a.co", cubin()});
  Report r = look(zip_of(items));
  EXPECT_EQ(r.package.members, 100'001u);
  EXPECT_EQ(r.package.skipped, 100'000u);
  EXPECT_EQ(r.objects.size(), 1u);
}

TEST(Members, StateOnceWhatHoldsForAll) {
  Options o;
  o.threads = 1;
  Report r = look(zip_of({{"a.co", fatbin()}, {"b.co", fatbin()}}), o);
  EXPECT_EQ(std::ranges::count(r.limitations, "not-decoded", &Limitation::code),
            1);
  for (const Container &c : r.containers)
    EXPECT_TRUE(c.limitations.empty());
  o.targets = {"sm_80"};
  r = look(zip_of({{"a.co", fatbin()}, {"b.co", fatbin()}}), o);
  const Limitation *l = find(r.limitations, "not-selected");
  ASSERT_TRUE(l);
  EXPECT_TRUE(l->message.starts_with("2 of 4")) << l->message;
}

TEST(Members, OfFilesThatAreNoPackagesInSpiteOfTheirMagic) {
  Report r = look("BZh is how this text begins, and no more");
  EXPECT_EQ(r.package.format, "");
  EXPECT_EQ(r.coverage, Coverage::complete);
  std::string text = "PK\3\4 a local header that is none " + fatbin();
  r = look(text);
  EXPECT_TRUE(r.objects.empty() || r.objects.size() == 2);
}

TEST(MembersThreads, DoNotChangeTheAnswer) {
  std::vector<ZipItem> items;
  for (int i = 0; i < 50; i++) {
    items.push_back({"m" + std::to_string(i), fatbin(), 8});
    items.push_back({"t" + std::to_string(i),
                     tar_of({{"x", cubin()}, {"y", fatbin()}}), 8});
  }
  std::string zip = zip_of(items);
  Options o = kernels();
  Report one = look(zip, o);
  o.threads = 4;
  Report four = look(zip, o);
  EXPECT_EQ(object_ids(one), object_ids(four));
  EXPECT_EQ(container_ids(one), container_ids(four));
  EXPECT_EQ(one.package.unpacked_bytes, four.package.unpacked_bytes);
  o.limits.records = 100;
  Report less = look(zip, o);
  o.threads = 1;
  EXPECT_EQ(object_ids(less), object_ids(look(zip, o)));
  EXPECT_EQ(less.package.members, look(zip, o).package.members);
}

TEST(MembersThreads, EndWithAnErrorInTheMiddle) {
  std::vector<ZipItem> items(20, {"x", fatbin(), 8});
  Options o = kernels();
  o.threads = 4;
  o.targets = {"no such thing"};
  EXPECT_EQ(refusal(zip_of(items), o).code, Errc::invalid_argument);
}

TEST(MemberNames, TellTextsFromWhatMayBeCode) {
  for (const char *name : {"a.py", "x/y.TXT", "b.so.txt", "c.json", "d.svg"})
    EXPECT_TRUE(skipped_by_name(name)) << name;
  for (const char *name :
       {"a.so", "a.so.12", "METADATA", ".py", "x.py/y", "a.co", "b.hsaco",
        "c.ptx", "d.bc", "e.bin", "f.", "", "g.spv"})
    EXPECT_FALSE(skipped_by_name(name)) << name;
}

} // namespace
} // namespace gantry::inspect

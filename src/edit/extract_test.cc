// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file.h"
#include "gantry/edit.h"
#include "inspect/test_samples.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

namespace gantry::edit {
namespace {

namespace fs = std::filesystem;

class Extract : public testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("gantry-extract-" + std::to_string(getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::set<std::string> files() const {
    std::set<std::string> out;
    for (const auto &e : fs::recursive_directory_iterator(folder_))
      if (!e.is_directory())
        out.insert(fs::relative(e.path(), folder_));
    return out;
  }
  ExtractOptions options() const {
    ExtractOptions o;
    o.folder = folder_;
    return o;
  }
  fs::path folder_;
};

std::string sample(std::string_view name) {
  return std::string(GANTRY_SAMPLES) + "/" + std::string(name);
}

std::vector<std::byte> read_file(const fs::path &path) {
  auto file = FileSource::open(path);
  Buffer scratch;
  auto bytes = (*file)->read(0, (*file)->size(), scratch);
  return {bytes->begin(), bytes->end()};
}

TEST_F(Extract, WritesEveryDecodedObject) {
  auto done = extract(sample("cuda/zstd.fatbin"), options());
  ASSERT_TRUE(done) << done.error().text();
  ASSERT_GT(done->objects.size(), 1u);
  std::set<std::string> expected;
  for (const Extracted &e : done->objects) {
    EXPECT_FALSE(e.failure) << e.failure->text();
    EXPECT_EQ(fs::file_size(folder_ / e.path), e.size) << e.path;
    expected.insert(e.path);
  }
  EXPECT_EQ(files(), expected);
}

TEST_F(Extract, WritesWhatTheOriginalWas) {
  // The wrapped cubin is the same as the bare one beside it.
  auto wrapped = extract(sample("cuda/libvector.so"), options());
  ASSERT_TRUE(wrapped);
  for (const Extracted &e : wrapped->objects) {
    ASSERT_FALSE(e.failure) << e.failure->text();
    // Every extracted cubin is one that inspect reads by itself.
    if (!e.path.ends_with(".cubin"))
      continue;
    auto alone = inspect::file(folder_ / e.path, {});
    ASSERT_TRUE(alone);
    ASSERT_EQ(alone->objects.size(), 1u);
    EXPECT_EQ(alone->sha256, e.sha256);
  }
}

TEST_F(Extract, TakesObjectsOutOfCompressedBundles) {
  auto done = extract(sample("hip/ccob_v3.hipfb"), options());
  ASSERT_TRUE(done);
  ASSERT_FALSE(done->objects.empty());
  for (const Extracted &e : done->objects) {
    EXPECT_FALSE(e.failure);
    auto alone = inspect::file(folder_ / e.path, {});
    ASSERT_TRUE(alone);
    EXPECT_EQ(alone->objects.size(), 1u) << e.path;
    EXPECT_EQ(alone->sha256, e.sha256);
  }
}

TEST_F(Extract, TakesWhatIsAskedFor) {
  auto report = inspect::file(sample("cuda/zstd.fatbin"), {});
  ASSERT_TRUE(report);
  ExtractOptions o = options();
  o.inspect.expect_sha256 = report->sha256;
  o.inspect.objects = {report->objects[1].id};
  auto done = extract(sample("cuda/zstd.fatbin"), o);
  ASSERT_TRUE(done) << done.error().text();
  ASSERT_EQ(done->objects.size(), 1u);
  EXPECT_EQ(done->objects[0].id, report->objects[1].id);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(Extract, RefusesAnotherFileBeforeItWritesAnything) {
  ExtractOptions o = options();
  o.inspect.expect_sha256 = std::string(64, '0');
  o.inspect.objects = {"0.0"};
  auto done = extract(sample("cuda/zstd.fatbin"), o);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::changed);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(Extract, OverwritesNothing) {
  auto first = extract(sample("cuda/zstd.fatbin"), options());
  ASSERT_TRUE(first);
  fs::path victim = folder_ / first->objects[0].path;
  std::ofstream(victim) << "mine";
  fs::remove(folder_ / first->objects[1].path);
  auto second = extract(sample("cuda/zstd.fatbin"), options());
  ASSERT_TRUE(second);
  ASSERT_TRUE(second->objects[0].failure);
  EXPECT_EQ(second->objects[0].failure->code, Errc::io);
  EXPECT_FALSE(second->objects[1].failure);
  EXPECT_EQ(fs::file_size(victim), 4u);
}

TEST_F(Extract, WritesNothingInADryRun) {
  ExtractOptions o = options();
  o.dry_run = true;
  auto done = extract(sample("cuda/zstd.fatbin"), o);
  ASSERT_TRUE(done);
  EXPECT_FALSE(done->objects.empty());
  EXPECT_FALSE(done->objects[0].sha256.empty());
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(Extract, WritesStoredBytesOnRequest) {
  ExtractOptions o = options();
  o.stored = true;
  auto done = extract(sample("cuda/zstd.fatbin"), o);
  ASSERT_TRUE(done);
  auto whole = read_file(sample("cuda/zstd.fatbin"));
  for (std::size_t i = 0; i < done->objects.size(); i++) {
    const Extracted &e = done->objects[i];
    ASSERT_FALSE(e.failure) << e.failure->text();
    const inspect::Object &object = done->report.objects[i];
    auto stored = read_file(folder_ / e.path);
    EXPECT_EQ(stored.size(), *object.encoded_bytes);
    auto at = whole.begin() +
              static_cast<std::ptrdiff_t>(object.encoded_location.offset);
    EXPECT_TRUE(std::equal(stored.begin(), stored.end(), at)) << e.id;
  }
}

TEST_F(Extract, SaysWhyAnObjectHasNoStoredBytes) {
  ExtractOptions o = options();
  o.stored = true;
  auto done = extract(sample("hip/ccob_v3.hipfb"), o);
  ASSERT_TRUE(done);
  ASSERT_FALSE(done->objects.empty());
  for (const Extracted &e : done->objects) {
    ASSERT_TRUE(e.failure);
    EXPECT_NE(e.failure->what.find("together"), std::string::npos);
  }
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(Extract, KeepsTheNeighboursOfADamagedObject) {
  auto done = extract(sample("cuda/damaged.fatbin"), options());
  ASSERT_TRUE(done);
  std::size_t failed = 0, written = 0;
  for (const Extracted &e : done->objects)
    (e.failure ? failed : written)++;
  EXPECT_GT(failed, 0u);
  EXPECT_GT(written, 0u);
  EXPECT_EQ(files().size(), written);
}

} // namespace
} // namespace gantry::edit

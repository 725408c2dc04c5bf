// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace gantry {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "gantry-file-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string &name) const {
    return (folder_ / name).string();
  }
  std::string put(const std::string &name, std::string_view contents) const {
    std::ofstream(path(name), std::ios::binary) << contents;
    return path(name);
  }
  static std::string get(const std::string &file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Names in the folder, to see that nothing is left behind.
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), {}));
  }
  static mode_t mode_of(const std::string &file) {
    struct stat status = {};
    EXPECT_EQ(stat(file.c_str(), &status), 0);
    return status.st_mode & 07777;
  }

  fs::path folder_;
};

using FileSourceTest = FileTest;
using OutputFileTest = FileTest;

TEST_F(FileSourceTest, ReadsByPosition) {
  auto file = FileSource::open(put("a", "0123456789"));
  ASSERT_TRUE(file) << file.error().text();
  const FileSource &source = **file;
  EXPECT_EQ(source.size(), 10u);
  EXPECT_EQ(source.bytes_read(), 0u);
  Buffer scratch;
  EXPECT_EQ(as_text(source.read(0, 10, scratch).value()), "0123456789");
  EXPECT_EQ(as_text(source.read(3, 4, scratch).value()), "3456");
  EXPECT_EQ(as_text(source.read(10, 0, scratch).value()), "");
  EXPECT_EQ(as_text(source.read_up_to(8, 100, scratch).value()), "89");
  EXPECT_EQ(source.bytes_read(), 16u);
}

TEST_F(FileSourceTest, RefusesWhatLiesOutside) {
  auto file = FileSource::open(put("a", "0123456789"));
  ASSERT_TRUE(file);
  Buffer scratch;
  const std::pair<std::uint64_t, std::uint64_t> kOutside[] = {
      {0, 11}, {10, 1}, {11, 0}, {UINT64_MAX, 1}, {5, UINT64_MAX}};
  for (auto [offset, size] : kOutside) {
    auto bytes = (*file)->read(offset, size, scratch);
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().code, Errc::truncated);
    EXPECT_EQ(bytes.error().offset, offset);
  }
}

TEST_F(FileSourceTest, ReportsThatTheFileHasBecomeShorter) {
  auto file = FileSource::open(put("a", "0123456789"));
  ASSERT_TRUE(file);
  ASSERT_EQ(truncate(path("a").c_str(), 6), 0);
  Buffer scratch;
  auto bytes = (*file)->read(2, 8, scratch);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, Errc::truncated);
  EXPECT_EQ(bytes.error().offset, 6u);
  EXPECT_EQ(as_text((*file)->read(2, 4, scratch).value()), "2345");
}

TEST_F(FileSourceTest, ReadsFromSeveralThreads) {
  std::string contents(1 << 20, '\0');
  for (std::size_t i = 0; i < contents.size(); i++)
    contents[i] = static_cast<char>(i >> 12);
  auto file = FileSource::open(put("a", contents));
  ASSERT_TRUE(file);
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 4; t++)
    threads.emplace_back([&] {
      Buffer scratch;
      for (std::size_t at = 0; at < contents.size(); at += 4096)
        EXPECT_EQ(as_text((*file)->read(at, 4096, scratch).value()),
                  std::string_view(contents).substr(at, 4096));
    });
  threads.clear();
  EXPECT_EQ((*file)->bytes_read(), 4 * contents.size());
}

// The pipe has no writer: an ordinary open would wait for one.
TEST_F(FileSourceTest, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  int s = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {AF_UNIX, {}};
  path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(s, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  const std::pair<std::string, std::string> kCases[] = {
      {path(""), "cannot open: is a folder"},
      {path("pipe"), "cannot open: is a pipe"},
      {path("socket"), "cannot open: is a socket"},
      {"/dev/null", "cannot open: is a device"},
      {path("absent"), "cannot open: No such file or directory"},
      {put("file", "") + "/x", "cannot open: Not a directory"},
      {"", "cannot open: No such file or directory"},
      {path("file") + std::string("\0x", 2),
       "cannot open: the name holds a NUL"}};
  for (const auto &[name, what] : kCases) {
    auto file = FileSource::open(name);
    ASSERT_FALSE(file) << name;
    EXPECT_EQ(file.error().code, Errc::io);
    EXPECT_EQ(file.error().what, what);
  }
  close(s);
}

TEST_F(FileSourceTest, ReadsAnEmptyFileThroughALink) {
  put("a", "");
  fs::create_symlink("a", path("link"));
  auto file = FileSource::open(path("link"));
  ASSERT_TRUE(file);
  Buffer scratch;
  EXPECT_EQ((*file)->size(), 0u);
  EXPECT_TRUE((*file)->read(0, 0, scratch).value().empty());
}

TEST_F(OutputFileTest, WritesANewFileOnCommitOnly) {
  mode_t mask = umask(027);
  auto file = OutputFile::create(path("a"));
  umask(mask);
  ASSERT_TRUE(file) << file.error().text();
  ASSERT_TRUE(file->write("one "));
  ASSERT_TRUE(file->write(as_bytes("two")));
  EXPECT_FALSE(fs::exists(path("a")));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(get(path("a")), "one two");
  EXPECT_EQ(mode_of(path("a")), 0640u);
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(OutputFileTest, KeepsOrderOfSmallAndLargeWrites) {
  std::string expected;
  auto file = OutputFile::create(path("a"));
  ASSERT_TRUE(file);
  for (std::size_t size : {1, 70000, 2, 65535, 65536, 0, 3, 200000, 4}) {
    std::string piece(size, static_cast<char>('a' + size % 26));
    expected += piece;
    ASSERT_TRUE(file->write(piece));
  }
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(get(path("a")), expected);
}

TEST_F(OutputFileTest, ReplacesAFileAndKeepsItsMode) {
  put("a", "old");
  ASSERT_EQ(chmod(path("a").c_str(), 04751), 0);
  auto file = OutputFile::create(path("a"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("new"));
  EXPECT_EQ(get(path("a")), "old");
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(get(path("a")), "new");
  EXPECT_EQ(mode_of(path("a")), 0751u); // never with another owner's setuid
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(OutputFileTest, LeavesNothingBehindWithoutCommit) {
  put("a", "old");
  {
    auto file = OutputFile::create(path("a"));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("new"));
    EXPECT_EQ(file_count(), 2u);
    OutputFile moved = *std::move(file);
    ASSERT_TRUE(moved.write(std::string(100000, 'x')));
  }
  EXPECT_EQ(get(path("a")), "old");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(OutputFileTest, KeepsALinkAndReplacesItsTarget) {
  put("a", "old");
  fs::create_symlink("a", path("link"));
  auto file = OutputFile::create(path("link"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("new"));
  ASSERT_TRUE(file->commit());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(get(path("a")), "new");
  EXPECT_EQ(file_count(), 2u);
}

TEST_F(OutputFileTest, WritesSeveralFilesAtOnceAndLongNames) {
  std::string longest(255, 'n');
  auto a = OutputFile::create(path("a"));
  auto b = OutputFile::create(path(longest));
  auto again = OutputFile::create(path("a"));
  ASSERT_TRUE(a && b && again);
  ASSERT_TRUE(a->write("a") && b->write("b") && again->write("again"));
  ASSERT_TRUE(a->commit() && b->commit() && again->commit());
  EXPECT_EQ(get(path("a")), "again");
  EXPECT_EQ(get(path(longest)), "b");
  EXPECT_EQ(file_count(), 2u);
}

TEST_F(OutputFileTest, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/null", path("link"));
  const std::pair<std::string, std::string> kCases[] = {
      {path(""), "cannot write: is a folder"},
      {path("pipe"), "cannot write: is a pipe"},
      {"/dev/null", "cannot write: is a device"},
      {path("link"), "cannot write: is a device"},
      {path("absent/x"), "cannot write: No such file or directory"},
      {path("x") + std::string("\0y", 2),
       "cannot write: the name holds a NUL"}};
  for (const auto &[name, what] : kCases) {
    auto file = OutputFile::create(name);
    ASSERT_FALSE(file) << name;
    EXPECT_EQ(file.error().code, Errc::io);
    EXPECT_EQ(file.error().what, what);
  }
  EXPECT_EQ(file_count(), 2u);
}

TEST_F(OutputFileTest, ReportsAFailedRenameAndCleansUp) {
  {
    auto file = OutputFile::create(path("a"));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("x"));
    fs::create_directory(path("a")); // in the way
    auto done = file->commit();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::io);
    EXPECT_EQ(done.error().what, "cannot rename: Is a directory");
    EXPECT_FALSE(file->commit());
    EXPECT_FALSE(file->write("y"));
  }
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(OutputFileTest, RefusesWritesAfterCommit) {
  auto file = OutputFile::create(path("a"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("x"));
  ASSERT_TRUE(file->commit());
  auto late = file->write("y");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::io);
  EXPECT_FALSE(file->commit());
  EXPECT_EQ(get(path("a")), "x");
}

} // namespace
} // namespace gantry

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/inputs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gantry::cli {
namespace {

namespace fs = std::filesystem;

class InputsTest : public testing::Test {
protected:
  InputsTest() {
    fs::remove_all(top_);
    fs::create_directories(top_ / "b" / "c");
    for (const char *name : {"z", "a", "b/y", "b/c/x", "b.o"})
      std::ofstream(top_ / name) << "x";
  }
  ~InputsTest() override { fs::remove_all(top_); }

  std::vector<std::string> found(const std::vector<std::string> &operands) {
    const Inputs inputs = find_inputs(operands, {});
    several_ = inputs.several;
    std::vector<std::string> out;
    for (const InputFile &file : inputs.files)
      out.push_back(file.path.substr(
          file.path.starts_with(top_.string()) ? top_.string().size() : 0));
    return out;
  }

  // Tests of this suite run in several processes at a time.
  fs::path top_ = fs::path(testing::TempDir()) /
                  ("gantry_inputs_test-" + std::to_string(getpid()));
  bool several_ = false;
};

using Paths = std::vector<std::string>;

TEST_F(InputsTest, TakesFilesAsTheyAreNamed) {
  EXPECT_EQ(found({(top_ / "z").string()}), Paths{"/z"});
  EXPECT_FALSE(several_);
  EXPECT_EQ(found({"missing", "-"}), (Paths{"missing", "-"}));
  EXPECT_TRUE(several_);
  EXPECT_EQ(found({"-"}), Paths{"-"});
  EXPECT_FALSE(several_);
}

TEST_F(InputsTest, TakesAllFilesBelowAFolderSorted) {
  EXPECT_EQ(found({top_.string()}),
            (Paths{"/a", "/b.o", "/b/c/x", "/b/y", "/z"}));
  EXPECT_TRUE(several_);
  EXPECT_EQ(found({(top_ / "b").string(), (top_ / "a").string()}),
            (Paths{"/b/c/x", "/b/y", "/a"}));
  // However few they are.
  EXPECT_EQ(found({(top_ / "b" / "c").string()}), Paths{"/b/c/x"});
  EXPECT_TRUE(several_);
}

TEST_F(InputsTest, FollowsNoLinksAndTakesNoPipes) {
  fs::create_symlink(top_ / "z", top_ / "b" / "c" / "link");
  fs::create_directory_symlink(top_, top_ / "b" / "c" / "loop");
  ASSERT_EQ(mkfifo((top_ / "b" / "c" / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(found({(top_ / "b" / "c").string()}), Paths{"/b/c/x"});
  // One that is named is meant.
  EXPECT_EQ(found({(top_ / "b" / "c" / "loop" / "b" / "c").string()}),
            Paths{"/b/c/loop/b/c/x"});
}

// Deeper than any path may be long, so that its end cannot be opened.
TEST_F(InputsTest, KeepsFoldersThatCannotBeRead) {
  const std::string name(250, 'd');
  int folder = open((top_ / "b").c_str(), O_RDONLY | O_DIRECTORY);
  for (int depth = 0; depth < 17; ++depth) {
    ASSERT_EQ(mkdirat(folder, name.c_str(), 0700), 0);
    const int next = openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_GE(next, 0);
    close(folder);
    folder = next;
  }
  close(folder);
  const Inputs inputs = find_inputs({top_.string()}, {});
  ASSERT_EQ(inputs.files.size(), 6u);
  EXPECT_EQ(inputs.files[0].path, (top_ / "a").string());
  ASSERT_TRUE(inputs.files[3].failure);
  EXPECT_EQ(inputs.files[3].failure->code, Errc::io);
  EXPECT_EQ(inputs.files[3].failure->what,
            "cannot look into it: File name too long");
}

TEST_F(InputsTest, EndsWhenItIsToldTo) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(find_inputs({top_.string()}, stop.get_token()).files.empty());
}

// Standard input for a while.
class StandardInput {
public:
  explicit StandardInput(int fd) : before_(dup(STDIN_FILENO)) {
    dup2(fd, STDIN_FILENO);
    close(fd);
  }
  ~StandardInput() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }

private:
  int before_;
};

TEST_F(InputsTest, ReadsStandardInputToItsEnd) {
  std::ofstream(top_ / "z") << std::string(3'000'000, 'q');
  StandardInput input(open((top_ / "z").c_str(), O_RDONLY));
  const auto bytes = read_standard_input({}, {});
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 3'000'000u);
  EXPECT_EQ((*bytes)[2'999'999], std::byte{'q'});
}

TEST_F(InputsTest, RefusesMoreStandardInputThanTheLimit) {
  std::ofstream(top_ / "z") << std::string(11, 'q');
  Limits limits;
  limits.member_bytes = 10;
  StandardInput input(open((top_ / "z").c_str(), O_RDONLY));
  const auto bytes = read_standard_input(limits, {});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, Errc::too_large);
  EXPECT_EQ(bytes.error().text(),
            "standard input: more than fits in memory (limit member_bytes): "
            "too-large at byte 0xb");
}

TEST_F(InputsTest, StopsWaitingForStandardInput) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  StandardInput input(ends[0]);
  std::stop_source stop;
  stop.request_stop();
  const auto bytes = read_standard_input({}, stop.get_token());
  close(ends[1]);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, Errc::interrupted);
}

TEST_F(InputsTest, SaysWhyStandardInputCannotBeRead) {
  StandardInput input(open("/dev/null", O_WRONLY));
  const auto bytes = read_standard_input({}, {});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, Errc::io);
}

} // namespace
} // namespace gantry::cli

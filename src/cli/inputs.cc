// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/inputs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>

#include <poll.h>
#include <unistd.h>

namespace gantry::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr int kPollMs = 100;

InputFile unreadable(std::string path, const std::error_code &why) {
  Error error{Errc::io, 0,
              fmt::format("cannot look into it: {}", why.message()), path};
  return {std::move(path), std::move(error)};
}

// Folders are taken from a list, not by recursion: they can nest deeply.
void list_folder(const std::string &top, const std::stop_token &stop,
                 std::vector<InputFile> &out) {
  std::vector<std::string> folders = {top};
  while (!folders.empty() && !stop.stop_requested()) {
    const std::string folder = std::move(folders.back());
    folders.pop_back();
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
      std::string path = it->path().string();
      // Of the entry itself, not of what a symbolic link leads to.
      std::error_code unknown;
      const fs::file_type type = it->symlink_status(unknown).type();
      if (unknown)
        out.push_back(unreadable(std::move(path), unknown));
      else if (type == fs::file_type::directory)
        folders.push_back(std::move(path));
      else if (type == fs::file_type::regular)
        out.push_back({std::move(path), std::nullopt});
    }
    if (error)
      out.push_back(unreadable(folder, error));
  }
}

// Whether there is something to read, or the end; else the reason.
Result<void> wait_for_input(const std::stop_token &stop) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  for (;;) {
    if (stop.stop_requested())
      return fail(Errc::interrupted, 0, "interrupted before its end");
    const int ready = poll(&input, 1, kPollMs);
    if (ready > 0)
      return {};
    if (ready < 0 && errno != EINTR)
      return fail(Errc::io, 0,
                  fmt::format("cannot read: {}", std::strerror(errno)));
  }
}

Result<void> read_all(const Limits &limits, const std::stop_token &stop,
                      std::vector<std::byte> &out) {
  for (;;) {
    if (auto ready = wait_for_input(stop); !ready)
      return ready;
    const std::size_t size = out.size();
    if (size > limits.member_bytes)
      return fail(Errc::too_large, size,
                  "more than fits in memory (limit member_bytes)");
    out.resize(size + kPiece);
    const ssize_t got = read(STDIN_FILENO, out.data() + size, kPiece);
    const int why = errno;
    out.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0)
      return {};
    if (got < 0 && why != EINTR && why != EAGAIN)
      return fail(Errc::io, size,
                  fmt::format("cannot read: {}", std::strerror(why)));
  }
}

} // namespace

Inputs find_inputs(const std::vector<std::string> &operands,
                   const std::stop_token &stop) {
  Inputs inputs;
  inputs.several = operands.size() > 1;
  for (const std::string &operand : operands) {
    std::error_code ignored;
    if (operand == kStandardInput || !fs::is_directory(operand, ignored)) {
      inputs.files.push_back({operand, std::nullopt});
      continue;
    }
    inputs.several = true;
    std::vector<InputFile> below;
    list_folder(operand, stop, below);
    std::ranges::sort(below, {}, &InputFile::path);
    std::ranges::move(below, std::back_inserter(inputs.files));
  }
  return inputs;
}

Result<std::vector<std::byte>>
read_standard_input(const Limits &limits, const std::stop_token &stop) {
  std::vector<std::byte> bytes;
  try {
    if (auto read = read_all(limits, stop, bytes); !read)
      return std::unexpected(std::move(read).error().in("standard input"));
  } catch (const std::bad_alloc &) {
    return fail(Errc::too_large, bytes.size(),
                "standard input: no memory for more");
  }
  return bytes;
}

} // namespace gantry::cli

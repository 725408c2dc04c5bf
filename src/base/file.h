// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files: reading them in pieces, and the one way in which gantry writes them.
// All errors of the operating system are Errc::io with its reason in `what`;
// the caller adds the file's name as context.
#pragma once

#include "base/source.h"

#include <atomic>
#include <vector>

namespace gantry {

// An open file descriptor.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor &&other) noexcept;
  Descriptor &operator=(Descriptor &&other) noexcept;

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // Closes now and says whether the system reported a failure.
  bool close();

private:
  int fd_;
};

// A regular file, read by position into the caller's scratch buffer.
class FileSource final : public Source {
public:
  // Refuses folders, pipes, sockets and devices (io); never blocks on them.
  static Result<std::unique_ptr<FileSource>> open(const std::string &path);

  // As it was when the file was opened.
  std::uint64_t size() const override { return size_; }

  // Errors: truncated (outside the file, or the file has become shorter), io,
  // too_large (no memory for scratch).
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size,
                     Buffer &scratch) const override;

  // What read() has fetched from the system so far, in all threads.
  std::uint64_t bytes_read() const {
    return bytes_read_.load(std::memory_order_relaxed);
  }

private:
  FileSource(Descriptor file, std::uint64_t size)
      : file_(std::move(file)), size_(size) {}

  Descriptor file_;
  std::uint64_t size_;
  mutable std::atomic<std::uint64_t> bytes_read_ = 0;
};

// A file in the making. The bytes go to a temporary file in the same folder;
// commit() puts it in the place of `path` in one step, so nobody ever sees half
// a file. Without commit(), or after a failure, nothing is left behind and an
// existing file stays as it was.
//
// An existing file keeps its read, write and execute bits; a new one gets 0644
// less the process's umask. A symbolic link to a file stays, its target is
// replaced. Whether something may be overwritten is the caller's decision, but
// folders, pipes and devices are refused: they would be replaced by a file.
class OutputFile {
public:
  static Result<OutputFile> create(const std::string &path);
  ~OutputFile();
  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;

  // Once a write has failed, later ones and commit() fail too.
  Result<void> write(Bytes bytes);
  Result<void> write(std::string_view text);

  // Flushes to the disk and renames. Nothing may be written afterwards. With
  // `keep` a file that has the name by then stays, and the call fails (io).
  enum class Existing { replace, keep };
  Result<void> commit(Existing existing = Existing::replace);

private:
  OutputFile(Descriptor file, std::string temporary, std::string path)
      : file_(std::move(file)), temporary_(std::move(temporary)),
        path_(std::move(path)) {}
  Result<void> write_through(Bytes bytes);

  Descriptor file_;
  std::string temporary_; // empty once it is renamed or removed
  std::string path_;
  std::vector<std::byte> pending_; // small writes, gathered
  bool failed_ = false;
};

} // namespace gantry

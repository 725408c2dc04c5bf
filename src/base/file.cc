// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file.h"

#include <fmt/core.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <system_error>

namespace gantry {

namespace {

// Writes below this are gathered.
constexpr std::size_t kGather = 64 << 10;
// What one system call may move (Linux stops at 2 GB less a page).
constexpr std::uint64_t kCallMax = std::uint64_t{1} << 30;

std::unexpected<Error> system_failure(const char *action) {
  return fail(
      Errc::io, 0,
      fmt::format("{}: {}", action, std::generic_category().message(errno)));
}

// A name from a protocol can hold a NUL; the system would cut it there.
bool is_name(const std::string &path) {
  return path.find('\0') == std::string::npos;
}

const char *kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFDIR:
    return "a folder";
  case S_IFIFO:
    return "a pipe";
  case S_IFSOCK:
    return "a socket";
  case S_IFCHR:
  case S_IFBLK:
    return "a device";
  }
  return "no regular file";
}

Result<void> check_regular(const struct stat &status, const char *action) {
  if (S_ISREG(status.st_mode))
    return {};
  return fail(Errc::io, 0,
              fmt::format("{}: is {}", action, kind_of(status.st_mode)));
}

std::string folder_of(const std::string &path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

// Where `path` leads when it is a symbolic link to something that exists.
std::string resolve(const std::string &path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode))
    return path;
  std::unique_ptr<char, decltype(&std::free)> target(
      realpath(path.c_str(), nullptr), &std::free);
  return target ? target.get() : path;
}

} // namespace

Descriptor::~Descriptor() { close(); }

Descriptor::Descriptor(Descriptor &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

bool Descriptor::close() {
  int fd = std::exchange(fd_, -1);
  // Not repeated after EINTR: Linux has closed the descriptor by then.
  return fd < 0 || ::close(fd) == 0 || errno == EINTR;
}

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string &path) {
  if (!is_name(path))
    return fail(Errc::io, 0, "cannot open: the name holds a NUL");
  // Looked at first, because opening alone can do something to a device; and
  // again when it is open, because the name may lead elsewhere by then.
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return system_failure("cannot open");
  GANTRY_CHECK(check_regular(status, "cannot open"));
  Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.is_open() || fstat(file.get(), &status) != 0)
    return system_failure("cannot open");
  GANTRY_CHECK(check_regular(status, "cannot open"));
  // The kernel's own files (/proc) claim to be empty.
  if (std::byte first;
      status.st_size == 0 && pread(file.get(), &first, 1, 0) > 0)
    return fail(Errc::io, 0, "cannot open: its size is not known beforehand");
  return std::unique_ptr<FileSource>(new FileSource(
      std::move(file), static_cast<std::uint64_t>(status.st_size)));
}

Result<Bytes> FileSource::read(std::uint64_t offset, std::uint64_t size,
                               Buffer &scratch) const {
  if (!fits(offset, size, size_))
    return fail(Errc::truncated, offset, "read");
  GANTRY_TRY(std::span<std::byte> into, scratch.reserve(size));
  std::uint64_t done = 0;
  while (done < size) {
    ssize_t got =
        pread(file_.get(), into.data() + done, std::min(size - done, kCallMax),
              static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return system_failure("cannot read");
    if (got == 0)
      return fail(Errc::truncated, offset + done,
                  "read: the file has become shorter");
    done += static_cast<std::uint64_t>(got);
    bytes_read_.fetch_add(static_cast<std::uint64_t>(got),
                          std::memory_order_relaxed);
  }
  return Bytes(into);
}

Result<OutputFile> OutputFile::create(const std::string &path) {
  if (!is_name(path))
    return fail(Errc::io, 0, "cannot write: the name holds a NUL");
  std::string target = resolve(path);
  struct stat status;
  bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists)
    GANTRY_CHECK(check_regular(status, "cannot write"));

  // The name does not contain the file's own, which may be as long as names can
  // be. Left over names of a killed process are passed by.
  for (unsigned attempt = 0; attempt < 1000; attempt++) {
    std::string temporary = fmt::format("{}.gantry-{}-{}.tmp",
                                        folder_of(target), getpid(), attempt);
    Descriptor file(::open(temporary.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                           0644));
    if (!file.is_open() && errno == EEXIST)
      continue;
    if (!file.is_open())
      return system_failure("cannot write");
    OutputFile out(std::move(file), std::move(temporary), std::move(target));
    if (exists && fchmod(out.file_.get(), status.st_mode & 0777) != 0)
      return system_failure("cannot set the mode");
    return out;
  }
  return fail(Errc::io, 0, "cannot write: no free temporary name");
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : file_(std::move(other.file_)),
      temporary_(std::exchange(other.temporary_, {})),
      path_(std::move(other.path_)), pending_(std::move(other.pending_)),
      failed_(other.failed_) {}

OutputFile::~OutputFile() {
  if (!temporary_.empty())
    unlink(temporary_.c_str());
}

Result<void> OutputFile::write(Bytes bytes) {
  if (failed_ || !file_.is_open())
    return fail(Errc::io, 0, "cannot write: the file is closed or has failed");
  if (pending_.size() + bytes.size() < kGather) {
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
    return {};
  }
  GANTRY_CHECK(write_through(pending_));
  pending_.clear();
  return write_through(bytes);
}

Result<void> OutputFile::write(std::string_view text) {
  return write(as_bytes(text));
}

Result<void> OutputFile::write_through(Bytes bytes) {
  while (!bytes.empty()) {
    ssize_t put = ::write(file_.get(), bytes.data(),
                          std::min<std::uint64_t>(bytes.size(), kCallMax));
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0) {
      failed_ = true;
      return system_failure("cannot write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return {};
}

Result<void> OutputFile::commit(Existing existing) {
  if (failed_ || !file_.is_open())
    return fail(Errc::io, 0, "cannot write: the file is closed or has failed");
  GANTRY_CHECK(write_through(pending_));
  failed_ = true; // unless every step below succeeds
  if (fsync(file_.get()) != 0 || !file_.close())
    return system_failure("cannot write");
  if (existing == Existing::replace) {
    if (rename(temporary_.c_str(), path_.c_str()) != 0)
      return system_failure("cannot rename");
  } else {
    // Unlike rename(), link() refuses a name that is taken.
    if (link(temporary_.c_str(), path_.c_str()) != 0)
      return system_failure("cannot create");
    unlink(temporary_.c_str());
  }
  temporary_.clear();
  failed_ = false;

  // The new name should survive a power cut too; not every file system can
  // promise that, and the file itself is complete either way.
  std::string folder = folder_of(path_);
  Descriptor opened(::open(folder.empty() ? "." : folder.c_str(),
                           O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open())
    fsync(opened.get());
  return {};
}

} // namespace gantry

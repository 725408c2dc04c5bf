// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/console.h"

#include "base/text.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <sys/ioctl.h>
#include <unistd.h>

namespace gantry::cli {

namespace {

constexpr std::size_t kPiece = 64 << 10;
constexpr std::chrono::milliseconds kFirstProgress{500};
constexpr std::chrono::milliseconds kNextProgress{100};
constexpr std::size_t kDefaultWidth = 80;

// errno, or 0.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return errno;
    if (written > 0)
      text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// For the last words of a failed command.
class LastWords final : public report::Sink {
public:
  void write(std::string_view text) override {
    static_cast<void>(write_all(STDOUT_FILENO, text));
  }
};

// Nothing can be done when even that fails.
void write_stderr(std::string_view text) {
  static_cast<void>(write_all(STDERR_FILENO, text));
}

std::size_t terminal_width(int fd) {
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                              : kDefaultWidth;
}

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

} // namespace

std::expected<Output, Failure> Output::open(std::string_view path) {
  Output output;
  output.name_ = "standard output";
  if (path.empty() || path == "-")
    return output;
  output.name_ = path;
  output.to_file_ = true;
  return output;
}

void Output::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= kPiece)
    flush();
}

void Output::flush() {
  if (error_ || pending_.empty())
    return;
  if (to_file_ && !file_) {
    if (auto file = OutputFile::create(name_))
      file_.emplace(std::move(*file));
    else
      error_ = std::move(file).error();
  }
  if (file_) {
    if (auto written = file_->write(pending_); !written)
      error_ = written.error();
  } else if (!error_) {
    if (const int why = write_all(STDOUT_FILENO, pending_))
      error_ = Error{
          Errc::io, 0, fmt::format("cannot write: {}", std::strerror(why)), {}};
  }
  pending_.clear();
}

std::expected<void, Failure> Output::finish() {
  flush();
  if (!error_ && file_)
    if (auto committed = file_->commit(); !committed)
      error_ = committed.error();
  if (error_)
    return std::unexpected(failure_from(std::move(*error_).in(name_)));
  return {};
}

Console::Console()
    : stdout_terminal_(isatty(STDOUT_FILENO)),
      stderr_terminal_(isatty(STDERR_FILENO)) {}

void Console::complain(const Failure &failure) const {
  std::string text = fmt::format("gantry: {}\n", failure.message);
  if (!failure.hint.empty() && !quiet)
    text += fmt::format("hint: {}\n", failure.hint);
  write_stderr(text);
}

void Console::note(std::string_view message) const {
  if (!quiet)
    write_stderr(fmt::format("gantry: {}\n", message));
}

int Console::fail(const Failure &failure) const {
  complain(failure);
  report::View view;
  view.schema = schema;
  LastWords out;
  const report::Failed failed{{}, failure.code, failure.message, failure.hint};
  if (ndjson)
    report::Records(view, false, out).add(failed);
  else if (json)
    report::json(failed, view, out);
  return 2;
}

bool Console::color(std::string_view when) const {
  if (!when.empty() && when != "auto")
    return when == "always";
  return stdout_terminal_ && environment("NO_COLOR").empty() &&
         environment("TERM") != "dumb";
}

std::size_t Console::width() const {
  return stdout_terminal_ ? terminal_width(STDOUT_FILENO) : 0;
}

Progress::Progress(const Console &console, std::string_view name)
    : wanted_(console.shows_progress()), name_(printable(name)),
      next_(Clock::now() + kFirstProgress) {
  // The line must not wrap: it could not be rewritten then.
  const std::size_t room = terminal_width(STDERR_FILENO) / 2;
  if (name_.size() > room)
    name_ = printable(name.substr(name.rfind('/') + 1));
  if (name_.size() > room)
    name_ = "…";
}

bool Progress::is_time() { return wanted_ && Clock::now() >= next_; }

void Progress::say(const std::string &what) {
  next_ = Clock::now() + kNextProgress;
  shown_ = true;
  write_stderr(fmt::format("\r\x1b[K{}: {}", name_, what));
}

void Progress::show(std::uint64_t done, std::uint64_t total) {
  if (!is_time())
    return;
  const std::uint64_t percent =
      total == 0
          ? 0
          : static_cast<std::uint64_t>(100.0 * double(done) / double(total));
  say(fmt::format("{} % of {}", percent, human_bytes(total)));
}

void Progress::show_files(std::uint64_t done, std::uint64_t total) {
  if (is_time())
    say(fmt::format("{} of {} files", done, total));
}

void Progress::clear() {
  if (shown_)
    write_stderr("\r\x1b[K");
  shown_ = false;
}

} // namespace gantry::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The terminal: everything that gantry prints goes through here.
#pragma once

#include "base/file.h"
#include "cli/failure.h"
#include "gantry/report.h"

#include <chrono>
#include <optional>

namespace gantry::cli {

// Standard output, or the file of --output ("" and "-" are standard output).
class Output final : public report::Sink {
public:
  static std::expected<Output, Failure> open(std::string_view path);

  bool is_file() const { return to_file_; }
  void write(std::string_view text) override;
  // Puts the rest out and says whether all of it arrived.
  std::expected<void, Failure> finish();

private:
  void flush();

  std::string name_; // for messages
  bool to_file_ = false;
  // From the first write on: whatever fails before leaves an old file alone and
  // no temporary one behind.
  std::optional<OutputFile> file_;
  std::string pending_;
  std::optional<Error> error_;
};

class Console {
public:
  Console();

  bool quiet = false;
  bool verbose = false;
  // Set as soon as it is known: failures then become JSON documents or records.
  bool json = false;
  bool ndjson = false;
  std::string schema; // "gantry.inspect/1"

  // "gantry: message" and "hint: …", each on a line, on standard error.
  void complain(const Failure &failure) const;
  // "gantry: message", unless quiet.
  void note(std::string_view message) const;
  // complain(), and the failure as JSON where that was asked for; returns
  // status 2.
  int fail(const Failure &failure) const;

  // For standard output. `when` is the value of --color, "" for auto.
  bool color(std::string_view when) const;
  // Columns of the terminal; 0 (no limit) when output goes elsewhere.
  std::size_t width() const;
  bool shows_progress() const { return stderr_terminal_ && !quiet; }

private:
  bool stdout_terminal_;
  bool stderr_terminal_;
};

// One line on standard error, rewritten in place; gone afterwards.
class Progress {
public:
  Progress(const Console &console, std::string_view name);
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void show(std::uint64_t done, std::uint64_t total);
  void show_files(std::uint64_t done, std::uint64_t total);
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  bool is_time();
  void say(const std::string &what);

  bool wanted_;
  bool shown_ = false;
  std::string name_;
  Clock::time_point next_;
};

} // namespace gantry::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages of a collection, and the cursors that lead from one to the next.
#pragma once

#include "cli/failure.h"
#include "gantry/report.h"

namespace gantry::cli {

// "500-0a120a42190dfdce-3f9ac2e1": rows before the page, 16 digits of the
// file's SHA-256, and 8 that stand for the question.
struct Cursor {
  std::uint64_t first = 0;
  std::string file;
  std::string question;
};
std::string text(const Cursor &cursor);
std::expected<Cursor, Failure> parse_cursor(std::string_view text);

// Eight digits for what decides which rows there are, and in which order: the
// collection, the analysis and the selection.
std::string question_digits(report::Collection shown,
                            const inspect::Options &options);

// Counts the kernels of a run as they come and keeps those of one page.
class KernelPage {
public:
  KernelPage(std::uint64_t first, std::uint64_t limit)
      : first_(first), limit_(limit) {}

  void take(std::vector<inspect::Kernel> &kernels);
  std::uint64_t total() const { return total_; }

private:
  std::uint64_t first_;
  std::uint64_t limit_;
  std::uint64_t total_ = 0;
};

} // namespace gantry::cli

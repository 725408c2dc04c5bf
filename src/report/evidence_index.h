// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where what stands in a saved record: its blocks, the index behind them and
// the footer. What is in a block is not looked at here.
#pragma once

#include "base/source.h"
#include "gantry/report.h"

#include <array>

namespace gantry::report {

enum class RowKind { text, kernel, object, container, target, summary };
inline constexpr std::size_t kRowKinds = 6;
inline constexpr std::array<std::string_view, kRowKinds> kRowWords = {
    "text", "kernel", "object", "container", "target", "summary"};
std::string_view word(RowKind);

// A zstd frame of whole rows of one kind.
struct EvidenceBlock {
  RowKind kind = RowKind::summary;
  std::uint64_t first = 0;  // rows of the kind before it
  std::uint64_t rows = 0;   // in it, at least one
  std::uint64_t offset = 0; // in the file
  std::uint64_t stored = 0;
  std::uint64_t decoded = 0;
  std::string sha256; // of the decoded bytes
  // The lowest and highest row that its rows refer to: texts and kernels an
  // object, objects a container. 0 for the other kinds.
  std::uint64_t refers_first = 0;
  std::uint64_t refers_last = 0;
};

struct EvidenceIndex {
  std::string input; // path
  std::uint64_t input_size = 0;
  std::string input_sha256; // "" not computed
  // What was asked for, as in inspect::Options.
  std::vector<std::string> targets;
  std::vector<inspect::ObjectKind> kinds;
  std::vector<std::string> kernels;
  std::vector<std::string> objects;
  bool digest = true;
  bool deep = false;
  std::vector<EvidenceBlock> blocks; // in the order of the file, without gaps

  // All rows of a kind.
  std::uint64_t rows(RowKind) const;
};

// Everything behind the blocks. Errors: too_large (a frame holds 4 GiB).
Result<std::string> write_index(const EvidenceIndex &index);

// Reads and checks all that stands behind the blocks: what was read has blocks
// that lie in the file without gaps and whose rows count up, and exactly one
// summary. Errors are those of Evidence.
Result<EvidenceIndex> read_index(const Source &file, const Limits &limits);

} // namespace gantry::report

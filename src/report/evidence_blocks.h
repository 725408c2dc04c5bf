// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the rows of a saved record in blocks, and the index behind them.
#pragma once

#include "base/compress.h"
#include "base/file.h"
#include "report/evidence_index.h"

#include <array>

namespace gantry::report {

// A block that only has to find its place in the file.
struct PackedBlock {
  EvidenceBlock block;
  std::vector<std::byte> stored;
};

// Rows of one kind on their way into a block.
class BlockRows {
public:
  explicit BlockRows(RowKind kind) : kind_(kind) {}
  // `line` ends in "\n".
  void add(std::string_view line, std::uint64_t refers);
  bool empty() const { return rows_ == 0; }
  bool full() const;
  // Compresses the rows and begins anew. Errors: too_large (no memory).
  Result<PackedBlock> pack(Compressor &compressor, Buffer &scratch);

private:
  RowKind kind_;
  std::string text_;
  std::uint64_t rows_ = 0;
  std::uint64_t refers_first_ = 0;
  std::uint64_t refers_last_ = 0;
};

// The first error of any call sticks, and finish() returns it. For one thread.
class BlockWriter {
public:
  explicit BlockWriter(OutputFile out);

  // Rows of this kind so far.
  std::uint64_t rows(RowKind kind) const {
    return rows_[static_cast<std::size_t>(kind)];
  }
  void add(RowKind kind, std::string_view line, std::uint64_t refers);
  // Behind all rows of its kind that were added before.
  void add(PackedBlock packed);

  void refuse(Error error);
  // Writes what is left and `index`, whose blocks are filled in, and puts the
  // file in its place.
  Result<void> finish(EvidenceIndex index);

private:
  void flush(RowKind kind);
  void put(PackedBlock packed);

  OutputFile out_;
  std::uint64_t at_ = 0; // in the file
  std::vector<EvidenceBlock> blocks_;
  std::array<std::uint64_t, kRowKinds> rows_{};
  std::array<std::uint64_t, kRowKinds> put_{}; // of them, in blocks
  std::vector<BlockRows> pending_;             // by kind
  Compressor compressor_;
  Buffer scratch_;
  std::optional<Error> fault_;
};

} // namespace gantry::report

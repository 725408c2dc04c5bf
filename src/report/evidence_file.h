// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of a saved record, out of blocks that are checked against their digest.
#pragma once

#include "base/decompress.h"
#include "report/evidence_rows.h"

#include <array>

namespace gantry::report {

// Keeps one block of each kind decoded. For one thread.
class EvidenceFile {
public:
  static Result<EvidenceFile> open(std::unique_ptr<Source> source,
                                   const Limits &limits);

  const EvidenceIndex &index() const { return index_; }
  const Limits &limits() const { return limits_; }
  std::uint64_t rows(RowKind kind) const;
  // Blocks of a kind, in order.
  std::size_t blocks(RowKind kind) const { return of(kind).blocks.size(); }
  const EvidenceBlock &block(RowKind kind, std::size_t i) const {
    return index_.blocks[of(kind).blocks[i]];
  }

  // A row of its kind; it is below rows(). The text stays until a row of
  // another block of the kind is read.
  Result<EvidenceLine> line(RowKind kind, std::uint64_t row);

private:
  struct Kind {
    std::vector<std::size_t> blocks; // in index_
    std::size_t loaded = SIZE_MAX;   // in `blocks`
    Buffer stored;
    Buffer decoded;
    std::vector<std::string_view> lines;
  };

  EvidenceFile(std::unique_ptr<Source> source, EvidenceIndex index,
               const Limits &limits);
  Result<void> load(Kind &kind, std::size_t block);
  Kind &of(RowKind kind) { return kinds_[static_cast<std::size_t>(kind)]; }
  const Kind &of(RowKind kind) const {
    return kinds_[static_cast<std::size_t>(kind)];
  }

  std::unique_ptr<Source> source_;
  EvidenceIndex index_;
  Limits limits_;
  Decompressor decompressor_;
  std::array<Kind, kRowKinds> kinds_;
};

} // namespace gantry::report

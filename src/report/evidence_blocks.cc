// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/evidence_blocks.h"

#include "base/digest.h"

#include <algorithm>

namespace gantry::report {

namespace {

// A page reads whole blocks, so they are small; but each costs 200 bytes of
// index, which every page reads.
constexpr std::uint64_t kBlockRows = 256;
constexpr std::uint64_t kBlockBytes = 256 << 10;
constexpr int kLevel = 3;

} // namespace

void BlockRows::add(std::string_view line, std::uint64_t refers) {
  refers_first_ = empty() ? refers : std::min(refers_first_, refers);
  refers_last_ = empty() ? refers : std::max(refers_last_, refers);
  text_ += line;
  rows_++;
}

bool BlockRows::full() const {
  return rows_ >= kBlockRows || text_.size() >= kBlockBytes;
}

Result<PackedBlock> BlockRows::pack(Compressor &compressor, Buffer &scratch) {
  GANTRY_TRY(Bytes stored, compressor.zstd(as_bytes(text_), kLevel, scratch));
  PackedBlock out;
  out.stored.assign(stored.begin(), stored.end());
  out.block.kind = kind_;
  out.block.rows = rows_;
  out.block.stored = stored.size();
  out.block.decoded = text_.size();
  out.block.refers_first = refers_first_;
  out.block.refers_last = refers_last_;
  Sha256 digest;
  digest.update(as_bytes(text_));
  out.block.sha256 = digest.hex();
  text_.clear();
  rows_ = 0;
  return out;
}

BlockWriter::BlockWriter(OutputFile out) : out_(std::move(out)) {
  for (std::size_t kind = 0; kind < kRowKinds; kind++)
    pending_.emplace_back(static_cast<RowKind>(kind));
}

void BlockWriter::add(RowKind kind, std::string_view line,
                      std::uint64_t refers) {
  if (fault_)
    return;
  BlockRows &rows = pending_[static_cast<std::size_t>(kind)];
  rows.add(line, refers);
  rows_[static_cast<std::size_t>(kind)]++;
  if (rows.full())
    flush(kind);
}

void BlockWriter::add(PackedBlock packed) {
  const RowKind kind = packed.block.kind;
  flush(kind);
  rows_[static_cast<std::size_t>(kind)] += packed.block.rows;
  put(std::move(packed));
}

void BlockWriter::flush(RowKind kind) {
  BlockRows &rows = pending_[static_cast<std::size_t>(kind)];
  if (fault_ || rows.empty())
    return;
  auto packed = rows.pack(compressor_, scratch_);
  if (packed)
    put(std::move(*packed));
  else
    refuse(packed.error());
}

void BlockWriter::put(PackedBlock packed) {
  if (fault_)
    return;
  EvidenceBlock &b = packed.block;
  std::uint64_t &first = put_[static_cast<std::size_t>(b.kind)];
  b.first = first;
  b.offset = at_;
  first += b.rows;
  at_ += b.stored;
  if (auto done = out_.write(packed.stored); !done)
    return refuse(done.error());
  blocks_.push_back(std::move(b));
}

void BlockWriter::refuse(Error error) {
  if (!fault_)
    fault_ = std::move(error);
}

Result<void> BlockWriter::finish(EvidenceIndex index) {
  for (std::size_t kind = 0; kind < kRowKinds; kind++)
    flush(static_cast<RowKind>(kind));
  if (fault_)
    return std::unexpected(*fault_);
  index.blocks = std::move(blocks_);
  GANTRY_TRY(std::string end, write_index(index));
  GANTRY_CHECK(out_.write(end));
  return out_.commit();
}

} // namespace gantry::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/evidence_file.h"

#include "base/digest.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::report {

EvidenceFile::EvidenceFile(std::unique_ptr<Source> source, EvidenceIndex index,
                           const Limits &limits)
    : source_(std::move(source)), index_(std::move(index)), limits_(limits) {
  for (std::size_t i = 0; i < index_.blocks.size(); i++)
    of(index_.blocks[i].kind).blocks.push_back(i);
}

Result<EvidenceFile> EvidenceFile::open(std::unique_ptr<Source> source,
                                        const Limits &limits) {
  GANTRY_TRY(EvidenceIndex index, read_index(*source, limits));
  return EvidenceFile(std::move(source), std::move(index), limits);
}

std::uint64_t EvidenceFile::rows(RowKind kind) const {
  if (blocks(kind) == 0)
    return 0;
  const EvidenceBlock &last = block(kind, blocks(kind) - 1);
  return last.first + last.rows;
}

Result<EvidenceLine> EvidenceFile::line(RowKind kind, std::uint64_t row) {
  Kind &k = of(kind);
  // The last block that begins at the row or before.
  auto after =
      std::ranges::upper_bound(k.blocks, row, {}, [&](std::size_t block) {
        return index_.blocks[block].first;
      });
  auto position = static_cast<std::size_t>(after - k.blocks.begin()) - 1;
  if (k.loaded != position)
    GANTRY_CHECK(load(k, position));
  const EvidenceBlock &b = index_.blocks[k.blocks[position]];
  return EvidenceLine{k.lines[row - b.first], row, &b};
}

Result<void> EvidenceFile::load(Kind &kind, std::size_t position) {
  const EvidenceBlock &b = index_.blocks[kind.blocks[position]];
  kind.loaded = SIZE_MAX;
  kind.lines.clear();
  auto name = [&] {
    return fmt::format("{}s {} to {}", word(b.kind), b.first,
                       b.first + b.rows - 1);
  };
  GANTRY_TRY(Bytes stored, source_->read(b.offset, b.stored, kind.stored));
  auto decoded = decompressor_.decode(Codec::zstd, stored, b.decoded, limits_,
                                      kind.decoded);
  if (!decoded) {
    decoded.error().offset += b.offset;
    return std::unexpected(std::move(decoded).error().in(name()));
  }
  Sha256 digest;
  digest.update(*decoded);
  if (digest.hex() != b.sha256)
    return fail(Errc::corrupt, b.offset, name() + ": SHA-256");
  std::string_view rest = as_text(*decoded);
  while (!rest.empty() && kind.lines.size() < b.rows) {
    std::size_t end = rest.find('\n');
    if (end == std::string_view::npos)
      break;
    kind.lines.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  if (!rest.empty() || kind.lines.size() != b.rows)
    return fail(Errc::bad_value, b.offset,
                fmt::format("{}: not {} lines", name(), b.rows));
  kind.loaded = position;
  return {};
}

} // namespace gantry::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the clang offload bundle (clang's ClangOffloadBundler document; checked
// with files of clang 14 to 22):
//
//   0   24 bytes "__CLANG_OFFLOAD_BUNDLE__"
//   24  u64 number of entries
//   32  per entry: u64 offset, u64 size, u64 id length, id (no NUL)
//
// Offsets count from the magic. The compiler driver aligns images to 4096, the
// bundler alone does not align them. The host's entry usually comes first with
// size 0 and the offset of the first image, but may be missing. Entries may
// share bytes, and their order is free.

#include "format/bundle.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::bundle {

namespace {

constexpr std::uint64_t kTable = 32;
constexpr std::uint64_t kRecord = 24;  // of an entry, without its id
constexpr std::uint64_t kIdMax = 4096; // real ones have at most some 100 bytes
constexpr std::uint64_t kWindow = 8192;
static_assert(kWindow >= kIdMax);

// The table, read front to back through a window: it may be as long as the
// region, and may lie in a file.
class Table {
public:
  Table(const Source &source, std::uint64_t begin, std::uint64_t end)
      : source_(source), pos_(begin), end_(end) {}

  std::uint64_t pos() const { return pos_; }

  // The next `size` bytes, at most kWindow; valid until the next call.
  Result<Bytes> next(std::uint64_t size, std::string_view what) {
    if (!fits(pos_, size, end_))
      return fail(Errc::truncated, pos_, std::string(what));
    if (!fits(pos_ - window_pos_, size, window_.size())) {
      window_pos_ = pos_;
      GANTRY_TRY(window_,
                 source_.read(pos_, std::min(kWindow, end_ - pos_), scratch_));
    }
    Bytes out = window_.subspan(pos_ - window_pos_, size);
    pos_ += size;
    return out;
  }

private:
  const Source &source_;
  std::uint64_t pos_;
  std::uint64_t end_;
  Buffer scratch_;
  Bytes window_;
  std::uint64_t window_pos_ = 0;
};

struct Record {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t id_size = 0;
};

Record read_record(Reader &r) {
  Record e;
  e.offset = r.u64("bundle entry: offset");
  e.size = r.u64("bundle entry: size");
  e.id_size = r.u64("bundle entry: id length");
  return e;
}

// The record at the table's position.
Result<Entry> read_entry(Table &table, std::uint64_t begin, std::uint64_t end,
                         std::uint64_t index) {
  const std::uint64_t at = table.pos();
  auto named = [&](const char *field) {
    return fmt::format("bundle entry {}: {}", index, field);
  };
  GANTRY_TRY(Bytes bytes, table.next(kRecord, "bundle entry"));
  Reader r(bytes);
  Record record = read_record(r);
  if (record.id_size > kIdMax)
    return fail(Errc::bad_value, at + 16, named("id length"));
  GANTRY_TRY(Bytes id, table.next(record.id_size, "bundle entry: id"));
  Entry e{std::string(as_text(id)), at - begin, record.offset, record.size,
          std::nullopt};
  if (!fits(e.offset, e.size, end - begin))
    e.damage = Error{Errc::truncated, at, named("image"), {}};
  return e;
}

} // namespace

Result<Bundle> read(const Source &source, std::uint64_t begin,
                    std::uint64_t end, const Limits &limits) {
  if (begin > end || end > source.size())
    return fail(Errc::invalid_argument, begin, "bundle: region");
  Table table(source, begin, end);
  GANTRY_TRY(Bytes magic, table.next(kMagic.size(), "bundle magic"));
  if (as_text(magic) != kMagic)
    return fail(Errc::bad_magic, begin, "bundle magic");
  const std::uint64_t count_at = table.pos();
  GANTRY_TRY(Bytes count_bytes, table.next(8, "bundle entry count"));
  Reader count_reader(count_bytes);
  const std::uint64_t count = count_reader.u64("bundle entry count");
  if (count > (end - table.pos()) / kRecord)
    return fail(Errc::bad_value, count_at, "bundle entry count");
  if (count > limits.records)
    return fail(Errc::too_large, count_at,
                fmt::format("bundle of {} entries (limit records)", count));

  Bundle out;
  // A longer table earns its memory record by record.
  out.entries.reserve(std::min<std::uint64_t>(count, 1024));
  out.header_size = table.pos() - begin;
  for (std::uint64_t i = 0; i < count; i++) {
    auto entry = read_entry(table, begin, end, i);
    if (!entry) {
      out.damage = std::move(entry).error();
      break;
    }
    out.header_size = table.pos() - begin;
    if (!entry->damage)
      out.extent = std::max(out.extent, entry->offset + entry->size);
    out.entries.push_back(*std::move(entry));
  }
  out.extent = std::max(out.extent, out.header_size);
  return out;
}

bool plausible_header(Bytes start, std::uint64_t available) {
  if (available < kTable + kRecord || !as_text(start).starts_with(kMagic))
    return false;
  Reader r(start);
  r.skip(kMagic.size(), "bundle magic");
  std::uint64_t count = r.u64("bundle entry count");
  Record first = read_record(r);
  if (!r.ok() || count == 0 || count > (available - kTable) / kRecord)
    return false;
  if (!fits(first.offset, first.size, available) || first.id_size == 0 ||
      first.id_size > std::min(kIdMax, available - kTable - kRecord))
    return false;
  std::string_view id = r.text(std::min(first.id_size, r.left()), "id");
  return std::ranges::all_of(id, [](char c) { return c > ' ' && c < 0x7f; });
}

} // namespace gantry::bundle

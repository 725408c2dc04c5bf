// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads LLVM offload binaries (LLVM's public header Object/OffloadBinary.h;
// version 1 checked with files of clang 22, version 3 with LLVM's writer):
//
//   0   magic 10 FF 10 AD
//   4   u32 version: 1, 2, 3
//   8   u64 size of the binary, with header
//   16  u64 offset of the entries
//   24  u64 version 1: size of its one entry (40); since 2: number of entries
//   32  u64 since version 3: inflated size. Not 0: all behind the header is one
//       zstd or zlib stream, and offsets count in the whole as it was before
//
//   entry (40 bytes): u16 image kind, u16 offload kind, u32 flags, u64 offset
//   of its string records, u64 their number, u64 image offset, u64 image size
//   string record: u64 key offset, u64 value offset, since version 2 u64 value
//   size; keys, and values of version 1, end in NUL
//
// Offsets count from the magic. Entries may share records, strings and images.

#include "format/offload_binary.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gantry::offload_binary {

namespace {

constexpr std::uint64_t kEntrySize = 40;
// The strings of all entries together, read as often as records refer to them:
// so many times the binary's size, and so much for small ones.
constexpr std::uint64_t kStringsFactor = 4;
constexpr std::uint64_t kStringsFloor = std::uint64_t{64} << 10;

// The whole that offsets count in. Of an inflated one the header is missing.
struct Whole {
  const Source &source;
  std::uint64_t first = 0; // offset of the first byte that is there
  std::uint64_t end = 0;   // and of the first that is not any more
  std::uint64_t at = 0;    // where `first` stands in the source
  std::uint64_t error_base = 0;
  std::uint64_t budget = 0; // for strings

  bool holds(std::uint64_t offset, std::uint64_t size) const {
    return offset >= first && fits(offset, size, end);
  }
  std::unexpected<Error> fail(Errc code, std::uint64_t offset,
                              std::string what) const {
    return gantry::fail(code, error_base + offset, std::move(what));
  }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size,
                     const std::string &what, Buffer &scratch) const {
    if (!holds(offset, size))
      return fail(Errc::truncated, offset, what);
    return source.read(at + (offset - first), size, scratch);
  }
};

class EntryReader {
public:
  EntryReader(Whole &whole, const Header &header, const Limits &limits)
      : whole_(whole), header_(header), limits_(limits) {}

  Result<Entry> read(std::uint64_t index);
  // Behind the last byte that an entry covers.
  std::uint64_t extent() const { return extent_; }

private:
  struct Table {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
  };
  Result<void> read_strings(Table table, Entry &e);
  Result<std::string> read_value(std::uint64_t offset,
                                 std::optional<std::uint64_t> size,
                                 const char *what);
  std::string named(std::string_view field) const {
    return fmt::format("offload entry {}: {}", index_, field);
  }
  void cover(std::uint64_t end) { extent_ = std::max(extent_, end); }

  Whole &whole_;
  const Header &header_;
  const Limits &limits_;
  std::uint64_t index_ = 0;
  std::uint64_t extent_ = 0;
  Buffer scratch_;
};

Result<Entry> EntryReader::read(std::uint64_t index) {
  index_ = index;
  Entry e;
  e.record_offset = header_.entries_offset + index * kEntrySize;
  GANTRY_TRY(Bytes bytes, whole_.read(e.record_offset, kEntrySize,
                                      named("record"), scratch_));
  Reader r(bytes);
  e.image_kind = r.u16("image kind");
  e.offload_kind = r.u16("offload kind");
  e.flags = r.u32("flags");
  Table strings;
  strings.offset = r.u64("string offset");
  strings.count = r.u64("string count");
  e.image_offset = r.u64("image offset");
  e.image_size = r.u64("image size");
  cover(e.record_offset + kEntrySize);
  if (auto read = read_strings(strings, e); !read)
    e.strings_damage = read.error();
  if (e.image_size != 0 && !whole_.holds(e.image_offset, e.image_size))
    e.image_damage = Error{Errc::truncated,
                           whole_.error_base + e.record_offset + 24,
                           named("image"),
                           {}};
  else if (e.image_size != 0)
    cover(e.image_offset + e.image_size);
  return e;
}

Result<void> EntryReader::read_strings(Table table, Entry &e) {
  const std::uint64_t record_size = header_.version == 1 ? 16 : 24;
  if (table.count > whole_.end / record_size ||
      (table.count != 0 &&
       !whole_.holds(table.offset, table.count * record_size)))
    return whole_.fail(Errc::truncated, e.record_offset + 8,
                       named("string records"));
  for (std::uint64_t i = 0; i < table.count; i++) {
    const std::uint64_t at = table.offset + i * record_size;
    GANTRY_TRY(Bytes bytes,
               whole_.read(at, record_size, named("string record"), scratch_));
    Reader r(bytes);
    const std::uint64_t key_offset = r.u64("key offset");
    const std::uint64_t value_offset = r.u64("value offset");
    std::optional<std::uint64_t> value_size;
    if (header_.version > 1)
      value_size = r.u64("value size");
    GANTRY_TRY(std::string key, read_value(key_offset, std::nullopt, "key"));
    GANTRY_TRY(std::string value,
               read_value(value_offset, value_size, "value"));
    const std::uint64_t cost = record_size + key.size() + value.size();
    if (cost > whole_.budget)
      return whole_.fail(Errc::too_large, at,
                         named("strings that are referred to again and again"));
    whole_.budget -= cost;
    cover(at + record_size);
    e.strings.emplace_back(std::move(key), std::move(value));
  }
  return {};
}

// Of `size` bytes, or up to a NUL.
Result<std::string> EntryReader::read_value(std::uint64_t offset,
                                            std::optional<std::uint64_t> size,
                                            const char *what) {
  const std::uint64_t most =
      std::min<std::uint64_t>(limits_.name_bytes, UINT64_MAX - 1);
  auto too_large = [&] {
    return whole_.fail(Errc::too_large, offset,
                       named(fmt::format("{} (limit name_bytes)", what)));
  };
  if (size) {
    if (*size == 0)
      return std::string();
    if (!whole_.holds(offset, *size))
      return whole_.fail(Errc::truncated, offset, named(what));
    if (*size > most)
      return too_large();
    GANTRY_TRY(Bytes bytes, whole_.read(offset, *size, named(what), scratch_));
    cover(offset + *size);
    return std::string(as_text(bytes));
  }
  // Most strings are short: the first read is, too.
  for (std::uint64_t window = 64;; window *= 8) {
    if (!whole_.holds(offset, 1))
      return whole_.fail(Errc::truncated, offset, named(what));
    const std::uint64_t take =
        std::min({window, whole_.end - offset, most + 1});
    GANTRY_TRY(Bytes bytes, whole_.read(offset, take, named(what), scratch_));
    const std::string_view text = as_text(bytes);
    if (auto end = text.find('\0'); end != std::string_view::npos) {
      cover(offset + end + 1);
      return std::string(text.substr(0, end));
    }
    if (take == whole_.end - offset)
      return whole_.fail(Errc::truncated, offset, named(what));
    if (take > most)
      return too_large();
  }
}

Result<Binary> read_entries(Whole whole, const Header &header,
                            const Limits &limits) {
  if (header.entry_count > limits.records)
    return whole.fail(
        Errc::too_large, 24,
        fmt::format("offload binary of {} entries (limit records)",
                    header.entry_count));
  whole.budget = kStringsFloor + kStringsFactor * whole.end;
  Binary out;
  // A longer table earns its memory record by record.
  out.entries.reserve(std::min<std::uint64_t>(header.entry_count, 1024));
  EntryReader reader(whole, header, limits);
  for (std::uint64_t i = 0; i < header.entry_count; i++) {
    auto entry = reader.read(i);
    if (!entry) {
      out.damage = std::move(entry).error();
      break;
    }
    out.entries.push_back(*std::move(entry));
  }
  out.extent = std::max(reader.extent(), header.header_size());
  return out;
}

} // namespace

std::string_view Entry::find(std::string_view key) const {
  for (const auto &[k, value] : strings)
    if (k == key)
      return value;
  return {};
}

std::string offload_kind_word(std::uint16_t raw) {
  constexpr std::array<std::string_view, 4> kWords = {"openmp", "cuda", "hip",
                                                      "sycl"};
  if (raw == 0)
    return "none";
  std::string out;
  auto append = [&](std::string_view word) {
    out += out.empty() ? "" : "+";
    out += word;
  };
  for (std::size_t bit = 0; bit < kWords.size(); bit++)
    if ((raw >> bit & 1) != 0)
      append(kWords[bit]);
  if (raw >> kWords.size() != 0)
    append(fmt::format("0x{:x}", raw >> kWords.size() << kWords.size()));
  return out;
}

std::string image_kind_word(std::uint16_t raw) {
  constexpr std::array<std::string_view, 7> kWords = {
      "none", "object", "bitcode", "cubin", "fatbinary", "ptx", "spirv"};
  return raw < kWords.size() ? std::string(kWords[raw])
                             : fmt::format("{}", raw);
}

Result<Header> read_header(Bytes start) {
  if (!as_text(start).starts_with(kMagic))
    return fail(start.size() < kMagic.size() ? Errc::truncated
                                             : Errc::bad_magic,
                0, "offload binary magic");
  Reader r(start);
  r.skip(kMagic.size(), "offload binary magic");
  Header h;
  h.version = r.u32("offload binary version");
  if (r.ok() && (h.version == 0 || h.version > 3))
    return fail(Errc::unsupported, 4,
                fmt::format("offload binary version {}", h.version));
  h.size = r.u64("offload binary size");
  h.entries_offset = r.u64("offload binary entries offset");
  h.entry_count = r.u64("offload binary entry count");
  if (h.version >= 3)
    h.inflated_size = r.u64("offload binary inflated size");
  if (!r.ok())
    return r.error();
  if (h.size < h.header_size())
    return fail(Errc::bad_value, 8, "offload binary size");
  if (h.entries_offset < h.header_size() ||
      (h.compressed() && h.entries_offset != h.header_size()) ||
      h.entries_offset > h.whole_size())
    return fail(Errc::bad_value, 16, "offload binary entries offset");
  if (h.version == 1) {
    if (h.entry_count != kEntrySize)
      return fail(Errc::bad_value, 24, "offload binary entry size");
    h.entry_count = 1;
  }
  if (h.entry_count > (h.whole_size() - h.entries_offset) / kEntrySize)
    return fail(Errc::bad_value, 24, "offload binary entry count");
  return h;
}

Codec body_codec(Bytes body) {
  return as_text(body).starts_with("\x28\xb5\x2f\xfd") ? Codec::zstd
                                                       : Codec::zlib;
}

Result<Binary> read(const Source &source, std::uint64_t begin,
                    std::uint64_t end, const Header &header,
                    const Limits &limits) {
  if (begin > end || end > source.size() || header.compressed())
    return fail(Errc::invalid_argument, begin, "offload binary: region");
  const bool whole = header.size <= end - begin;
  GANTRY_TRY(Binary out,
             read_entries({.source = source,
                           .end = std::min(header.size, end - begin),
                           .at = begin,
                           .error_base = begin},
                          header, limits));
  if (whole)
    out.extent = header.size;
  else if (!out.damage)
    out.damage = Error{Errc::truncated, begin + 8, "offload binary size", {}};
  out.extent = std::min(out.extent, end - begin);
  return out;
}

Result<Bytes> inflate(Bytes binary, const Header &header,
                      Decompressor &decompressor, const Limits &limits,
                      Buffer &out) {
  const std::uint64_t front = header.header_size();
  if (!header.compressed() || header.size < front ||
      binary.size() < header.size)
    return fail(Errc::invalid_argument, 0, "offload binary");
  Bytes body = binary.subspan(front, header.size - front);
  auto decoded = decompressor.decode(body_codec(body), body,
                                     header.inflated_size - front, limits, out);
  if (!decoded) {
    Error e = decoded.error();
    e.offset += front;
    return std::unexpected(std::move(e));
  }
  return decoded;
}

Result<Binary> read_inflated(Bytes body, const Header &header,
                             const Limits &limits) {
  MemorySource source(body);
  const std::uint64_t front = header.header_size();
  GANTRY_TRY(Binary out,
             read_entries(
                 {.source = source, .first = front, .end = front + body.size()},
                 header, limits));
  out.extent = front + body.size();
  return out;
}

} // namespace gantry::offload_binary

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kpack archive, all integers little-endian:
//
//   0   "KPAK", u32 version (1), u64 offset of the index, zeros up to 64
//   64  blobs
//       scheme "none": back to back, at offsets that the index has
//       scheme "zstd-per-kernel": u32 count, then u32 length and a zstd frame
//       for each; the index has offset and size of the whole
//   index, up to the end: one MessagePack map
//       format_version, group_name, gfx_arch_family, gfx_arches: of the archive
//       toc: binary -> target -> {type, ordinal, original_size, metadata}
//       compression_scheme; blobs: array of {offset, size}, by ordinal; or
//       zstd_offset, zstd_size
//
// Offsets count from the archive's start. Without a scheme it is "none". Blobs
// are not aligned, entries can share one. Keys that repeat: the last one
// counts, maps of the same binary are merged. A writer that stops half-way
// leaves 0 as the offset of the index.
//
// Source: the archives that ROCm/rocm-kpack wrote from 2025-12 (binaries
// without
// "#N") to ROCm/rocm-systems of 2026, and what their reader accepts.

#include "format/kpack_index.h"

#include "base/msgpack.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace gantry::kpack {

namespace {

// Whoever wants to know whether an archive is sound needs no more.
constexpr std::size_t kDamageMax = 16;

class Texts {
public:
  explicit Texts(std::vector<std::string> &list) : list_(list) {}

  std::uint32_t operator()(std::string_view text) {
    auto known = index_.find(text);
    if (known == index_.end()) {
      auto next = static_cast<std::uint32_t>(list_.size());
      known = index_.emplace(text, next).first;
      list_.emplace_back(text);
    }
    return known->second;
  }

private:
  std::vector<std::string> &list_;
  std::map<std::string, std::uint32_t, std::less<>> index_;
};

class IndexReader {
public:
  // `at` is where the index starts in the source; `size` is the archive's.
  IndexReader(std::uint64_t at, std::uint64_t size, const Limits &limits,
              Index &out)
      : at_(at), size_(size), limits_(limits), out_(out), targets_(out.targets),
        types_(out.types) {}

  void read(msgpack::Value root);

private:
  void read_key(std::string_view key, msgpack::Value value);
  void read_texts(std::string_view key, msgpack::Value value,
                  std::vector<std::string> &out);
  void read_toc(msgpack::Value toc);
  void read_entry(std::uint32_t binary, std::string_view target,
                  msgpack::Value value);
  void read_metadata(Entry &entry, msgpack::Value value);
  void read_blobs(msgpack::Value value);
  void read_number(std::string_view key, msgpack::Value value,
                   std::optional<std::uint64_t> &out);
  void finish_scheme();
  void merge_binaries();
  void mark_replaced();
  bool count();
  void damage(Errc code, std::string what) {
    if (out_.damage.size() < kDamageMax)
      out_.damage.push_back({code, at_, std::move(what), {}});
  }

  std::uint64_t at_;
  std::uint64_t size_;
  const Limits &limits_;
  Index &out_;
  Texts targets_, types_;
  std::uint64_t records_ = 0;
  bool scheme_is_text_ = true;
  std::optional<std::uint64_t> zstd_offset_, zstd_size_;
};

// Entries and blobs. False beyond the limit, which is said once.
bool IndexReader::count() {
  if (records_ == limits_.records + 1)
    return false;
  if (++records_ <= limits_.records)
    return true;
  damage(Errc::too_large, "kpack index: entries (limit records)");
  return false;
}

void IndexReader::read_number(std::string_view key, msgpack::Value value,
                              std::optional<std::uint64_t> &out) {
  out = value.unsigned_integer();
  if (!out)
    damage(Errc::bad_value, "kpack index: " + std::string(key));
}

void IndexReader::read_texts(std::string_view key, msgpack::Value value,
                             std::vector<std::string> &out) {
  bool fine = value.kind() == msgpack::Kind::array;
  out.clear();
  value.each([&](msgpack::Value v) {
    if (auto text = v.text(); text && count())
      out.emplace_back(*text);
    else
      fine = fine && text;
  });
  if (!fine)
    damage(Errc::bad_value, "kpack index: " + std::string(key));
}

std::optional<std::uint64_t> number_in(msgpack::Value map,
                                       std::string_view key) {
  if (auto value = map.find(key))
    return value->unsigned_integer();
  return std::nullopt;
}

void IndexReader::read_blobs(msgpack::Value value) {
  if (value.kind() != msgpack::Kind::array)
    damage(Errc::bad_value, "kpack index: blobs");
  out_.blobs.clear();
  value.each([&](msgpack::Value v) {
    if (!count())
      return;
    const auto at = number_in(v, "offset"), bytes = number_in(v, "size");
    Blob blob;
    blob.offset = at.value_or(0);
    blob.size = bytes.value_or(0);
    blob.outside = !at || !bytes || !fits(blob.offset, blob.size, size_);
    out_.blobs.push_back(blob);
  });
}

// Metadata is free-form: of what has no short form only the kind is kept.
std::string shown(msgpack::Value v) {
  if (auto text = v.text())
    return std::string(*text);
  if (auto number = v.unsigned_integer())
    return std::to_string(*number);
  if (auto number = v.signed_integer())
    return std::to_string(*number);
  if (auto truth = v.boolean())
    return *truth ? "true" : "false";
  return "(" + std::string(msgpack::word(v.kind())) + ")";
}

void IndexReader::read_metadata(Entry &entry, msgpack::Value value) {
  entry.metadata_first = static_cast<std::uint32_t>(out_.metadata.size());
  value.each_pair([&](msgpack::Value key, msgpack::Value v) {
    if (count())
      out_.metadata.emplace_back(shown(key), shown(v));
  });
  entry.metadata_count =
      static_cast<std::uint32_t>(out_.metadata.size()) - entry.metadata_first;
}

void IndexReader::read_entry(std::uint32_t binary, std::string_view target,
                             msgpack::Value value) {
  Entry e;
  e.binary = binary;
  e.target = targets_(target);
  e.wrong = "ordinal"; // until it is found
  std::string_view type, wrong;
  value.each_pair([&](msgpack::Value key, msgpack::Value v) {
    auto name = key.text();
    if (name == "ordinal") {
      auto n = v.unsigned_integer();
      e.ordinal = static_cast<std::uint32_t>(n.value_or(0));
      e.wrong = n && *n <= UINT32_MAX ? "" : "ordinal";
    } else if (name == "original_size") {
      e.original_size = v.unsigned_integer();
      wrong = e.original_size ? "" : "original_size";
    } else if (name == "type") {
      type = v.text().value_or("");
    } else if (name == "metadata") {
      read_metadata(e, v);
    }
  });
  if (e.wrong.empty())
    e.wrong = wrong;
  e.type = types_(type);
  out_.entries.push_back(e);
}

void IndexReader::read_toc(msgpack::Value toc) {
  if (toc.kind() != msgpack::Kind::map)
    damage(Errc::bad_value, "kpack index: toc");
  toc.each_pair([&](msgpack::Value key, msgpack::Value targets) {
    auto name = key.text();
    if (!name || targets.kind() != msgpack::Kind::map)
      return damage(Errc::bad_value, "kpack index: a binary of toc");
    if (!count())
      return;
    auto binary = static_cast<std::uint32_t>(out_.binaries.size());
    out_.binaries.emplace_back(*name);
    targets.each_pair([&](msgpack::Value target, msgpack::Value entry) {
      auto text = target.text();
      if (!text || entry.kind() != msgpack::Kind::map)
        damage(Errc::bad_value, "kpack index: an entry of toc");
      else if (count())
        read_entry(binary, *text, entry);
    });
  });
}

void IndexReader::read_key(std::string_view key, msgpack::Value value) {
  if (key == "format_version") {
    read_number(key, value, out_.format_version);
  } else if (key == "group_name") {
    out_.group_name = value.text().value_or("");
  } else if (key == "gfx_arch_family") {
    out_.arch_family = value.text().value_or("");
  } else if (key == "gfx_arches") {
    read_texts(key, value, out_.arches);
  } else if (key == "toc") {
    read_toc(value);
  } else if (key == "compression_scheme") {
    scheme_is_text_ = value.text().has_value();
    out_.scheme_text = value.text().value_or("");
  } else if (key == "blobs") {
    read_blobs(value);
  } else if (key == "zstd_offset") {
    read_number(key, value, zstd_offset_);
  } else if (key == "zstd_size") {
    read_number(key, value, zstd_size_);
  }
}

void IndexReader::finish_scheme() {
  const std::string &scheme = out_.scheme_text;
  if (scheme_is_text_ && (scheme == "none" || scheme.empty())) {
    out_.codec = Codec::none;
    return;
  }
  out_.blobs.clear();
  if (scheme != "zstd-per-kernel")
    return damage(Errc::unsupported, "kpack index: compression_scheme \"" +
                                         scheme.substr(0, 64) + "\"");
  out_.codec = Codec::zstd;
  if (!zstd_offset_ || !zstd_size_)
    return damage(Errc::bad_value, "kpack index: place of the zstd frames");
  if (!fits(*zstd_offset_, *zstd_size_, size_))
    return damage(Errc::truncated, "kpack index: zstd frames");
  out_.zstd_offset = *zstd_offset_;
  out_.zstd_size = *zstd_size_;
}

// Entries of a binary that repeats name the first of its texts.
void IndexReader::merge_binaries() {
  std::vector<std::uint32_t> order(out_.binaries.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    return std::pair<std::string_view, std::uint32_t>(out_.binaries[i], i);
  });
  std::vector<std::uint32_t> first(order.size());
  bool repeats = false;
  for (std::size_t i = 0; i < order.size(); i++) {
    bool same =
        i != 0 && out_.binaries[order[i]] == out_.binaries[order[i - 1]];
    first[order[i]] = same ? first[order[i - 1]] : order[i];
    repeats = repeats || same;
  }
  if (repeats)
    for (Entry &e : out_.entries)
      e.binary = first[e.binary];
}

void IndexReader::mark_replaced() {
  auto key = [&](std::uint32_t i) {
    return std::pair(out_.entries[i].binary, out_.entries[i].target);
  };
  std::vector<std::uint32_t> order(out_.entries.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {},
                    [&](std::uint32_t i) { return std::pair(key(i), i); });
  for (std::size_t i = 1; i < order.size(); i++)
    out_.entries[order[i - 1]].replaced = key(order[i - 1]) == key(order[i]);
}

void IndexReader::read(msgpack::Value root) {
  root.each_pair([&](msgpack::Value key, msgpack::Value value) {
    if (auto name = key.text())
      read_key(*name, value);
  });
  finish_scheme();
  merge_binaries();
  mark_replaced();
}

} // namespace

Result<Header> read_header(Bytes start) {
  Reader r(start);
  std::string_view magic = r.text(kMagic.size(), "kpack magic");
  Header h;
  if (r.ok() && magic != kMagic)
    return fail(Errc::bad_magic, 0, "kpack magic");
  h.version = r.u32("kpack version");
  h.toc_offset = r.u64("kpack: offset of the index");
  if (!r.ok())
    return r.error();
  if (h.version != 1)
    return fail(Errc::unsupported, 4,
                "kpack version " + std::to_string(h.version));
  return h;
}

Result<Index> read_index(const Source &source, std::uint64_t begin,
                         std::uint64_t end, const Limits &limits) {
  if (begin > end || end > source.size())
    return fail(Errc::truncated, begin, "kpack archive");
  const std::uint64_t size = end - begin;
  Buffer scratch;
  GANTRY_TRY(Bytes start,
             source.read(begin, std::min(kHeaderSize, size), scratch));
  Index out;
  auto header = read_header(start);
  if (!header) {
    header.error().offset += begin;
    return std::unexpected(std::move(header).error());
  }
  out.header = *header;
  const std::uint64_t at = out.header.toc_offset;
  if (at < kBlobStart)
    return fail(Errc::bad_value, begin + 8, "kpack: offset of the index");
  if (at >= size)
    return fail(Errc::truncated, begin + 8, "kpack: offset of the index");
  if (size - at > limits.table_bytes)
    return fail(Errc::too_large, begin + at, "kpack index (limit table_bytes)");
  GANTRY_TRY(Bytes bytes, source.read(begin + at, size - at, scratch));
  msgpack::Parsed parsed = msgpack::parse(bytes, limits);
  out.end = at + parsed.document.end;
  if (parsed.damage) {
    Error e = *parsed.damage;
    e.offset += begin + at;
    e.what = "kpack index: " + e.what;
    if (parsed.document.empty())
      return std::unexpected(std::move(e));
    out.end = size;
    out.damage.push_back(std::move(e));
  }
  msgpack::Value root = parsed.document.root();
  if (root.kind() != msgpack::Kind::map)
    return fail(Errc::bad_value, begin + at, "kpack index: not a map");
  IndexReader(begin + at, size, limits, out).read(root);
  return out;
}

void locate_frames(const Source &source, std::uint64_t begin,
                   const Limits &limits, Index &index) {
  if (index.codec != Codec::zstd || index.zstd_size == 0)
    return;
  const std::uint64_t end = index.zstd_offset + index.zstd_size;
  std::uint64_t at = index.zstd_offset;
  Buffer scratch;
  auto damage = [&](Error e) { index.damage.push_back(std::move(e)); };
  // Reads the next u32; nothing when it ends the walk.
  auto next = [&](const char *what) -> std::optional<std::uint32_t> {
    if (end - at < 4) {
      damage({Errc::truncated, begin + at, what, {}});
      return std::nullopt;
    }
    auto bytes = source.read(begin + at, 4, scratch);
    if (!bytes) {
      damage(bytes.error());
      return std::nullopt;
    }
    at += 4;
    return Reader(*bytes).u32(what);
  };
  auto count = next("kpack: number of frames");
  if (!count)
    return;
  if (*count > limits.records)
    return damage(
        {Errc::too_large, begin + at - 4, "kpack frames (limit records)", {}});
  if (*count > (end - at) / 4)
    return damage(
        {Errc::bad_value, begin + at - 4, "kpack: number of frames", {}});
  index.blobs.reserve(*count);
  for (std::uint32_t i = 0; i < *count; i++) {
    auto size = next("kpack: length of a frame");
    if (!size)
      return;
    if (*size > end - at)
      return damage({Errc::truncated, begin + at - 4, "kpack frame", {}});
    index.blobs.push_back({at, *size, false});
    at += *size;
  }
}

const Blob *blob_of(const Index &index, const Entry &entry) {
  if (entry.wrong == "ordinal" || entry.ordinal >= index.blobs.size())
    return nullptr;
  return &index.blobs[entry.ordinal];
}

} // namespace gantry::kpack

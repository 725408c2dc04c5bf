// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outline of a saved record, gantry's own format (docs/evidence.md):
//
//   blocks          zstd frames (RFC 8878), one behind the other from byte 0
//   u32             0x184d2a57: a frame that zstd's decoders skip
//   u32             bytes that follow
//   index           one line of JSON
//   footer, 64 bytes
//     u64           offset of the index in the file
//     u64           its size
//     u8[32]        its SHA-256
//     u8[16]        "gantry.evidence\n"
//
// So `zstd -dc FILE` gives all rows, and the footer leads to the index without
// reading them.

#include "report/evidence_index.h"

#include "base/decompress.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "report/evidence_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>

namespace gantry::report {

namespace {

constexpr std::string_view kSchema = "gantry.evidence/1";
constexpr std::string_view kMagic = "gantry.evidence\n";
constexpr std::uint32_t kFrameMagic = 0x184d2a57;
constexpr std::uint64_t kFrameHeader = 8;
constexpr std::uint64_t kFooter = 64;
constexpr std::uint64_t kMagicAt = 48;

void append(std::string &out, std::uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    out += static_cast<char>(value >> (8 * i));
}

// ---- writing

template <class List, class Each>
void write_list(std::string_view name, const List &list, JsonWriter &json,
                Each each) {
  json.key(name);
  json.begin_array();
  for (const auto &item : list)
    json.value(each(item));
  json.end_array();
}

void write_options(const EvidenceIndex &index, JsonWriter &json) {
  json.key("options");
  json.begin_object();
  write_list("targets", index.targets, json, printable);
  write_list("kinds", index.kinds, json,
             [](inspect::ObjectKind k) { return inspect::word(k); });
  write_list("kernels", index.kernels, json, printable);
  write_list("objects", index.objects, json, printable);
  json.member("digest", index.digest);
  json.member("deep", index.deep);
  json.end_object();
}

void write_block(const EvidenceBlock &b, JsonWriter &json) {
  json.begin_object();
  json.member("record", word(b.kind));
  json.member("first", b.first);
  json.member("rows", b.rows);
  json.member("offset", b.offset);
  json.member("stored", b.stored);
  json.member("decoded", b.decoded);
  json.member("sha256", b.sha256);
  json.key("refers");
  json.begin_array();
  json.value(b.refers_first);
  json.value(b.refers_last);
  json.end_array();
  json.end_object();
}

// ---- reading

void read_options(const Item &at, EvidenceIndex &index, Values &values) {
  Members m(values, at);
  m("targets", index.targets);
  m("kinds", index.kinds);
  m("kernels", index.kernels);
  m("objects", index.objects);
  m("digest", index.digest);
  m("deep", index.deep);
  m.end();
}

void read_block(const Item &at, EvidenceBlock &b, Values &values) {
  Members m(values, at);
  std::vector<std::uint64_t> refers;
  m("record", Choice{b.kind, kRowWords});
  m("first", b.first);
  m("rows", b.rows);
  m("offset", b.offset);
  m("stored", b.stored);
  m("decoded", b.decoded);
  m("sha256", Digest{b.sha256});
  m("refers", refers);
  m.end();
  if (!values.ok())
    return;
  if (refers.size() != 2 || refers[0] > refers[1])
    return values.refuse(at, "refers is no range");
  b.refers_first = refers[0];
  b.refers_last = refers[1];
}

// The members of the index. `totals` are checked once the blocks are.
Result<EvidenceIndex>
read_members(const JsonValue &parsed, std::uint64_t offset,
             std::array<std::uint64_t, kRowKinds> &totals) {
  EvidenceIndex index;
  Values values("index", offset);
  Item root{parsed};
  Members m(values, root);
  std::string ignored;
  m("schema", ignored);
  m.with("input", [&](const Item &at) {
    Members in(values, at);
    in("path", index.input);
    in("size", index.input_size);
    in("sha256", Digest{index.input_sha256, true});
    in.end();
  });
  m.with("options", [&](const Item &at) { read_options(at, index, values); });
  m.with("totals", [&](const Item &at) {
    Members in(values, at);
    for (std::size_t k = 0; k < kRowKinds; k++)
      in(kRowWords[k], totals[k]);
    in.end();
  });
  m.list("blocks", [&](const Item &at) {
    read_block(at, index.blocks.emplace_back(), values);
  });
  m.end();
  GANTRY_CHECK(values.result());
  return index;
}

// The footer, and the header of the frame that it ends.
struct Outline {
  std::uint64_t offset = 0; // of the index
  std::uint64_t size = 0;
  std::string sha256;
};

Result<Outline> read_outline(const Source &file, const Limits &limits) {
  Buffer scratch;
  const std::uint64_t size = file.size();
  if (size < kFrameHeader + kFooter)
    return fail(Errc::bad_magic, 0, "saved record: footer");
  const std::uint64_t footer_at = size - kFooter;
  GANTRY_TRY(Bytes bytes, file.read(footer_at, kFooter, scratch));
  Reader r(bytes);
  Outline out;
  out.offset = r.u64("footer: offset");
  out.size = r.u64("footer: size");
  out.sha256 = hex(r.bytes(Sha256::kSize, "footer: SHA-256"));
  if (r.text(kMagic.size(), "footer: magic") != kMagic)
    return fail(Errc::bad_magic, footer_at + kMagicAt, "saved record: footer");
  if (out.offset < kFrameHeader || !fits(out.offset, out.size, footer_at) ||
      out.offset + out.size != footer_at)
    return fail(Errc::bad_value, footer_at, "saved record: place of the index");
  if (out.size > limits.table_bytes)
    return fail(Errc::too_large, footer_at + 8,
                "saved record: index (limit table_bytes)");
  const std::uint64_t frame_at = out.offset - kFrameHeader;
  GANTRY_TRY(bytes, file.read(frame_at, kFrameHeader, scratch));
  Reader frame(bytes);
  if (frame.u32("frame: magic") != kFrameMagic)
    return fail(Errc::bad_value, frame_at, "saved record: frame of the index");
  if (frame.u32("frame: size") != out.size + kFooter)
    return fail(Errc::bad_value, frame_at + 4,
                "saved record: size of the index's frame");
  return out;
}

// Blocks follow each other from the first byte to the index, and rows of each
// kind from 0.
Result<void> check_blocks(const EvidenceIndex &index, std::uint64_t end,
                          const Limits &limits) {
  std::array<std::uint64_t, kRowKinds> rows{};
  std::uint64_t at = 0;
  // Small frames can decode to much. Together they may as one file may.
  std::uint64_t left =
      std::min(end,
               UINT64_MAX / std::max<std::uint64_t>(1, limits.decoded_ratio)) *
      limits.decoded_ratio;
  left += std::min(UINT64_MAX - left, 16 * limits.ratio_floor);
  for (std::size_t i = 0; i < index.blocks.size(); i++) {
    const EvidenceBlock &b = index.blocks[i];
    auto refuse = [&](Errc code, std::string_view what) {
      return fail(code, at, fmt::format("block {}: {}", i, what));
    };
    std::uint64_t &seen = rows[static_cast<std::size_t>(b.kind)];
    if (b.offset != at)
      return refuse(Errc::bad_value, "offset");
    if (b.stored == 0 || !fits(at, b.stored, end))
      return refuse(Errc::bad_value, "stored");
    if (b.decoded > left)
      return refuse(Errc::too_large, "decoded (limit decoded_ratio)");
    if (b.first != seen)
      return refuse(Errc::bad_value, "first");
    // A row has at least its line's end.
    if (b.rows == 0 || b.rows > b.decoded)
      return refuse(Errc::bad_value, "rows");
    if (b.rows > limits.records - seen)
      return refuse(Errc::too_large, "rows (limit records)");
    at += b.stored;
    left -= b.decoded;
    seen += b.rows;
  }
  if (at != end)
    return fail(Errc::bad_value, at, "saved record: bytes outside of blocks");
  auto all = [&](RowKind kind) { return rows[static_cast<std::size_t>(kind)]; };
  if (all(RowKind::summary) != 1)
    return fail(Errc::bad_value, end, "saved record: not one summary");
  for (std::size_t i = 0; i < index.blocks.size(); i++) {
    const EvidenceBlock &b = index.blocks[i];
    bool container = b.kind == RowKind::object;
    bool object = b.kind == RowKind::kernel || b.kind == RowKind::text;
    std::uint64_t most = object      ? all(RowKind::object)
                         : container ? all(RowKind::container)
                                     : 1;
    if (b.refers_last >= most)
      return fail(Errc::bad_value, b.offset,
                  fmt::format("block {}: refers to {} of {} rows", i,
                              b.refers_last, most));
  }
  return {};
}

} // namespace

std::string_view word(RowKind kind) {
  return kRowWords[static_cast<std::size_t>(kind)];
}

std::uint64_t EvidenceIndex::rows(RowKind kind) const {
  // They count up, so the last block of the kind tells.
  for (std::size_t i = blocks.size(); i-- > 0;)
    if (blocks[i].kind == kind)
      return blocks[i].first + blocks[i].rows;
  return 0;
}

Result<std::string> write_index(const EvidenceIndex &index) {
  std::string text;
  JsonWriter json(text, JsonWriter::Style::compact);
  json.begin_object();
  json.member("schema", kSchema);
  json.key("input");
  json.begin_object();
  json.member("path", printable(index.input));
  json.member("size", index.input_size);
  if (index.input_sha256.empty())
    json.null_member("sha256");
  else
    json.member("sha256", index.input_sha256);
  json.end_object();
  write_options(index, json);
  json.key("totals");
  json.begin_object();
  for (std::size_t k = 0; k < kRowKinds; k++)
    json.member(kRowWords[k], index.rows(static_cast<RowKind>(k)));
  json.end_object();
  json.key("blocks");
  json.begin_array();
  for (const EvidenceBlock &b : index.blocks)
    write_block(b, json);
  json.end_array();
  json.end_object();

  if (text.size() > UINT32_MAX - kFooter)
    return fail(Errc::too_large, 0, "saved record: index");
  std::uint64_t end = index.blocks.empty() ? 0
                                           : index.blocks.back().offset +
                                                 index.blocks.back().stored;
  Sha256 digest;
  digest.update(as_bytes(text));
  std::string out;
  append(out, kFrameMagic, 4);
  append(out, text.size() + kFooter, 4);
  out += text;
  append(out, end + kFrameHeader, 8);
  append(out, text.size(), 8);
  out += as_text(digest.digest());
  out += kMagic;
  return out;
}

Result<EvidenceIndex> read_index(const Source &file, const Limits &limits) {
  GANTRY_TRY(Outline outline, read_outline(file, limits));
  Buffer scratch;
  GANTRY_TRY(Bytes bytes, file.read(outline.offset, outline.size, scratch));
  Sha256 digest;
  digest.update(bytes);
  if (digest.hex() != outline.sha256)
    return fail(Errc::corrupt, outline.offset, "saved record: index: SHA-256");
  auto parsed = parse_json(as_text(bytes), row_limits(limits));
  if (!parsed) {
    parsed.error().offset += outline.offset;
    return std::unexpected(std::move(parsed).error().in("index"));
  }
  // Another version may have other members.
  const JsonValue *schema = parsed->find("schema");
  if (schema == nullptr || schema->text() == nullptr)
    return fail(Errc::bad_value, outline.offset, "index: schema");
  if (*schema->text() != kSchema)
    return fail(Errc::unsupported, outline.offset,
                fmt::format("saved record of schema {}",
                            printable(schema->text()->substr(0, 64))));

  std::array<std::uint64_t, kRowKinds> totals{};
  GANTRY_TRY(EvidenceIndex index,
             read_members(*parsed, outline.offset, totals));
  GANTRY_CHECK(check_blocks(index, outline.offset - kFrameHeader, limits));
  for (std::size_t k = 0; k < kRowKinds; k++)
    if (totals[k] != index.rows(static_cast<RowKind>(k)))
      return fail(Errc::bad_value, outline.offset,
                  fmt::format("index: totals.{}", kRowWords[k]));
  return index;
}

} // namespace gantry::report

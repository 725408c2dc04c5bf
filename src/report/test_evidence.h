// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests and fuzzing: saved records in memory, taken apart and put together
// again with digests that are right, so that only what is meant is wrong.
#pragma once

#include "base/decompress.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "report/evidence_blocks.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace gantry::report {

// A path of its own, removed at the end.
class RecordPath {
public:
  RecordPath()
      : path_((std::filesystem::temp_directory_path() /
               ("gantry-record-" + std::to_string(getpid())))
                  .string()) {}
  ~RecordPath() { std::remove(path_.c_str()); }
  const std::string &text() const { return path_; }
  std::string bytes() const {
    Buffer scratch;
    auto file = FileSource::open(path_);
    if (!file)
      return {};
    return std::string(
        as_text((*file)->read(0, (*file)->size(), scratch).value()));
  }

private:
  std::string path_;
};

// The record of a report that no hook was called for.
inline std::string record_of(const inspect::Report &report) {
  RecordPath path;
  auto writer = EvidenceWriter::create(path.text());
  if (!writer || !writer->finish(report))
    return {};
  return path.bytes();
}

struct RecordLine {
  RowKind kind = RowKind::summary;
  std::uint64_t refers = 0;
  std::string text; // without the line's end
};

// A record as its index and its lines.
struct RecordParts {
  EvidenceIndex index;
  std::vector<RecordLine> lines;

  static RecordParts of(std::string_view record) {
    RecordParts parts;
    MemorySource source(as_bytes(record));
    parts.index = read_index(source, Limits()).value();
    for (const EvidenceBlock &b : parts.index.blocks) {
      Buffer out;
      std::string_view rest = as_text(
          decompress(Codec::zstd, as_bytes(record).subspan(b.offset, b.stored),
                     b.decoded, Limits(), out)
              .value());
      for (; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
        parts.lines.push_back(
            {b.kind, 0, std::string(rest.substr(0, rest.find('\n')))});
    }
    for (RecordLine &line : parts.lines)
      line.refers = parts.owner(line);
    return parts;
  }

  // Lines of the same kind that follow each other are a block, or each is.
  std::string record(bool alone = false) const {
    EvidenceIndex whole = index;
    whole.blocks.clear();
    std::string out;
    Compressor compressor;
    Buffer scratch;
    for (std::size_t i = 0; i < lines.size();) {
      const RowKind kind = lines[i].kind;
      BlockRows rows(kind);
      do {
        rows.add(lines[i].text + "\n", lines[i].refers);
        i++;
      } while (!alone && i < lines.size() && lines[i].kind == kind);
      PackedBlock packed = rows.pack(compressor, scratch).value();
      packed.block.first = whole.rows(kind);
      packed.block.offset = out.size();
      out += as_text(packed.stored);
      whole.blocks.push_back(packed.block);
    }
    return out + write_index(whole).value_or("");
  }

  // What a line refers to, for the index.
  std::uint64_t owner(const RecordLine &line) const {
    const char *member = line.kind == RowKind::kernel   ? "\"object_row\":"
                         : line.kind == RowKind::object ? "\"container_row\":"
                                                        : nullptr;
    const std::size_t at = member ? line.text.find(member) : std::string::npos;
    if (at != std::string::npos)
      return std::strtoull(line.text.c_str() + at +
                               std::string_view(member).size(),
                           nullptr, 10);
    std::uint64_t row = 0;
    if (line.kind == RowKind::text)
      for (const RecordLine &object : lines) {
        std::string_view id = object.text;
        if (object.kind != RowKind::object)
          continue;
        id.remove_prefix(id.find("\"id\":") + 5);
        if (line.text.find(
                "\"object\":" + std::string(id.substr(0, id.find(','))) +
                ",") != std::string::npos)
          return row;
        row++;
      }
    return 0;
  }

  // Of rows as zstd -dc gives them; what is none becomes one of no kind that
  // fits. The index says what the rows say.
  static RecordParts from(std::string_view rows) {
    RecordParts parts;
    while (!rows.empty()) {
      std::string line(rows.substr(0, rows.find('\n')));
      rows.remove_prefix(std::min(rows.size(), line.size() + 1));
      auto parsed = parse_json(line);
      const JsonValue *record = parsed ? parsed->find("record") : nullptr;
      auto kind = record && record->text()
                      ? std::ranges::find(kRowWords, *record->text())
                      : kRowWords.end();
      if (kind == kRowWords.end())
        kind = kRowWords.begin();
      parts.lines.push_back(
          {static_cast<RowKind>(kind - kRowWords.begin()), 0, line});
      if (parts.lines.back().kind == RowKind::summary)
        parts.take_input(*parsed);
    }
    for (RecordLine &line : parts.lines)
      line.refers = parts.owner(line);
    return parts;
  }

  void take_input(const JsonValue &summary) {
    const JsonValue *value = summary.find("value");
    const JsonValue *input = value ? value->find("input") : nullptr;
    if (!input)
      return;
    const JsonValue *path = input->find("path"), *size = input->find("size"),
                    *sha256 = input->find("sha256");
    if (path && path->text())
      index.input = unprintable(*path->text());
    if (size && size->number())
      index.input_size = *size->number();
    if (sha256 && sha256->text())
      index.input_sha256 = *sha256->text();
  }

  // The n-th line of a kind.
  std::string &line(RowKind kind, std::size_t n = 0) {
    for (RecordLine &l : lines)
      if (l.kind == kind && n-- == 0)
        return l.text;
    std::abort();
  }
};

// `text` with `from`, which it has, replaced once.
inline std::string replaced(std::string text, std::string_view from,
                            std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

// The blocks of `record` behind another index.
inline std::string with_index(std::string_view record,
                              const EvidenceIndex &index) {
  MemorySource source(as_bytes(record));
  EvidenceIndex old = read_index(source, Limits()).value();
  std::uint64_t end = old.blocks.back().offset + old.blocks.back().stored;
  return std::string(record.substr(0, end)) + write_index(index).value();
}

} // namespace gantry::report

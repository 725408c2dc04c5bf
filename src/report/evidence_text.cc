// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes of a retained text. A long text has blocks of its own; where in them a
// byte stands is looked up in the first row of some.

#include "base/reader.h"
#include "report/evidence_queries.h"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>

namespace gantry::report {

namespace {

bool inside_character(std::string_view text, std::size_t at) {
  return at < text.size() &&
         (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

class TextReader {
public:
  TextReader(EvidenceFile &file, const EvidenceObject &object,
             std::uint64_t row)
      : file_(file), object_(object), row_(row) {}

  Result<EvidenceText> read(std::uint64_t offset, std::uint64_t length);

private:
  // Row of the text rows that holds byte `offset`.
  Result<std::uint64_t> find(std::uint64_t offset);
  Result<TextPiece> piece(std::uint64_t row, EvidenceLine &line);

  EvidenceFile &file_;
  const EvidenceObject &object_;
  std::uint64_t row_; // of the object
};

Result<TextPiece> TextReader::piece(std::uint64_t row, EvidenceLine &line) {
  GANTRY_TRY(line, file_.line(RowKind::text, row));
  GANTRY_TRY(TextPiece piece, read_text(line, file_.limits()));
  if (piece.object != object_.part.id)
    return piece; // the caller looks further
  if (piece.sha256 != object_.part.digest)
    return bad_row(line, "sha256: not the object's digest");
  if (!fits(piece.offset, piece.bytes.size(), *object_.rows.text_bytes))
    return bad_row(line, "offset: outside of the text");
  return piece;
}

Result<std::uint64_t> TextReader::find(std::uint64_t offset) {
  // The blocks that may hold this object's text.
  auto blocks = std::views::iota(std::size_t{0}, file_.blocks(RowKind::text));
  std::size_t begin = *std::ranges::partition_point(blocks, [&](std::size_t i) {
    return file_.block(RowKind::text, i).refers_last < row_;
  });
  std::size_t end = *std::ranges::partition_point(blocks, [&](std::size_t i) {
    return file_.block(RowKind::text, i).refers_first <= row_;
  });
  // Of several, the last whose first row does not begin behind the offset.
  EvidenceLine line;
  while (begin < end && end - begin > 1) {
    std::size_t middle = begin + (end - begin) / 2;
    GANTRY_TRY(TextPiece first,
               piece(file_.block(RowKind::text, middle).first, line));
    if (first.object == object_.part.id && first.offset <= offset)
      begin = middle;
    else
      end = middle;
  }
  if (begin < end) {
    const EvidenceBlock &b = file_.block(RowKind::text, begin);
    for (std::uint64_t row = b.first; row - b.first < b.rows; row++) {
      GANTRY_TRY(TextPiece here, piece(row, line));
      if (here.object == object_.part.id && offset >= here.offset &&
          offset - here.offset < here.bytes.size())
        return row;
    }
  }
  return fail(Errc::bad_value, 0,
              fmt::format("object {}: its text is not there", row_));
}

Result<EvidenceText> TextReader::read(std::uint64_t offset,
                                      std::uint64_t length) {
  EvidenceText out;
  out.object = object_.part.id;
  out.sha256 = object_.part.digest;
  out.size = *object_.rows.text_bytes;
  out.offset = offset;
  if (offset > out.size)
    return fail(Errc::invalid_argument, 0,
                fmt::format("offset {} is behind the text, which has {} bytes",
                            offset, out.size));
  const std::uint64_t end = offset + std::min(length, out.size - offset);
  if (offset == out.size)
    return out;
  GANTRY_TRY(std::uint64_t row, find(offset));
  std::uint64_t at = offset; // the byte that comes next
  do {
    if (row >= file_.rows(RowKind::text))
      return fail(Errc::bad_value, 0,
                  fmt::format("object {}: its text ends early", row_));
    EvidenceLine line;
    GANTRY_TRY(TextPiece here, piece(row++, line));
    if (here.object != object_.part.id || at < here.offset ||
        at - here.offset >= here.bytes.size())
      return bad_row(line, "offset: not the piece that follows");
    std::string_view bytes = here.bytes;
    const std::uint64_t begin = at - here.offset;
    const std::uint64_t stop =
        std::min<std::uint64_t>(end - here.offset, bytes.size());
    if (here.utf8 &&
        (inside_character(bytes, begin) || inside_character(bytes, stop)))
      return fail(Errc::invalid_argument, 0,
                  fmt::format("byte {} is in the middle of a character",
                              inside_character(bytes, begin)
                                  ? at
                                  : here.offset + stop));
    out.bytes += bytes.substr(begin, stop - begin);
    at = here.offset + stop;
  } while (at < end);
  return out;
}

} // namespace

Result<EvidenceText> evidence_text(EvidenceFile &file,
                                   const std::string &object,
                                   std::uint64_t offset, std::uint64_t length) {
  EvidenceQuery query;
  query.objects = {object};
  GANTRY_TRY(EvidenceSelection selection, EvidenceSelection::parse(query));
  const std::uint64_t count = file.rows(RowKind::object);
  for (std::uint64_t row = 0; row < count; row++) {
    GANTRY_TRY(EvidenceLine line, file.line(RowKind::object, row));
    if (!selection.may_be_object(line.text))
      continue;
    GANTRY_TRY(EvidenceObject found, read_object(line, file.limits()));
    if (found.part.id != object)
      continue;
    if (!found.rows.text_bytes)
      return fail(Errc::not_found, 0,
                  fmt::format("no text of object {} was retained", object));
    return TextReader(file, found, row).read(offset, length);
  }
  return fail(Errc::not_found, 0, fmt::format("there is no object {}", object));
}

} // namespace gantry::report

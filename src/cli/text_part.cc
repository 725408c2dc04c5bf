// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/text_part.h"

#include "base/digest.h"
#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::cli {

namespace {

bool begins_character(std::string_view text, std::uint64_t at) {
  return at == text.size() ||
         (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
}

std::uint64_t end_of(const TextRange &range, std::uint64_t size) {
  return range.offset + std::min(range.length, size - range.offset);
}

} // namespace

std::expected<void, Failure>
check_range(const TextRange &range, std::uint64_t size,
            const std::function<bool(std::uint64_t)> &is_boundary) {
  if (range.offset > size)
    return refuse(
        fmt::format("--offset {} lies behind the text's end", range.offset),
        fmt::format("it has {} bytes", size));
  for (std::uint64_t at : {range.offset, end_of(range, size)}) {
    std::uint64_t before = at, after = at;
    while (before > 0 && !is_boundary(before))
      before--;
    while (after < size && !is_boundary(after))
      after++;
    if (before != after)
      return refuse(
          fmt::format("byte {} of the text is in the middle of a character",
                      at),
          fmt::format("the nearest boundaries are {} and {}", before, after));
  }
  return {};
}

std::expected<report::TextPart, Failure> part_of(std::string_view bytes,
                                                 std::uint64_t offset,
                                                 std::uint64_t size,
                                                 std::string sha256) {
  if (!is_utf8(bytes))
    return std::unexpected(
        Failure{Errc::unsupported, "this part of the text is not UTF-8",
                "--offset and --length can leave out what is not"});
  report::TextPart part;
  part.sha256 = std::move(sha256);
  part.bytes = size;
  part.offset = offset;
  part.text = bytes;
  if (offset + bytes.size() < size)
    part.next = offset + bytes.size();
  return part;
}

std::expected<report::TextPart, Failure> text_part(std::string_view text,
                                                   const TextRange &range) {
  const auto is_boundary = [&](std::uint64_t at) {
    return begins_character(text, at);
  };
  if (auto good = check_range(range, text.size(), is_boundary); !good)
    return std::unexpected(good.error());
  Sha256 digest;
  digest.update(std::as_bytes(std::span(text)));
  return part_of(
      text.substr(range.offset, end_of(range, text.size()) - range.offset),
      range.offset, text.size(), digest.hex());
}

std::string harmless_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    out += printable(text.substr(0, end));
    if (end < text.size())
      out += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

} // namespace gantry::cli

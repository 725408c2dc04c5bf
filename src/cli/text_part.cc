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

std::expected<void, Failure> check_boundary(std::string_view text,
                                            std::uint64_t at) {
  if (begins_character(text, at))
    return {};
  std::uint64_t before = at, after = at;
  while (before > 0 && !begins_character(text, before))
    before--;
  while (!begins_character(text, after))
    after++;
  return refuse(
      fmt::format("byte {} of the text is in the middle of a "
                  "character",
                  at),
      fmt::format("the nearest boundaries are {} and {}", before, after));
}

} // namespace

std::string_view text_of(Bytes payload) {
  const std::string_view all(reinterpret_cast<const char *>(payload.data()),
                             payload.size());
  return all.substr(0, all.find('\0'));
}

std::expected<report::TextPart, Failure> text_part(std::string_view text,
                                                   const TextRange &range) {
  if (range.offset > text.size())
    return refuse(
        fmt::format("--offset {} lies behind the text's end", range.offset),
        fmt::format("it has {} bytes", text.size()));
  const std::uint64_t length =
      std::min<std::uint64_t>(range.length, text.size() - range.offset);
  const std::uint64_t end = range.offset + length;
  for (std::uint64_t at : {range.offset, end})
    if (auto good = check_boundary(text, at); !good)
      return std::unexpected(good.error());
  report::TextPart part;
  part.text = text.substr(range.offset, length);
  if (!is_utf8(part.text))
    return std::unexpected(
        Failure{Errc::unsupported, "this part of the text is not UTF-8",
                "gantry extract writes the bytes as they are"});
  Sha256 digest;
  digest.update(std::as_bytes(std::span(text)));
  part.sha256 = digest.hex();
  part.bytes = text.size();
  part.offset = range.offset;
  if (end < text.size())
    part.next = end;
  return part;
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

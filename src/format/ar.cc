// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unix archives
//
//   "!<arch>\n" or "!<thin>\n", then members, each at an even offset:
//   header, 60 bytes of text: name 16, date 12, uid 6, gid 6, mode 8 (octal),
//   size 10 (decimal), "`\n"; then `size` bytes.
//
//   name           meaning
//   "x.o/"         GNU and COFF: x.o
//   "x.o"          BSD, Debian packages
//   "/"            symbol table (COFF: two of them)
//   "/SYM64/"      symbol table with offsets of 64 bits
//   "//"           table of long names: GNU ends each with "/\n", COFF with NUL
//   "/123"         the name at offset 123 of that table
//   "#1/20"        BSD: the first 20 bytes of the member are its name, padded
//                  with NULs; `size` counts them
//   "__.SYMDEF"    BSD's symbol table, also " SORTED" and "_64"
//   "/<ECSYMBOLS>/", "/<XFGHASHMAP>/"  COFF: further tables
//
// A thin archive has headers only, except for its tables: names are paths of
// other files, relative to the archive's folder.
//
// Sources: ar(5) of FreeBSD, the manual of GNU ar, Microsoft's PE and COFF
// specification; observed with GNU ar 2.40, llvm-ar 22 and lib.exe's output.

#include "format/ar.h"

#include "base/error.h"

#include <algorithm>
#include <charconv>

namespace gantry::ar {

namespace {

constexpr std::uint64_t kHeaderSize = 60;
// Names in the table may be referred to more than once.
constexpr std::uint64_t kNameShare = 16;

std::string_view trimmed(std::string_view field) {
  return field.substr(0, field.find_last_not_of(' ') + 1);
}

std::optional<std::uint64_t> decimal(std::string_view text) {
  std::uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

bool is_table(std::string_view name) {
  return name == "/" || name == "//" || name == "/SYM64/" ||
         name.starts_with("/<") || name.starts_with("__.SYMDEF");
}

} // namespace

struct Archive::Header {
  std::string name; // as it stands there, without the spaces
  std::uint64_t at = 0;
  std::uint64_t size = 0;
};

Result<Archive> Archive::open(const Source &source, const Limits &limits) {
  Buffer scratch;
  GANTRY_TRY(Bytes start, source.read_up_to(0, kMagic.size(), scratch));
  std::string_view text = as_text(start);
  if (text == kMagic || text == kThinMagic)
    return Archive(source, limits, text == kThinMagic);
  if (!text.empty() &&
      (kMagic.starts_with(text) || kThinMagic.starts_with(text)))
    return fail(Errc::truncated, 0, "archive magic");
  return fail(Errc::bad_magic, 0, "archive magic");
}

Result<Archive::Header> Archive::read_header() {
  Buffer scratch;
  GANTRY_TRY(Bytes bytes, source_->read_up_to(pos_, kHeaderSize, scratch));
  Reader r(bytes);
  Header header;
  header.at = pos_;
  header.name = trimmed(r.text(16, "archive member: name"));
  r.skip(32, "archive member: date, owner and mode");
  std::string_view size = trimmed(r.text(10, "archive member: size"));
  std::string_view end = r.text(2, "archive member: end of header");
  if (!r.ok())
    return r.error(pos_);
  if (end != "`\n")
    return fail(Errc::bad_value, pos_ + 58, "archive member: end of header");
  auto value = decimal(size);
  if (!value)
    return fail(Errc::bad_value, pos_ + 48, "archive member: size");
  header.size = *value;
  return header;
}

// A table that cannot be read leaves the members without their names, which
// each says for itself.
void Archive::read_long_names(const Header &header) {
  if (!names_.empty() || header.size > table_limit_)
    return;
  auto bytes =
      source_->read_up_to(header.at + kHeaderSize, header.size, names_buffer_);
  if (!bytes)
    return;
  names_ = as_text(*bytes);
  names_budget_ = kNameShare * names_.size();
}

Result<std::string> Archive::long_name(std::string_view digits) {
  auto at = decimal(digits);
  if (!at || *at >= names_.size())
    return fail(Errc::bad_value, 0, "archive member: offset of its long name");
  std::string_view rest = names_.substr(*at, name_limit_);
  std::size_t end = rest.find_first_of(std::string_view("\n\0", 2));
  if (end == std::string_view::npos && *at + rest.size() < names_.size())
    return fail(Errc::too_large, 0, "archive member: name (limit name_bytes)");
  std::string_view name = rest.substr(0, end);
  if (name.size() > names_budget_)
    return fail(Errc::too_large, 0,
                "archive member: names that share their bytes too often");
  names_budget_ -= name.size();
  if (name.ends_with('/'))
    name.remove_suffix(1);
  return std::string(name);
}

// Fills in the name and where the bytes begin, which BSD's names move.
Result<void> Archive::name_member(const Header &header, Member &member) {
  std::string_view raw = header.name;
  member.name = raw;
  if (raw.starts_with("#1/")) {
    auto length = decimal(raw.substr(3));
    if (!length || *length > member.size)
      return fail(Errc::bad_value, header.at, "archive member: length of name");
    if (*length > name_limit_)
      return fail(Errc::too_large, header.at,
                  "archive member: name (limit name_bytes)");
    Buffer scratch;
    GANTRY_TRY(Bytes bytes, source_->read(member.offset, *length, scratch));
    std::string_view name = as_text(bytes);
    member.name = name.substr(0, name.find('\0'));
    member.offset += *length;
    member.size -= *length;
  } else if (raw.starts_with('/') && raw.size() > 1) {
    auto name = long_name(raw.substr(1));
    if (!name) {
      Error error = std::move(name).error();
      error.offset = header.at;
      return std::unexpected(std::move(error));
    }
    member.name = std::move(*name);
  } else if (raw.ends_with('/')) {
    member.name.pop_back();
  }
  return {};
}

Result<std::optional<Member>> Archive::next() {
  while (pos_ < source_->size()) {
    auto header = read_header();
    if (!header) {
      pos_ = source_->size();
      return std::unexpected(std::move(header).error());
    }
    Member member;
    member.header_offset = header->at;
    member.offset = header->at + kHeaderSize;
    member.stored = !thin_ || is_table(header->name);
    const std::uint64_t left = source_->size() - member.offset;
    member.size = member.stored ? std::min(header->size, left) : header->size;
    // Headers stand at even offsets; the last byte of padding may be missing.
    pos_ = member.offset;
    if (member.stored)
      pos_ += std::min(left, member.size + member.size % 2);
    if (header->name == "//")
      read_long_names(*header);
    if (is_table(header->name))
      continue;
    if (auto named = name_member(*header, member); !named)
      member.damage = std::move(named).error();
    else if (is_table(member.name))
      continue; // BSD: "#1/20" and "__.SYMDEF SORTED"
    if (member.stored && header->size > left && !member.damage)
      member.damage =
          Error{Errc::truncated, header->at + 48, "archive member: bytes", {}};
    return member;
  }
  return std::nullopt;
}

} // namespace gantry::ar

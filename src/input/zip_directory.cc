// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zip
//
//   local header  "PK\3\4", version u16, flags u16, method u16, time u16,
//   (30)          date u16, crc u32, stored u32, size u32, name length u16,
//                 extra length u16, name, extra; then the stored bytes
//   entry         "PK\1\2", made by u16 (high byte 3: Unix), version u16, flags
//   (46)          u16, method u16, time u16, date u16, crc u32, stored u32,
//   size
//                 u32, name length u16, extra length u16, comment length u16,
//                 disk u16, internal u16, external u32 (Unix: mode in the upper
//                 half), local header's offset u32, name, extra, comment
//   end           "PK\5\6", disk u16, disk of directory u16, entries here u16,
//   (22)          entries u16, size of directory u32, offset u32, comment
//                 length u16, comment
//   zip64 end     "PK\6\6", size u64, made by u16, version u16, disk u32, disk
//   (56)          u32, entries here u64, entries u64, size u64, offset u64
//   zip64 locator "PK\6\7", disk u32, offset of zip64 end u64, disks u32, right
//   (20)          before the end
//
// A 32-bit field of ones stands in the extra field 1 as u64, in the order size,
// stored, offset. Flags: 1 encrypted, 8 sizes follow the bytes (then zero in
// the local header), 0x800 the name is UTF-8.
//
// Source: PKWARE's APPNOTE 6.3.10. Python's zipfile and pip go by the
// directory; so does this reader. libarchive unpacks the members, but would
// lose names that are not ASCII, and where members lie.

#include "input/zip_directory.h"

#include "base/error.h"

#include <algorithm>

namespace gantry::input {

namespace {

using namespace std::string_view_literals;

constexpr auto kLocal = "PK\3\4"sv, kEntry = "PK\1\2"sv, kEnd = "PK\5\6"sv,
               kEnd64 = "PK\6\6"sv, kLocator = "PK\6\7"sv;
constexpr std::uint64_t kLocalSize = 30, kEntrySize = 46, kEndSize = 22,
                        kEnd64Size = 56, kLocatorSize = 20;
constexpr std::uint16_t kSizesFollow = 8;

// Real files have none; each costs a look at 64 KB.
constexpr int kDamagedEntriesMax = 1000;

// A goal of a symbolic link is no longer on any system.
constexpr std::uint64_t kLinkMax = 4096;

bool unix_file(std::uint32_t external) {
  const std::uint32_t type = (external >> 16) & 0170000;
  return type == 0 || type == 0100000;
}

// The fields that did not fit.
void read_zip64(Bytes extra, bool size, bool stored, bool offset,
                ZipEntry &entry) {
  Reader r(extra);
  while (r.ok() && r.left() >= 4) {
    std::uint16_t id = r.u16("extra field: id");
    std::uint16_t length = r.u16("extra field: length");
    Reader field(r.bytes(length, "extra field"));
    if (id != 1)
      continue;
    auto read = [&](bool wanted, std::uint64_t &value) {
      if (wanted && field.left() >= 8)
        value = field.u64("extra field: zip64");
    };
    read(size, entry.size);
    read(stored, entry.stored_size);
    read(offset, entry.header_offset);
    return;
  }
}

} // namespace

Result<ZipDirectory> ZipDirectory::open(const Source &source) {
  Buffer scratch;
  GANTRY_TRY(Bytes start, source.read_up_to(0, 4, scratch));
  std::string_view magic = as_text(start);
  if (magic != kLocal && magic != kEnd)
    return fail(Errc::bad_magic, 0, "zip");
  ZipDirectory directory(source);
  directory.has_directory_ = directory.find_directory();
  if (!directory.has_directory_) {
    directory.end_ = source.size();
    directory.damage_ =
        Error{Errc::truncated,
              source.size(),
              "zip: no directory at the end; members are taken from their "
              "own headers",
              {}};
  }
  return directory;
}

// Takes the directory that ends at `end`, if there is one. Offsets do not count
// what was put before the archive.
bool ZipDirectory::directory_at(std::uint64_t end, std::uint64_t size,
                                std::uint64_t offset) {
  if (size > end)
    return false;
  Buffer scratch;
  for (std::uint64_t begin : {end - size, offset}) {
    if (begin > end || !fits(begin, size, end))
      continue;
    auto start = source_->read_up_to(begin, 4, scratch);
    if (size != 0 && (!start || as_text(*start) != kEntry))
      continue;
    pos_ = begin;
    end_ = begin + size;
    shift_ = begin > offset ? begin - offset : 0;
    return true;
  }
  return false;
}

bool ZipDirectory::find_directory() {
  const std::uint64_t total = source_->size();
  const std::uint64_t tail = std::min<std::uint64_t>(total, kEndSize + 0xffff);
  Buffer scratch, other;
  auto bytes = source_->read_up_to(total - tail, tail, scratch);
  if (!bytes)
    return false;
  std::string_view text = as_text(*bytes);
  // The last end record whose comment fills the file, else the last of all.
  for (bool exact : {true, false}) {
    std::size_t at = text.size();
    while (at > 0 &&
           (at = text.rfind(kEnd, at - 1)) != std::string_view::npos) {
      Reader r(bytes->subspan(at));
      r.skip(12, "end of directory");
      std::uint64_t size = r.u32("size of directory");
      std::uint64_t offset = r.u32("offset of directory");
      std::uint64_t comment = r.u16("length of comment");
      if (!r.ok() || (exact && comment != r.left()))
        continue;
      std::uint64_t end = total - tail + at;
      if (end >= kLocatorSize) {
        auto locator = source_->read(end - kLocatorSize, kLocatorSize, other);
        if (locator && as_text(*locator).starts_with(kLocator)) {
          Reader l(locator->subspan(8));
          std::uint64_t stated = l.u64("offset of zip64 end");
          // Right before the locator, or where it says.
          for (std::uint64_t from :
               {end - kLocatorSize - std::min(end - kLocatorSize, kEnd64Size),
                stated}) {
            auto end64 =
                source_->read_up_to(std::min(from, total), kEnd64Size, other);
            if (!end64 || !as_text(*end64).starts_with(kEnd64))
              continue;
            Reader e(*end64);
            e.skip(40, "zip64 end of directory");
            size = e.u64("size of directory");
            offset = e.u64("offset of directory");
            if (e.ok() && directory_at(from, size, offset))
              return true;
          }
        }
      }
      if (directory_at(end, size, offset))
        return true;
    }
  }
  return false;
}

Result<std::optional<ZipEntry>> ZipDirectory::next() {
  auto entry = has_directory_ ? next_in_directory() : next_local();
  // An entry that is damaged does not hide those behind it.
  for (int passed = 0; has_directory_ && !entry && passed < kDamagedEntriesMax;
       passed++) {
    if (!damage_)
      damage_ = entry.error();
    GANTRY_TRY(pos_, next_signature(pos_ + 1));
    entry = next_in_directory();
  }
  if (!entry)
    pos_ = end_; // nothing more can be found
  return entry;
}

Result<std::optional<ZipEntry>> ZipDirectory::next_in_directory() {
  if (pos_ >= end_)
    return std::nullopt;
  Buffer scratch;
  GANTRY_TRY(
      Bytes fixed,
      source_->read_up_to(pos_, std::min(kEntrySize, end_ - pos_), scratch));
  Reader r(fixed);
  if (r.text(4, "zip directory: entry") != kEntry)
    return r.ok() ? fail(Errc::corrupt, pos_, "zip directory: entry")
                  : r.error(pos_);
  ZipEntry entry;
  std::uint16_t made_by = r.u16("zip directory: made by");
  r.u16("zip directory: version");
  entry.flags = r.u16("zip directory: flags");
  entry.method = r.u16("zip directory: method");
  r.skip(4, "zip directory: time");
  entry.crc = r.u32("zip directory: checksum");
  std::uint32_t stored = r.u32("zip directory: stored size");
  std::uint32_t size = r.u32("zip directory: size");
  std::uint16_t name_length = r.u16("zip directory: length of name");
  std::uint16_t extra_length = r.u16("zip directory: length of extra field");
  std::uint16_t comment_length = r.u16("zip directory: length of comment");
  r.skip(4, "zip directory: disk and attributes");
  std::uint32_t external = r.u32("zip directory: attributes");
  std::uint32_t offset = r.u32("zip directory: offset");
  if (!r.ok())
    return r.error(pos_);
  const std::uint64_t rest =
      std::uint64_t{name_length} + extra_length + comment_length;
  if (!fits(pos_ + kEntrySize, rest, end_))
    return fail(Errc::truncated, pos_, "zip directory: entry");
  GANTRY_TRY(Bytes variable,
             source_->read(pos_ + kEntrySize,
                           std::uint64_t{name_length} + extra_length, scratch));
  entry.name = as_text(variable.first(name_length));
  entry.stored_size = stored;
  entry.size = size;
  entry.header_offset = offset;
  read_zip64(variable.subspan(name_length), size == UINT32_MAX,
             stored == UINT32_MAX, offset == UINT32_MAX, entry);
  if (entry.header_offset <= UINT64_MAX - shift_)
    entry.header_offset += shift_;
  // Attributes and names are claims; installers write out what has bytes. Those
  // of a link are its goal.
  const bool unix_made = made_by >> 8 == 3;
  const bool link = unix_made && (external >> 16 & 0170000) == 0120000;
  entry.is_file =
      (!entry.name.ends_with('/') && (!unix_made || unix_file(external))) ||
      entry.size > (link ? kLinkMax : 0);
  pos_ += kEntrySize + rest;
  return entry;
}

// The offset of the next local header, or of anything else that ends a member.
Result<std::uint64_t> ZipDirectory::next_signature(std::uint64_t from) const {
  constexpr std::uint64_t kWindow = 64 << 10;
  Buffer scratch;
  for (std::uint64_t at = from; at < end_;) {
    GANTRY_TRY(Bytes bytes, source_->read_up_to(at, kWindow, scratch));
    std::string_view text = as_text(bytes);
    std::size_t hit = 0;
    while ((hit = text.find("PK"sv, hit)) != std::string_view::npos) {
      std::string_view magic = text.substr(hit, 4);
      if (magic == kLocal || magic == kEntry || magic == "PK\7\10"sv)
        return at + hit;
      hit++;
    }
    if (bytes.size() < kWindow)
      break;
    at += kWindow - 3; // a signature may cross the seam
  }
  return end_;
}

Result<std::optional<ZipEntry>> ZipDirectory::next_local() {
  Buffer scratch;
  while (pos_ < end_) {
    GANTRY_TRY(Bytes fixed, source_->read_up_to(pos_, kLocalSize, scratch));
    Reader r(fixed);
    if (r.text(4, "zip: local header") != kLocal) {
      if (r.ok() && as_text(fixed).starts_with(kEntry))
        return std::nullopt; // what is left of the directory
      GANTRY_TRY(pos_, next_signature(pos_ + 1));
      continue;
    }
    ZipEntry entry;
    entry.header_offset = pos_;
    r.u16("zip: version");
    entry.flags = r.u16("zip: flags");
    entry.method = r.u16("zip: method");
    r.skip(4, "zip: time");
    entry.crc = r.u32("zip: checksum");
    std::uint32_t stored = r.u32("zip: stored size");
    std::uint32_t size = r.u32("zip: size");
    std::uint16_t name_length = r.u16("zip: length of name");
    std::uint16_t extra_length = r.u16("zip: length of extra field");
    if (!r.ok())
      return r.error(pos_);
    GANTRY_TRY(Bytes variable,
               source_->read(pos_ + kLocalSize,
                             std::uint64_t{name_length} + extra_length,
                             scratch));
    entry.name = as_text(variable.first(name_length));
    entry.stored_size = stored;
    entry.size = size;
    read_zip64(variable.subspan(name_length), size == UINT32_MAX,
               stored == UINT32_MAX, false, entry);
    entry.is_file = !entry.name.ends_with('/');
    const std::uint64_t data = pos_ + kLocalSize + variable.size();
    if ((entry.flags & kSizesFollow) != 0 && stored == 0) {
      GANTRY_TRY(std::uint64_t end, next_signature(data));
      entry.stored_size = end - data;
      pos_ = end;
    } else {
      pos_ = data + std::min(entry.stored_size, end_ - data);
    }
    return entry;
  }
  return std::nullopt;
}

Result<std::uint64_t> ZipDirectory::data_offset(const ZipEntry &entry) const {
  Buffer scratch;
  auto fixed = source_->read_up_to(
      std::min(entry.header_offset, source_->size()), kLocalSize, scratch);
  if (!fixed)
    return std::unexpected(std::move(fixed).error());
  Reader r(*fixed);
  std::string_view magic = r.text(4, "zip: local header");
  r.skip(2, "zip: local header");
  const std::uint16_t flags = r.u16("zip: local header");
  r.skip(10, "zip: local header");
  const std::uint32_t stored = r.u32("zip: local header");
  const std::uint32_t size = r.u32("zip: local header");
  std::uint16_t name_length = r.u16("zip: length of name");
  std::uint16_t extra_length = r.u16("zip: length of extra field");
  if (!r.ok())
    return r.error(entry.header_offset);
  if (magic != kLocal)
    return fail(Errc::corrupt, entry.header_offset, "zip: local header");
  const std::uint64_t name_offset = entry.header_offset + kLocalSize;
  auto name = source_->read_up_to(name_offset, name_length, scratch);
  if (!name || as_text(*name) != entry.name)
    return fail(Errc::corrupt, name_offset,
                "zip: the local header has another name than the directory");
  const bool stated =
      (flags & kSizesFollow) == 0 && stored != UINT32_MAX && size != UINT32_MAX;
  if (stated && (stored != entry.stored_size || size != entry.size))
    return fail(Errc::corrupt, entry.header_offset + 18,
                "zip: the local header has another size than the directory");
  const std::uint64_t data = name_offset + name_length + extra_length;
  if (data > source_->size())
    return fail(Errc::truncated, name_offset, "zip: local header");
  return data;
}

} // namespace gantry::input

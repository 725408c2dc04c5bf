// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members of a zip, in the order of its directory. Each is unpacked on its own:
// libarchive gets a local header that is written here out of the directory, and
// the member's bytes behind it. So the directory alone decides, and libarchive
// compares sizes and checksum with it.

#include "input/zip_package.h"

#include "base/decompress.h"
#include "base/error.h"
#include "input/stream_package.h"
#include "input/zip_directory.h"

#include <algorithm>

namespace gantry::input {

namespace {

constexpr std::uint16_t kDeflate = 8;
constexpr std::uint16_t kSizesFollow = 8;
// The record behind a member whose sizes are not known beforehand.
constexpr std::uint64_t kDescriptorMax = 24;
// Enough deflate data for Package::kStart bytes, tables of codes included.
constexpr std::uint64_t kDeflateStart = 2048;

std::string_view method_word(std::uint16_t method) {
  switch (method) {
  case 0:
    return "none";
  case 8:
    return "deflate";
  case 9:
    return "deflate64";
  case 12:
    return "bzip2";
  case 14:
    return "lzma";
  case 93:
    return "zstd";
  case 95:
    return "xz";
  case 98:
    return "ppmd";
  }
  return "unknown";
}

void put(std::string &out, std::uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    out.push_back(static_cast<char>(value >> (8 * i)));
}

std::string local_header(const ZipEntry &e, bool sizes_follow) {
  const bool large = e.size >= UINT32_MAX || e.stored_size >= UINT32_MAX;
  std::string out("PK\3\4");
  put(out, large ? 45 : 20, 2);
  // Bits 1 and 2 belong to the method.
  put(out, (e.flags & 6) | (sizes_follow ? kSizesFollow : 0), 2);
  put(out, e.method, 2);
  put(out, 0, 4); // time
  put(out, sizes_follow ? 0 : e.crc, 4);
  put(out, sizes_follow ? 0 : large ? UINT32_MAX : e.stored_size, 4);
  put(out, sizes_follow ? 0 : large ? UINT32_MAX : e.size, 4);
  put(out, 1, 2); // length of name
  put(out, large && !sizes_follow ? 20 : 0, 2);
  out += "m";
  if (large && !sizes_follow) {
    put(out, 1, 2);
    put(out, 16, 2);
    put(out, e.size, 8);
    put(out, e.stored_size, 8);
  }
  return out;
}

Result<Content> read_slice(const Source &slice, StreamSetup setup,
                           GrowingBuffer &buffer, const Allowance &allowance) {
  GANTRY_TRY(auto stream, Stream::open(slice, std::move(setup)));
  GANTRY_TRY(auto entry, stream->next());
  if (!entry)
    return fail(Errc::corrupt, 0, "zip: no member");
  return read_entry(*stream, buffer, allowance);
}

// An error whose offset counted from `offset` on.
Error moved_by(Error error, std::uint64_t offset) {
  error.offset += offset;
  return error;
}

class ZipPackage final : public Package {
public:
  ZipPackage(const Source &source, ZipDirectory directory, Settings settings)
      : source_(source), directory_(std::move(directory)),
        settings_(std::move(settings)) {}

  std::string_view format() const override { return "zip"; }
  std::uint64_t position() const override { return position_; }
  Result<std::optional<Member>> next() override;
  std::optional<Bytes> start() override;
  Result<Content> read(GrowingBuffer &buffer,
                       const Allowance &allowance) override;

private:
  const Source &source_;
  ZipDirectory directory_;
  Settings settings_;
  std::uint64_t position_ = 0; // end of the member read last
  ZipEntry entry_;
  // Where its bytes begin; the error when nobody can tell.
  Result<std::uint64_t> data_ = std::uint64_t{0};
  Buffer stored_start_, start_;
  bool told_damage_ = false;
};

Result<std::optional<Member>> ZipPackage::next() {
  for (;;) {
    GANTRY_TRY(std::optional<ZipEntry> entry, directory_.next());
    if (!entry && directory_.damage() && !told_damage_) {
      told_damage_ = true;
      return std::unexpected(*directory_.damage());
    }
    if (!entry)
      return std::nullopt;
    if (!entry->is_file)
      continue;
    entry_ = std::move(*entry);
    data_ = directory_.data_offset(entry_);
    Member member;
    member.name = entry_.name;
    member.size = entry_.size;
    member.compression = method_word(entry_.method);
    if (data_)
      member.stored =
          Stored{*data_, std::min(entry_.stored_size, source_.size() - *data_)};
    return member;
  }
}

std::optional<Bytes> ZipPackage::start() {
  if (!data_ || entry_.encrypted())
    return std::nullopt;
  const std::uint64_t wanted = entry_.method == 0 ? kStart : kDeflateStart;
  auto stored = source_.read_up_to(*data_, std::min(wanted, entry_.stored_size),
                                   stored_start_);
  if (!stored)
    return std::nullopt;
  if (entry_.method == 0)
    return *stored;
  if (entry_.method != kDeflate)
    return std::nullopt;
  auto bytes = inflate_start(*stored, kStart, start_);
  if (!bytes)
    return std::nullopt;
  return *bytes;
}

Result<Content> ZipPackage::read(GrowingBuffer &buffer,
                                 const Allowance &allowance) {
  GANTRY_TRY(std::uint64_t data, data_);
  if (entry_.encrypted())
    return fail(Errc::unsupported, entry_.header_offset, "encrypted member");
  // Only members that were found without a directory have sizes behind them.
  const bool sizes_follow = !directory_.has_directory() &&
                            (entry_.flags & kSizesFollow) != 0 &&
                            entry_.size == 0;
  std::uint64_t stored = std::min(entry_.stored_size, source_.size() - data);
  position_ = std::max(position_, data + stored);
  if (sizes_follow)
    stored = std::min(stored + kDescriptorMax, source_.size() - data);
  SliceSource slice(source_, data, stored);
  StreamSetup setup;
  setup.holds = StreamSetup::Holds::zip_member;
  setup.head = local_header(entry_, sizes_follow);
  setup.stop = settings_.stop;
  auto content = read_slice(slice, std::move(setup), buffer, allowance);
  if (!content)
    return std::unexpected(moved_by(std::move(content).error(), data));
  if (content->damage)
    content->damage = moved_by(*std::move(content->damage), data);
  return content;
}

} // namespace

Result<std::unique_ptr<Package>> open_zip(const Source &source,
                                          const Settings &settings) {
  GANTRY_TRY(ZipDirectory directory, ZipDirectory::open(source));
  return std::make_unique<ZipPackage>(source, std::move(directory), settings);
}

} // namespace gantry::input

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rpm
//
//   lead, 96 bytes, "\xed\xab\xee\xdb"; then two headers, each
//   "\x8e\xad\xe8\1", 4 bytes, number of entries u32, bytes of data u32 (both
//   big-endian), entries of 16 bytes, data; the first is padded to a multiple
//   of 8. What follows is a cpio, compressed as a rule.
//
// Source: the format as the manual of rpm describes it (version 4).

#include "input/stream_package.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <bit>

namespace gantry::input {

namespace {

std::uint64_t big_u32(Reader &r, const char *what) {
  return std::byteswap(r.u32(what));
}

// Where the payload of an rpm begins.
Result<std::uint64_t> rpm_payload(const Source &source) {
  constexpr std::uint64_t kLead = 96, kHeader = 16;
  std::uint64_t at = kLead;
  Buffer scratch;
  for (int header = 0; header < 2; header++) {
    GANTRY_TRY(Bytes bytes, source.read_up_to(std::min(at, source.size()),
                                              kHeader, scratch));
    Reader r(bytes);
    std::string_view magic = r.text(4, "rpm header");
    r.skip(4, "rpm header");
    std::uint64_t entries = big_u32(r, "rpm header: entries");
    std::uint64_t data = big_u32(r, "rpm header: size");
    if (!r.ok())
      return r.error(at);
    if (magic != "\x8e\xad\xe8\x01")
      return fail(Errc::corrupt, at, "rpm header");
    at += kHeader + 16 * entries + data;
    if (header == 0)
      at += (8 - at % 8) % 8;
  }
  if (at > source.size())
    return fail(Errc::truncated, source.size(), "rpm header");
  return at;
}

// "lib.so" of "folder/lib.so.gz".
std::string unpacked_name(std::string_view name) {
  constexpr std::array<std::string_view, 7> kSuffixes = {
      ".gz", ".bz2", ".xz", ".lzma", ".zst", ".zstd", ".lz4"};
  name = name.substr(name.rfind('/') + 1);
  for (std::string_view suffix : kSuffixes)
    if (name.size() > suffix.size() && name.ends_with(suffix))
      return std::string(name.substr(0, name.size() - suffix.size()));
  return "data";
}

class StreamPackage final : public Package {
public:
  StreamPackage(const Source &source, std::uint64_t begin,
                std::string_view format, std::string_view name)
      : slice_(source, begin, source.size() - begin), begin_(begin),
        format_(format), name_(name) {}
  Result<void> open(StreamSetup setup);

  std::string_view format() const override { return format_; }
  std::uint64_t position() const override {
    return begin_ + stream_->position();
  }
  Result<std::optional<Member>> next() override;
  std::optional<Bytes> start() override;
  Result<Content> read(GrowingBuffer &buffer,
                       const Allowance &allowance) override;

private:
  Result<std::string_view> inner_format(StreamSetup setup) const;

  SliceSource slice_;
  std::uint64_t begin_;
  std::string_view format_;
  std::string_view codec_;
  std::string name_;
  std::unique_ptr<Stream> stream_;
  bool one_file_ = false;
  bool encrypted_ = false;
  GrowingBuffer start_;
  std::optional<Error> start_damage_;
};

// What the codec puts out tells whether it is a package.
Result<std::string_view> StreamPackage::inner_format(StreamSetup setup) const {
  setup.holds = StreamSetup::Holds::one_file;
  GANTRY_TRY(auto stream, Stream::open(slice_, std::move(setup)));
  GANTRY_TRY(auto entry, stream->next());
  GrowingBuffer start;
  while (entry && start.size() < kPackageStart) {
    GANTRY_TRY(bool more, stream->more(start, kPackageStart - start.size()));
    if (!more)
      break;
  }
  // Codecs take a magic without sense behind it for the end.
  if (start.size() == 0)
    return fail(Errc::bad_magic, 0, "nothing is compressed there");
  std::string_view format = package_format(start.bytes(), {});
  return format == "tar" || format == "cpio" ? format : "";
}

Result<void> StreamPackage::open(StreamSetup setup) {
  codec_ = setup.codec;
  if (setup.codec != "none" && format_ != "rpm") {
    GANTRY_TRY(std::string_view inner, inner_format(setup));
    if (!inner.empty())
      format_ = inner;
  }
  using Holds = StreamSetup::Holds;
  setup.holds = format_ == "tar"                        ? Holds::tar
                : format_ == "cpio" || format_ == "rpm" ? Holds::cpio
                : format_ == "7z"                       ? Holds::seven_zip
                                                        : Holds::one_file;
  one_file_ = setup.holds == Holds::one_file;
  auto stream = Stream::open(slice_, std::move(setup));
  if (!stream) {
    Error error = std::move(stream).error();
    // The first bytes were those of the format.
    if (error.code == Errc::bad_magic)
      error.code = Errc::corrupt;
    return std::unexpected(std::move(error));
  }
  stream_ = *std::move(stream);
  return {};
}

Result<std::optional<Member>> StreamPackage::next() {
  start_.clear();
  start_damage_.reset();
  for (;;) {
    auto entry = stream_->next();
    if (!entry) {
      Error error = std::move(entry).error();
      error.offset += begin_;
      return std::unexpected(std::move(error));
    }
    if (!*entry)
      return std::nullopt;
    if (!(*entry)->is_file)
      continue;
    encrypted_ = (*entry)->encrypted;
    Member member;
    member.name = one_file_ ? unpacked_name(name_) : std::move((*entry)->name);
    member.size = (*entry)->size;
    if (one_file_) {
      member.stored = Stored{begin_, slice_.size()};
      member.compression = codec_;
    }
    if (codec_ == "none" && format_ != "7z" && member.size) {
      start();
      if (auto offset = stream_->entry_offset();
          offset && fits(*offset, *member.size, slice_.size()))
        member.stored = Stored{begin_ + *offset, *member.size};
    }
    return member;
  }
}

std::optional<Bytes> StreamPackage::start() {
  while (start_.size() < kStart) {
    auto more = stream_->more(start_, kStart - start_.size());
    if (!more)
      start_damage_ = std::move(more).error();
    if (start_damage_ || !*more)
      break;
  }
  return start_.bytes();
}

Result<Content> StreamPackage::read(GrowingBuffer &buffer,
                                    const Allowance &allowance) {
  if (encrypted_)
    return fail(Errc::unsupported, position(), "encrypted member");
  GANTRY_CHECK(buffer.append(start_.bytes()));
  if (start_damage_)
    return Content{std::make_unique<MemorySource>(buffer.bytes()),
                   start_damage_};
  return read_entry(*stream_, buffer, allowance);
}

} // namespace

Result<Content> read_entry(Stream &stream, GrowingBuffer &buffer,
                           const Allowance &allowance) {
  Content content;
  while (!content.damage) {
    // One byte more than is allowed shows that it is too much.
    if (buffer.size() > allowance.bytes)
      return fail(Errc::too_large, stream.position(),
                  std::string(allowance.refusal));
    std::uint64_t left = allowance.bytes - buffer.size();
    auto more = stream.more(buffer, std::max(left, left + 1));
    if (!more)
      content.damage = std::move(more).error();
    else if (!*more)
      break;
  }
  content.source = std::make_unique<MemorySource>(buffer.bytes());
  return content;
}

Result<std::unique_ptr<Package>> open_stream(const Source &source,
                                             std::string_view format,
                                             std::string_view name,
                                             const Settings &settings) {
  StreamSetup setup;
  setup.output_bytes = settings.unpacked_bytes;
  setup.stop = settings.stop;
  std::uint64_t begin = 0;
  if (format == "rpm") {
    GANTRY_TRY(begin, rpm_payload(source));
    Buffer scratch;
    GANTRY_TRY(Bytes start, source.read_up_to(begin, kPackageStart, scratch));
    // Its own compression; old ones have lzma, which has no magic.
    std::string_view inner = package_format(start, ".lzma");
    setup.codec = inner == "cpio" || inner.empty() ? "none" : inner;
  } else if (format != "tar" && format != "cpio" && format != "7z") {
    setup.codec = format;
  }
  auto package = std::make_unique<StreamPackage>(source, begin, format, name);
  GANTRY_CHECK(package->open(std::move(setup)));
  return package;
}

} // namespace gantry::input

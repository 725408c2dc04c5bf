// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of libarchive (3.6) had to be kept in check:
// - It guesses codecs one after the other, up to 25, and each may unfold what
//   the one before put out. Here the codec is given.
// - It guesses formats, and takes a file that begins with zeros for an empty
//   tar. Here the format is given, too.
// - A header can make it skip over any amount of what a codec puts out. The
//   bytes it has passed are compared with the limit each time it wants input.
// - Names that are Unicode by declaration are converted into the locale and
//   normalised on the way. In the locale "C" whatever is not ASCII cannot be
//   converted, and tar then keeps the bytes as they are; zip does not, so its
//   directory is read by our own reader; 7z has UTF-16 and gets UTF-8. The
//   locale is set for the calling thread and the call only.
// - Codecs keep dictionaries of the size that a header names; that is address
//   space until bytes come.

#include "input/stream.h"

#include "base/error.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cstring>

namespace gantry::input {

namespace {

// Small, since codecs can unfold it many thousand times between two checks.
constexpr std::uint64_t kChunk = 64 << 10;
// Holes of sparse files are filled in steps of this.
constexpr std::uint64_t kHole = std::uint64_t{1} << 20;

// The calling thread's locale while libarchive is at work.
class LocaleScope {
public:
  explicit LocaleScope(locale_t wanted)
      : before_(wanted ? uselocale(wanted) : nullptr) {}
  ~LocaleScope() {
    if (before_)
      uselocale(before_);
  }
  LocaleScope(const LocaleScope &) = delete;
  LocaleScope &operator=(const LocaleScope &) = delete;

private:
  locale_t before_;
};

locale_t locale_for(StreamSetup::Holds holds) {
  locale_t utf8 = holds == StreamSetup::Holds::seven_zip
                      ? newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)
                      : nullptr;
  return utf8 ? utf8 : newlocale(LC_CTYPE_MASK, "C", nullptr);
}

int code_of(std::string_view codec) {
  if (codec == "gzip")
    return ARCHIVE_FILTER_GZIP;
  if (codec == "bzip2")
    return ARCHIVE_FILTER_BZIP2;
  if (codec == "xz")
    return ARCHIVE_FILTER_XZ;
  if (codec == "lzma")
    return ARCHIVE_FILTER_LZMA;
  if (codec == "zstd")
    return ARCHIVE_FILTER_ZSTD;
  if (codec == "lz4")
    return ARCHIVE_FILTER_LZ4;
  return ARCHIVE_FILTER_NONE;
}

int support_formats(archive *a, StreamSetup::Holds holds) {
  switch (holds) {
  case StreamSetup::Holds::tar:
    return archive_read_support_format_tar(a);
  case StreamSetup::Holds::cpio:
    return std::min(archive_read_support_format_cpio(a),
                    archive_read_support_format_empty(a));
  case StreamSetup::Holds::one_file:
    return std::min(archive_read_support_format_raw(a),
                    archive_read_support_format_empty(a));
  case StreamSetup::Holds::seven_zip:
    return archive_read_support_format_7zip(a);
  case StreamSetup::Holds::zip_member:
    return archive_read_support_format_zip_streamable(a);
  }
  return ARCHIVE_FATAL;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// libarchive's errors are sentences.
Errc code_of_message(std::string_view text, int number) {
  if (number == ENOMEM)
    return Errc::too_large;
  if (has(text, "ncrypt") || has(text, "assphrase") ||
      has(text, "nsupported") || has(text, "not supported"))
    return Errc::unsupported;
  if (has(text, "runcated") || has(text, "remature"))
    return Errc::truncated;
  return Errc::corrupt;
}

} // namespace

struct Stream::State {
  State(const Source &whole, StreamSetup wanted)
      : source(whole), setup(std::move(wanted)),
        locale(locale_for(setup.holds)), handle(archive_read_new()) {}
  ~State() {
    {
      LocaleScope scope(locale);
      archive_read_free(handle);
    }
    if (locale)
      freelocale(locale);
  }

  std::uint64_t total() const { return setup.head.size() + source.size(); }
  Bytes chunk();
  Error error_now();
  Result<void> open();
  Result<void> next_block();

  const Source &source;
  StreamSetup setup;
  locale_t locale;
  archive *handle;
  Buffer buffer;
  Bytes present;                // what the last read handed out
  std::uint64_t position = 0;   // in head and source, behind it
  std::optional<Error> refusal; // why a callback failed
  std::optional<Error> ended;   // why there is nothing more at all
  // What a codec said at the very first bytes; libarchive then takes them for
  // an empty file.
  std::optional<Error> first_error;
  std::optional<Error> skipped; // why a header was passed over, the first

  // The block of the entry that is under way.
  Bytes block;
  std::uint64_t block_at = 0; // its offset in the entry
  std::uint64_t entry_at = 0; // bytes handed out
  bool entry_open = false;
  bool entry_sparse = false;
  std::optional<std::uint64_t> entry_offset; // in head and source
  std::optional<Error> entry_damage;         // comes after the block

  static la_ssize_t read(archive *, void *data, const void **out);
  static la_int64_t skip(archive *, void *data, la_int64_t count);
  static la_int64_t seek(archive *, void *data, la_int64_t offset, int whence);
};

// The next bytes; none at the end, or when there is a refusal.
Bytes Stream::State::chunk() {
  if (setup.stop.stop_requested()) {
    refusal = Error{Errc::interrupted, 0, "interrupted", {}};
    return {};
  }
  if (setup.codec != "none" &&
      static_cast<std::uint64_t>(std::max<la_int64_t>(
          0, archive_filter_bytes(handle, 0))) > setup.output_bytes) {
    refusal = Error{
        Errc::too_large, 0, "all members together (limit decoded_ratio)", {}};
    return {};
  }
  const std::uint64_t head = setup.head.size();
  if (position < head)
    return as_bytes(setup.head).subspan(position);
  auto bytes = source.read_up_to(position - head, kChunk, buffer);
  if (!bytes) {
    refusal = std::move(bytes).error();
    return {};
  }
  return *bytes;
}

la_ssize_t Stream::State::read(archive *a, void *data, const void **out) {
  auto &state = *static_cast<State *>(data);
  Bytes bytes = state.chunk();
  if (state.refusal) {
    archive_set_error(a, EIO, "%s", "input refused");
    return -1;
  }
  state.position += bytes.size();
  state.present = bytes;
  *out = bytes.data();
  return static_cast<la_ssize_t>(bytes.size());
}

la_int64_t Stream::State::skip(archive *, void *data, la_int64_t count) {
  auto &state = *static_cast<State *>(data);
  std::uint64_t left = state.total() - state.position;
  std::uint64_t step = std::min(
      left, static_cast<std::uint64_t>(std::max<la_int64_t>(0, count)));
  state.position += step;
  return static_cast<la_int64_t>(step);
}

la_int64_t Stream::State::seek(archive *, void *data, la_int64_t offset,
                               int whence) {
  auto &state = *static_cast<State *>(data);
  const auto total = static_cast<la_int64_t>(state.total());
  la_int64_t base = whence == SEEK_SET ? 0
                    : whence == SEEK_END
                        ? total
                        : static_cast<la_int64_t>(state.position);
  if (offset < -base || offset > total - base)
    return ARCHIVE_FATAL;
  state.position = static_cast<std::uint64_t>(base + offset);
  return base + offset;
}

Error Stream::State::error_now() {
  if (refusal)
    return *refusal;
  const char *text = archive_error_string(handle);
  std::string what = text ? text : "unknown damage";
  Errc code = code_of_message(what, archive_errno(handle));
  const std::uint64_t head = setup.head.size();
  return {code, position > head ? position - head : 0, std::move(what), {}};
}

Result<void> Stream::State::open() {
  if (!handle)
    return fail(Errc::too_large, 0, "out of memory");
  LocaleScope scope(locale);
  int code = code_of(setup.codec);
  if (support_formats(handle, setup.holds) < ARCHIVE_WARN ||
      (code != ARCHIVE_FILTER_NONE &&
       archive_read_append_filter(handle, code) < ARCHIVE_WARN))
    return fail(Errc::unsupported, 0,
                "libarchive was built without this format");
  archive_read_set_read_callback(handle, read);
  archive_read_set_skip_callback(handle, skip);
  if (setup.holds == StreamSetup::Holds::seven_zip)
    archive_read_set_seek_callback(handle, seek);
  archive_read_set_callback_data(handle, this);
  if (archive_read_open1(handle) < ARCHIVE_WARN) {
    Error error = error_now();
    if (has(error.what, "Unrecognized archive format"))
      error.code = Errc::bad_magic;
    return std::unexpected(std::move(error));
  }
  if (archive_errno(handle) != 0)
    first_error = error_now();
  return {};
}

// Makes `block` the next one of the entry, or ends the entry.
Result<void> Stream::State::next_block() {
  if (entry_damage) {
    entry_open = false;
    return std::unexpected(*std::exchange(entry_damage, std::nullopt));
  }
  LocaleScope scope(locale);
  const void *data = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  int status = archive_read_data_block(handle, &data, &size, &offset);
  if (status == ARCHIVE_EOF) {
    entry_open = false;
    return {};
  }
  if (status < ARCHIVE_WARN) {
    entry_open = false;
    Error error = error_now();
    if (status == ARCHIVE_FATAL)
      ended = error;
    return std::unexpected(std::move(error));
  }
  // A warning is a wrong checksum or size; the bytes are there.
  if (status == ARCHIVE_WARN)
    entry_damage = error_now();
  block = Bytes(static_cast<const std::byte *>(data), data ? size : 0);
  block_at = static_cast<std::uint64_t>(std::max<la_int64_t>(0, offset));
  if (block_at < entry_at) {
    entry_open = false;
    block = {};
    return fail(Errc::corrupt, 0, "parts of a sparse file out of order");
  }
  // Without a codec blocks are parts of what was read.
  auto at = std::bit_cast<std::uintptr_t>(block.data()) -
            std::bit_cast<std::uintptr_t>(present.data());
  if (setup.codec == "none" && entry_at == 0 && block_at == 0 &&
      !entry_sparse && fits(at, block.size(), present.size()))
    entry_offset = position - present.size() + at;
  return {};
}

Stream::Stream(std::unique_ptr<State> state) : state_(std::move(state)) {}
Stream::~Stream() = default;

Result<std::unique_ptr<Stream>> Stream::open(const Source &source,
                                             StreamSetup setup) {
  auto state = std::make_unique<State>(source, std::move(setup));
  GANTRY_CHECK(state->open());
  return std::unique_ptr<Stream>(new Stream(std::move(state)));
}

Result<std::optional<Entry>> Stream::next() {
  State &s = *state_;
  if (s.ended)
    return std::unexpected(*s.ended);
  LocaleScope scope(s.locale);
  archive_entry *header = nullptr;
  int status = archive_read_next_header(s.handle, &header);
  // A header that is damaged is passed over, and told at the end.
  while (status == ARCHIVE_RETRY && !s.setup.stop.stop_requested()) {
    if (!s.skipped)
      s.skipped = s.error_now();
    status = archive_read_next_header(s.handle, &header);
  }
  s.block = {};
  s.entry_at = s.block_at = 0;
  s.entry_damage.reset();
  s.entry_open = false;
  if (status == ARCHIVE_EOF) {
    if (auto error = std::exchange(s.first_error, std::nullopt))
      return std::unexpected(*std::move(error));
    if (auto error = std::exchange(s.skipped, std::nullopt))
      return std::unexpected(*std::move(error));
    return std::nullopt;
  }
  s.first_error.reset();
  // Warnings are about owners, times and links.
  if (status < ARCHIVE_WARN) {
    s.ended = s.error_now();
    return std::unexpected(*s.ended);
  }
  s.entry_open = true;
  s.entry_offset.reset();
  s.entry_sparse = archive_entry_sparse_count(header) != 0;
  Entry entry;
  if (const char *name = archive_entry_pathname(header))
    entry.name = name;
  if (archive_entry_size_is_set(header))
    entry.size = static_cast<std::uint64_t>(
        std::max<la_int64_t>(0, archive_entry_size(header)));
  // The last of several links in a cpio has the bytes.
  entry.is_file =
      archive_entry_filetype(header) == AE_IFREG &&
      (!archive_entry_hardlink(header) || entry.size.value_or(0) != 0);
  entry.encrypted = archive_entry_is_encrypted(header) != 0;
  return entry;
}

Result<bool> Stream::more(GrowingBuffer &out, std::uint64_t most) {
  State &s = *state_;
  while (s.entry_open && s.block.empty() && s.block_at <= s.entry_at)
    GANTRY_CHECK(s.next_block());
  if (!s.entry_open || most == 0)
    return s.entry_open;
  if (s.block_at > s.entry_at) { // a hole
    std::uint64_t size = std::min({s.block_at - s.entry_at, most, kHole});
    GANTRY_TRY(std::span<std::byte> room, out.room(size));
    std::ranges::fill(room, std::byte{0});
    out.add(room.size());
    s.entry_at += room.size();
    return true;
  }
  GANTRY_TRY(std::span<std::byte> room,
             out.room(std::min<std::uint64_t>(most, s.block.size())));
  std::memcpy(room.data(), s.block.data(), room.size());
  out.add(room.size());
  s.entry_at += room.size();
  s.block_at += room.size();
  s.block = s.block.subspan(room.size());
  return true;
}

std::optional<std::uint64_t> Stream::entry_offset() const {
  const auto &offset = state_->entry_offset;
  const std::uint64_t head = state_->setup.head.size();
  if (!offset || *offset < head)
    return std::nullopt;
  return *offset - head;
}

std::uint64_t Stream::position() const {
  const std::uint64_t head = state_->setup.head.size();
  return state_->position > head ? state_->position - head : 0;
}

} // namespace gantry::input

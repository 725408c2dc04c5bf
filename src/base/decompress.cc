// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/decompress.h"

#include <fmt/core.h>
#include <lz4.h>
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace gantry {

namespace {

constexpr std::uint64_t kPaddingMax = 7;
// Each byte of an LZ4 block can announce at most 255 bytes of output.
constexpr std::uint64_t kLz4Expansion = 255;
constexpr std::uint64_t kLz4Slack = 64;

std::unexpected<Error> corrupt(Codec codec, std::string_view what) {
  return fail(Errc::corrupt, 0, fmt::format("{} data: {}", word(codec), what));
}

std::unexpected<Error> left_over(Codec codec, std::uint64_t offset,
                                 std::uint64_t count) {
  return fail(Errc::corrupt, offset,
              fmt::format("{} data: {} bytes left over", word(codec), count));
}

bool is_padding(Bytes rest) {
  return rest.size() <= kPaddingMax &&
         std::ranges::all_of(rest,
                             [](std::byte b) { return b == std::byte{0}; });
}

Result<void> check_sizes(std::uint64_t encoded, std::uint64_t decoded,
                         const Limits &limits) {
  if (decoded > limits.decoded_bytes)
    return fail(Errc::too_large, 0,
                fmt::format("{} decoded bytes (limit decoded_bytes)", decoded));
  if (decoded > limits.ratio_floor &&
      decoded / std::max<std::uint64_t>(limits.decoded_ratio, 1) > encoded)
    return fail(Errc::too_large, 0,
                fmt::format("{} bytes that decode to {} (limit decoded_ratio)",
                            encoded, decoded));
  return {};
}

// Where an LZ4 block ends that decodes to exactly `decoded_size` bytes, and may
// have padding behind it: walks the sequences without decoding them. The
// library cannot tell. It takes more time than decoding, so it comes second.
//
//   token: u4 literals, u4 match; 15 is extended by bytes up to one < 255
//   literals; then u16 match offset, extension of the match; match counts + 4.
//   The last sequence ends after its literals.
std::optional<std::uint64_t> lz4_block_end(Bytes input,
                                           std::uint64_t decoded_size) {
  Reader r(input);
  auto extended = [&](std::uint64_t length) {
    if (length == 15) {
      std::uint8_t more = 255;
      while (more == 255) { // a failed read gives 0
        more = r.u8("length");
        length += more;
      }
    }
    return length;
  };
  for (std::uint64_t out = 0; r.ok();) {
    std::uint8_t token = r.u8("token");
    std::uint64_t literals = extended(token >> 4);
    r.skip(literals, "literals");
    if (!r.ok() || !fits(out, literals, decoded_size))
      break;
    out += literals;
    if (out == decoded_size)
      return r.pos();
    std::uint64_t offset = r.u16("offset");
    std::uint64_t match = extended(token & 15) + 4;
    if (!r.ok() || offset == 0 || offset > out ||
        !fits(out, match, decoded_size))
      break;
    out += match;
  }
  return std::nullopt;
}

// Where a decoder writes to, as liblz4 wants it.
char *as_chars(std::span<std::byte> to) {
  return static_cast<char *>(static_cast<void *>(to.data()));
}

Result<Bytes> decode_lz4_block(Bytes input, std::uint64_t decoded_size,
                               Buffer &out) {
  constexpr Codec codec = Codec::lz4_block;
  constexpr std::uint64_t api_max = std::numeric_limits<int>::max();
  if (decoded_size > api_max || input.size() > api_max)
    return fail(Errc::unsupported, 0, "lz4-block data of more than 2 GiB");
  if (decoded_size > kLz4Slack &&
      (decoded_size - kLz4Slack) / kLz4Expansion > input.size())
    return corrupt(codec, "cannot hold the declared size");
  GANTRY_TRY(auto to, out.reserve(decoded_size));
  auto decodes = [&](Bytes block) {
    char none = 0; // the library wants a place even for no bytes
    int done = LZ4_decompress_safe(
        as_text(block).data(), decoded_size == 0 ? &none : as_chars(to),
        static_cast<int>(block.size()), static_cast<int>(decoded_size));
    return done >= 0 && static_cast<std::uint64_t>(done) == decoded_size;
  };
  if (decodes(input))
    return to;
  auto end = lz4_block_end(input, decoded_size);
  if (end && !is_padding(input.subspan(*end)))
    return left_over(codec, *end, input.size() - *end);
  if (!end || !decodes(input.first(*end)))
    return corrupt(codec, "damaged, or another size than declared");
  return to;
}

using Lz4Frame = std::unique_ptr<LZ4F_dctx, decltype([](LZ4F_dctx *c) {
                                   LZ4F_freeDecompressionContext(c);
                                 })>;

// One frame, or several one after the other.
Result<Bytes> decode_lz4_frame(Bytes input, std::uint64_t decoded_size,
                               Buffer &out) {
  constexpr Codec codec = Codec::lz4_frame;
  LZ4F_dctx *raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)))
    return fail(Errc::too_large, 0, "out of memory");
  Lz4Frame context(raw);
  LZ4F_frameInfo_t info{};
  std::size_t in = input.size();
  std::size_t hint = LZ4F_getFrameInfo(context.get(), &info, input.data(), &in);
  if (LZ4F_isError(hint))
    return corrupt(codec, LZ4F_getErrorName(hint));
  if (info.contentSize > decoded_size)
    return corrupt(codec, "another size than declared");
  GANTRY_TRY(auto to, out.reserve(decoded_size));
  // A damaged frame may make the library copy bytes that it has not written;
  // without this they would be those of an earlier payload.
  std::ranges::fill(to, std::byte{0});
  LZ4F_decompressOptions_t options{};
  options.stableDst = 1; // the whole output stays where it is: no history copy
  std::uint64_t written = 0;
  while (hint != 0 || !is_padding(input.subspan(in))) {
    std::size_t take = input.size() - in;
    std::size_t room = decoded_size - written;
    hint = LZ4F_decompress(context.get(), to.data() + written, &room,
                           input.data() + in, &take, &options);
    if (LZ4F_isError(hint))
      return corrupt(codec, LZ4F_getErrorName(hint));
    if (take == 0 && room == 0 && hint != 0)
      return corrupt(codec, in == input.size() ? "ends early"
                                               : "another size than declared");
    in += take;
    written += room;
  }
  if (written != decoded_size)
    return corrupt(codec, "another size than declared");
  return to;
}

// Where the frames in `input` end. Checks the sizes that they declare.
Result<std::uint64_t> zstd_end(Bytes input, std::uint64_t decoded_size) {
  constexpr Codec codec = Codec::zstd;
  std::uint64_t end = 0;
  std::uint64_t declared = 0;
  bool all_declared = true;
  while (end == 0 || !is_padding(input.subspan(end))) {
    Bytes rest = input.subspan(end);
    Reader r(rest);
    std::uint32_t magic = r.u32("zstd frame");
    // The library would also read the frames of versions before 1.0, through
    // decoders that nobody maintains.
    if ((magic & 0xfffffff0) == 0xfd2fb520 && magic != ZSTD_MAGICNUMBER)
      return fail(Errc::unsupported, end, "zstd frame from before version 1.0");
    if (magic != ZSTD_MAGICNUMBER &&
        (magic & ZSTD_MAGIC_SKIPPABLE_MASK) != ZSTD_MAGIC_SKIPPABLE_START) {
      if (end != 0)
        return left_over(codec, end, rest.size());
      return corrupt(codec, "no frame");
    }
    std::size_t size = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
    if (ZSTD_isError(size))
      return corrupt(codec, ZSTD_getErrorName(size));
    // 0 for a skippable frame.
    auto content = ZSTD_getFrameContentSize(rest.data(), rest.size());
    if (content == ZSTD_CONTENTSIZE_ERROR)
      return corrupt(codec, "frame header");
    if (content == ZSTD_CONTENTSIZE_UNKNOWN) {
      all_declared = false;
    } else {
      if (!fits(declared, content, decoded_size))
        return corrupt(codec, "another size than declared");
      declared += content;
    }
    end += size;
  }
  if (all_declared && declared != decoded_size)
    return corrupt(codec, "another size than declared");
  return end;
}

Result<Bytes> decode_zlib(Bytes input, std::uint64_t decoded_size,
                          Buffer &out) {
  constexpr Codec codec = Codec::zlib;
  static_assert(sizeof(uLong) == 8);
  GANTRY_TRY(auto to, out.reserve(decoded_size));
  uLong written = decoded_size;
  uLong used = input.size();
  int rc = uncompress2(reinterpret_cast<Bytef *>(to.data()), &written,
                       reinterpret_cast<const Bytef *>(input.data()), &used);
  if (rc == Z_MEM_ERROR)
    return fail(Errc::too_large, 0, "out of memory");
  if (rc != Z_OK || written != decoded_size)
    return corrupt(codec, rc == Z_DATA_ERROR ? "damaged or ends early"
                                             : "another size than declared");
  if (!is_padding(input.subspan(used)))
    return left_over(codec, used, input.size() - used);
  return to;
}

} // namespace

std::string_view word(Codec codec) {
  switch (codec) {
  case Codec::none:
    return "none";
  case Codec::lz4_block:
    return "lz4-block";
  case Codec::lz4_frame:
    return "lz4-frame";
  case Codec::zstd:
    return "zstd";
  case Codec::zlib:
    return "zlib";
  }
  return "unknown";
}

// The context of zstd is large; the others' are cheap beside their payloads.
struct Decompressor::Contexts {
  ZSTD_DCtx *zstd = nullptr;
  ~Contexts() { ZSTD_freeDCtx(zstd); }

  Result<Bytes> decode_zstd(Bytes input, std::uint64_t decoded_size,
                            Buffer &out) {
    constexpr Codec codec = Codec::zstd;
    GANTRY_TRY(std::uint64_t end, zstd_end(input, decoded_size));
    if (!zstd)
      zstd = ZSTD_createDCtx();
    if (!zstd)
      return fail(Errc::too_large, 0, "out of memory");
    GANTRY_TRY(auto to, out.reserve(decoded_size));
    // In one shot the output is its own window, whatever the frames ask for.
    std::size_t done =
        ZSTD_decompressDCtx(zstd, to.data(), decoded_size, input.data(), end);
    if (ZSTD_isError(done))
      return corrupt(codec, ZSTD_getErrorName(done));
    if (done != decoded_size)
      return corrupt(codec, "another size than declared");
    return to;
  }
};

Decompressor::Decompressor() : contexts_(std::make_unique<Contexts>()) {}
Decompressor::~Decompressor() = default;
Decompressor::Decompressor(Decompressor &&) noexcept = default;
Decompressor &Decompressor::operator=(Decompressor &&) noexcept = default;

Result<Bytes> Decompressor::decode(Codec codec, Bytes input,
                                   std::uint64_t decoded_size,
                                   const Limits &limits, Buffer &out) {
  GANTRY_CHECK(check_sizes(input.size(), decoded_size, limits));
  switch (codec) {
  case Codec::none:
    if (decoded_size > input.size())
      return corrupt(codec, "ends early");
    if (!is_padding(input.subspan(decoded_size)))
      return left_over(codec, decoded_size, input.size() - decoded_size);
    return input.first(decoded_size);
  case Codec::lz4_block:
    return decode_lz4_block(input, decoded_size, out);
  case Codec::lz4_frame:
    return decode_lz4_frame(input, decoded_size, out);
  case Codec::zstd:
    return contexts_->decode_zstd(input, decoded_size, out);
  case Codec::zlib:
    return decode_zlib(input, decoded_size, out);
  }
  return fail(Errc::invalid_argument, 0, "codec");
}

Result<Bytes> decompress(Codec codec, Bytes input, std::uint64_t decoded_size,
                         const Limits &limits, Buffer &out) {
  return Decompressor().decode(codec, input, decoded_size, limits, out);
}

Result<Bytes> inflate_start(Bytes input, std::uint64_t most, Buffer &out) {
  GANTRY_TRY(auto to, out.reserve(most));
  z_stream z{};
  if (inflateInit2(&z, -15) != Z_OK)
    return fail(Errc::too_large, 0, "out of memory");
  z.next_in = reinterpret_cast<Bytef *>(const_cast<std::byte *>(input.data()));
  z.avail_in =
      static_cast<uInt>(std::min<std::uint64_t>(input.size(), 1 << 20));
  z.next_out = reinterpret_cast<Bytef *>(to.data());
  z.avail_out = static_cast<uInt>(std::min<std::uint64_t>(most, 1 << 20));
  int rc = inflate(&z, Z_SYNC_FLUSH);
  std::uint64_t done = z.total_out;
  inflateEnd(&z);
  if (rc == Z_DATA_ERROR || rc == Z_NEED_DICT)
    return fail(Errc::corrupt, 0, "deflate data");
  return Bytes(to.first(done));
}

std::optional<std::uint64_t> zstd_frame_size(Bytes input) {
  Reader r(input);
  if (r.u32("zstd frame") != ZSTD_MAGICNUMBER)
    return std::nullopt;
  std::size_t size = ZSTD_findFrameCompressedSize(input.data(), input.size());
  if (ZSTD_isError(size))
    return std::nullopt;
  return size;
}

Result<std::uint64_t> zstd_decoded_size(Bytes input, const Limits &limits) {
  constexpr Codec codec = Codec::zstd;
  using Context =
      std::unique_ptr<ZSTD_DCtx,
                      decltype([](ZSTD_DCtx *c) { ZSTD_freeDCtx(c); })>;
  Context context(ZSTD_createDCtx());
  Buffer scratch;
  GANTRY_TRY(auto to, scratch.reserve(ZSTD_DStreamOutSize()));
  if (!context)
    return fail(Errc::too_large, 0, "out of memory");
  ZSTD_inBuffer in{input.data(), input.size(), 0};
  std::uint64_t size = 0;
  for (std::size_t hint = 1; hint != 0;) {
    const std::size_t before = in.pos;
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    hint = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(hint)) {
      const char *what = ZSTD_getErrorName(hint);
      if (ZSTD_getErrorCode(hint) == ZSTD_error_frameParameter_windowTooLarge)
        return fail(Errc::too_large, 0, what);
      return corrupt(codec, what);
    }
    if (hint != 0 && out.pos == 0 && in.pos == before)
      return corrupt(codec, "ends early");
    size += out.pos;
    GANTRY_CHECK(check_sizes(input.size(), size, limits));
  }
  if (in.pos != input.size())
    return left_over(codec, in.pos, input.size() - in.pos);
  return size;
}

} // namespace gantry

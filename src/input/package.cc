// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/package.h"

#include "base/error.h"
#include "input/ar_package.h"
#include "input/stream_package.h"
#include "input/zip_package.h"

#include <array>

namespace gantry::input {

namespace {

using namespace std::string_view_literals;

// The checksum of a tar header, with its own field as spaces, is in it in
// octal. Only this tells a tar from before POSIX, and a text with "ustar" in it
// from one after.
bool is_tar_header(Bytes start) {
  constexpr std::size_t kField = 148, kFieldSize = 8;
  if (start.size() < 512)
    return false;
  unsigned sum = 0;
  for (std::size_t i = 0; i < 512; i++)
    sum += i >= kField && i < kField + kFieldSize
               ? ' '
               : std::to_integer<unsigned>(start[i]);
  unsigned stated = 0;
  bool digits = false;
  for (char c : as_text(start.subspan(kField, kFieldSize))) {
    if (c >= '0' && c <= '7') {
      stated = stated * 8 + static_cast<unsigned>(c - '0');
      digits = true;
    } else if (c != ' ' || digits) {
      break;
    }
  }
  return digits && stated == sum;
}

// What a file of lzma without container begins with: properties, a power of two
// as size of the dictionary, and a size that is unknown or below 2^40.
bool is_lzma(Bytes start) {
  Reader r(start);
  std::uint8_t properties = r.u8("lzma: properties");
  std::uint32_t dictionary = r.u32("lzma: size of dictionary");
  std::uint64_t size = r.u64("lzma: size");
  return r.ok() && properties == 0x5d && dictionary >= 1 << 12 &&
         std::has_single_bit(dictionary) &&
         (size == UINT64_MAX || size < std::uint64_t{1} << 40);
}

} // namespace

std::string_view package_format(Bytes start, std::string_view name) {
  struct Known {
    std::string_view magic, format;
  };
  constexpr std::array kKnown = {
      Known{"!<arch>\n"sv, "ar"sv},
      Known{"!<thin>\n"sv, "ar"sv},
      Known{"PK\x03\x04"sv, "zip"sv},
      Known{"PK\x05\x06"sv, "zip"sv},
      Known{"\xed\xab\xee\xdb"sv, "rpm"sv},
      Known{"070701"sv, "cpio"sv},
      Known{"070702"sv, "cpio"sv},
      Known{"070707"sv, "cpio"sv},
      Known{"7z\xbc\xaf\x27\x1c"sv, "7z"sv},
      Known{"\x1f\x8b\x08"sv, "gzip"sv},
      Known{"BZh"sv, "bzip2"sv},
      Known{"\xfd"
            "7zXZ\0"sv,
            "xz"sv},
      Known{"\x28\xb5\x2f\xfd"sv, "zstd"sv},
      Known{"\x04\x22\x4d\x18"sv, "lz4"sv},
  };
  std::string_view text = as_text(start);
  for (const Known &k : kKnown)
    if (text.starts_with(k.magic))
      return k.format;
  if (is_tar_header(start))
    return "tar";
  if (name.ends_with(".lzma") && is_lzma(start))
    return "lzma";
  return {};
}

Result<std::unique_ptr<Package>> Package::open(const Source &source,
                                               std::string_view name,
                                               const Settings &settings) {
  Buffer scratch;
  GANTRY_TRY(Bytes start, source.read_up_to(0, kPackageStart, scratch));
  std::string_view format = package_format(start, name);
  if (format.empty())
    return fail(Errc::bad_magic, 0, "no package");
  if (format == "ar")
    return open_ar(source, settings);
  if (format == "zip")
    return open_zip(source, settings);
  return open_stream(source, format, name, settings);
}

} // namespace gantry::input

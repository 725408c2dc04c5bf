// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packages and their members, one after the other: zip (wheels), tar, cpio,
// rpm, 7z, ar (static libraries, Debian packages), and single compressed files.
// Nothing is written to disk, and no other file is opened.
#pragma once

#include "base/source.h"
#include "input/growing_buffer.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace gantry::input {

// What kind of package a file is by its first bytes: "zip", "tar", "ar",
// "rpm", "cpio", "7z"; of one compressed file "gzip", "bzip2", "xz", "lzma",
// "zstd", "lz4"; "" none. Package::format() knows more. `name` decides about
// lzma only, which has no magic.
std::string_view package_format(Bytes start, std::string_view name);
// So many first bytes decide.
inline constexpr std::uint64_t kPackageStart = 512;

// Bytes of the package's own file.
struct Stored {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// A file in a package. Folders, links and devices are none.
struct Member {
  std::string name;                      // raw bytes, as the package spells it
  std::optional<std::uint64_t> size;     // unpacked, as declared
  std::optional<Stored> stored;          // where it lies, perhaps compressed
  std::string_view compression = "none"; // static word; that of it alone
};

// A member's bytes, and what is wrong with them: those before the damage count.
struct Content {
  std::unique_ptr<Source> source;
  std::optional<Error> damage;
};

// How much a member may unpack to, and the refusal if it is more.
struct Allowance {
  std::uint64_t bytes = UINT64_MAX;
  std::string_view refusal; // "member (limit member_bytes)"
};

struct Settings {
  Limits limits;
  // What a compressed package may unpack to in all.
  std::uint64_t unpacked_bytes = UINT64_MAX;
  std::stop_token stop;
};

class Package {
public:
  // `source` must outlive this. One compressed file is named after `name`, its
  // package's file. Errors: bad_magic (no package), and damage before the first
  // member.
  static Result<std::unique_ptr<Package>>
  open(const Source &source, std::string_view name, const Settings &settings);
  virtual ~Package() = default;

  // As package_format(), and "deb"; a compressed tar or cpio is "tar", "cpio".
  virtual std::string_view format() const = 0;
  // Its members are files beside it, which are not read.
  virtual bool thin() const { return false; }
  // Whether read() takes time, so that it is worth a thread of its own.
  virtual bool unpacks() const { return true; }
  // How far in the source the walk is.
  virtual std::uint64_t position() const = 0;

  // The next member; nothing after the last. An error is the end as well, and
  // says why the rest cannot be read. A member need not be read.
  virtual Result<std::optional<Member>> next() = 0;

  // The first kStart bytes of the present member, or fewer when it is shorter.
  // Nothing when only read() can tell.
  static constexpr std::uint64_t kStart = kPackageStart;
  virtual std::optional<Bytes> start() = 0;

  // All bytes of the present member. The source of the content may lie in
  // `buffer` or refer to the package's. Errors and damage: corrupt (checksum,
  // decoder), truncated, unsupported (encrypted, unknown method), too_large,
  // interrupted, io.
  virtual Result<Content> read(GrowingBuffer &buffer,
                               const Allowance &allowance) = 0;
};

} // namespace gantry::input

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packages and their members, one after the other: zip (wheels), tar, cpio,
// rpm, 7z, ar (static libraries, Debian packages), and single compressed files.
// Nothing is written to disk, and no other file is opened.
#pragma once

#include "base/source.h"

#include <memory>
#include <optional>
#include <string>

namespace gantry::input {

// What kind of package a file is by its first bytes: "zip", "tar", "ar", "deb",
// "rpm", "cpio", "7z"; of one compressed file "gzip", "bzip2", "xz", "lzma",
// "zstd", "lz4" (whether a tar is in it shows only when it is opened); "" none.
// `name` decides about lzma only, which has no magic.
std::string_view package_format(const Source &source, std::string_view name);

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
  std::string_view compression = "none"; // static word; of itself alone
};

// A member's bytes, and what is wrong with them: those before a damage are
// kept.
struct Content {
  std::unique_ptr<Source> source;
  std::optional<Error> damage;
};

// Memory that grows as bytes come. Like Buffer, but keeps what is in it.
class GrowingBuffer {
public:
  GrowingBuffer() = default;
  GrowingBuffer(const GrowingBuffer &) = delete;
  GrowingBuffer &operator=(const GrowingBuffer &) = delete;
  ~GrowingBuffer();

  void clear() { size_ = 0; }
  // Room for at least one more byte behind those that are there. Never more
  // than `most` in all, which must be above size(). Refuses (too_large) when
  // the system has no memory.
  Result<std::span<std::byte>> grow(std::uint64_t most);
  // `count` bytes of what grow() returned were filled.
  void add(std::uint64_t count) { size_ += count; }
  std::uint64_t size() const { return size_; }
  Bytes bytes() const { return {data_, size_}; }

private:
  std::byte *data_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t capacity_ = 0;
};

// What unpacking a member may cost.
struct Allowance {
  std::uint64_t bytes = UINT64_MAX;
  std::string_view limit; // its name, for the refusal: "member_bytes"
};

class Package {
public:
  // `source` must outlive this. `name` is that of the file: one compressed file
  // in it is named after it. Errors: what package_format() does not know
  // (bad_magic), and damage before the first member.
  static Result<std::unique_ptr<Package>>
  open(const Source &source, std::string_view name, const Limits &limits);
  virtual ~Package() = default;

  virtual std::string_view format() const = 0;

  // What was wrong, but did not keep members from being read.
  virtual std::optional<Error> damage() const { return std::nullopt; }
  // The names of a thin archive are those of other files.
  virtual bool thin() const { return false; }
  // Whether read() takes time, so that it is worth a thread of its own.
  virtual bool unpacks() const { return true; }

  // The next member; nothing after the last. After an error the rest of the
  // package cannot be read. A member need not be read.
  virtual Result<std::optional<Member>> next() = 0;

  // The first bytes of the present member, or fewer than asked for; at most
  // kStart. Errors: as read().
  static constexpr std::uint64_t kStart = 64;
  virtual Result<Bytes> start() = 0;

  // All bytes of the present member. The source lies in `buffer`, or in the
  // package's own source. Errors and damage: corrupt (checksum, decoder),
  // truncated, unsupported (encrypted, a method that is not known), too_large,
  // interrupted.
  virtual Result<Content> read(GrowingBuffer &buffer,
                               const Allowance &allowance) = 0;
};

} // namespace gantry::input

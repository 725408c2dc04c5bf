// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The directory of a zip: names as bytes, and where each member lies.
#pragma once

#include "base/source.h"

#include <optional>
#include <string>

namespace gantry::input {

struct ZipEntry {
  std::string name;                // raw bytes
  std::uint64_t header_offset = 0; // of the local header
  std::uint64_t stored_size = 0;
  std::uint64_t size = 0; // unpacked
  std::uint32_t crc = 0;
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  bool is_file = false; // no folder, link or device

  bool encrypted() const { return (flags & 1) != 0; }
};

class ZipDirectory {
public:
  // `source` must outlive this. Without a directory (the end is missing) the
  // local headers are walked instead; damage() says so. Errors: bad_magic.
  static Result<ZipDirectory> open(const Source &source);

  // Nothing after the last entry. An error is the end as well.
  Result<std::optional<ZipEntry>> next();

  // Where the bytes of an entry begin. Errors: corrupt (no local header there,
  // or that of another name), truncated (they reach beyond the file).
  Result<std::uint64_t> data_offset(const ZipEntry &entry) const;

  bool has_directory() const { return has_directory_; }
  // Why entries may be missing.
  const std::optional<Error> &damage() const { return damage_; }
  // How far the walk is.
  std::uint64_t position() const { return pos_; }

private:
  explicit ZipDirectory(const Source &source) : source_(&source) {}
  bool find_directory();
  bool directory_at(std::uint64_t end, std::uint64_t size,
                    std::uint64_t offset);
  Result<std::optional<ZipEntry>> next_in_directory();
  Result<std::optional<ZipEntry>> next_local();
  Result<std::uint64_t> next_signature(std::uint64_t from) const;

  const Source *source_;
  bool has_directory_ = false;
  std::uint64_t pos_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t shift_ = 0; // bytes before the archive that offsets leave out
  std::optional<Error> damage_;
};

} // namespace gantry::input

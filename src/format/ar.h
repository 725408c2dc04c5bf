// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unix archives: static libraries (GNU, BSD, COFF), thin archives, and the
// outer shell of Debian packages.
#pragma once

#include "base/source.h"

#include <optional>
#include <string>

namespace gantry::ar {

inline constexpr std::string_view kMagic = "!<arch>\n";
inline constexpr std::string_view kThinMagic = "!<thin>\n";

struct Member {
  std::string name; // raw bytes, long names looked up
  std::uint64_t header_offset = 0;
  std::uint64_t offset = 0; // of its bytes
  std::uint64_t size = 0;   // of them; what is there when less than stated
  // False in a thin archive: `name` is that of another file, which has them.
  bool stored = true;
  // The name cannot be found, or the bytes reach beyond the archive.
  std::optional<Error> damage;
};

// The members one after the other. Symbol tables and tables of names are none.
class Archive {
public:
  // `source` must outlive this. Errors: bad_magic, truncated.
  static Result<Archive> open(const Source &source, const Limits &limits);

  bool thin() const { return thin_; }

  // Nothing after the last. After an error (truncated, bad_value: a header that
  // cannot be read) there is no way to find the next: everything ends there.
  Result<std::optional<Member>> next();

private:
  Archive(const Source &source, const Limits &limits, bool thin)
      : source_(&source), limits_(&limits), thin_(thin) {}
  struct Header;
  Result<Header> read_header();
  Result<void> read_long_names(const Header &header);
  Result<std::string> name_of(const Header &header, Member &member);
  Result<std::string> long_name(std::uint64_t at);

  const Source *source_;
  const Limits *limits_;
  bool thin_;
  std::uint64_t pos_ = 8;
  std::string names_;              // the member "//"
  std::uint64_t names_budget_ = 0; // bytes that may still be taken out of it
};

} // namespace gantry::ar

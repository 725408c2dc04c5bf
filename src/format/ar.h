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
  // The name cannot be found (then it is that of the header), or the bytes
  // reach beyond the archive.
  std::optional<Error> damage;
};

// The members one after the other. Symbol tables and tables of names are none.
class Archive {
public:
  // `source` must outlive this. Errors: bad_magic, truncated.
  static Result<Archive> open(const Source &source, const Limits &limits);

  bool thin() const { return thin_; }

  // Nothing after the last. An error (truncated, bad_value: a header that
  // cannot be read) is the end as well: nothing tells where the next begins.
  Result<std::optional<Member>> next();

private:
  Archive(const Source &source, const Limits &limits, bool thin)
      : source_(&source), name_limit_(limits.name_bytes),
        table_limit_(limits.table_bytes), thin_(thin) {}
  struct Header;
  Result<Header> read_header();
  void read_long_names(const Header &header);
  Result<void> name_member(const Header &header, Member &member);
  Result<std::string> long_name(std::string_view digits);

  const Source *source_;
  std::uint64_t name_limit_;
  std::uint64_t table_limit_;
  bool thin_;
  std::uint64_t pos_ = kMagic.size();
  Buffer names_buffer_;
  std::string_view names_;         // the member "//"
  std::uint64_t names_budget_ = 0; // bytes that may still be looked at in it
};

} // namespace gantry::ar

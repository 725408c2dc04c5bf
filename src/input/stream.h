// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libarchive, seen here only: one format and one codec at a time, out of an
// allow-list, with bytes that we hand to it. It opens no file and writes none.
#pragma once

#include "base/source.h"
#include "input/growing_buffer.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace gantry::input {

struct StreamSetup {
  // "none", "gzip", "bzip2", "xz", "lzma", "zstd", "lz4". One only: codecs in
  // codecs are packages in packages.
  std::string_view codec = "none";
  enum class Holds {
    tar,
    cpio,
    one_file,
    seven_zip,  // needs all of the source
    zip_member, // a local header and what it describes
  };
  Holds holds = Holds::one_file;
  std::string head;                        // bytes before those of the source
  std::uint64_t output_bytes = UINT64_MAX; // of the codec, in all
  std::stop_token stop;
};

struct Entry {
  std::string name; // raw bytes; of 7z UTF-8
  std::optional<std::uint64_t> size;
  bool is_file = false; // no folder, link or device
  bool encrypted = false;
};

class Stream {
public:
  // `source` must outlive this. Errors: bad_magic (none of the formats),
  // corrupt, truncated, unsupported, too_large, interrupted, io.
  static Result<std::unique_ptr<Stream>> open(const Source &source,
                                              StreamSetup setup);
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  // Nothing after the last entry; an error is the end, too. One file has one
  // entry, unless it is empty.
  Result<std::optional<Entry>> next();
  // Appends at most `most` of the entry's next bytes to `out`; false at its
  // end. After an error there are no more.
  Result<bool> more(GrowingBuffer &out, std::uint64_t most);

  // Where in the source the entry's bytes stand in a row, if they do and that
  // is known; after the first call of more().
  std::optional<std::uint64_t> entry_offset() const;

  std::uint64_t position() const; // bytes of the source read so far

private:
  struct State;
  explicit Stream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace gantry::input

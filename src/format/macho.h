// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mach-O files of macOS, 32 and 64 bit, and universal files, which hold one for
// each processor: segments and sections. Layout: macho.cc.
#pragma once

#include "base/source.h"

#include <optional>
#include <string>
#include <vector>

namespace gantry::macho {

enum : std::uint32_t { kTypeObject = 1 };
enum : std::uint32_t { kProtWrite = 2 };

// A file for one processor in a universal file.
struct Slice {
  std::uint32_t index = 0; // in the universal file
  std::uint32_t cpu_type = 0;
  std::uint32_t cpu_subtype = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// Whether a file that starts so is universal. Java classes have the same magic
// and are told apart by the count: theirs is a version, 45 or more.
bool is_universal(Bytes start);

struct Slices {
  std::vector<Slice> list; // as the file has them; inside it, none shares bytes
  std::vector<Error> damage; // of each slice that is left out
};

// Errors: bad_magic, truncated (the table is not in the file).
Result<Slices> read_slices(const Source &source);

struct Header {
  bool is_64 = true;
  std::uint32_t cpu_type = 0;
  std::uint32_t cpu_subtype = 0;
  std::uint32_t type = 0; // kTypeObject, 2 program, 6 library …
  std::uint32_t command_count = 0;
  std::uint32_t command_bytes = 0;
};

struct Segment {
  std::uint64_t address = 0;
  std::uint64_t offset = 0;
  std::uint64_t file_size = 0;
  std::uint32_t protection = 0; // kProtWrite …
};

struct Section {
  std::uint32_t index = 0; // from 1 through all segments, as symbols count
  std::string name;        // segment and section: "__TEXT,__text"
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::uint32_t flags = 0;

  bool has_bytes() const;
};

// The header alone, from the first 32 bytes (28 for 32-bit files). Errors:
// truncated, bad_magic, unsupported (big-endian).
Result<Header> read_header(Bytes start);

// A parsed file for one processor.
class File {
public:
  // Errors: those of read_header. Load commands that cannot be read end the
  // list; what comes before them stands.
  static Result<File> open(const Source &source, const Limits &limits);

  const Header &header() const { return header_; }
  const std::vector<Segment> &segments() const { return segments_; }
  const std::vector<Section> &sections() const { return sections_; }
  const std::vector<Error> &damage() const { return damage_; }

private:
  void read_commands(Bytes commands, std::uint64_t base);

  Header header_;
  std::vector<Segment> segments_;
  std::vector<Section> sections_;
  std::vector<Error> damage_;
};

} // namespace gantry::macho

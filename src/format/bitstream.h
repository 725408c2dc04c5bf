// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's bit streams: blocks of abbreviated records. Layout: bitstream.cc.
#pragma once

#include "base/reader.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gantry::bitstream {

// A cursor over bits, from the lowest of each byte on. Errors are sticky, as
// Reader's are.
class Bits {
public:
  // Errors count from `base` on.
  Bits(Bytes stream, std::uint64_t base) : stream_(stream), base_(base) {}

  std::uint64_t fixed(unsigned width, const char *what); // up to 64 bits
  std::uint64_t vbr(unsigned width, const char *what);   // 2 to 64 bits a piece
  void align_32(const char *what) { seek((position() + 31) / 32 * 32, what); }
  void seek(std::uint64_t bit, const char *what);
  // `count` × `width` bits are passed over.
  void skip(std::uint64_t count, unsigned width, const char *what);
  Bytes bytes(std::uint64_t count, const char *what); // at a whole byte

  std::uint64_t position() const { return 8 * next_ - left_; } // in bits
  std::uint64_t size() const { return 8 * std::uint64_t{stream_.size()}; }

  void refuse(Errc code, std::string what);
  const std::optional<Error> &error() const { return error_; }

private:
  bool refill(const char *what);

  Bytes stream_;
  std::uint64_t base_;
  std::uint64_t next_ = 0; // the byte behind those in word_
  std::uint64_t word_ = 0;
  unsigned left_ = 0; // bits of word_ that are not read yet
  std::optional<Error> error_;
};

struct Operand {
  enum class Encoding : std::uint8_t {
    literal,
    fixed,
    vbr,
    array, // of the operand behind it
    char6,
    blob
  };
  Encoding encoding = Encoding::literal;
  std::uint8_t width = 0;
  std::uint64_t value = 0; // of a literal
};

// The form of a record: its code, then its operands.
using Abbreviation = std::vector<Operand>;

struct Record {
  std::uint64_t code = 0;
  std::uint64_t first = 0; // the first operand
  std::string text;        // all operands as characters
};

struct Block {
  std::uint64_t id = 0;
  unsigned width = 0;      // of abbreviation ids in it
  std::uint64_t begin = 0; // bits
  std::uint64_t end = 0;
};

// Reads block after block. When bits().error() is set, everything stops.
class Cursor {
public:
  // Only blocks of these ids are ever read.
  Cursor(Bytes stream, std::uint64_t base, const Limits &limits,
         std::vector<std::uint64_t> ids);

  Bits &bits() { return bits_; }

  // The block that begins here, outside of all others.
  Block enter_top();
  void skip(const Block &block) { bits_.seek(block.end, "block"); }

  // Calls found() for the records of the block whose code is wanted(), which is
  // asked once for each. Blocks inside are passed over, but for BLOCKINFO.
  void read(const Block &block,
            const std::function<bool(std::uint64_t)> &wanted,
            const std::function<void(const Record &)> &found);

private:
  Block enter(std::uint64_t parent_end);
  bool leave(const Block &block);
  void read_block_info(const Block &block);
  Abbreviation define();
  Operand operand();
  void unabbreviated(const std::function<bool(std::uint64_t)> &wanted,
                     std::optional<Record> &out);
  void abbreviated(const Abbreviation &a,
                   const std::function<bool(std::uint64_t)> &wanted,
                   std::optional<Record> &out);
  std::uint64_t scalar(const Operand &o);
  void array(const Operand &element, std::optional<Record> &out);
  void blob(std::optional<Record> &out);
  void append(Record &out, std::uint64_t value, bool is_first);

  Bits bits_;
  const Limits &limits_;
  // What BLOCKINFO gives to later blocks, by their ids.
  std::map<std::uint64_t, std::vector<Abbreviation>> shared_;
};

} // namespace gantry::bitstream

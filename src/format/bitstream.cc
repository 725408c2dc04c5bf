// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything begins with an abbreviation id: 2 bits wide outside of blocks, as
// wide as the block says inside.
//
//   0 END_BLOCK        up to the next multiple of 32 bits
//   1 ENTER_SUBBLOCK   vbr8 block id, vbr4 width of abbreviation ids inside, up
//                      to 32 bits, u32 length in words
//   2 DEFINE_ABBREV    vbr5 count; each operand: 1 bit literal? vbr8 value;
//                      else 3 bits encoding (1 fixed, 2 vbr, 3 array, 4 char6,
//                      5 blob), vbr5 width of fixed and vbr. An array stands
//                      last but one: the last is the encoding of its elements
//   3 UNABBREV_RECORD  vbr6 code, vbr6 count, vbr6 operands
//   n abbreviation n - 4 of the block: first those that BLOCKINFO has for its
//     id, then its own. The first value is the record's code
//
// Array: vbr6 count, elements. Blob: vbr6 size, up to 32 bits, bytes, up to 32
// bits. A width of 0 stands for the literal 0. Block 0 is BLOCKINFO: its record
// 1 (SETBID) names the block whose abbreviations follow.
//
// Source: LLVM's "LLVM Bitcode File Format".

#include "format/bitstream.h"

#include <algorithm>

namespace gantry::bitstream {

namespace {

enum : std::uint64_t {
  kEndBlock,
  kEnterBlock,
  kDefine,
  kUnabbreviated,
  kFirst
};
constexpr std::uint64_t kBlockInfo = 0;
constexpr std::uint64_t kSetBlock = 1;

// Real forms have a dozen operands, real blocks a dozen forms. More would make
// little input into much memory.
constexpr std::uint64_t kOperandsMax = 32;
constexpr std::uint64_t kFormsMax = 4096;

constexpr std::string_view kChar6 =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";

} // namespace

// ---- Bits

bool Bits::refill(const char *what) {
  std::uint64_t rest = stream_.size() - next_;
  if (rest == 0) {
    refuse(Errc::truncated, what);
    return false;
  }
  Reader r(stream_.subspan(next_));
  bool wide = rest >= 8;
  word_ = wide ? r.u64(what) : r.u8(what);
  left_ = wide ? 64 : 8;
  next_ += wide ? 8 : 1;
  return true;
}

std::uint64_t Bits::fixed(unsigned width, const char *what) {
  std::uint64_t value = 0;
  for (unsigned got = 0; got < width;) {
    if (error_ || (left_ == 0 && !refill(what)))
      return 0;
    unsigned take = std::min(width - got, left_);
    if (take == 64) { // shifts by 64 are not defined
      value = word_;
      word_ = 0;
    } else {
      value |= (word_ & ((std::uint64_t{1} << take) - 1)) << got;
      word_ >>= take;
    }
    left_ -= take;
    got += take;
  }
  return value;
}

std::uint64_t Bits::vbr(unsigned width, const char *what) {
  const std::uint64_t more = std::uint64_t{1} << (width - 1);
  std::uint64_t value = 0;
  for (unsigned shift = 0; !error_; shift += width - 1) {
    std::uint64_t piece = fixed(width, what);
    std::uint64_t low = piece & (more - 1);
    bool over = shift >= 64 || (shift != 0 && low >> (64 - shift) != 0);
    if (over && (low != 0 || (piece & more) != 0)) {
      refuse(Errc::bad_value, what);
      return 0;
    }
    if (!over)
      value |= low << shift;
    if ((piece & more) == 0)
      break;
  }
  return error_ ? 0 : value;
}

void Bits::seek(std::uint64_t bit, const char *what) {
  if (error_)
    return;
  if (bit > size())
    return refuse(Errc::truncated, what);
  next_ = bit / 8;
  left_ = 0;
  fixed(static_cast<unsigned>(bit % 8), what);
}

void Bits::skip(std::uint64_t count, unsigned width, const char *what) {
  if (error_)
    return;
  if (width != 0 && count > (size() - position()) / width)
    return refuse(Errc::truncated, what);
  seek(position() + count * width, what);
}

Bytes Bits::bytes(std::uint64_t count, const char *what) {
  std::uint64_t at = position() / 8;
  if (!error_ && !fits(at, count, stream_.size()))
    refuse(Errc::truncated, what);
  if (error_)
    return {};
  seek(8 * (at + count), what);
  return stream_.subspan(at, count);
}

void Bits::refuse(Errc code, std::string what) {
  if (!error_)
    error_ = Error{code, base_ + position() / 8, std::move(what), {}};
}

// ---- Cursor

Cursor::Cursor(Bytes stream, std::uint64_t base, const Limits &limits,
               std::vector<std::uint64_t> ids)
    : bits_(stream, base), limits_(limits) {
  for (std::uint64_t id : ids)
    shared_[id];
}

Block Cursor::enter_top() {
  if (bits_.fixed(2, "abbreviation id") != kEnterBlock)
    bits_.refuse(Errc::bad_value, "block expected");
  return enter(bits_.size());
}

// Behind ENTER_SUBBLOCK.
Block Cursor::enter(std::uint64_t parent_end) {
  Block b;
  b.id = bits_.vbr(8, "block id");
  std::uint64_t width = bits_.vbr(4, "width of abbreviation ids");
  bits_.align_32("block");
  std::uint64_t words = bits_.fixed(32, "block length");
  b.begin = bits_.position();
  if (width == 0 || width > 32)
    bits_.refuse(Errc::bad_value, "width of abbreviation ids");
  else if (32 * words > bits_.size() - b.begin)
    bits_.refuse(Errc::truncated, "block");
  else if (b.begin + 32 * words > parent_end)
    bits_.refuse(Errc::bad_value, "block length");
  b.width = static_cast<unsigned>(width & 63);
  b.end = b.begin + 32 * words;
  return b;
}

// Behind END_BLOCK.
bool Cursor::leave(const Block &block) {
  bits_.align_32("end of block");
  if (!bits_.error() && bits_.position() != block.end)
    bits_.refuse(Errc::bad_value, "block length");
  return true;
}

void Cursor::read(const Block &block,
                  const std::function<bool(std::uint64_t)> &wanted,
                  const std::function<void(const Record &)> &found) {
  const std::vector<Abbreviation> &shared = shared_[block.id];
  // What a BLOCKINFO inside adds counts for later blocks only.
  const std::size_t inherited = shared.size();
  std::vector<Abbreviation> own;
  while (!bits_.error()) {
    std::uint64_t id = bits_.fixed(block.width, "abbreviation id");
    std::optional<Record> record;
    if (bits_.error())
      return;
    if (id == kEndBlock) {
      leave(block);
      return;
    }
    if (id == kEnterBlock) {
      Block inner = enter(block.end);
      if (inner.id == kBlockInfo)
        read_block_info(inner);
      else
        skip(inner);
    } else if (id == kDefine) {
      own.push_back(define());
      if (own.size() > kFormsMax)
        bits_.refuse(Errc::too_large, "abbreviations");
    } else if (id == kUnabbreviated) {
      unabbreviated(wanted, record);
    } else if (id - kFirst < inherited) {
      abbreviated(shared[id - kFirst], wanted, record);
    } else if (id - kFirst - inherited < own.size()) {
      abbreviated(own[id - kFirst - inherited], wanted, record);
    } else {
      bits_.refuse(Errc::bad_value, "abbreviation id");
    }
    if (record && !bits_.error())
      found(*record);
  }
}

void Cursor::read_block_info(const Block &block) {
  std::vector<Abbreviation> *target = nullptr;
  while (!bits_.error()) {
    std::uint64_t id = bits_.fixed(block.width, "abbreviation id");
    if (bits_.error())
      return;
    std::optional<Record> record;
    if (id == kEndBlock) {
      leave(block);
      return;
    }
    if (id == kEnterBlock) {
      skip(enter(block.end));
    } else if (id == kDefine) {
      Abbreviation a = define();
      if (target && target->size() >= kFormsMax)
        bits_.refuse(Errc::too_large, "abbreviations");
      else if (target)
        target->push_back(std::move(a));
    } else if (id == kUnabbreviated) {
      unabbreviated([](std::uint64_t code) { return code == kSetBlock; },
                    record);
      if (!record)
        continue;
      auto known = shared_.find(record->first);
      target = known == shared_.end() ? nullptr : &known->second;
    } else {
      bits_.refuse(Errc::bad_value, "abbreviation id");
    }
  }
}

Operand Cursor::operand() {
  using enum Operand::Encoding;
  if (bits_.fixed(1, "abbreviation") != 0)
    return {literal, 0, bits_.vbr(8, "abbreviation")};
  std::uint64_t encoding = bits_.fixed(3, "abbreviation");
  Operand o;
  if (encoding < 1 || encoding > 5) {
    bits_.refuse(Errc::bad_value, "abbreviation: encoding");
    return o;
  }
  o.encoding = static_cast<Operand::Encoding>(encoding);
  if (o.encoding != fixed && o.encoding != vbr)
    return o;
  std::uint64_t width = bits_.vbr(5, "abbreviation: width");
  if (width == 0)
    return {literal, 0, 0};
  if (width > 64 || (o.encoding == vbr && width < 2))
    bits_.refuse(Errc::bad_value, "abbreviation: width");
  o.width = static_cast<std::uint8_t>(width & 127);
  return o;
}

Abbreviation Cursor::define() {
  using enum Operand::Encoding;
  std::uint64_t count = bits_.vbr(5, "abbreviation");
  Abbreviation a;
  if (count == 0)
    bits_.refuse(Errc::bad_value, "abbreviation without operands");
  else if (count > kOperandsMax)
    bits_.refuse(Errc::too_large, "operands of an abbreviation");
  for (std::uint64_t i = 0; i < count && !bits_.error(); i++) {
    Operand o = operand();
    bool in_array = !a.empty() && a.back().encoding == array;
    bool is_last = i + 1 == count;
    // Elements that take no bits could be as many as the count says.
    bool fine = in_array ? is_last && o.encoding != literal &&
                               o.encoding != array && o.encoding != blob
                : o.encoding == array ? i + 2 == count
                                      : o.encoding != blob || is_last;
    // The code is a number.
    if (!fine || (i == 0 && (o.encoding == array || o.encoding == blob)))
      bits_.refuse(Errc::bad_value, "abbreviation: order of operands");
    a.push_back(o);
  }
  return a;
}

std::uint64_t Cursor::scalar(const Operand &o) {
  switch (o.encoding) {
  case Operand::Encoding::fixed:
    return bits_.fixed(o.width, "operand");
  case Operand::Encoding::vbr:
    return bits_.vbr(o.width, "operand");
  case Operand::Encoding::char6:
    return static_cast<unsigned char>(kChar6[bits_.fixed(6, "operand")]);
  case Operand::Encoding::literal:
  case Operand::Encoding::array:
  case Operand::Encoding::blob:
    break;
  }
  return o.value;
}

void Cursor::append(Record &out, std::uint64_t value, bool is_first) {
  if (is_first)
    out.first = value;
  out.text.push_back(static_cast<char>(value & 0xff));
  if (out.text.size() > limits_.name_bytes)
    bits_.refuse(Errc::too_large, "text of a record (limit name_bytes)");
}

void Cursor::unabbreviated(const std::function<bool(std::uint64_t)> &wanted,
                           std::optional<Record> &out) {
  std::uint64_t code = bits_.vbr(6, "record code");
  std::uint64_t count = bits_.vbr(6, "number of operands");
  if (!bits_.error() && wanted(code))
    out = Record{code, 0, {}};
  for (std::uint64_t i = 0; i < count && !bits_.error(); i++) {
    std::uint64_t value = bits_.vbr(6, "operand");
    if (out)
      append(*out, value, i == 0);
  }
}

void Cursor::abbreviated(const Abbreviation &a,
                         const std::function<bool(std::uint64_t)> &wanted,
                         std::optional<Record> &out) {
  std::uint64_t code = scalar(a[0]);
  if (!bits_.error() && wanted(code))
    out = Record{code, 0, {}};
  for (std::size_t i = 1; i < a.size() && !bits_.error(); i++) {
    if (a[i].encoding == Operand::Encoding::array)
      return array(a[i + 1], out);
    if (a[i].encoding == Operand::Encoding::blob)
      return blob(out);
    // Literals take no bits: whoever wants nothing of the record does nothing.
    std::uint64_t value = scalar(a[i]);
    if (out)
      append(*out, value, i == 1);
  }
}

void Cursor::array(const Operand &element, std::optional<Record> &out) {
  std::uint64_t count = bits_.vbr(6, "number of elements");
  if (!out && element.encoding != Operand::Encoding::vbr) {
    bool is_fixed = element.encoding == Operand::Encoding::fixed;
    return bits_.skip(count, is_fixed ? element.width : 6, "elements");
  }
  for (std::uint64_t i = 0; i < count && !bits_.error(); i++) {
    std::uint64_t value = scalar(element);
    if (out)
      append(*out, value, out->text.empty());
  }
}

void Cursor::blob(std::optional<Record> &out) {
  std::uint64_t size = bits_.vbr(6, "blob size");
  bits_.align_32("blob");
  Bytes bytes = bits_.bytes(size, "blob");
  bits_.align_32("blob");
  if (bits_.error() || !out)
    return;
  if (bytes.size() > limits_.name_bytes)
    return bits_.refuse(Errc::too_large, "text of a record (limit name_bytes)");
  out->text += as_text(bytes);
}

} // namespace gantry::bitstream

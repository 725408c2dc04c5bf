// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A SPIR-V module is a stream of 32-bit words in the byte order of its first.
//
//   0  magic 0x07230203
//   1  version: 0, major, minor, 0 from the highest byte down (1.4: 0x00010400)
//   2  generator: tool in the upper half, the tool's version in the lower
//   3  bound of the ids
//   4  schema, 0
//   5  instructions: opcode in the lower half of the first word, number of
//      words (that one too) in the upper; then operands
//
// Texts are UTF-8, four bytes a word from the lowest on, with at least one NUL.
// Instructions stand in the order of the specification's "logical layout":
// capabilities, extensions, memory model, entry points, execution modes, debug
// texts, constants, functions. Nothing here depends on it but one thing: an
// execution mode that names constants is believed only when they follow it.
//
// Source: the SPIR-V specification 1.6 of the Khronos Group. That AMD's flavour
// (amdgcnspirv) has 65535 as the tool's version is observed with LLVM 22, for
// whatever tool.

#include "format/spirv.h"

#include <bit>
#include <map>
#include <set>

namespace gantry::spirv {

namespace {

enum Opcode : std::uint16_t {
  kOpSource = 3,
  kOpExtension = 10,
  kOpExtInstImport = 11,
  kOpMemoryModel = 14,
  kOpEntryPoint = 15,
  kOpExecutionMode = 16,
  kOpCapability = 17,
  kOpConstant = 43,
  kOpFunction = 54,
  kOpFunctionParameter = 55,
  kOpFunctionEnd = 56,
  kOpExecutionModeId = 331,
};

enum Mode : std::uint32_t {
  kModeLocalSize = 17,
  kModeLocalSizeHint = 18,
  kModeSubgroupSize = 35,
  kModeLocalSizeId = 38,
  kModeLocalSizeHintId = 39,
};

std::uint32_t word_at(Bytes words, std::uint64_t index, bool swap) {
  Reader r(words.subspan(4 * index));
  std::uint32_t v = r.u32("word");
  return swap ? std::byteswap(v) : v;
}

// One instruction; `words` are its operands.
struct Instruction {
  std::uint16_t opcode = 0;
  Bytes words;
  std::uint64_t offset = 0;
  bool swap = false;

  std::uint64_t size() const { return words.size() / 4; }
  std::uint32_t operator[](std::uint64_t i) const {
    return word_at(words, i, swap);
  }
};

// What execution modes and the function say about the id of an entry point.
// Several entry points can share one function.
struct Facts {
  std::optional<Extent3> local_size, local_size_hint;
  std::optional<Extent3> local_size_ids, local_size_hint_ids; // of constants
  std::optional<std::uint32_t> subgroup_size;
  std::optional<std::uint32_t> parameters;
};

class Walker {
public:
  Walker(Bytes image, const Limits &limits, Module &out)
      : image_(image), limits_(limits), out_(out) {}

  void walk();

private:
  Result<Instruction> next(std::uint64_t at) const;
  Result<void> read(const Instruction &in);
  Result<void> read_entry_point(const Instruction &in);
  Result<void> read_mode(const Instruction &in);
  void read_function(const Instruction &in);
  Result<void> require(const Instruction &in, std::uint64_t operands) const;
  Result<std::string> text(const Instruction &in, std::uint64_t &word) const;
  Result<void> add_text(const Instruction &in, std::uint64_t word,
                        std::set<std::string> &seen,
                        std::vector<std::string> &out);
  Result<void> count(const Instruction &in);
  std::optional<Extent3> resolve(const std::optional<Extent3> &ids) const;
  void finish();

  Bytes image_;
  const Limits &limits_;
  Module &out_;
  std::uint64_t records_ = 0;
  std::set<std::uint32_t> capabilities_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> sources_;
  std::set<std::string> extensions_, imports_;
  std::map<std::uint32_t, Facts> facts_; // by id of the function
  // Constants that execution modes name; nothing: not seen yet.
  std::map<std::uint32_t, std::optional<std::uint32_t>> constants_;
  Facts *function_ = nullptr; // of the entry point whose function this is
};

Result<Instruction> Walker::next(std::uint64_t at) const {
  if (!fits(at, 4, image_.size()))
    return fail(Errc::truncated, at, "instruction");
  bool swap = out_.header.big_endian;
  std::uint32_t first = word_at(image_.subspan(at), 0, swap);
  std::uint64_t size = 4 * std::uint64_t{first >> 16};
  if (size == 0)
    return fail(Errc::bad_value, at, "instruction: number of words");
  if (!fits(at, size, image_.size()))
    return fail(Errc::truncated, at, "instruction");
  return Instruction{static_cast<std::uint16_t>(first),
                     image_.subspan(at + 4, size - 4), at, swap};
}

Result<void> Walker::require(const Instruction &in,
                             std::uint64_t operands) const {
  if (in.size() < operands)
    return fail(Errc::bad_value, in.offset, "instruction: operands missing");
  return {};
}

// The text that starts at operand `word`, which is moved behind it.
Result<std::string> Walker::text(const Instruction &in,
                                 std::uint64_t &word) const {
  std::string out;
  for (; word < in.size(); word++) {
    std::uint32_t v = in[word];
    for (unsigned i = 0; i < 4; i++, v >>= 8) {
      if ((v & 0xff) == 0) {
        word++;
        return out;
      }
      out.push_back(static_cast<char>(v & 0xff));
    }
    if (out.size() > limits_.name_bytes)
      return fail(Errc::too_large, in.offset, "text (limit name_bytes)");
  }
  return fail(Errc::bad_value, in.offset, "text without an end");
}

Result<void> Walker::count(const Instruction &in) {
  if (++records_ > limits_.records)
    return fail(Errc::too_large, in.offset,
                "capabilities and entry points (limit records)");
  return {};
}

Result<void> Walker::add_text(const Instruction &in, std::uint64_t word,
                              std::set<std::string> &seen,
                              std::vector<std::string> &out) {
  GANTRY_TRY(std::string value, text(in, word));
  if (!seen.insert(value).second)
    return {};
  GANTRY_CHECK(count(in));
  out.push_back(std::move(value));
  return {};
}

Result<void> Walker::read_entry_point(const Instruction &in) {
  GANTRY_CHECK(require(in, 3));
  EntryPoint e;
  e.model = in[0];
  e.id = in[1];
  e.offset = in.offset;
  std::uint64_t word = 2;
  GANTRY_TRY(e.name, text(in, word));
  e.interface_count = static_cast<std::uint32_t>(in.size() - word);
  GANTRY_CHECK(count(in));
  facts_.try_emplace(e.id);
  out_.entry_points.push_back(std::move(e));
  return {};
}

Result<void> Walker::read_mode(const Instruction &in) {
  GANTRY_CHECK(require(in, 2));
  auto known = facts_.find(in[0]);
  if (known == facts_.end())
    return {};
  Facts &facts = known->second;
  std::uint32_t mode = in[1];
  bool by_id = in.opcode == kOpExecutionModeId;
  if (mode == kModeSubgroupSize && !by_id) {
    GANTRY_CHECK(require(in, 3));
    facts.subgroup_size = in[2];
    return {};
  }
  if (by_id ? mode != kModeLocalSizeId && mode != kModeLocalSizeHintId
            : mode != kModeLocalSize && mode != kModeLocalSizeHint)
    return {};
  GANTRY_CHECK(require(in, 5));
  Extent3 size = {in[2], in[3], in[4]};
  if (by_id) {
    for (std::uint32_t id : size)
      constants_.try_emplace(id);
    (mode == kModeLocalSizeId ? facts.local_size_ids
                              : facts.local_size_hint_ids) = size;
  } else {
    (mode == kModeLocalSize ? facts.local_size : facts.local_size_hint) = size;
  }
  return {};
}

void Walker::read_function(const Instruction &in) {
  if (in.opcode == kOpFunction && in.size() >= 2) {
    auto known = facts_.find(in[1]);
    function_ = known == facts_.end() ? nullptr : &known->second;
    if (function_)
      function_->parameters = 0;
  } else if (in.opcode == kOpFunctionParameter && function_) {
    ++*function_->parameters;
  } else if (in.opcode == kOpFunctionEnd) {
    function_ = nullptr;
  }
}

Result<void> Walker::read(const Instruction &in) {
  switch (in.opcode) {
  case kOpCapability:
    GANTRY_CHECK(require(in, 1));
    if (!capabilities_.insert(in[0]).second)
      return {};
    GANTRY_CHECK(count(in));
    out_.capabilities.push_back(in[0]);
    return {};
  case kOpExtension:
    return add_text(in, 0, extensions_, out_.extensions);
  case kOpExtInstImport:
    return add_text(in, 1, imports_, out_.imports);
  case kOpMemoryModel:
    GANTRY_CHECK(require(in, 2));
    out_.addressing_model = in[0];
    out_.memory_model = in[1];
    return {};
  case kOpSource:
    GANTRY_CHECK(require(in, 2));
    if (!sources_.insert({in[0], in[1]}).second)
      return {};
    GANTRY_CHECK(count(in));
    out_.sources.push_back({in[0], in[1]});
    return {};
  case kOpEntryPoint:
    return read_entry_point(in);
  case kOpExecutionMode:
  case kOpExecutionModeId:
    return read_mode(in);
  case kOpConstant:
    if (in.size() == 3)
      if (auto it = constants_.find(in[1]); it != constants_.end())
        it->second = in[2];
    return {};
  default:
    read_function(in);
    return {};
  }
}

std::optional<Extent3>
Walker::resolve(const std::optional<Extent3> &ids) const {
  if (!ids)
    return std::nullopt;
  Extent3 out = {};
  for (std::size_t i = 0; i < 3; i++) {
    auto value = constants_.at((*ids)[i]);
    if (!value)
      return std::nullopt;
    out[i] = *value;
  }
  return out;
}

void Walker::finish() {
  for (auto &[id, facts] : facts_) {
    if (!facts.local_size)
      facts.local_size = resolve(facts.local_size_ids);
    if (!facts.local_size_hint)
      facts.local_size_hint = resolve(facts.local_size_hint_ids);
  }
  for (EntryPoint &e : out_.entry_points) {
    const Facts &facts = facts_.at(e.id);
    e.local_size = facts.local_size;
    e.local_size_hint = facts.local_size_hint;
    e.subgroup_size = facts.subgroup_size;
    e.parameter_count = facts.parameters;
  }
}

void Walker::walk() {
  std::uint64_t at = kHeaderSize;
  while (at < image_.size()) {
    auto in = next(at);
    auto done = in ? read(*in) : std::unexpected(in.error());
    if (!done) {
      out_.damage = done.error();
      // How many parameters a function has is only known at its end.
      if (function_)
        function_->parameters.reset();
      break;
    }
    at += 4 + in->words.size();
  }
  finish();
}

} // namespace

Result<Header> read_header(Bytes start) {
  Reader r(start);
  std::uint32_t magic = r.u32("SPIR-V magic");
  if (!r.ok())
    return r.error();
  Header h;
  h.big_endian = magic == std::byteswap(kMagic);
  if (magic != kMagic && !h.big_endian)
    return fail(Errc::bad_magic, 0, "SPIR-V magic");
  auto word = [&](const char *what) {
    std::uint32_t v = r.u32(what);
    return h.big_endian ? std::byteswap(v) : v;
  };
  h.raw_version = word("SPIR-V version");
  h.generator = word("SPIR-V generator");
  h.bound = word("SPIR-V bound");
  h.schema = word("SPIR-V schema");
  if (!r.ok())
    return r.error();
  h.major = static_cast<std::uint8_t>(h.raw_version >> 16);
  h.minor = static_cast<std::uint8_t>(h.raw_version >> 8);
  return h;
}

Result<Module> read_module(Bytes image, const Limits &limits) {
  Module out;
  GANTRY_TRY(out.header, read_header(image));
  Walker(image, limits, out).walk();
  return out;
}

bool is_amd_flavour(const Module &module) {
  return (module.header.generator & 0xffff) == 0xffff;
}

} // namespace gantry::spirv

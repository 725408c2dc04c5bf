// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .nv.info and .nv.compat: the attribute records of a cubin. Both sections have
// one grammar and two tables of names. Layout: nvinfo.cc.
#pragma once

#include "base/reader.h"

#include <array>
#include <optional>

namespace gantry::nvinfo {

// What follows a record's id.
enum : std::uint8_t {
  kFormatNone = 1,  // nothing; `value` holds two bytes without meaning
  kFormatByte = 2,  // a byte in `value`
  kFormatHalf = 3,  // 16 bits in `value`
  kFormatSized = 4, // `value` bytes of payload
};

// The attributes that gantry reads (.nv.info). Others keep their number.
enum : std::uint8_t {
  kMaxThreads = 0x05,        // 3 × u32
  kParamCbank = 0x0A,        // u32 symbol, u16 offset, u16 size
  kRequiredThreads = 0x10,   // 3 × u32
  kFrameSize = 0x11,         // u32 symbol, u32 bytes
  kMinStackSize = 0x12,      // u32 symbol, u32 bytes
  kParamInfo = 0x17,         // Parameter, first form
  kCbankParamSize = 0x19,    // half
  kMaxRegisters = 0x1B,      // half, 0xFF: no limit
  kMaxStackSize = 0x23,      // u32 symbol, u32 bytes
  kRegisterCount = 0x2F,     // u32 symbol, u32 registers
  kApiVersion = 0x37,        // u32
  kCtaPerCluster = 0x3D,     // 3 × u32
  kExplicitCluster = 0x3E,   // none
  kMaxClusterRank = 0x3F,    // u32
  kParamInfoV2 = 0x45,       // Parameter, second form
  kNumBarriers = 0x4C,       // byte
  kBlocksAreClusters = 0x5B, // none
  kLanguage = 0x66,          // u32
};

// Records of .nv.compat.
enum : std::uint8_t {
  kCompatAcceleratorTarget = 0x09, // byte: 1 for an 'a' target
};

struct Record {
  std::uint8_t format = 0;
  std::uint8_t id = 0;
  std::uint16_t value = 0;  // kFormatSized: the payload's length
  std::uint64_t offset = 0; // of the record, counted like the walk's `base`
  Bytes payload;            // kFormatSized only; a view into the section
};

// Walks the records of one section:
//   for (Walk walk(bytes, base); auto record = walk.next();) …
// It ends at the end of the bytes or at the first record that cannot be read
// (a format that is not known, a payload that does not fit); damage() tells.
class Walk {
public:
  // `base` is added to all offsets: where the section starts in the image.
  explicit Walk(Bytes section, std::uint64_t base = 0)
      : reader_(section), base_(base) {}

  std::optional<Record> next();
  const std::optional<Error> &damage() const { return damage_; }

private:
  Reader reader_;
  std::uint64_t base_;
  std::optional<Error> damage_;
};

// "REGCOUNT" for 0x2F, without the prefix EIATTR_; nothing for an id without a
// public name.
std::optional<std::string_view> attribute_name(std::uint8_t id);
// "CUDA_ACCELERATOR_TARGET" for 0x09, without the prefix EICOMPAT_ATTR_.
std::optional<std::string_view> compat_name(std::uint8_t id);
// "PTX" for 3 in a LANGUAGE attribute.
std::optional<std::string_view> language_name(std::uint32_t language);

// Decoded payloads. Nothing when the record has another format or length.

// KPARAM_INFO and KPARAM_INFO_V2: one kernel parameter.
struct Parameter {
  std::uint16_t ordinal = 0;
  std::uint16_t offset = 0; // from the parameter base
  std::uint16_t size = 0;
  std::uint8_t align_log2 = 0; // of what a pointer points to (.ptr .align)
  std::uint8_t space = 0;      // of .ptr: 0 none, 1 local, 2 shared, 4 global
                               // or const, 5 generic
  // First form only.
  std::optional<std::uint8_t> bank;
  std::optional<bool> in_shared; // parameters in shared memory

  bool operator==(const Parameter &) const = default;
};
std::optional<Parameter> parameter(const Record &r);

// REGCOUNT, FRAME_SIZE, MIN_STACK_SIZE, MAX_STACK_SIZE: one fact of a symbol.
struct SymbolValue {
  std::uint32_t symbol = 0;
  std::uint32_t value = 0;
};
std::optional<SymbolValue> symbol_value(const Record &r);

// MAX_THREADS, REQNTID, CTA_PER_CLUSTER.
std::optional<std::array<std::uint32_t, 3>> dimensions(const Record &r);

// One u32: CUDA_API_VERSION, MAX_CLUSTER_RANK, LANGUAGE.
std::optional<std::uint32_t> number(const Record &r);

// PARAM_CBANK: where the parameters lie in constant bank 0.
struct ParameterBank {
  std::uint32_t symbol = 0; // of .nv.constant0.<kernel>
  std::uint16_t base = 0;
  std::uint16_t size = 0; // of all parameters
};
std::optional<ParameterBank> parameter_bank(const Record &r);

} // namespace gantry::nvinfo

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A section of attributes is a row of records without padding:
//
//   0  u8 format, u8 id, u16 value
//   4  with format 4: `value` bytes of payload
//
// Format 1 says "no value", 2 a byte, 3 a half word (both in `value`), 4 a
// payload. The format belongs to the record, not to the id.
//
// Payloads that gantry reads:
//   symbol value   u32 symbol index, u32 value
//   dimensions     u32 x, u32 y, u32 z
//   PARAM_CBANK    u32 symbol, u16 offset of the parameters in bank 0, u16 size
//   KPARAM_INFO    u32 index (0), u16 ordinal, u16 offset, u32 word: bits 0-7
//                  log2 of the pointee's alignment, 8-11 space, 12-16 bank,
//                  17 in shared memory, 18-31 size
//   KPARAM_INFO_V2 u32 index (0), u16 ordinal, u16 offset, u16 size, u16 word:
//                  bits 0-7 and 8-11 as above
//
// Observed with ptxas 11.8 to 13.5. Names and numbers are those that cuobjdump
// 13.5 prints for every number written into a section, without the prefixes
// EIATTR_ and EICOMPAT_ATTR_; eight that it does not print (0x2A, 0x30, 0x35,
// 0x47, 0x5A, 0x5F; 7 and 8 of .nv.compat) stand in tables of ptxas and nvlink
// 13.0. Ids grow with every toolkit, so one without a name is normal.

#include "format/nvinfo.h"

namespace gantry::nvinfo {

namespace {

// Index = id; "" has no public name.
constexpr std::string_view kAttributes[] = {
    // 0x00
    "ERROR", "PAD", "IMAGE_SLOT", "JUMPTABLE_RELOCS", "CTAIDZ_USED",
    "MAX_THREADS", "IMAGE_OFFSET", "IMAGE_SIZE",
    // 0x08
    "TEXTURE_NORMALIZED", "SAMPLER_INIT", "PARAM_CBANK", "SMEM_PARAM_OFFSETS",
    "CBANK_PARAM_OFFSETS", "SYNC_STACK", "TEXID_SAMPID_MAP", "EXTERNS",
    // 0x10
    "REQNTID", "FRAME_SIZE", "MIN_STACK_SIZE", "SAMPLER_FORCE_UNNORMALIZED",
    "BINDLESS_IMAGE_OFFSETS", "BINDLESS_TEXTURE_BANK", "BINDLESS_SURFACE_BANK",
    "KPARAM_INFO",
    // 0x18
    "SMEM_PARAM_SIZE", "CBANK_PARAM_SIZE", "QUERY_NUMATTRIB", "MAXREG_COUNT",
    "EXIT_INSTR_OFFSETS", "S2RCTAID_INSTR_OFFSETS", "CRS_STACK_SIZE",
    "NEED_CNP_WRAPPER",
    // 0x20
    "NEED_CNP_PATCH", "EXPLICIT_CACHING", "ISTYPEP_USED", "MAX_STACK_SIZE",
    "SUQ_USED", "LD_CACHEMOD_INSTR_OFFSETS", "LOAD_CACHE_REQUEST",
    "ATOM_SYS_INSTR_OFFSETS",
    // 0x28
    "COOP_GROUP_INSTR_OFFSETS", "COOP_GROUP_MASK_REGIDS", "SW1850030_WAR",
    "WMMA_USED", "HAS_PRE_V10_OBJECT", "ATOMF16_EMUL_INSTR_OFFSETS",
    "ATOM16_EMUL_INSTR_REG_MAP", "REGCOUNT",
    // 0x30
    "SW2393858_WAR", "INT_WARP_WIDE_INSTR_OFFSETS", "SHARED_SCRATCH",
    "STATISTICS", "INDIRECT_BRANCH_TARGETS", "SW2861232_WAR", "SW_WAR",
    "CUDA_API_VERSION",
    // 0x38
    "NUM_MBARRIERS", "MBARRIER_INSTR_OFFSETS", "COROUTINE_RESUME_ID_OFFSETS",
    "SAM_REGION_STACK_SIZE", "PER_REG_TARGET_PERF_STATS", "CTA_PER_CLUSTER",
    "EXPLICIT_CLUSTER", "MAX_CLUSTER_RANK",
    // 0x40
    "INSTR_REG_MAP", "RESERVED_SMEM_USED", "RESERVED_SMEM_0_SIZE",
    "UCODE_SECTION_DATA", "UNUSED_LOAD_BYTE_OFFSET", "KPARAM_INFO_V2",
    "SYSCALL_OFFSETS", "SW_WAR_MEMBAR_SYS_INSTR_OFFSETS",
    // 0x48
    "GRAPHICS_GLOBAL_CBANK", "SHADER_TYPE", "VRC_CTA_INIT_COUNT",
    "TOOLS_PATCH_FUNC", "NUM_BARRIERS", "TEXMODE_INDEPENDENT",
    "PERF_STATISTICS", "AT_ENTRY_FRAGMENTS",
    // 0x50
    "SPARSE_MMA_MASK", "TCGEN05_1CTA_USED", "TCGEN05_2CTA_USED",
    "GEN_ERRBAR_AT_EXIT", "REG_RECONFIG", "ANNOTATIONS", "",
    "STACK_CANARY_TRAP_OFFSETS",
    // 0x58
    "STUB_FUNCTION_KIND", "LOCAL_CTA_ASYNC_STORE_OFFSETS",
    "MERCURY_FINALIZER_OPTIONS", "BLOCKS_ARE_CLUSTERS", "SANITIZE",
    "SYSCALLS_FALLBACK", "CUDA_REQ", "MERCURY_ISA_VERSION",
    // 0x60
    "", "RTCORE_ENTRY", "CLUSTER_LAUNCH_CONTROL_USED", "",
    "MIN_PER_CTA_MEMORY_SIZE", "IGNOREOOB_CP_ASYNC_BULK_INSTR_OFFSETS",
    "LANGUAGE", "",
    // 0x68
    "GRID_ATTRIBUTES", "STACK_OFFSET", "RT_LIVESTATE_SASS_MAP", "NVSAL_SW_WAR",
    "INSTR_OFFSETS", "PREEXIT_USED"};
static_assert(std::size(kAttributes) == 0x6E);

constexpr std::string_view kCompat[] = {"ERROR",
                                        "PAD",
                                        "ISA_CLASS",
                                        "INST_TENSORMAP_V1",
                                        "INST_TCGEN05_MMA_DEPRECATED",
                                        "INST_TCGEN05_MMA",
                                        "ENABLE_OPPORTUNISTIC_FINALIZATION",
                                        "MERCURY_ISA_MAJOR_MINOR_VERSION",
                                        "MERCURY_ISA_PATCH_VERSION",
                                        "CUDA_ACCELERATOR_TARGET",
                                        "CUDA_DRIVER_VERSION",
                                        "CAN_FASTPATH_FINALIZE",
                                        "CUDA_INTERNAL_TARGET",
                                        "",
                                        "FINALIZER_VERSION",
                                        "MIN_FINALIZER_VERSION_FOR_MVC",
                                        "ERROR_LAST"};
static_assert(std::size(kCompat) == 0x11);

constexpr std::string_view kLanguages[] = {
    "",       "SASS",   "NVSAL",   "PTX",  "NVVM", "CUDA_C++", "CUDA_C++_Tile",
    "TILEIR", "CUTILE", "FORTRAN", "OPTIX"};

std::optional<std::string_view> find(std::span<const std::string_view> table,
                                     std::uint64_t id) {
  if (id >= table.size() || table[id].empty())
    return std::nullopt;
  return table[id];
}

} // namespace

std::optional<Record> Walk::next() {
  if (damage_ || reader_.left() == 0)
    return std::nullopt;
  Record r;
  const std::uint64_t start = reader_.pos();
  r.offset = base_ + start;
  r.format = reader_.u8("attribute: format");
  r.id = reader_.u8("attribute: id");
  r.value = reader_.u16("attribute: value");
  if (reader_.ok() && (r.format < kFormatNone || r.format > kFormatSized)) {
    damage_ = Error{Errc::bad_value, r.offset, "attribute: format", {}};
    return std::nullopt;
  }
  if (r.format == kFormatSized)
    r.payload = reader_.bytes(r.value, "attribute: payload");
  if (!reader_.ok()) {
    damage_ = reader_.error(base_).error();
    return std::nullopt;
  }
  return r;
}

std::optional<std::string_view> attribute_name(std::uint8_t id) {
  return find(kAttributes, id);
}

std::optional<std::string_view> compat_name(std::uint8_t id) {
  return find(kCompat, id);
}

std::optional<std::string_view> language_name(std::uint32_t language) {
  return find(kLanguages, language);
}

std::optional<Parameter> parameter(const Record &r) {
  if (r.payload.size() != 12)
    return std::nullopt;
  Reader in(r.payload);
  in.skip(4, "parameter: index");
  Parameter p;
  p.ordinal = in.u16("parameter: ordinal");
  p.offset = in.u16("parameter: offset");
  std::uint32_t word = 0;
  if (r.id == kParamInfo) {
    word = in.u32("parameter: word");
    p.size = static_cast<std::uint16_t>(word >> 18);
    p.bank = static_cast<std::uint8_t>(word >> 12 & 0x1f);
    p.in_shared = (word >> 17 & 1) != 0;
  } else if (r.id == kParamInfoV2) {
    p.size = in.u16("parameter: size");
    word = in.u16("parameter: word");
  } else {
    return std::nullopt;
  }
  p.align_log2 = static_cast<std::uint8_t>(word & 0xff);
  p.space = static_cast<std::uint8_t>(word >> 8 & 0xf);
  return p;
}

std::optional<SymbolValue> symbol_value(const Record &r) {
  if (r.payload.size() != 8)
    return std::nullopt;
  Reader in(r.payload);
  SymbolValue v;
  v.symbol = in.u32("symbol");
  v.value = in.u32("value");
  return v;
}

std::optional<std::array<std::uint32_t, 3>> dimensions(const Record &r) {
  if (r.payload.size() != 12)
    return std::nullopt;
  Reader in(r.payload);
  std::array<std::uint32_t, 3> d;
  for (std::uint32_t &n : d)
    n = in.u32("dimension");
  return d;
}

std::optional<std::uint32_t> number(const Record &r) {
  if (r.payload.size() != 4)
    return std::nullopt;
  return Reader(r.payload).u32("number");
}

std::optional<ParameterBank> parameter_bank(const Record &r) {
  if (r.payload.size() != 8)
    return std::nullopt;
  Reader in(r.payload);
  ParameterBank b;
  b.symbol = in.u32("parameter bank: symbol");
  b.base = in.u16("parameter bank: base");
  b.size = in.u16("parameter bank: size");
  return b;
}

} // namespace gantry::nvinfo

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts of one kernel. Layout of the records: nvinfo.cc; which fact lives
// where: cubin.cc.

#include "format/cubin_attributes.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace gantry::cubin {

namespace {

constexpr std::uint16_t kNoRegisterLimit = 0xFF;
constexpr std::uint32_t kUnknownStack = 0xFFFFFFFF;
constexpr std::uint32_t kReservedSharedSm = 90;
constexpr std::uint64_t kReservedShared = 1024;

std::optional<std::uint16_t> small_value(const nvinfo::Record &r) {
  if (r.format != nvinfo::kFormatByte && r.format != nvinfo::kFormatHalf)
    return std::nullopt;
  return r.value;
}

class Decoder {
public:
  Decoder(Cubin &cubin, std::uint32_t index)
      : cubin_(cubin), kernel_(cubin.kernels[index]), index_(index) {}

  void attributes();
  void sections(const Draft &draft, bool all_names);

private:
  void record(const nvinfo::Record &r);
  void parameter_record(const nvinfo::Record &r);
  void parameters();
  void merge_parameters();
  void shared(const Draft &draft, bool all_names);

  void limitation(Gap gap, std::uint64_t offset, std::string message) {
    cubin_.limitations.push_back({gap, std::move(message), offset, index_});
  }

  template <class T, class U>
  void see(Fact<T> &fact, const nvinfo::Record &r, std::optional<U> value) {
    if (value)
      fact.see(*value);
    else
      bad(r);
  }
  // The first one stands for all: records are small and can be many.
  void bad(const nvinfo::Record &r) {
    if (!std::exchange(bad_, true))
      limitation(Gap::bad_attribute, r.offset,
                 fmt::format("attribute {:#04x} of format {} and {} bytes",
                             r.id, r.format, r.payload.size()));
  }
  template <class T, class U>
  void settle(const Fact<T> &fact, std::optional<U> &out, const char *what) {
    out = fact.get();
    if (fact.conflict())
      conflict(what);
  }
  void conflict(const char *what) {
    limitation(Gap::conflicting_facts, start_,
               fmt::format("contradicting {}", what));
  }

  Cubin &cubin_;
  Kernel &kernel_;
  std::uint32_t index_;
  std::uint64_t start_ = 0; // of the first record
  bool bad_ = false;

  Fact<Dimensions> max_threads_, required_threads_, cluster_;
  Fact<std::uint32_t> cluster_rank_, language_, api_, limit_, barriers_;
  Fact<std::uint32_t> base_, bytes_;
  std::vector<nvinfo::Parameter> parameters_;
  bool parameters_readable_ = true;
};

void Decoder::attributes() {
  if (!kernel_.attributes.empty())
    start_ = kernel_.attributes.front().offset;
  for (const nvinfo::Record &r : kernel_.attributes)
    record(r);
  settle(max_threads_, kernel_.max_threads, "thread limits");
  settle(required_threads_, kernel_.required_threads, "thread counts");
  settle(cluster_, kernel_.cluster, "cluster sizes");
  settle(cluster_rank_, kernel_.max_cluster_rank, "cluster ranks");
  settle(language_, kernel_.language, "languages");
  settle(api_, kernel_.cuda_api_version, "CUDA API versions");
  settle(limit_, kernel_.register_limit, "register limits");
  if (kernel_.register_limit == kNoRegisterLimit)
    kernel_.register_limit.reset();
  if (cubin_.header.layout == Layout::b) {
    settle(barriers_, kernel_.barriers, "barrier counts");
    if (!barriers_.seen() && kernel_.attributes_complete)
      kernel_.barriers = 0;
  }
  parameters();
}

void Decoder::record(const nvinfo::Record &r) {
  switch (r.id) {
  case nvinfo::kMaxThreads:
    return see(max_threads_, r, nvinfo::dimensions(r));
  case nvinfo::kRequiredThreads:
    return see(required_threads_, r, nvinfo::dimensions(r));
  case nvinfo::kCtaPerCluster:
    return see(cluster_, r, nvinfo::dimensions(r));
  case nvinfo::kMaxClusterRank:
    return see(cluster_rank_, r, nvinfo::number(r));
  case nvinfo::kLanguage:
    return see(language_, r, nvinfo::number(r));
  case nvinfo::kApiVersion:
    return see(api_, r, nvinfo::number(r));
  case nvinfo::kMaxRegisters:
    return see(limit_, r, small_value(r));
  case nvinfo::kNumBarriers:
    return see(barriers_, r, small_value(r));
  case nvinfo::kCbankParamSize:
    return see(bytes_, r, small_value(r));
  case nvinfo::kExplicitCluster:
    kernel_.explicit_cluster = true;
    return;
  case nvinfo::kBlocksAreClusters:
    kernel_.blocks_are_clusters = true;
    return;
  case nvinfo::kParamCbank:
    if (auto bank = nvinfo::parameter_bank(r)) {
      base_.see(bank->base);
      bytes_.see(bank->size);
      return;
    }
    return bad(r);
  case nvinfo::kParamInfo:
  case nvinfo::kParamInfoV2:
    return parameter_record(r);
  default:
    return;
  }
}

void Decoder::parameter_record(const nvinfo::Record &r) {
  if (auto parameter = nvinfo::parameter(r)) {
    parameters_.push_back(*parameter);
    return;
  }
  parameters_readable_ = false;
  bad(r);
}

// One entry per ordinal; where records contradict each other a field is empty.
void Decoder::merge_parameters() {
  std::ranges::sort(parameters_, {}, [](const nvinfo::Parameter &p) {
    return std::tuple(p.ordinal, p.offset, p.size, p.align_log2, p.space);
  });
  kernel_.parameters.reserve(parameters_.size());
  const nvinfo::Parameter *before = nullptr;
  bool conflicting = false;
  for (const nvinfo::Parameter &p : parameters_) {
    if (!before || before->ordinal != p.ordinal) {
      kernel_.parameters.push_back(
          {p.ordinal, p.offset, p.size, p.align_log2, p.space, p.in_shared});
      before = &p;
      continue;
    }
    if (*before == p)
      continue;
    // `before` stays the first record of its ordinal.
    conflicting = true;
    Parameter &out = kernel_.parameters.back();
    if (before->offset != p.offset)
      out.offset.reset();
    out.size.reset();
  }
  if (conflicting)
    conflict("parameter records");
}

void Decoder::parameters() {
  settle(base_, kernel_.parameter_base, "parameter bases");
  settle(bytes_, kernel_.parameter_bytes, "parameter sizes");
  merge_parameters();
  if (!kernel_.attributes_complete || !parameters_readable_)
    return;
  const std::vector<Parameter> &list = kernel_.parameters;
  if (list.empty()) {
    if (!bytes_.seen())
      kernel_.parameter_bytes = 0;
    if (kernel_.parameter_bytes == 0) {
      kernel_.parameter_count = 0;
      return;
    }
  } else if (list.back().ordinal == list.size() - 1) {
    kernel_.parameter_count = static_cast<std::uint32_t>(list.size());
    return;
  }
  limitation(
      Gap::missing_parameters, start_,
      fmt::format("records of {} parameters do not make up the whole list",
                  list.size()));
}

// What sections outside .nv.info.<kernel> state.
void Decoder::sections(const Draft &draft, bool all_names) {
  const std::uint64_t where = kernel_.code_offset.value_or(start_);
  if (!draft.has_attributes)
    limitation(Gap::missing_attributes, where, "no attributes");
  settle(draft.registers, kernel_.registers, "register counts");
  if (!draft.registers.seen()) {
    if (const std::uint32_t by_code = draft.code_info >> 24)
      kernel_.registers = by_code;
    else
      limitation(Gap::missing_registers, where, "no register count");
  }
  if (cubin_.header.layout == Layout::a && kernel_.section)
    kernel_.barriers = draft.code_flags >> 20 & 0x7F;
  settle(draft.frame, kernel_.frame_bytes, "frame sizes");
  settle(draft.stack, kernel_.stack_bytes, "stack sizes");
  if (kernel_.stack_bytes == kUnknownStack) {
    kernel_.stack_bytes.reset();
    kernel_.stack_unbounded = true;
  }
  settle(draft.local, kernel_.local_bytes, "local memory sections");
  if (!draft.local.seen())
    kernel_.local_bytes = kernel_.frame_bytes;
  shared(draft, all_names);
}

void Decoder::shared(const Draft &draft, bool all_names) {
  const Header &header = cubin_.header;
  if (header.relocatable() && cubin_.has_symbols && !kernel_.dynamic_shared &&
      draft.relocations_readable && all_names)
    kernel_.dynamic_shared = false;
  settle(draft.shared, kernel_.shared_section_bytes, "shared memory sections");
  if (!draft.shared.seen()) {
    if (all_names)
      kernel_.static_shared_bytes = 0;
    return;
  }
  if (!header.sm || !kernel_.shared_section_bytes)
    return;
  kernel_.static_shared_bytes = kernel_.shared_section_bytes;
  if (!header.relocatable() && *header.sm >= kReservedSharedSm &&
      *kernel_.shared_section_bytes >= kReservedShared)
    *kernel_.static_shared_bytes -= kReservedShared;
}

} // namespace

void settle_kernel(Cubin &cubin, std::uint32_t index, const Draft &draft,
                   bool all_names) {
  cubin.kernels[index].attributes_complete =
      draft.has_attributes && draft.attributes_readable;
  Decoder decoder(cubin, index);
  decoder.attributes();
  decoder.sections(draft, all_names);
  std::ranges::sort(cubin.kernels[index].constants, {}, &Bank::number);
}

} // namespace gantry::cubin

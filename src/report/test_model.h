// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: reports in which nothing, or everything, is known.
#pragma once

#include "gantry/inspect.h"

namespace gantry::report {

// One object, one kernel, one container, one row, all as unknown as can be.
inline inspect::Report unknown_report() {
  inspect::Report r;
  r.path = "lib.so";
  r.containers.resize(1);
  r.objects.resize(1);
  r.objects[0].container = 0;
  r.kernels.resize(1);
  r.kernels[0].object = 0;
  r.targets.resize(1);
  return r;
}

inline inspect::Report known_report() {
  inspect::Report r = unknown_report();
  r.size = 4096;
  r.format = "zip";
  r.package = {"zip", 1, 2, 3, 4};
  r.sha256 = std::string(64, 'a');
  r.searched = true;
  inspect::Limitation reason{"corrupt", "damaged", 7};
  r.limitations = {reason};

  inspect::Container &c = r.containers[0];
  c.id = "40";
  c.kind = inspect::ContainerKind::ccob;
  c.section = ".hip_fatbin";
  c.location = {"", 64, 4000};
  c.decoded_bytes = 8000;
  c.compression = "zstd";
  c.version = 3;
  c.entries = 2, c.host_entries = 1, c.wrappers = 4;
  c.padding_bytes = 5, c.unrecognised_bytes = 6;
  c.limitations = {reason};
  inspect::Container inner = c;
  inner.id = "40.0";
  inner.parent = 0;
  r.containers.push_back(inner);

  inspect::Object &o = r.objects[0];
  o.id = "40.0.1";
  o.container = 1;
  o.kind = inspect::ObjectKind::cubin;
  o.relocatable = true;
  o.declared = "sm_90a", o.target = "sm_90a", o.payload_target = "sm_90";
  o.target_consistency = "base-only";
  o.compression = "zstd";
  o.name = "a.cu", o.options = "-O3", o.toolkit = "13.0", o.version = "8.7";
  o.encoded_bytes = 1000, o.decoded_bytes = 2000;
  o.location = {"40", 8, 2000};
  o.encoded_location = {"", 64, 1000};
  o.digest = std::string(64, 'b');
  o.kernel_analysis = inspect::Coverage::complete;
  o.kernels = 1;
  o.cuda_header = inspect::CudaTargetHeader{0x41, 0x5a, {"40", 56, 4}};
  o.e_flags = 0x36;
  o.limitations = {reason};

  inspect::Kernel &k = r.kernels[0];
  k.name = "_Z4axpyfPf", k.symbol = "_Z4axpyfPf.kd";
  k.representation = "sass";
  k.registers = 1, k.shared_bytes = 2, k.shared_section_bytes = 3;
  k.dynamic_shared = true, k.local_bytes = 4, k.stack_bytes = 5;
  k.code_bytes = 6, k.barriers = 7, k.register_limit = 8;
  k.max_threads = {{9, 10, 11}}, k.required_threads = {{12, 13, 14}};
  k.cluster = {{15, 16, 17}}, k.max_cluster_rank = 18;
  k.max_flat_threads = 19, k.parameter_count = 1;
  k.hidden_parameter_count = 0, k.parameter_bytes = 20, k.parameter_base = 21;
  k.parameters.resize(1);
  k.parameters[0].name = "x", k.parameters[0].offset = 0;
  k.parameters_known = true;
  k.virtual_registers = {{"b32", 22}};
  k.constant_banks = {{0, 23}};
  k.sgprs = 24, k.vgprs = 25, k.agprs = 26, k.sgpr_spills = 27;
  k.vgpr_spills = 28, k.allocated_vgprs = 29, k.allocated_sgprs = 30;
  k.wavefront_size = 64, k.language = "CUDA C";
  k.attributes = {{"EIATTR", "1"}, {"EIATTR", "2"}};
  k.limitations = {reason};

  inspect::TargetRow &row = r.targets[0];
  row.target = "sm_90a", row.kind = inspect::ObjectKind::cubin;
  row.relocatable = true, row.objects = 1, row.kernels = 1;
  row.encoded_bytes = 1000, row.decoded_bytes = 2000;

  r.usage = {.accounted_bytes = 4096,
             .bytes_read = 4096,
             .decoded_bytes = 8000,
             .object_bytes = 1000,
             .compressed_together_bytes = 2000,
             .container_bytes = 500,
             .padding_bytes = 500,
             .other_bytes = 96,
             .overlap_bytes = 1,
             .objects_not_selected = 2};
  return r;
}

} // namespace gantry::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a decoded payload to the model: observed target, consistency, kernels.
#pragma once

#include "gantry/base.h"
#include "gantry/target.h"
#include "inspect/unit.h"

namespace gantry::inspect {

// What is wanted of a payload besides its target.
struct Depth {
  bool kernels = false;
  bool attributes = false; // of kernels
  bool parameters = true;  // of kernels, one by one
};

// Fills what the payload says about slot.object, whose declared target and
// location are set already, and, if wanted, its kernels. Never fails: what
// cannot be read is a limitation.
void describe(Bytes payload, const Depth &depth, const Limits &limits,
              Slot &slot);

// One per kind of object; describe() calls the right one.
void describe_cubin(Bytes image, const Depth &depth, const Limits &limits,
                    Slot &slot);
void describe_amdgpu(Bytes image, const Depth &depth, const Limits &limits,
                     Slot &slot);
void describe_ptx(Bytes text, const Depth &depth, const Limits &limits,
                  Slot &slot);

void describe_spirv(Bytes image, const Depth &depth, const Limits &limits,
                    Slot &slot);
// These kinds have no list of kernels.
void describe_bitcode(Bytes image, const Limits &limits, Object &object);
void describe_lto_ir(Bytes image, Object &object);
void describe_sycl(Bytes image, const Limits &limits, Object &object);

// Whether an ar archive holds images for Intel GPUs.
bool is_sycl_archive(Bytes image, const Limits &limits);

// The declared target for a comparison: nothing when no container declares one.
std::optional<Target> declared_target(const Object &object);

} // namespace gantry::inspect

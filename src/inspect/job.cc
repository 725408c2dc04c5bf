// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/job.h"

#include <algorithm>

namespace gantry::inspect {

namespace {

std::uint64_t memory_of(const Kernel &k) {
  return sizeof k + k.name.capacity() + k.symbol.capacity() +
         k.parameters.capacity() * sizeof(Parameter) +
         k.attributes.capacity() * sizeof k.attributes[0];
}

} // namespace

void Job::begin() {
  if (makes_slots())
    result = *unit;
  else
    result.slots.assign(unit->slots.begin() + payload.first,
                        unit->slots.begin() + payload.first + payload.count);
  for (Job &alias : aliases)
    alias.begin();
}

std::uint64_t Job::records() const {
  std::uint64_t count = makes_slots() ? result.slots.size() : 0;
  for (const Slot &slot : result.slots)
    count += slot.kernels.size();
  for (const Job &alias : aliases)
    count += alias.records();
  return count;
}

std::uint64_t Job::memory() const {
  std::uint64_t bytes = result.slots.size() * sizeof(Slot);
  for (const Slot &slot : result.slots)
    for (const Kernel &k : slot.kernels)
      bytes += memory_of(k);
  for (const Job &alias : aliases)
    bytes += alias.memory();
  return bytes;
}

void Job::commit() {
  if (makes_slots())
    *unit = std::move(result);
  else
    std::ranges::move(result.slots, unit->slots.begin() + payload.first);
  drop();
  for (Job &alias : aliases)
    alias.commit();
}

void Job::refuse(const Error &error, Analysis analysis) {
  if (makes_slots())
    add(result.containers[0], limitation(error));
  for (Slot &slot : result.slots) {
    add(slot.object, limitation(error));
    if (analysis == Analysis::kernels && slot.object.selected)
      slot.object.kernel_analysis = Coverage::unexamined;
  }
  for (Job &alias : aliases)
    alias.refuse(error, analysis);
}

} // namespace gantry::inspect

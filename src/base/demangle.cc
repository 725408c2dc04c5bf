// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The demangler is GNU libiberty's. The one in the C++ runtime
// (__cxa_demangle) is no choice: it refuses names of more than 1,024 bytes,
// which one in ten kernels of NVIDIA's libraries has, and there is no way to
// stop it when a name unfolds to gigabytes (each substitution can double the
// output). libiberty hands its output out in pieces, so it can be left.
#include "base/demangle.h"

#include <libiberty/demangle.h>

#include <algorithm>
#include <csetjmp>

namespace gantry {

namespace {

struct Output {
  std::string text;
  std::jmp_buf stop;
};

// Called with up to 255 bytes. Jumping out of libiberty is sound: its frames
// are C and own nothing but stack.
void take(const char *piece, std::size_t size, void *opaque) {
  auto &output = *static_cast<Output *>(opaque);
  if (size > kDemangledLimit - output.text.size())
    std::longjmp(output.stop, 1);
  output.text.append(piece, size);
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != text.npos;
       at = text.find(what, at + what.size()))
    ++found;
  return found;
}

// libiberty copies every template into every reference to a template parameter
// before it prints, all on the stack: 16 bytes for each pair, and it may count
// each of the two twice. Their number follows from these letters.
bool fits_stack(std::string_view name) {
  const std::size_t templates = std::max<std::size_t>(count(name, "I"), 1);
  const std::size_t references = count(name, "RT") + count(name, "OT");
  return references <= 16'384 / templates;
}

// libiberty looks for the packs of an expansion (Dp, sp) through everything
// that substitutions unfold to, before it hands out the first piece: two more
// of them can double that, and 80 take minutes. 36 take milliseconds. "sp" also
// occurs in identifiers; some 20 of 5,000 names of a CUDA library stay mangled
// for it.
bool fits_time(std::string_view name) {
  if (count(name, "Dp") == 0 && count(name, "sp") == 0)
    return true;
  std::size_t substitutions = 0;
  for (std::size_t i = 0; i < name.size(); i++)
    substitutions += name[i] == 'S';
  return substitutions <= 36;
}

// Nothing with a destructor may live here: longjmp passes it by.
bool run(const char *name, Output &output) {
  if (setjmp(output.stop) != 0)
    return false;
  // Without "no recursion limit" names of more than 1,024 bytes are refused.
  // How deep it goes is limited by kMangledLimit instead.
  return cplus_demangle_v3_callback(
             name, DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT, take,
             &output) != 0;
}

} // namespace

std::string demangle(std::string_view name) {
  if (name.ends_with(".kd"))
    name.remove_suffix(3);
  if (!name.starts_with("_Z") || name.size() > kMangledLimit ||
      name.find('\0') != name.npos || !fits_stack(name) || !fits_time(name))
    return {};
  Output output;
  if (!run(std::string(name).c_str(), output))
    return {};
  return std::move(output.text);
}

} // namespace gantry

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/error.h"

#include <fmt/core.h>

namespace gantry {

std::string_view word(Errc code) {
  switch (code) {
  case Errc::truncated:
    return "truncated";
  case Errc::bad_magic:
    return "bad-magic";
  case Errc::bad_value:
    return "bad-value";
  case Errc::too_large:
    return "too-large";
  case Errc::unsupported:
    return "unsupported";
  case Errc::io:
    return "io";
  case Errc::corrupt:
    return "corrupt";
  case Errc::not_found:
    return "not-found";
  case Errc::invalid_argument:
    return "invalid-argument";
  case Errc::interrupted:
    return "interrupted";
  case Errc::changed:
    return "changed";
  }
  return "unknown";
}

Error Error::in(std::string_view outer) && {
  context = context.empty() ? std::string(outer)
                            : std::string(outer) + " > " + context;
  return std::move(*this);
}

std::string Error::text() const {
  std::string out = context.empty() ? what : context + ": " + what;
  // An offset says nothing about a refusal of the operating system or of an
  // argument.
  if (code == Errc::io || code == Errc::not_found ||
      code == Errc::invalid_argument || code == Errc::interrupted ||
      code == Errc::changed)
    return out;
  return fmt::format("{}: {} at byte {:#x}", out, word(code), offset);
}

} // namespace gantry

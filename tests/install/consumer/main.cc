// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest user of an installed gantry: it compiles against the public
// headers and links the library and what that needs.
#include <gantry/base.h>

#include <iostream>

int main() {
  gantry::Result<int> result = gantry::fail(gantry::Errc::truncated, 32, "size");
  std::cout << std::move(result).error().in("libx.so").text() << "\n";
}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The libraries of docs/design.md 6, each as one imported target.
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(lz4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(nettle REQUIRED IMPORTED_TARGET nettle)

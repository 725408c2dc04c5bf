# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The libraries of docs/design.md 6, each as one imported target.
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(PkgConfig REQUIRED)

# PkgConfig::NAME for the pkg-config module MODULE. With GANTRY_STATIC it stands
# for the archive where the system has one: a release that loads few libraries
# starts faster and runs on more machines.
function(gantry_dependency name module)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${module})
  if(GANTRY_STATIC)
    find_library(archive_${name} NAMES lib${${name}_LIBRARIES}.a
      HINTS ${${name}_LIBRARY_DIRS})
    if(archive_${name})
      set_target_properties(PkgConfig::${name} PROPERTIES
        INTERFACE_LINK_LIBRARIES ${archive_${name}})
    endif()
  endif()
endfunction()

gantry_dependency(zstd libzstd)
gantry_dependency(lz4 liblz4)
gantry_dependency(zlib zlib)
gantry_dependency(nettle nettle)

# The demangler. No pkg-config module; Debian's archive is position-independent.
find_library(GANTRY_IBERTY iberty REQUIRED)

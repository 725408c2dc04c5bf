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
gantry_dependency(libarchive libarchive)

# libarchive.a wants more archives; only those of Debian's build that gantry's
# formats need. Where they are not enough, the shared library does it. A target
# of its own, so that it comes before them on the command line.
if(GANTRY_STATIC AND archive_libarchive)
  find_library(GANTRY_LZMA NAMES liblzma.a)
  find_library(GANTRY_BZ2 NAMES libbz2.a)
  add_library(gantry_libarchive STATIC IMPORTED)
  set_target_properties(gantry_libarchive PROPERTIES
    IMPORTED_LOCATION ${archive_libarchive}
    INTERFACE_LINK_LIBRARIES "${GANTRY_LZMA};${GANTRY_BZ2};PkgConfig::nettle;PkgConfig::zstd;PkgConfig::lz4;PkgConfig::zlib")
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES gantry_libarchive)
  check_cxx_source_compiles("
    #include <archive.h>
    int main() {
      archive *a = archive_read_new();
      archive_read_support_format_7zip(a);
      archive_read_support_format_cpio(a);
      archive_read_support_format_raw(a);
      archive_read_support_format_empty(a);
      archive_read_support_format_tar(a);
      archive_read_support_format_zip_streamable(a);
      return archive_read_append_filter(a, ARCHIVE_FILTER_XZ);
    }" GANTRY_STATIC_LIBARCHIVE)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(GANTRY_STATIC_LIBARCHIVE)
    set(linked gantry_libarchive)
  else()
    set(linked ${libarchive_LINK_LIBRARIES})
  endif()
  set_target_properties(PkgConfig::libarchive PROPERTIES
    INTERFACE_LINK_LIBRARIES "${linked}")
endif()

# The demangler. No pkg-config module; Debian's archive is position-independent.
find_library(GANTRY_IBERTY iberty REQUIRED)

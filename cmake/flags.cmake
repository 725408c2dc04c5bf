# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Language level and warnings sit on one target; nothing is global.
add_library(gantry_flags INTERFACE)
target_compile_features(gantry_flags INTERFACE cxx_std_23)
target_compile_options(gantry_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
  $<$<BOOL:${GANTRY_WERROR}>:-Werror>)
# GCC 12 sees overlapping copies in std::string's own code (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(gantry_flags INTERFACE -Wno-restrict)
endif()
# clang sees that libstdc++ 12's own stable_sort calls what C++17 deprecated. g++
# still tells of such calls in ours.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(gantry_flags INTERFACE -Wno-deprecated-declarations)
endif()
# clang: the library of a build with fuzz targets counts edges for them.
target_compile_options(gantry_flags INTERFACE
  $<$<BOOL:${GANTRY_FUZZ}>:-fsanitize=fuzzer-no-link>)
target_include_directories(gantry_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(GANTRY_CCACHE ccache)
if(GANTRY_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # The two settings let it keep what is compiled with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros ${GANTRY_CCACHE})
endif()

# A room of the house (docs/design.md 2): one OBJECT library per folder of src/.
function(gantry_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;TESTS;LIBRARIES" ${ARGN})
  add_library(gantry_${name} OBJECT ${ROOM_SOURCES})
  target_link_libraries(gantry_${name} PRIVATE
    $<BUILD_INTERFACE:gantry_flags> ${ROOM_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY gantry_rooms gantry_${name})
  set_property(GLOBAL APPEND PROPERTY gantry_libraries ${ROOM_LIBRARIES})
  list(TRANSFORM ROOM_TESTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY gantry_unit_tests ${ROOM_TESTS})
endfunction()

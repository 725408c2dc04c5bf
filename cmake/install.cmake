# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` lays down: the command, the static library, the public
# headers, and the two ways in which other projects find them.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gantry)
set(package_build ${CMAKE_BINARY_DIR}/package)

if(TARGET gantry-cli)
  install(TARGETS gantry-cli)
  set(pages ${CMAKE_BINARY_DIR}/pages)
  add_custom_command(OUTPUT ${pages}/done
    COMMAND ${CMAKE_COMMAND} -DGANTRY=$<TARGET_FILE:gantry-cli> -DOUT=${pages}
      -P ${PROJECT_SOURCE_DIR}/cmake/pages.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${pages}/done
    DEPENDS gantry-cli cmake/pages.cmake VERBATIM)
  add_custom_target(pages ALL DEPENDS ${pages}/done)
  install(DIRECTORY ${pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${pages}/completions/gantry
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${pages}/completions/_gantry
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${pages}/completions/gantry.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(TARGETS gantry EXPORT gantry)
install(DIRECTORY include/gantry DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

install(EXPORT gantry NAMESPACE gantry:: FILE gantry-targets.cmake
  DESTINATION ${package_dir})
configure_package_config_file(cmake/gantry-config.cmake.in
  ${package_build}/gantry-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${package_build}/gantry-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/dependencies.cmake
  ${package_build}/gantry-config.cmake ${package_build}/gantry-config-version.cmake
  DESTINATION ${package_dir})

# The .pc file finds its prefix from its own place, so that an install can be
# moved and `cmake --install --prefix` needs no second configuration.
file(RELATIVE_PATH GANTRY_PC_TO_PREFIX
  /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(REGEX REPLACE "/$" "" GANTRY_PC_TO_PREFIX ${GANTRY_PC_TO_PREFIX})
configure_file(cmake/gantry.pc.in ${package_build}/gantry.pc @ONLY)
install(FILES ${package_build}/gantry.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

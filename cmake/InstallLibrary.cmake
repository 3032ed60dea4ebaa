# SPDX-License-Identifier: Apache-2.0
#
# Installs the libraries. For C: copse.h, libcopse.so, copse-c.pc. For C++: headers, libcopse.a, copse.pc.
# For both a CMake package: `find_package(copse)` gives `copse::c`, `copse::copse`, and `copse::headers` for
# plugins. Included by the top-level CMakeLists.txt.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/copse)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/copse DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS copse copse_headers EXPORT copse-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(COPSE_SHARED)
  install(FILES ${PROJECT_SOURCE_DIR}/include/copse.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  # By itself, so that a program in C needs none of the packages that libcopse.a is built on.
  install(TARGETS copse_c EXPORT copse-c-targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT copse-c-targets NAMESPACE copse:: DESTINATION ${package})
  # In the place of Fluxion's, and the tree of headers that its clients include.
  install(TARGETS reapi_cli LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/flux)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/reapi/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/copse-reapi)
endif()
install(EXPORT copse-targets NAMESPACE copse:: DESTINATION ${package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/copse-config.cmake.in
                              ${PROJECT_BINARY_DIR}/copse-config.cmake INSTALL_DESTINATION ${package})
# Before 1.0 a minor version may change any header.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/copse-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/copse-config.cmake ${PROJECT_BINARY_DIR}/copse-config-version.cmake
        DESTINATION ${package})

# Paths from where copse.pc is, so that an installation may be moved; absolute ones as they are.
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(PC_${dir} "${CMAKE_INSTALL_${dir}}")
  else()
    set(PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(PC_PREFIX "\${pcfiledir}/${up}")
endif()
set(modules copse)
if(COPSE_SHARED)
  list(APPEND modules copse-c copse-reapi)
endif()
foreach(module ${modules})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${module}.pc.in ${PROJECT_BINARY_DIR}/${module}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

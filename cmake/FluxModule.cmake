# SPDX-License-Identifier: Apache-2.0
#
# sched-copse.so: the scheduler of a Flux instance (src/flux/module), where Flux is.
# Prefixes of pkg-config's files: PKG_CONFIG_PATH.
include(GNUInstallDirs)
if(NOT COPSE_FLUX)
  return()
endif()
pkg_check_modules(FLUX IMPORTED_TARGET flux-core>=0.78)
pkg_check_modules(JANSSON IMPORTED_TARGET jansson)
if(NOT FLUX_FOUND OR NOT JANSSON_FOUND OR COPSE_SANITIZE OR COPSE_FUZZ)
  message(STATUS "Flux: sched-copse.so is not built (it needs flux-core 0.78, jansson, no sanitizer)")
  set(COPSE_FLUX OFF)
  return()
endif()
set(COPSE_FLUX_PREFIX ${FLUX_PREFIX})
set(COPSE_FLUX_LIBS ${FLUX_LIBDIR})

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/flux/module/*.cpp)
add_library(sched-copse MODULE ${sources})
compile_together(sched-copse ${sources})
# Its short name for a type is module.cpp's too: compiled by itself.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/flux/module/peer_log.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
set_target_properties(sched-copse PROPERTIES PREFIX "" BUILD_RPATH ${COPSE_FLUX_LIBS})
if(NOT COPSE_FLUX_LIBS IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
  set_target_properties(sched-copse PROPERTIES INSTALL_RPATH ${COPSE_FLUX_LIBS})
endif()
target_compile_options(sched-copse PRIVATE -fvisibility=hidden)
target_link_libraries(sched-copse PRIVATE copse_hosts copse PkgConfig::FLUX PkgConfig::JANSSON)
# The broker keeps a library mapped that shows unique symbols, and a reload would run the old code:
# the version script makes them local.
target_link_options(sched-copse PRIVATE LINKER:--no-undefined
                    LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/sched-copse.map)
set_property(TARGET sched-copse APPEND PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/sched-copse.map)
install(TARGETS sched-copse LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/flux/modules)
# Other schedulers' names, in a separate folder: with that folder in FLUX_MODULE_PATH_PREPEND, a script
# that loads one of these gets Copse.
set(COPSE_FLUX_NAMES ${CMAKE_INSTALL_LIBDIR}/copse/flux-modules)
foreach(name sched-fluxion-resource sched-fluxion-qmanager sched-fluxion-feasibility sched-simple)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/flux-modules)
  file(CREATE_LINK ${CMAKE_BINARY_DIR}/sched-copse.so ${CMAKE_BINARY_DIR}/flux-modules/${name}.so SYMBOLIC)
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${COPSE_FLUX_NAMES}\")
    file(MAKE_DIRECTORY \"\${folder}\")
    file(CREATE_LINK ../../flux/modules/sched-copse.so \"\${folder}/${name}.so\" SYMBOLIC)")
endforeach()
install(PROGRAMS ${PROJECT_SOURCE_DIR}/packaging/flux/flux-copse.py
        DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/flux/cmd)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/flux/sched-copse.toml
        DESTINATION ${CMAKE_INSTALL_SYSCONFDIR}/flux/modprobe/modprobe.d)
install(FILES ${PROJECT_SOURCE_DIR}/docs/man/flux-copse.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/docs/man/sched-copse.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)

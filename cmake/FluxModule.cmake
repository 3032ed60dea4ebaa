# SPDX-License-Identifier: Apache-2.0
#
# sched-copse.so: the scheduler of a Flux instance (src/flux/module), where Flux is installed: in a
# folder that pkg-config searches (PKG_CONFIG_PATH), in the prefix of the `flux` of PATH, or in /opt/flux.
#
# Sets COPSE_FLUX to OFF where the module is not built, and then COPSE_FLUX_MISSING to the reason, unless
# this build is not to have it.
include(GNUInstallDirs)
if(COPSE_SANITIZE OR COPSE_FUZZ)
  set(COPSE_FLUX OFF)  # the broker, which loads it, has no sanitizer
endif()
if(NOT COPSE_FLUX)
  return()
endif()
find_program(COPSE_FLUX_COMMAND flux PATHS /opt/flux/bin DOC "The command flux, in the prefix of flux-core")
if(COPSE_FLUX_COMMAND)
  get_filename_component(prefix ${COPSE_FLUX_COMMAND} REALPATH)
  get_filename_component(prefix ${prefix} DIRECTORY)
  get_filename_component(prefix ${prefix} DIRECTORY)
  foreach(folder lib lib64 ${CMAKE_INSTALL_LIBDIR})
    set(ENV{PKG_CONFIG_PATH} "$ENV{PKG_CONFIG_PATH}:${prefix}/${folder}/pkgconfig")
  endforeach()
endif()
pkg_check_modules(FLUX IMPORTED_TARGET flux-core>=0.78)
pkg_check_modules(JANSSON IMPORTED_TARGET jansson)
if(NOT FLUX_FOUND OR NOT JANSSON_FOUND)
  if(FLUX_FOUND)
    set(COPSE_FLUX_MISSING "no jansson (Debian: libjansson-dev)")
  elseif(COPSE_FLUX_COMMAND)
    set(COPSE_FLUX_MISSING "no flux-core.pc of version 0.78 or later for ${COPSE_FLUX_COMMAND}")
  else()
    set(COPSE_FLUX_MISSING "no Flux in PATH or /opt/flux")
  endif()
  message(STATUS "Flux: sched-copse.so is not built: ${COPSE_FLUX_MISSING}")
  set(COPSE_FLUX OFF)
  return()
endif()
set(COPSE_FLUX_PREFIX ${FLUX_PREFIX})
set(COPSE_FLUX_LIBS ${FLUX_LIBDIR})

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/flux/module/*.cpp)
add_library(sched-copse MODULE ${sources})
compile_together(sched-copse ${sources})
# It has a short name for a type that module.cpp has, too: compiled separately.
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

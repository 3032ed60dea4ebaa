# SPDX-License-Identifier: Apache-2.0
#
# The shared libraries for programs in C: Copse's own, and the one in the place of Fluxion's. Only what
# a list of symbols names leaves a library; the list is the promise, and tests compare it with the header
# and with what the library has.
# Included by the top-level CMakeLists.txt.
# A library with sanitizers needs programs with them.
if(COPSE_SANITIZE OR COPSE_FUZZ)
  set(COPSE_SHARED OFF)
endif()
if(NOT COPSE_SHARED)
  return()
endif()

# shared_library(TARGET ARCHIVE SYMBOLS): of a static library, and what it needs.
function(shared_library target archive symbols)
  file(WRITE ${PROJECT_BINARY_DIR}/empty.cpp "")
  add_library(${target} SHARED ${PROJECT_BINARY_DIR}/empty.cpp)
  target_link_libraries(${target} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${archive}>")
  target_link_options(${target} PRIVATE LINKER:--version-script=${symbols} LINKER:--as-needed LINKER:--no-undefined)
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${symbols})
endfunction()

shared_library(copse_c copse_capi ${PROJECT_SOURCE_DIR}/src/capi/libcopse.map)
# The number after .so changes when a program has to be compiled again.
set_target_properties(copse_c PROPERTIES OUTPUT_NAME copse VERSION ${PROJECT_VERSION} SOVERSION 0 EXPORT_NAME c)
target_include_directories(copse_c INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
add_library(copse::c ALIAS copse_c)

# As Fluxion's: a name without a number, in lib/flux.
shared_library(reapi_cli copse_reapi ${PROJECT_SOURCE_DIR}/src/reapi/libreapi_cli.map)

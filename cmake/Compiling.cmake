# SPDX-License-Identifier: Apache-2.0
#
# How files are compiled: through a compiler cache where there is one, several as one. Included by the top-level CMakeLists.txt.
find_program(CCACHE ccache)
if(CCACHE)
  # Paths in the checkout count as relative, so that every checkout and build folder shares the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

# Programs with sanitizers are large, and never installed: a quick linker, where there is one.
if(COPSE_SANITIZE)
  find_program(MOLD mold)
  if(MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()

# compile_together(TARGET SOURCE...): the files below one folder of src/, src/tools/ or tests/ as one, COPSE_UNITY at a
# time. A changed file makes its group be compiled again, and no more.
function(compile_together target)
  if(COPSE_UNITY GREATER 1)
    foreach(source ${ARGN})
      get_filename_component(folder ${source} DIRECTORY)
      file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
      string(REGEX MATCH "^(src/tools/|[^/]+/)?[^/]+" folder ${folder})
      string(REPLACE "/" "_" folder ${folder})
      if(NOT DEFINED ${folder}_COUNT)
        set(${folder}_COUNT 0)
      endif()
      math(EXPR number "${${folder}_COUNT} / ${COPSE_UNITY}")
      math(EXPR ${folder}_COUNT "${${folder}_COUNT} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${number})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endif()
endfunction()

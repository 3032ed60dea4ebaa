# SPDX-License-Identifier: Apache-2.0
#
# Makes the man pages and bash completions from the option tables of the programs: `copse-pages`, a
# program of the build, writes them to the folder `pages` of the build. Included by the top-level
# CMakeLists.txt.
include(GNUInstallDirs)

set(COPSE_PAGE_TOOLS copse resource-query grug2dot flux-jobspec-validate)
set(COPSE_PAGES ${PROJECT_BINARY_DIR}/pages)
set(page_sources)
set(page_files)
foreach(tool ${COPSE_PAGE_TOOLS})
  list(APPEND page_sources ${PROJECT_SOURCE_DIR}/docs/man/${tool}.1.in)
  list(APPEND page_files ${COPSE_PAGES}/man/${tool}.1 ${COPSE_PAGES}/completions/${tool})
endforeach()
# The day of the build, or that of SOURCE_DATE_EPOCH.
string(TIMESTAMP COPSE_PAGE_DATE "%B %d, %Y" UTC)
string(REPLACE " 0" " " COPSE_PAGE_DATE "${COPSE_PAGE_DATE}")
add_custom_command(
  OUTPUT ${page_files}
  COMMAND copse-pages ${PROJECT_SOURCE_DIR} ${COPSE_PAGES} "${COPSE_PAGE_DATE}"
  DEPENDS copse-pages ${page_sources}
  COMMENT "Making man pages and completions"
  VERBATIM)
add_custom_target(pages ALL DEPENDS ${page_files})
# `cmake --build … --target option-lists` updates the tables of options in docs/.
add_custom_target(option-lists
  COMMAND copse-pages --docs ${PROJECT_SOURCE_DIR}
  COMMENT "Updating the tables of options in docs/"
  VERBATIM)

foreach(tool ${COPSE_PAGE_TOOLS})
  install(FILES ${COPSE_PAGES}/man/${tool}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  # bash-completion finds a file by the name of its command.
  install(FILES ${COPSE_PAGES}/completions/${tool}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endforeach()

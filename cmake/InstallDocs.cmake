# SPDX-License-Identifier: Apache-2.0
#
# Installs what users read and type with: manual pages, bash completions, pages of docs/, examples.
# Included by the top-level CMakeLists.txt.
include(GNUInstallDirs)

install(FILES ${PROJECT_SOURCE_DIR}/docs/man/resource-query.1 ${PROJECT_SOURCE_DIR}/docs/man/grug2dot.1
              ${PROJECT_SOURCE_DIR}/docs/man/flux-jobspec-validate.1
              ${PROJECT_SOURCE_DIR}/docs/man/copse.1
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# bash-completion finds a file by the name of its command.
foreach(tool copse resource-query grug2dot flux-jobspec-validate)
  install(FILES ${PROJECT_SOURCE_DIR}/completions/${tool}.bash
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME ${tool})
endforeach()

# Folders as in the source, so that links between the pages and to the examples hold.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
        PATTERN man EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
        PATTERN CMakeLists.txt EXCLUDE
        PATTERN "*_test.sh" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

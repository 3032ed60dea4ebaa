# SPDX-License-Identifier: Apache-2.0
#
# Installs the pages of docs/ and the examples. Included by the top-level CMakeLists.txt.
include(GNUInstallDirs)

# Folders as in the source, so that links between the pages and to what they name hold.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
        PATTERN man EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
        PATTERN "*_test.sh" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/bench/README.md ${PROJECT_SOURCE_DIR}/bench/figures.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/data/sessions
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/tests/data)
# The headers, where the pages link to them.
file(RELATIVE_PATH headers ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
string(CONFIGURE [[
  file(MAKE_DIRECTORY "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/@CMAKE_INSTALL_DOCDIR@")
  file(CREATE_LINK "@headers@" "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/@CMAKE_INSTALL_DOCDIR@/include" SYMBOLIC)
]] link @ONLY)
install(CODE "${link}")

# SPDX-License-Identifier: Apache-2.0
#
# Installs `copse serve` as a service of systemd: the unit, its user, its folders. For distributions, with
# -DCOPSE_SYSTEMD=ON. Included by the top-level CMakeLists.txt.
include(GNUInstallDirs)
if(NOT COPSE_SYSTEMD)
  return()
endif()
set(COPSE_SYSTEMD_UNITS lib/systemd/system CACHE STRING "Where systemd looks for units")
set(packaging ${PROJECT_SOURCE_DIR}/packaging/systemd)
configure_file(${packaging}/copse.service.in ${PROJECT_BINARY_DIR}/copse.service @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/copse.service DESTINATION ${COPSE_SYSTEMD_UNITS})
install(FILES ${packaging}/copse.sysusers DESTINATION lib/sysusers.d RENAME copse.conf)
install(FILES ${packaging}/copse.tmpfiles DESTINATION lib/tmpfiles.d RENAME copse.conf)

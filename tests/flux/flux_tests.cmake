# SPDX-License-Identifier: Apache-2.0
#
# Tests in a real Flux. Where there is none (cmake/FluxModule.cmake), they are listed, and skipped with
# the reason. A script exits with status 77 if it misses something else. The time limits are for a
# machine where ten other processes run on two cores; on a quiet one each test takes less than 30 s.
function(flux_test name script)  # and the arguments of the script after the command flux
  if(COPSE_FLUX)
    add_test(NAME flux.${name}
             COMMAND bash ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${script}.sh ${COPSE_FLUX_PREFIX}/bin/flux ${ARGN})
    set_tests_properties(flux.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1200 LABELS waits)
  elseif(COPSE_FLUX_MISSING)
    add_test(NAME flux.${name} COMMAND ${CMAKE_COMMAND} -E echo "flux: skipped, ${COPSE_FLUX_MISSING}")
    set_tests_properties(flux.${name} PROPERTIES SKIP_REGULAR_EXPRESSION "flux: skipped" LABELS waits)
  endif()
endfunction()

set(modules ${PROJECT_BINARY_DIR})         # has sched-copse.so
set(names ${PROJECT_BINARY_DIR}/flux-modules)  # has it under the names of other schedulers
set(modprobe ${PROJECT_SOURCE_DIR}/packaging/flux/sched-copse.toml)
# Fluxion is in a prefix of its own next to that of Flux, or in the same.
set(fluxion ${COPSE_FLUX_PREFIX}-sched/lib/flux/modules ${COPSE_FLUX_PREFIX}/lib/flux/modules)

flux_test(instance instance_test ${modules} ${modprobe})
flux_test(crash crash_test ${modules} ${modprobe})
flux_test(reload reload_test ${modules} ${PROJECT_SOURCE_DIR}/packaging/flux/flux-copse.py)
flux_test(soak soak ${modules} ${modprobe} 8)
foreach(part layers nested topology devices racks)
  flux_test(beyond_${part} beyond_test ${modules} ${modprobe} ${part})
endforeach()
foreach(part options places waiting queues)
  flux_test(simple_name_${part} simple_name_test ${names} ${part})
endforeach()
foreach(part constraints queues late_messages)
  flux_test(queue_changes_${part} queue_changes_test ${names} ${part})
endforeach()
flux_test(fluxion_names fluxion_names_test ${names})
flux_test(lost_nodes lost_nodes_test ${names})
flux_test(treepool treepool_test ${names})
flux_test(rfc49 rfc49_test ${names} ${CMAKE_CURRENT_SOURCE_DIR}/data/rfc49)
flux_test(partial_release partial_release_test ${names})
flux_test(config config_test ${modules} ${fluxion})
foreach(policy fcfs easy hybrid conservative)
  flux_test(real_qmanager_${policy} real_qmanager_test ${policy} ${names} ${fluxion})
endforeach()

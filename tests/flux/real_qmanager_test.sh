#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A cross-check: Fluxion's own sched-fluxion-qmanager and -feasibility over Copse's module of the name
# sched-fluxion-resource (match_multi, notify, cancel, partial-cancel). Jobs run as they do over
# Fluxion's resource module, and no two jobs share resources.
#
# usage: real_qmanager_test.sh FLUX POLICY NAMES FLUXION...
#   FLUX     the command flux
#   POLICY   queue-policy of Fluxion's sched-fluxion-qmanager
#   NAMES    the folder with sched-fluxion-resource.so, which is sched-copse.so
#   FLUXION  folders that may have Fluxion's own modules
# Exit status 77: there is no Flux, no Fluxion or no jq.
set -eu
flux=${1-} policy=${2-} names=${3-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }
shift 3
while [ $# -gt 0 ] && [ ! -e "$1/sched-fluxion-qmanager.so" ]; do shift; done
fluxion=${1-}
[ -n "$fluxion" ] || { echo 'skipped: there is no Fluxion'; exit 77; }
command -v jq > /dev/null || { echo 'skipped: there is no jq'; exit 77; }

if [ -z "${INSIDE_COPSE_TEST-}" ]; then
  # Only one of Copse's names; a module loaded by its path is named after the file behind a link.
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  ln -s "$(readlink -f "$names/sched-fluxion-resource.so")" "$work/sched-fluxion-resource.so"
  PATH=$(dirname "$flux"):$PATH
  export PATH FLUX_SCHED_MODULE=none FLUX_MODULE_PATH_PREPEND="$work:$fluxion" INSIDE_COPSE_TEST=1
  env -u FLUX_URI timeout 1000 flux start -s1 --conf=fake-resources.nnodes=4 \
    --conf=fake-resources.cores-per-node=4 --conf=fake-resources.host-prefix=n \
    bash "$0" "$flux" "$policy" "$names" "$fluxion"
  exit
fi

. "$(dirname "$0")/common.sh"

flux jobtap load alloc-check.so
flux module load sched-fluxion-resource match-policy=lonode
flux module load sched-fluxion-feasibility
flux module load sched-fluxion-qmanager queue-policy="$policy"
first=$(sleeper 600s -N3 -t 1000s)
event "$first" alloc
same 'what the first job has' "$(flux job info "$first" R | jq -r '.execution.nodelist[0]')" 'n[0-2]'
head=$(sleeper 0.2s -N4 -t 1000s)
small=$(sleeper 0.2s -n2 -t 50s)
never=$(sleeper 1s -N2 -n9 -c4)
if [ "$policy" = fcfs ]; then
  still_waits 'a job behind another one' "$small"
else
  event "$small" clean
  flux job eventlog "$small" | grep -q backfill || failed 'not backfilled'
  estimate() { of "$head" annotations.sched.t_estimate | grep -qE '^[0-9.]+$'; }
  until_true 'an estimate' estimate
fi
# A module that is loaded again takes over the running jobs, by their R.
flux module reload sched-fluxion-qmanager queue-policy="$policy"
until_same 'the first job after a reload' RUN of "$first" state
same 'cores in use after a reload' "$(allocated '{ncores}')" 12
flux cancel "$first"
event "$head" clean
event "$small" clean
event "$never" clean
flux job eventlog "$never" | grep -q unsatisfiable || failed 'a job that can never run'
flux submit --quiet --cc=1-40 --setattr=system.exec.test.run_duration=0.05s -n3 -t 10s true
flux queue drain
until_same 'cores in use at the end' 0 allocated '{ncores}'
flux module remove sched-fluxion-qmanager
flux module remove sched-fluxion-feasibility
flux module remove sched-fluxion-resource
completed() { flux jobs -a -n -c 0 -o '{result}' | grep -c COMPLETED; }
until_same 'completed jobs' 42 completed
no_exceptions
echo passed

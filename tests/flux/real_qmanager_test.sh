#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A cross-check: Fluxion's own sched-fluxion-qmanager and -feasibility over Copse's module of the name
# sched-fluxion-resource (match_multi, notify, cancel, partial-cancel). Jobs run as they do over
# Fluxion's resource module, and no job gets the resources of another one.
#
# usage: real_qmanager_test.sh FLUX NAMES FLUXION...
#   FLUX     the command flux
#   NAMES    the folder with sched-fluxion-resource.so, which is sched-copse.so
#   FLUXION  folders that may have Fluxion's own modules
# Exit status 77: there is no Flux, or no Fluxion.
set -eu
flux=${1-} names=${2-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }
shift 2
while [ $# -gt 0 ] && [ ! -e "$1/sched-fluxion-qmanager.so" ]; do shift; done
fluxion=${1-}
[ -n "$fluxion" ] || { echo 'skipped: there is no Fluxion'; exit 77; }
command -v jq > /dev/null || { echo 'skipped: there is no jq'; exit 77; }

if [ -z "${INSIDE_COPSE_TEST-}" ]; then
  # Of Copse's names only the one; a module loaded by its path is named after the file behind a link.
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  ln -s "$(readlink -f "$names/sched-fluxion-resource.so")" "$work/sched-fluxion-resource.so"
  PATH=$(dirname "$flux"):$PATH
  export PATH FLUX_SCHED_MODULE=none FLUX_MODULE_PATH_PREPEND="$work:$fluxion" INSIDE_COPSE_TEST=1
  env -u FLUX_URI timeout 280 flux start -s1 --conf=fake-resources.nnodes=4 \
    --conf=fake-resources.cores-per-node=4 --conf=fake-resources.host-prefix=n \
    bash "$0" "$flux" "$names" "$fluxion"
  exit
fi

. "$(dirname "$0")/common.sh"
allocated() { FLUX_RESOURCE_LIST_RPC=sched.resource-status flux resource list -s allocated -no '{ncores}'; }

flux jobtap load alloc-check.so
for policy in fcfs easy hybrid conservative; do
  flux module load sched-fluxion-resource match-policy=lonode
  flux module load sched-fluxion-feasibility
  flux module load sched-fluxion-qmanager queue-policy=$policy
  first=$(sleeper 60s -N3 -t 100s)
  event "$first" alloc
  same "what the first job has ($policy)" "$(flux job info "$first" R | jq -r '.execution.nodelist[0]')" 'n[0-2]'
  head=$(sleeper 0.2s -N4 -t 100s)
  small=$(sleeper 0.2s -n2 -t 50s)
  never=$(sleeper 1s -N2 -n9 -c4)
  if [ $policy = fcfs ]; then
    same "a job behind another one ($policy)" "$(of "$small" state)" SCHED
  else
    event "$small" clean
    flux job eventlog "$small" | grep -q backfill || failed "not backfilled ($policy)"
    of "$head" annotations.sched.t_estimate | grep -qE '^[0-9.]+$' || failed "no estimate ($policy)"
  fi
  # A module that comes again takes over what runs, by its R.
  flux module reload sched-fluxion-qmanager queue-policy=$policy
  same "the first job after a reload ($policy)" "$(of "$first" state)" RUN
  same "cores in use after a reload ($policy)" "$(allocated)" 12
  flux cancel "$first"
  event "$head" clean
  event "$small" clean
  event "$never" clean
  flux job eventlog "$never" | grep -q unsatisfiable || failed "a job that can never run ($policy)"
  flux submit --quiet --cc=1-40 --setattr=system.exec.test.run_duration=0.05s -n3 -t 10s true
  flux queue drain
  same "cores in use at the end ($policy)" "$(allocated)" 0
  flux module remove sched-fluxion-qmanager
  flux module remove sched-fluxion-feasibility
  flux module remove sched-fluxion-resource
done
same 'completed jobs' "$(flux jobs -a -n -c 0 -o '{result}' | grep -c COMPLETED)" 168
same 'exceptions' "$(flux jobs -a -n -o '{exception.type}' | grep -c alloc-check || true)" 0
echo passed

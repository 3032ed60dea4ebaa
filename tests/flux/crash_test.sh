#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# sched-copse in a process of its own (flux module load --exec), killed while jobs run: loaded again
# it knows the very same allocations, and goes on with those that wait.
#
# usage: crash_test.sh FLUX MODULES MODPROBE
#   FLUX      the command flux
#   MODULES   the folder with sched-copse.so
#   MODPROBE  the file for modprobe.d
# Exit status 77: there is no Flux here.
set -eu
flux=${1-} modules=${2-} modprobe=${3-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }

if [ -z "${INSIDE_COPSE_TEST-}" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/modprobe.d"
  cp "$modprobe" "$work/modprobe.d/"
  PATH=$(dirname "$flux"):$PATH
  export PATH FLUX_MODULE_PATH_PREPEND="$modules" FLUX_MODPROBE_PATH_APPEND="$work" INSIDE_COPSE_TEST=1
  # Without that attribute a broker ends with a module that was killed.
  env -u FLUX_URI timeout 150 flux start -s1 -Sbroker.module-nopanic=1 \
    --conf=fake-resources.nnodes=4 --conf=fake-resources.cores-per-node=8 \
    --conf=modules.alternatives.sched=sched-copse --conf=modules.alternatives.feasibility=sched-copse \
    bash "$0" "$flux" "$modules" "$modprobe"
  exit
fi

. "$(dirname "$0")/common.sh"
allocated() { FLUX_RESOURCE_LIST_RPC=$1 flux resource list -s allocated -no '{ncores} {rlist}'; }

flux jobtap load alloc-check.so
flux module remove sched-copse
flux module load --exec sched-copse
sleeper() { flux submit -t 1h --setattr=system.exec.test.run_duration="$1" "${@:2}" true; }
for last in $(sleeper 60s -n1 --cc=1-20); do :; done
flux job wait-event -t 20 "$last" alloc > /dev/null
waits=$(sleeper 0.1s -N4 --exclusive)
before=$(allocated sched.resource-status)
same 'what is known before' "${before%% *}" 20

pid=$(pgrep -P "$(flux getattr broker.pid)" -f 'module-exec .*sched-copse')
kill -9 "$pid"
for i in $(seq 100); do flux module list | grep -q sched-copse || break; sleep 0.1; done
flux module load --exec sched-copse
same 'allocations after kill -9' "$(allocated sched.resource-status)" "$before"
same 'allocations as Flux has them' "$(allocated resource.sched-status)" "$before"

flux cancel --all --user=all -q 2> /dev/null || true
flux queue idle -t 60 2> /dev/null || flux queue drain -t 60 > /dev/null
next=$(sleeper 0.1s -N4 --exclusive)
flux job wait-event -t 20 "$next" clean > /dev/null || failed 'the next job does not end'
same 'what is left at the end' "$(allocated sched.resource-status)" '0 '
flux job eventlog "$waits" | grep -q exception || failed 'the job that waited is still there'
echo passed

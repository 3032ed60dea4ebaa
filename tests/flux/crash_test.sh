#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# sched-copse in a separate process (flux module load --exec), killed while jobs run: loaded again, it has
# the same allocations, and continues with the waiting jobs.
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
  env -u FLUX_URI timeout 1000 flux start -s1 -Sbroker.module-nopanic=1 \
    --conf=fake-resources.nnodes=4 --conf=fake-resources.cores-per-node=8 \
    --conf=modules.alternatives.sched=sched-copse --conf=modules.alternatives.feasibility=sched-copse \
    bash "$0" "$flux" "$modules" "$modprobe"
  exit
fi

. "$(dirname "$0")/common.sh"
allocation='{ncores} {rlist}'

flux jobtap load alloc-check.so
flux module remove sched-copse
flux module load --exec sched-copse
sleeper() { flux submit -t 1h --setattr=system.exec.test.run_duration="$1" "${@:2}" true; }
for last in $(sleeper 600s -n1 --cc=1-20); do :; done
event "$last" alloc
waits=$(sleeper 0.1s -N4 --exclusive)
before=$(allocated "$allocation")
same 'what is known before' "${before%% *}" 20

pid=$(pgrep -P "$(flux getattr broker.pid)" -f 'module-exec .*sched-copse')
kill -9 "$pid"
gone() { ! flux module list | grep -q sched-copse; }
until_true 'the module is removed' gone
flux module load --exec sched-copse
same 'allocations after kill -9' "$(allocated "$allocation")" "$before"
same 'allocations as Flux has them' "$(allocated "$allocation" resource.sched-status)" "$before"

flux cancel --all --user=all -q 2> /dev/null || true
flux queue idle -t $limit_s 2> /dev/null || flux queue drain -t $limit_s > /dev/null
next=$(sleeper 0.1s -N4 --exclusive)
event "$next" clean || failed 'the next job does not end'
same 'what is left at the end' "$(allocated "$allocation")" '0 '
flux job eventlog "$waits" | grep -q exception || failed 'the job that waited is still there'
echo passed

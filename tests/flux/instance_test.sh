#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# sched-copse in a real Flux instance: jobs run, wait with a reason, are denied, cancelled and kept
# over a reload. Flux's own alloc-check watches each R.
#
# usage: instance_test.sh FLUX MODULES MODPROBE
#   FLUX      the command flux
#   MODULES   the folder with sched-copse.so
#   MODPROBE  the file for modprobe.d
# Exit status 77: there is no Flux here.
set -eu
flux=${1-} modules=${2-} modprobe=${3-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }
command -v jq > /dev/null || { echo 'skipped: there is no jq'; exit 77; }

if [ "${4-}" != inside ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/modprobe.d"
  cp "$modprobe" "$work/modprobe.d/"
  PATH=$(dirname "$flux"):$PATH
  COPSE_COMMAND=$(dirname "$modprobe")/flux-copse.py
  export COPSE_COMMAND PATH FLUX_MODULE_PATH_PREPEND="$modules" FLUX_MODPROBE_PATH_APPEND="$work" WORK="$work"
  # An instance of its own, also where the test runs in one.
  env -u FLUX_URI timeout 1000 flux start -s1 --conf=fake-resources.nnodes=4 \
    --conf=fake-resources.cores-per-node=8 --conf=modules.alternatives.sched=sched-copse \
    --conf=modules.alternatives.feasibility=sched-copse \
    bash "$0" "$flux" "$modules" "$modprobe" inside
  exit
fi

. "$(dirname "$0")/common.sh"
both_status() {
  same 'the two kinds of status' \
    "$(FLUX_RESOURCE_LIST_RPC=sched.resource-status flux resource list -s all -no '{state} {nnodes} {ncores} {nodelist}')" \
    "$(flux resource list -s all -no '{state} {nnodes} {ncores} {nodelist}')"
}

flux jobtap load alloc-check.so
same 'the scheduler' "$(flux module list | awk '/sched/ {print $1}')" sched-copse

# A job and its R.
id=$(sleeper 0.1s -N2 -t 60s)
event "$id" clean
r=$(flux job info "$id" R)
same 'ranks' "$(jq -r '.execution.R_lite[0].rank' <<< "$r")" "$(jq -r '.execution.R_lite | map(.rank) | join(",")' <<< "$r")"
same 'version' "$(jq .version <<< "$r")" 1
same 'duration' "$(jq '.execution | .expiration - .starttime' <<< "$r")" 60
same 'slots' "$(jq .execution.nslots <<< "$r")" 2
both_status

# Fluxion's services, on the same module.
flux python - "$id" << 'END'
import sys
import flux
from flux.job import JobID
h = flux.Flux()
resource = "sched-fluxion-resource."
jobspec = {"version": 1, "resources": [{"type": "slot", "count": 1, "label": "t", "with": [
    {"type": "core", "count": 1}]}], "tasks": [], "attributes": {"system": {"duration": 60}}}
got = h.rpc(resource + "match", {"cmd": "allocate", "jobid": 1, "jobspec": str(jobspec).replace("'", '"')}).get()
assert got["status"] == "ALLOCATED", got
assert h.rpc(resource + "info", {"jobid": 1}).get()["status"] == "ALLOCATED"
h.rpc(resource + "cancel", {"jobid": 1}).get()
try:
    raise AssertionError(h.rpc(resource + "info", {"jobid": int(JobID(sys.argv[1]))}).get())
except OSError as error:  # the job is over
    assert error.errno == 2, error
assert h.rpc("sched-fluxion-qmanager.stats-get").get()["queues"]["default"]["action_counts"]["complete"] == 1
END

# Four nodes run, two jobs wait: one is promised its start, both say why.
first=$(sleeper 600s -N4 -t 1000s)
event "$first" alloc
head=$(sleeper 1s -N3 -t 1000s)
next=$(sleeper 1s -N1 -t 3000s)
until_same 'a promised start' true \
  bash -c "flux jobs -n -o '{annotations.sched.t_estimate}' $head | grep -qE '^[0-9.]+\$' && echo true"
says() { flux python "$COPSE_COMMAND" "$1" "$2" | grep -q "$3"; }
until_true 'flux copse why' says why "$next" ƒ
until_true 'flux copse when' says when "$head" 'promised at 20'
until_same 'a reason' true \
  bash -c "flux jobs -n -o '{annotations.sched.reason_pending}' $next | grep -q node && echo true"
both_status

# A job that can never run is denied.
denied=$(sleeper 1s -N5)
event "$denied" clean
flux job eventlog "$denied" | grep -q 'unsatisfiable' || failed 'the denied job does not say why'

# A new scheduler takes over running and waiting jobs.
before=$(flux job info "$first" R)
flux module reload sched-copse
same 'R after a reload' "$(flux job info "$first" R)" "$before"
until_same 'the status after a reload' 'allocated 4' \
  bash -c "FLUX_RESOURCE_LIST_RPC=sched.resource-status flux resource list -s allocated -no '{state} {nnodes}'"
still_waits 'the first job after a reload' "$head"
still_waits 'the second job after a reload' "$next"

flux cancel "$head"
event "$head" clean
flux cancel "$first"
event "$next" clean
until_same 'the last job' COMPLETED of "$next" status
until_same 'nothing is left' 0 \
  bash -c "FLUX_RESOURCE_LIST_RPC=sched.resource-status flux resource list -s allocated -no '{nnodes}'"

# A wrong configuration is refused, with its key.
! flux module reload sched-copse queue-polisy=easy 2> "$WORK/err" || failed 'a wrong key is taken'
flux module load sched-copse queue-policy=fcfs
last=$(sleeper 0.1s -n1)
event "$last" clean
until_same 'a job after that' COMPLETED of "$last" status
no_exceptions
why=$(flux python "$COPSE_COMMAND" why "$head" 2>&1) && failed "a job that is over waits"
grep -q "there is no job" <<< "$why" || failed "why: $why"
echo passed

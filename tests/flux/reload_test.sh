#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# sched-copse in a real Flux: what it says when it is loaded, a machine of which all ranks are excluded, and
# what it answers about jobs that it does not know.
#
# usage: reload_test.sh FLUX MODULES COMMAND
#   FLUX     the command flux
#   MODULES  the folder with sched-copse.so
#   COMMAND  flux-copse.py
# Exit status 77: there is no Flux here.
set -eu
flux=${1-} modules=${2-} command=${3-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }

if [ "${4-}" != inside ]; then
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
  PATH=$(dirname "$flux"):$PATH
  export PATH WORK FLUX_MODULE_PATH_PREPEND="$modules" FLUX_SCHED_MODULE=none
  env -u FLUX_URI timeout 1000 flux start -s2 --conf=resource.noverify=true --conf=fake-resources.nnodes=2 \
    --conf=fake-resources.cores-per-node=2 --conf=fake-resources.host-prefix=n \
    bash "$0" "$flux" "$modules" "$command" inside
  exit
fi

. "$(dirname "$0")/common.sh"
in_log() { flux dmesg | grep -qF "$1"; }
copse() { flux python "$command" "$@"; }
why() { copse why "$1" | sed -n 's/^  why:  //p'; }
starts_with() { case "$2" in "$1"*) ;; *) failed "\"$2\" does not begin with \"$1\"" ;; esac; }

flux jobtap load alloc-check.so
flux module load sched-copse
until_true 'the line about the machine' in_log \
  'machine: 2 nodes, 4 cores, 0 gpus (R); match-policy=first, queue-policy=default:easy'

# A reason has at most 80 characters. The whole sentence, with the id as it was written, is that of why.
one=$(sleeper 600s -n4 -t 1h)
event "$one" start
two=$(sleeper 600s -n4 -t 1h)
reasons() { of "$two" annotations.sched.reason_pending; }
has_reason() { [ -n "$(reasons)" ]; }
until_true 'a reason' has_reason
[ "$(reasons | tr -d '\n' | wc -m)" -le 80 ] || failed "long: $(reasons)"
id=$(flux job id --to=dec "$two")
starts_with "job $id waits; no job is ahead" "$(copse why "$id" | head -1)"
copse why "$two" | grep -q ' until 20' || failed "$(copse why "$two")"

# After an update, the reason of the job is soon there again.
flux update "$two" duration=+60
until_true 'a reason after an update' has_reason

# Jobs that the scheduler does not know.
flux job urgency "$two" 0
starts_with 'it is held; flux job urgency' "$(why "$two")"
flux job urgency "$two" 16
after=$(flux submit -n1 --dependency=afterok:"$two" true)
starts_with 'it waits for its dependencies: after' "$(why "$after")"
flux queue stop --quiet
starts_with 'the queue is stopped' "$(why "$two")"
flux queue start --quiet
flux cancel "$one" "$two"
event "$two" clean
! copse why "$two" 2> "$WORK/err" || failed 'a job that is over waits'
grep -q 'there is no job' "$WORK/err" || failed "$(cat "$WORK/err")"

# No reasons on request.
flux module reload sched-copse reasons=none
one=$(sleeper 600s -n4 -t 1h)
event "$one" start
two=$(sleeper 600s -n4 -t 1h)
estimate() { of "$two" annotations.sched.t_estimate | grep -q '[1-9]'; }
until_true 'an estimate' estimate
same 'no reason' "$(reasons)" ''

# All ranks are excluded: the job that runs ends, and the others wait.
flux module remove sched-copse
flux module remove resource
configure() { printf '%s\n' 'resource.noverify = true' 'fake-resources.nnodes = 2' 'fake-resources.cores-per-node = 2' "$@" | flux config load; }
configure 'resource.exclude = "0-1"'
flux module load resource
flux module load sched-copse
event "$one" exception
flux job eventlog "$one" | grep -q 'type="scheduler-restart"' || failed "$(flux job eventlog "$one")"
until_true 'the line about no machine' in_log 'machine: 0 nodes, 0 cores, 0 gpus (R)'
flux module remove sched-copse
flux module remove resource
configure
flux module load resource
flux module load sched-copse
flux cancel --all --quiet 2> /dev/null || true
id=$(flux submit -n1 true)
event "$id" clean
no_exceptions
echo passed

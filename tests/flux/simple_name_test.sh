#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Copse under the name sched-simple: arguments, order of nodes, annotations, refusals and log lines are
# those of Flux's own scheduler of that name.
#
# usage: simple_name_test.sh FLUX NAMES PART
#   FLUX   the command flux
#   NAMES  the folder with sched-simple.so, which is sched-copse.so
#   PART   options: arguments of the module, refusals
#          places: the order of nodes, the event alloc, a reload while jobs run
#          waiting: annotations of waiting jobs
#          queues: queues, and alloc-mode=first-fit
# Exit status 77: there is no Flux or no jq.
set -eu
flux=${1-} names=${2-} part=${3-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }
command -v jq > /dev/null || { echo 'skipped: there is no jq'; exit 77; }

if [ -z "${INSIDE_COPSE_TEST-}" ]; then
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
  PATH=$(dirname "$flux"):$PATH
  export PATH WORK FLUX_MODULE_PATH_PREPEND="$names" FLUX_SCHED_MODULE=none INSIDE_COPSE_TEST=1
  env -u FLUX_URI timeout 1000 flux start -s1 --conf=fake-resources.nnodes=2 \
    --conf=fake-resources.cores-per-node=2 --conf=fake-resources.host-prefix=n \
    bash "$0" "$flux" "$names" "$part"
  exit
fi

. "$(dirname "$0")/common.sh"
resources() { flux jobs -n -o '{annotations.sched.resource_summary}' "$@" | tr '\n' ' '; }
in_log() { flux dmesg | grep -q "$1"; }
log() { until_true "the log has $1" in_log "$1"; }
denied() { # TEXT SUBMIT-OPTION...
  flux job wait-event -t $limit_s "$(flux submit "${@:2}" true)" exception | grep -q "$1" ||
    failed "not denied with \"$1\""
}
places() { flux jobs -n -o '{annotations.sched.reason_pending}/{annotations.sched.jobs_ahead}' "$@" | tr '\n' ','; }
fill() { # JOBS: runs as many jobs of one core, one after the other; their ids are in job
  for i in $(seq "$1"); do
    job[i]=$(sleeper 600s -n1 -t 1000s)
    flux job wait-event -t $limit_s "${job[i]}" alloc > "$WORK/alloc"
  done
}

flux jobtap load alloc-check.so
case $part in
options)
  for wrong in mode=foobar mode=limited=-1 mode=limited=0 queue-depth=0 queue-depth=foo log-level=loud \
      alloc-mode=next foo foo=bar; do
    ! flux module load sched-simple "$wrong" 2> /dev/null || failed "$wrong is accepted"
  done
  flux module load sched-simple mode=unlimited log-level=debug
  log 'ready: queue-depth=unlimited log-level=debug pool-class=Rv1Pool Rv1 rank\[0-1\]/core\[0-1\]'
  flux module reload sched-simple
  log 'ready: queue-depth=8 log-level=debug pool-class=Rv1Pool Rv1 rank\[0-1\]/core\[0-1\]'
  log 'scheduler: ready limited'

  # Classes of pools that Copse stands for, and arguments.
  refused_with() { ! flux module reload -f sched-simple "$1" 2> /dev/null && flux dmesg | grep -qF "$2"; }
  refused_with pool-class=my.pools:Pool 'pool-class my.pools:Pool is in Python: load sched-simple.py' ||
    failed 'another class of pools'
  refused_with queue-depht=3 'unknown argument "queue-depht"; did you mean "queue-depth"?' || failed 'a wrong argument'
  flux module reload -f sched-simple pool-class=Rv1Pool
  # Refusals, and their messages.
  denied 'unsatisfiable request' -n1 -c3
  denied 'unsatisfiable request.*gpu' -n1 -g1
  flux module debug --setbit 0x1 sched-simple
  denied DEBUG_FAIL_ALLOC -n1
  flux module debug --clearbit 0x1 sched-simple
  fill 1
  flux module debug --setbit 0x4 sched-simple
  ! flux update "${job[1]}" duration=+10 2> /dev/null || failed 'an expiration that is to be refused'
  flux module debug --clearbit 0x4 sched-simple
  flux update "${job[1]}" duration=+10 ;;

places)
  # The node with most free cores, then the lower rank. The event has only the summary.
  flux module load sched-simple
  fill 4
  same 'the order of nodes' "$(resources "${job[1]}")$(resources "${job[2]}")$(resources "${job[3]}")$(
    resources "${job[4]}")" 'rank0/core0 rank1/core0 rank0/core1 rank1/core1 '
  grep -qF 'annotations={"sched":{"resource_summary":"rank1/core1"}}' "$WORK/alloc" || failed 'the event alloc'
  same 'free resources' "$(flux resource list -s free -no '{rlist}')" ''

  # A reload keeps running jobs, and logs them.
  flux module reload sched-simple
  until_same 'jobs of hello' 4 bash -c "flux dmesg | grep -c 'sched-simple.*hello: id='"
  same 'free resources after a reload' "$(flux resource list -s free -no '{rlist}')" ''
  flux cancel "${job[3]}"
  event "${job[3]}" clean
  log "free: ${job[3]}: rank0/core1 (final)" ;;

waiting)
  # In order: later jobs wait, and learn when they start, but reasons only with the debug bit.
  flux module load sched-simple
  fill 4
  wait=$(sleeper 600s -n1 -t 1000s)
  estimate() { of "$wait" annotations.sched.t_estimate | grep -qE '^[0-9.]+$'; }
  until_true 'an expected start' estimate
  same 'no reason' "$(places "$wait")" '/,'
  flux cancel "$wait"
  flux module debug --setbit 0x2 sched-simple
  one=$(sleeper 600s -n1) two=$(sleeper 600s -n1)
  until_same 'jobs ahead' 'insufficient resources/0,insufficient resources/1,' places "$one" "$two"
  flux job urgency "$two" 20
  until_same 'jobs ahead of the more urgent' 'insufficient resources/0,insufficient resources/1,' places "$two" "$one"
  flux module debug --clearbit 0x2 sched-simple ;;

queues)
  # The job manager handles queues: they come and go without the scheduler.
  flux module load sched-simple
  flux config load << 'END'
[queues.a]
[queues.b]
[policy.jobspec.defaults.system]
queue = "a"
END
  flux queue start --all --quiet
  id=$(sleeper 0.1s -n1 -q b)
  event "$id" clean
  until_same 'a job of a queue' COMPLETED of "$id" status
  flux config load < /dev/null
  flux module reload sched-simple alloc-mode=first-fit
  fill 3
  same 'first fit' "$(resources "${job[1]}")$(resources "${job[2]}")$(resources "${job[3]}")" \
    'rank0/core0 rank0/core1 rank1/core0 ' ;;

*) failed "there is no part \"$part\"" ;;
esac
flux cancel --all --quiet 2> /dev/null || true
flux queue drain
no_exceptions
echo passed

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Copse under the name sched-simple: defaults, order of nodes, arguments, annotations and lines of
# the log are as those of Flux's own scheduler of that name.
#
# usage: simple_name_test.sh FLUX NAMES
#   FLUX   the command flux
#   NAMES  the folder with sched-simple.so, which is sched-copse.so
# Exit status 77: there is no Flux here.
set -eu
flux=${1-} names=${2-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }
command -v jq > /dev/null || { echo 'skipped: there is no jq'; exit 77; }

if [ "${3-}" != inside ]; then
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
  PATH=$(dirname "$flux"):$PATH
  export PATH WORK FLUX_MODULE_PATH_PREPEND="$names" FLUX_SCHED_MODULE=none
  env -u FLUX_URI timeout 170 flux start -s1 --conf=fake-resources.nnodes=2 \
    --conf=fake-resources.cores-per-node=2 --conf=fake-resources.host-prefix=n \
    bash "$0" "$flux" "$names" inside
  exit
fi

. "$(dirname "$0")/common.sh"
event() { flux job wait-event -t 20 "$1" "$2"; }
resources() { flux jobs -n -o '{annotations.sched.resource_summary}' "$1"; }
log() { until_same "the log has $1" yes bash -c "flux dmesg | grep -q '$1' && echo yes"; }
denied() { event "$1" exception | grep -q "$2" || failed "not denied with \"$2\""; }
places() { flux jobs -n -o '{annotations.sched.reason_pending}/{annotations.sched.jobs_ahead}' "$@" | tr '\n' ','; }

flux jobtap load alloc-check.so
for wrong in mode=foobar mode=limited=-1 mode=limited=0 queue-depth=0 queue-depth=foo log-level=loud \
    alloc-mode=next foo foo=bar; do
  ! flux module load sched-simple "$wrong" 2> /dev/null || failed "$wrong is taken"
done
flux module load sched-simple mode=unlimited log-level=debug
log 'ready: queue-depth=unlimited rank\[0-1\]/core\[0-1\]'
flux module reload sched-simple
log 'ready: queue-depth=8 rank\[0-1\]/core\[0-1\]'
log 'scheduler: ready limited'

# The node with most free cores, then the lower rank. The event has no more than the summary.
for i in 1 2 3 4; do
  job[i]=$(sleeper 60s -n1 -t 100s)
  event "${job[i]}" alloc > "$WORK/alloc"
done
same 'the order of nodes' "$(for i in 1 2 3 4; do resources "${job[i]}"; done | tr '\n' ' ')" \
  'rank0/core0 rank1/core0 rank0/core1 rank1/core1 '
grep -qF 'annotations={"sched":{"resource_summary":"rank1/core1"}}' "$WORK/alloc" || failed 'the event alloc'
same 'free resources' "$(flux resource list -s free -no '{rlist}')" ''

# Fifo: later jobs wait. Their annotations have the start, but reasons only on request.
wait=$(sleeper 60s -n1 -t 100s)
until_same 'an expected start' true \
  bash -c "flux jobs -n -o '{annotations.sched.t_estimate}' $wait | grep -qE '^[0-9.]+\$' && echo true"
same 'no reason' "$(places "$wait")" '/,'
flux cancel "$wait"
flux module debug --setbit 0x2 sched-simple
one=$(sleeper 60s -n1) two=$(sleeper 60s -n1)
until_same 'jobs ahead' 'insufficient resources/0,insufficient resources/1,' places "$one" "$two"
flux job urgency "$two" 20
until_same 'jobs ahead of the more urgent' 'insufficient resources/0,insufficient resources/1,' places "$two" "$one"
flux module debug --clearbit 0x2 sched-simple
flux cancel "$one" "$two"

# What is refused, and the words for it.
denied "$(flux submit -n1 -c3 true)" 'unsatisfiable request'
denied "$(flux submit -n1 -g1 true)" 'unsatisfiable request.*gpu'
flux module debug --setbit 0x1 sched-simple
denied "$(flux submit -n1 true)" DEBUG_FAIL_ALLOC
flux module debug --clearbit 0x1 sched-simple
flux module debug --setbit 0x4 sched-simple
! flux update "${job[1]}" duration=+10 2> /dev/null || failed 'an expiration that is to be refused'
flux module debug --clearbit 0x4 sched-simple
flux update "${job[1]}" duration=+10

# A reload keeps what runs, and says so.
flux module reload sched-simple
until_same 'jobs of hello' 4 bash -c "flux dmesg | grep -c 'sched-simple.*hello: id='"
same 'free resources after a reload' "$(flux resource list -s free -no '{rlist}')" ''
flux cancel "${job[3]}"
event "${job[3]}" clean > /dev/null
until_same 'the line of what was freed' 1 \
  bash -c "flux dmesg | grep -c 'free: ${job[3]}: rank0/core1 (final)'"
flux cancel --all --quiet 2> /dev/null || true
flux queue drain

# Queues are the job manager's business: they come and go without the scheduler.
flux config load << 'END'
[queues.a]
[queues.b]
[policy.jobspec.defaults.system]
queue = "a"
END
flux queue start --all --quiet
id=$(sleeper 0.1s -n1 -q b)
event "$id" clean > /dev/null
same 'a job of a queue' "$(flux jobs -n -o '{status}' "$id")" COMPLETED
flux config load < /dev/null
flux module reload sched-simple alloc-mode=first-fit
for i in 1 2 3; do
  job[i]=$(sleeper 60s -n1)
  event "${job[i]}" alloc > /dev/null
done
same 'first fit' "$(for i in 1 2 3; do resources "${job[i]}"; done | tr '\n' ' ')" \
  'rank0/core0 rank0/core1 rank1/core0 '
flux cancel --all --quiet
flux queue drain
same 'exceptions' "$(flux jobs -a -n -o '{exception.type}' | grep -c alloc-check || true)" 0
echo passed

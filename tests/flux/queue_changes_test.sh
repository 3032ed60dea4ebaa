#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Copse under the name sched-simple, as Flux's own tests have it: constraints of jobs and of queues,
# waiting jobs that change their queue, messages that reach the scheduler late.
#
# usage: queue_changes_test.sh FLUX NAMES PART
#   FLUX   the command flux
#   NAMES  the folder with sched-simple.so, which is sched-copse.so; "": Flux's own is tested
#   PART   constraints, queues or late_messages
# Exit status 77: there is no Flux.
set -eu
flux=${1-} names=${2-} part=${3-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }

if [ -z "${INSIDE_COPSE_TEST-}" ]; then
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
  PATH=$(dirname "$flux"):$PATH
  export PATH WORK FLUX_MODULE_PATH_PREPEND="$names" FLUX_SCHED_MODULE=none INSIDE_COPSE_TEST=1
  env -u FLUX_URI timeout 1000 flux start -s1 --conf=fake-resources.nnodes=4 \
    --conf=fake-resources.cores-per-node=4 --conf=fake-resources.host-prefix=n \
    bash "$0" "$flux" "$names" "$part"
  exit
fi

. "$(dirname "$0")/common.sh"
in_trace() { flux module stats sched-simple && [ -s "$WORK/trace" ]; }
defer() { flux python -c "import flux; flux.Flux().rpc('module.debug', {'name': 'sched-simple', 'defer': $1}).get()"; }
ran() {  # RANKS SUBMIT-OPTION...: a job with these options runs there
  local job
  job=$(sleeper 0.01s "${@:2}")
  event "$job" clean
  until_same "${*:2}" "$1" of "$job" ranks
}

flux jobtap load alloc-check.so
flux R encode -r0-3 -c0-3 -H n0,n1,n2,n3 -p xx:0-1 -p yy:1-2 -p zz:3 > "$WORK/r"
flux resource reload -f "$WORK/r" 2> /dev/null
flux module load sched-simple mode=unlimited

case $part in
constraints)
  ran 1 -N1 --requires='xx&yy'
  ran 2 -N1 --requires='not xx'
  ran 3 -N1 --requires='not (xx or yy)'
  ran 2 -N1 --requires='ranks:2'
  ran '[0-1,3]' -N3 --requires='xx|zz'
  ran 0 -N1 --requires='(xx|yy)&-zz'
  never=$(sleeper 1s -N3 --requires=xx)
  event "$never" clean
  flux job eventlog "$never" | grep -q 'unsatisfiable request' || failed 'a job that needs too many nodes' ;;

queues)
  # Queues have constraints, and jobs that wait may go to another one.
  printf '[queues.batch]\nrequires = ["xx"]\n[queues.debug]\nrequires = ["zz"]\n' | flux config load
  flux queue start --all --quiet
  ran 3 -N1 -q debug
  ran 1 -N1 -q batch --requires=yy
  holds=$(sleeper 600s -N2 -x -q batch)
  event "$holds" alloc
  goes=$(sleeper 0.01s -N1 -q batch) stays=$(sleeper 0.01s -N2 -q batch)
  flux update "$goes" queue=debug
  event "$goes" clean
  until_same 'where a job ran that changed its queue' '3 debug' of "$goes" 'ranks} {queue'
  ! flux update "$stays" queue=debug 2> "$WORK/err" || failed 'a queue that is too small for the job'
  grep -q 'unsatisfiable request' "$WORK/err" || failed "$(cat "$WORK/err")"
  ! flux update "$holds" queue=debug 2> /dev/null || failed 'the queue of a job that runs'
  flux queue stop --quiet debug
  comes=$(sleeper 0.01s -N1 -q debug) waits=$(sleeper 0.01s -N1 -q batch)
  flux update "$comes" queue=batch
  flux update "$waits" queue=debug
  flux cancel "$holds"
  event "$stays" clean
  event "$comes" clean
  still_waits 'a job that went to a queue that is stopped' "$waits"
  flux queue start --quiet debug
  event "$waits" clean
  same 'queues of nodes' \
    "$(FLUX_RESOURCE_LIST_RPC=sched.resource-status flux resource list -s all -no '{queue}/{nnodes}' | tr '\n' ' ')" \
    "$(flux resource list -s all -no '{queue}/{nnodes}' | tr '\n' ' ')"
  flux config load < /dev/null ;;

late_messages)
  # Messages that come late: a job that is over before it is asked for, one that is freed and asked
  # for at once, priorities, a queue that stops, a new end.
  defer True
  over=$(sleeper 600s -n1)
  flux cancel "$over"
  event "$over" clean
  defer False
  full=$(sleeper 600s -N4 -n16)
  event "$full" alloc
  same 'cores in use' "$(allocated "{ncores}")" 16
  defer True
  flux cancel "$full"
  event "$full" clean
  next=$(sleeper 600s -N4 -n16)
  defer False
  event "$next" alloc
  defer True
  low=$(sleeper 600s -n1 -t 1000s) high=$(sleeper 600s -n1 -t 1000s)
  flux job urgency "$high" 31
  flux job urgency "$low" 0
  flux queue stop --quiet
  defer False
  flux cancel "$next"
  event "$next" clean
  still_waits 'a job of a stopped queue' "$low"
  still_waits 'a job of a stopped queue' "$high"
  flux queue start --quiet
  event "$high" alloc
  still_waits 'a job that is held' "$low"
  flux cancel "$low"
  stdbuf -oL flux module trace sched-simple > "$WORK/trace" & trace=$!
  until_true 'the trace is on' in_trace
  defer True
  flux update "$high" duration=+100 & update=$!
  until_true 'the new end is sent to the scheduler' grep -q sched.expiration "$WORK/trace"
  defer False
  wait $update
  kill $trace
  same 'cores in use before a reload' "$(allocated "{ncores}")" 1
  defer True
  last=$(sleeper 600s -N4 -n12)
  defer False
  flux module reload sched-simple mode=unlimited
  event "$last" alloc
  same 'cores in use after a reload' "$(allocated "{ncores}")" 13 ;;

*) failed "there is no part \"$part\"" ;;
esac
flux cancel --all --quiet 2> /dev/null || true
flux queue drain
no_exceptions
echo passed

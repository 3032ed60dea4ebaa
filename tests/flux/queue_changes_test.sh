#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Copse under the name sched-simple, as Flux's own tests have it: constraints of jobs and of queues,
# jobs that change their queue while they wait, messages that reach the scheduler late.
#
# usage: queue_changes_test.sh FLUX [NAMES]
#   FLUX   the command flux
#   NAMES  the folder with sched-simple.so, which is sched-copse.so; none: Flux's own is tried
# Exit status 77: there is no Flux here.
set -eu
flux=${1-} names=${2-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }

if [ "${3-}" != inside ]; then
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
  PATH=$(dirname "$flux"):$PATH
  export PATH WORK FLUX_MODULE_PATH_PREPEND="$names" FLUX_SCHED_MODULE=none
  env -u FLUX_URI timeout 100 flux start -s1 --conf=fake-resources.nnodes=4 \
    --conf=fake-resources.cores-per-node=4 --conf=fake-resources.host-prefix=n \
    bash "$0" "$flux" "$names" inside
  exit
fi

. "$(dirname "$0")/common.sh"
allocated() { FLUX_RESOURCE_LIST_RPC=sched.resource-status flux resource list -s allocated -no '{ncores}'; }
defer() { flux python -c "import flux; flux.Flux().rpc('module.debug', {'name': 'sched-simple', 'defer': $1}).get()"; }

flux jobtap load alloc-check.so
flux R encode -r0-3 -c0-3 -H n0,n1,n2,n3 -p xx:0-1 -p yy:1-2 -p zz:3 > "$WORK/r"
flux resource reload -f "$WORK/r" 2> /dev/null
flux module load sched-simple mode=unlimited

# Where jobs run, by what they require.
ran() {  # RANKS SUBMIT-OPTION...
  local job
  job=$(sleeper 0.01s "${@:2}")
  event "$job" clean
  same "${*:2}" "$(of "$job" ranks)" "$1"
}
ran 1 -N1 --requires='xx&yy'
ran 2 -N1 --requires='not xx'
ran 3 -N1 --requires='not (xx or yy)'
ran 2 -N1 --requires='ranks:2'
ran '[0-1,3]' -N3 --requires='xx|zz'
ran 0 -N1 --requires='(xx|yy)&-zz'
never=$(sleeper 1s -N3 --requires=xx)
event "$never" clean
flux job eventlog "$never" | grep -q 'unsatisfiable request' || failed 'a job that needs too many nodes'

# Queues have constraints, and jobs that wait may go to another one.
printf '[queues.batch]\nrequires = ["xx"]\n[queues.debug]\nrequires = ["zz"]\n' | flux config load
flux queue start --all --quiet
ran 3 -N1 -q debug
ran 1 -N1 -q batch --requires=yy
holds=$(sleeper 60s -N2 -x -q batch)
event "$holds" alloc
goes=$(sleeper 0.01s -N1 -q batch) stays=$(sleeper 0.01s -N2 -q batch)
flux update "$goes" queue=debug
event "$goes" clean
same 'where a job ran that changed its queue' "$(of "$goes" ranks) $(of "$goes" queue)" '3 debug'
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
same 'a job that went to a queue that is stopped' "$(of "$waits" state)" SCHED
flux queue start --quiet debug
event "$waits" clean
same 'queues of nodes' \
  "$(FLUX_RESOURCE_LIST_RPC=sched.resource-status flux resource list -s all -no '{queue}/{nnodes}' | tr '\n' ' ')" \
  "$(flux resource list -s all -no '{queue}/{nnodes}' | tr '\n' ' ')"
flux config load < /dev/null

# Messages that arrive late: a job that ends before its request, one that is freed and asked
# for at once, priorities, a queue that stops, a new end.
defer True
over=$(sleeper 60s -n1)
flux cancel "$over"
event "$over" clean
defer False
full=$(sleeper 60s -N4 -n16)
event "$full" alloc
same 'cores in use' "$(allocated)" 16
defer True
flux cancel "$full"
event "$full" clean
next=$(sleeper 60s -N4 -n16)
defer False
event "$next" alloc
defer True
low=$(sleeper 60s -n1 -t 100s) high=$(sleeper 60s -n1 -t 100s)
flux job urgency "$high" 31
flux job urgency "$low" 0
flux queue stop --quiet
defer False
flux cancel "$next"
event "$next" clean
same 'jobs of a queue that is stopped' "$(of "$low" state)$(of "$high" state)" SCHEDSCHED
flux queue start --quiet
event "$high" alloc
same 'a job that is held' "$(of "$low" state)" SCHED
flux cancel "$low"
defer True
flux update "$high" duration=+100 & update=$!
sleep 0.3
defer False
wait $update
same 'cores in use before a reload' "$(allocated)" 1
defer True
last=$(sleeper 60s -N4 -n12)
defer False
flux module reload sched-simple mode=unlimited
event "$last" alloc
same 'cores in use after a reload' "$(allocated)" 13
flux cancel "$high" "$last"
flux queue drain
same 'exceptions' "$(flux jobs -a -n -o '{exception.type}' | grep -c alloc-check || true)" 0
echo passed

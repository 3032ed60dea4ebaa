#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Copse under the name sched-simple in a Flux of three brokers. One of them does not answer for a while,
# and later disconnects permanently: totals, jobs that can no longer run, a scheduler that is loaded later.
#
# usage: lost_nodes_test.sh FLUX [NAMES]
#   FLUX   the command flux
#   NAMES  the folder with sched-simple.so, which is sched-copse.so; none: Flux's own is tried
# Exit status 77: there is no Flux here.
set -eu
flux=${1-} names=${2-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }

if [ "${3-}" != inside ]; then
  PATH=$(dirname "$flux"):$PATH
  export PATH FLUX_MODULE_PATH_PREPEND="$names" FLUX_SCHED_MODULE=none
  env -u FLUX_URI timeout 1000 flux start -s3 --test-exit-mode=leader --conf=heartbeat.period=0.2s \
    --conf=tbon.torpid_max=2s --conf=tbon.torpid_min=0.5s bash "$0" "$flux" "$names" inside
  exit
fi

. "$(dirname "$0")/common.sh"
known() {
  FLUX_RESOURCE_LIST_RPC=sched.resource-status flux resource list -s "$1" -no '{ranks}'
}

flux jobtap load alloc-check.so
flux module load sched-simple mode=unlimited
same 'ranks' "$(known all)/$(known free)/$(known down)" '0-2/0-2/'

# A broker that does not answer is down, until it does.
broker=$(flux exec -r2 flux getattr broker.pid)
kill -STOP "$broker"
ranks_now() { echo "$(known all)/$(known free)/$(known down)"; }
until_same 'a rank that does not answer' '0-2/0-1/2' ranks_now
small=$(sleeper 0.01s -N2)
event "$small" clean
wide=$(sleeper 0.01s -N3)
still_waits 'a job that needs the rank' "$wide"
kill -CONT "$broker"
event "$wide" clean
until_same 'its result' 'COMPLETED [0-2]' of "$wide" 'status} {ranks'

# A rank that disconnects is removed: jobs that need it are denied, also waiting ones.
holds=$(sleeper 600s -N1 -x --requires=rank:0)
event "$holds" alloc
lost=$(sleeper 600s -N1 -x --requires=rank:2)
event "$lost" alloc
waits=$(sleeper 0.01s -N3)
flux overlay disconnect 2 2> /dev/null
event "$waits" exception
flux job eventlog "$waits" | grep -q 'unsatisfiable request' || failed 'a job that waited for it'
ranks_left() { echo "$(known all)/$(known free)/$(known allocated)"; }
until_same 'ranks that are left' '0-1/1/0' ranks_left
never=$(sleeper 0.01s -N3)
event "$never" exception
fits=$(sleeper 0.01s -N1)
event "$fits" clean
until_same 'a job on the rest' 1 of "$fits" ranks

# A scheduler that is loaded later sees the rank as down, and the allocation there.
flux module reload sched-simple mode=unlimited
until_same 'ranks after a reload' '0,2' known allocated
until_same 'ranks after a reload' '0-2/1/2' ranks_now
flux cancel "$holds"
event "$holds" clean
no_exceptions
echo passed

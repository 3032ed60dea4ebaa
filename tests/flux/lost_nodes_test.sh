#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Copse under the name sched-simple in a Flux of three brokers, of which one does not answer for a
# while, and then goes for ever: totals, jobs that can run no more, a scheduler that is loaded later.
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
  env -u FLUX_URI timeout 150 flux start -s3 --test-exit-mode=leader --conf=heartbeat.period=0.2s \
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
until_same 'a rank that does not answer' '0-2/0-1/2' bash -c "
  known() { FLUX_RESOURCE_LIST_RPC=sched.resource-status flux resource list -s \$1 -no '{ranks}'; }
  echo \$(known all)/\$(known free)/\$(known down)"
small=$(sleeper 0.01s -N2)
event "$small" clean
wide=$(sleeper 0.01s -N3)
sleep 0.3
same 'a job that needs the rank' "$(of "$wide" state)" SCHED
kill -CONT "$broker"
event "$wide" clean
same 'its result' "$(of "$wide" status) $(of "$wide" ranks)" 'COMPLETED [0-2]'

# A node that is removed stays removed: jobs that need it are denied, also waiting ones.
holds=$(sleeper 60s -N1 -x --requires=rank:0)
event "$holds" alloc
lost=$(sleeper 60s -N1 -x --requires=rank:2)
event "$lost" alloc
waits=$(sleeper 0.01s -N3)
flux overlay disconnect 2 2> /dev/null
event "$waits" exception
flux job eventlog "$waits" | grep -q 'unsatisfiable request' || failed 'a job that waited for it'
same 'ranks that are left' "$(known all)/$(known free)/$(known allocated)" '0-1/1/0'
never=$(sleeper 0.01s -N3)
event "$never" exception
fits=$(sleeper 0.01s -N1)
event "$fits" clean
same 'a job on the rest' "$(of "$fits" ranks)" 1

# For a scheduler that is loaded later it is down, and what runs there is known.
flux module reload sched-simple mode=unlimited
until_same 'ranks after a reload' '0,2' bash -c \
  "FLUX_RESOURCE_LIST_RPC=sched.resource-status flux resource list -s allocated -no '{ranks}'"
same 'ranks after a reload' "$(known all)/$(known free)/$(known down)" '0-2/1/2'
flux cancel "$holds"
event "$holds" clean
same 'exceptions' "$(flux jobs -a -n -o '{exception.type}' | grep -c alloc-check || true)" 0
echo passed

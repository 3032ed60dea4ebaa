# SPDX-License-Identifier: Apache-2.0
#
# Functions for tests in a Flux instance. To be read (.) within the instance. All waits are for events:
# the time limit is for a test that fails, also on a busy machine.
limit_s=120
failed() { printf 'FAILED: %s\n' "$*"; flux dmesg | grep sched | tail -20; flux jobs -a; exit 1; }
same() { [ "$2" = "$3" ] || failed "$1: \"$2\" is not \"$3\""; }
until_same() { # NAME WANTED COMMAND...: waits until the command prints that
  local name=$1 want=$2 got= end=$((SECONDS + limit_s))
  shift 2
  while [ $SECONDS -lt $end ]; do
    got=$("$@" 2>&1) || true
    [ "$got" != "$want" ] || return 0
    sleep 0.1
  done
  failed "$name: \"$got\" is not \"$want\""
}
until_true() { # NAME COMMAND...: waits until the command succeeds
  local name=$1 end=$((SECONDS + limit_s))
  shift
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $end ] || failed "$name: not within $limit_s s"
    sleep 0.1
  done
}
event() { flux job wait-event -t $limit_s "$1" "$2" > /dev/null; }
sleeper() { flux submit --setattr=system.exec.test.run_duration="$1" "${@:2}" true; }
of() { flux jobs -n -o "{$2}" "$1"; }
still_waits() { # NAME JOB: the scheduler has its request, answered others since, and allocated nothing
  until_same "$1" SCHED of "$2" state
  for _ in 1 2 3; do allocated '{ranks}' > /dev/null; done
  ! flux job eventlog "$2" | grep -q ' alloc' || failed "$1: it runs"
}
allocated() { # FORMAT [SOURCE]: allocated resources as the scheduler reports them
  FLUX_RESOURCE_LIST_RPC=${2-sched.resource-status} flux resource list -s allocated -no "$1"
}
no_exceptions() { # that Flux's alloc-check found: two jobs with the same resources
  same 'exceptions' "$(flux jobs -a -n -c 0 -o '{exception.type}' | grep -c "${1-alloc-check}" || true)" 0
}

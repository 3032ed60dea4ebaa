# SPDX-License-Identifier: Apache-2.0
#
# What the tests in a Flux instance share. To be read (.) within the instance.
failed() { printf 'FAILED: %s\n' "$*"; flux dmesg | grep sched | tail -20; flux jobs -a; exit 1; }
same() { [ "$2" = "$3" ] || failed "$1: \"$2\" is not \"$3\""; }
until_same() { # WHAT WANTED COMMAND...: waits until it prints that
  local what=$1 want=$2 got=
  shift 2
  for _ in $(seq 100); do
    got=$("$@" 2>&1) || true
    [ "$got" != "$want" ] || return 0
    sleep 0.1
  done
  failed "$what: \"$got\" is not \"$want\""
}
event() { flux job wait-event -t 20 "$1" "$2" > /dev/null; }
sleeper() { flux submit --setattr=system.exec.test.run_duration="$1" "${@:2}" true; }
of() { flux jobs -n -o "{$2}" "$1"; }

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# sched-copse in a real Flux of two brokers: a new configuration takes effect, or is refused as a
# whole with what it needs; sched-fluxion-resource.notify is served, and Fluxion's own feasibility
# module, where there is one, works from it.
#
# usage: config_test.sh FLUX MODULES FLUXION...
#   FLUX     the command flux
#   MODULES  the folder with sched-copse.so
#   FLUXION  folders that may have Fluxion's own modules
# Exit status 77: there is no Flux here.
set -eu
flux=${1-} modules=${2-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }
shift 2
while [ $# -gt 0 ] && [ ! -e "$1/sched-fluxion-feasibility.so" ]; do shift; done
fluxion=${1-}

if [ -z "${INSIDE_COPSE_TEST-}" ]; then
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
  PATH=$(dirname "$flux"):$PATH
  export PATH WORK FLUX_SCHED_MODULE=none FLUX_MODULE_PATH_PREPEND="$modules:$fluxion" INSIDE_COPSE_TEST=1
  env -u FLUX_URI timeout 1000 flux start -s2 bash "$0" "$flux" "$modules" "$fluxion"
  exit
fi

. "$(dirname "$0")/common.sh"
policies() {
  flux python -c "
import flux
queues = flux.Flux().rpc('sched-fluxion-qmanager.stats-get').get()['queues']
print(' '.join(name + ':' + queues[name]['policy'] for name in sorted(queues)))"
}
refused() {  # MESSAGE, configuration as input
  ! flux config load 2> "$WORK/err" || failed "a configuration is taken: $1"
  grep -qF "$1: unload the scheduler before such a change; nothing was changed" "$WORK/err" || failed "$(cat "$WORK/err")"
}
queues() { printf '[queues.%s]\n' "$@"; }

flux jobtap load alloc-check.so
{ queues a b; printf '[sched-copse]\nqueue-policy = "easy"\n'; } | flux config load
flux queue start --all --quiet
flux module load sched-copse
same 'policies' "$(policies)" 'a:easy b:easy'
before=$(flux config get)

# The queues are those of the time when the module was loaded.
{ queues a b c; printf '[sched-copse]\nqueue-policy = "fcfs"\n'; } | refused 'queue "c" is new'
{ queues a; printf '[sched-copse]\nqueue-policy = "fcfs"\n'; } | refused 'queue "b" was removed'
refused 'there are no queues any more' < /dev/null
same 'the configuration' "$(flux config get)" "$before"
same 'policies after that' "$(policies)" 'a:easy b:easy'
same 'queues after that' "$(flux queue list -no '{queue}' | sort | tr '\n' ' ')" 'a b '
# Flux notifies its modules one after the other: the job manager may have had other queues for a while.
flux queue start --all --quiet
id=$(flux submit -n1 -q b true)
event "$id" clean || failed "a job of queue b: $(flux job eventlog "$id")"
until_same 'a job after that' COMPLETED of "$id" status

# Keys that can change take effect, and the log names the others.
{ queues a b; printf '[sched-copse]\nqueue-policy = "fcfs"\nmatch-policy = "low"\nmode = "limited=4"\n'; } |
  flux config load
same 'new policies' "$(policies)" 'a:fcfs b:fcfs'
in_log() { flux dmesg | grep -q "$1: the new value takes effect when the module is reloaded"; }
for key in match-policy mode; do until_true "the log has $key" in_log $key; done
! flux dmesg | grep -q 'traverser: the new value' || failed 'a key is named that did not change'

# Each client of notify gets the ranks that go up and down.
flux python - << 'END'
import flux
import subprocess

h = flux.Flux()
resource = "sched-fluxion-resource."
try:
    raise AssertionError(h.rpc(resource + "notify").get())
except OSError as error:
    assert error.errno == 71, error
news = h.rpc(resource + "notify", flags=2)

def update():
    out = news.get()
    news.reset()
    return out

assert update()["resources"]["execution"]["R_lite"][0]["rank"] == "0-1"
assert update()["up"] == "0-1"
subprocess.run(["flux", "resource", "drain", "1"], check=True)
assert update() == {"down": "1"}
late = h.rpc(resource + "notify", flags=2)
late.get()
late.reset()
got = late.get()
assert got["up"] == "0" and got["down"] == "1", got
subprocess.run(["flux", "resource", "undrain", "1"], check=True)
assert update() == {"up": "1"}
node = h.rpc(resource + "find", {"criteria": "status=up", "format": "jgf"}).get()["R"]
paths = [n["metadata"]["paths"]["containment"] for n in node["graph"]["nodes"] if n["metadata"]["type"] == "node"]
h.rpc(resource + "set_status", {"resource_path": paths[0], "status": "down"}).get()
h.rpc(resource + "set_status", {"resource_path": paths[0], "status": "up"}).get()
assert update() == {}
END
if [ -n "$fluxion" ]; then
  flux exec -r1 flux module load sched-fluxion-feasibility
  flux exec -r1 flux python -c "
import flux
spec = {'version': 1, 'resources': [{'type': 'slot', 'count': 1, 'label': 't', 'with': [{'type': 'core', 'count': 1}]}],
        'tasks': [], 'attributes': {'system': {'duration': 60}}}
h = flux.Flux()
h.rpc('feasibility.check', {'jobspec': spec}).get()
spec['resources'][0]['count'] = 100000
try:
    raise AssertionError(h.rpc('feasibility.check', {'jobspec': spec}).get())
except OSError as error:
    assert error.errno == 19, error"
  flux exec -r1 flux module remove sched-fluxion-feasibility
fi
no_exceptions
echo passed

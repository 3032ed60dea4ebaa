#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Jobs on nodes with layouts of TreePool (RFC 49): Copse under the name sched-simple gives each of
# them the very R that Flux's own scheduler gives it. Both are run, one after the other.
#
# usage: treepool_test.sh FLUX NAMES
#   FLUX   the command flux
#   NAMES  the folder with sched-simple.so, which is sched-copse.so
# Exit status 77: there is no Flux here.
set -eu
flux=${1-} names=${2-} part=${3-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }
command -v jq > /dev/null || { echo 'skipped: there is no jq'; exit 77; }

if [ -z "$part" ]; then
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
  PATH=$(dirname "$flux"):$PATH
  export PATH WORK FLUX_SCHED_MODULE=none
  for who in flux copse; do
    if [ $who = copse ]; then export FLUX_MODULE_PATH_PREPEND="$names"; fi
    env -u FLUX_URI timeout 1000 flux start -s1 --conf=fake-resources.nnodes=3 \
      --conf=fake-resources.cores-per-node=8 --conf=fake-resources.host-prefix=n \
      bash "$0" "$flux" "$names" $who 2> "$WORK/err" || { cat "$WORK/err"; exit 1; }
  done
  diff "$WORK/flux" "$WORK/copse" || { echo "FAILED: other places"; exit 1; }
  [ "$(wc -l < "$WORK/copse")" = 12 ] || { echo "FAILED: not all jobs ran"; exit 1; }
  echo passed
  exit
fi

domains='[{"cores": "0-1", "gpus": "0"}, {"cores": "2-3", "gpus": "1"}]'
more='[{"cores": "4-5", "gpus": "2"}, {"cores": "6-7", "gpus": "3"}]'
flux R encode -r0-2 -c0-7 -g0-3 -H n0,n1,n2 |
  jq ".scheduling = {writer: \"TreePool\", children: [{ranks: \"0-2\", topo:
      {socket: [{numa: $domains}, {numa: $more}]}}]}" > "$WORK/r"
flux resource reload -f "$WORK/r"
flux jobtap load alloc-check.so
flux module load sched-simple
flux python - > "$WORK/$part" << 'END'
import json
import flux
import flux.job

h = flux.Flux()

def slot(count, cores, gpus):
    of = [{"type": "core", "count": cores}] + ([{"type": "gpu", "count": gpus}] if gpus else [])
    return {"type": "slot", "count": count, "label": "task", "with": of}

def node(count, inner, **more):
    return {"type": "node", "count": count, "with": [inner], **more}

def whole(kind, count):
    return {"type": "slot", "count": count, "label": "task",
            "with": [{"type": kind, "count": 1, "exclusive": True}]}

def run(resource):
    """A job that runs until it is cancelled, and its R without times."""
    job = flux.job.submit(h, json.dumps({
        "version": 1, "resources": [resource],
        "tasks": [{"command": ["true"], "slot": "task", "count": {"per_slot": 1}}],
        "attributes": {"system": {"duration": 1000.0, "exec": {"test": {"run_duration": "1000s"}}}}}))
    flux.job.event_wait(h, job, "alloc")
    r = flux.job.job_kvs_lookup(h, job, ["R"])["R"]
    for key in ("starttime", "expiration"):
        del r["execution"][key]
    print(json.dumps(r, sort_keys=True))
    return job

def end(job):
    flux.job.cancel(h, job)
    flux.job.event_wait(h, job, "clean", raiseJobException=False)

jobs = [run(slot(1, 2, 0)), run(slot(2, 1, 1)), run(whole("numa", 2)), run(slot(3, 2, 1)),
        run(node(1, slot(1, 1, 0))), run(whole("socket", 1))]
for gone in (1, 3, 4):
    end(jobs[gone])
jobs += [run(slot(2, 1, 2)), run(node(2, slot(2, 1, 0))), run(slot(1, 3, 1)), run(slot(2, 1, 0)),
         run(whole("numa", 1))]
end(jobs[0])
run(slot(1, 1, 1))
END

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The twenty rows of RFC 49's tables (tests/data/rfc49) in a real Flux: Copse under the name sched-simple,
# and Flux's own scheduler of that name, give each job the R that the document has.
#
# usage: rfc49_test.sh FLUX NAMES ROWS
#   FLUX   the command flux
#   NAMES  the folder with sched-simple.so, which is sched-copse.so
#   ROWS   the folder with the rows
# Exit status 77: there is no Flux here.
set -eu
flux=${1-} names=${2-} rows=${3-} cluster=${4-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }

if [ -z "$cluster" ]; then
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
  PATH=$(dirname "$flux"):$PATH
  export PATH WORK FLUX_SCHED_MODULE=none
  for who in flux copse; do
    if [ $who = copse ]; then export FLUX_MODULE_PATH_PREPEND="$names"; fi
    for cluster in a b; do
      env -u FLUX_URI timeout 1000 flux start -s1 --conf=fake-resources.nnodes=16 \
        --conf=fake-resources.cores-per-node=8 --conf=fake-resources.host-prefix=n \
        bash "$0" "$flux" "$names" "$rows" $cluster > "$WORK/out" 2> "$WORK/err" ||
        { cat "$WORK/out" "$WORK/err"; exit 1; }
      cat "$WORK/out"
      echo "$who: cluster $cluster: passed"
    done
  done
  echo passed
  exit
fi

flux resource reload -f "$rows/$cluster.json"
flux jobtap load alloc-check.so
flux module load sched-simple
ROWS=$rows CLUSTER=$cluster flux python - << 'END'
import json
import os
import sys
import flux
import flux.job
from flux.job import JobspecV1
from flux.shape.parser import ShapeParser

h = flux.Flux()
rows, cluster = os.environ["ROWS"], os.environ["CLUSTER"]
whole = json.load(open(f"{rows}/{cluster}.json"))
topo = whole["scheduling"]["children"][0]["topo"]
wrong = count = 0
for line in open(f"{rows}/rows"):
    name, shape, ranks, cores, gpus, slots = line.split()
    if not name.startswith("TV" + cluster.upper()):
        continue
    count += 1
    job = flux.job.submit(h, json.dumps({
        "version": 1, "resources": ShapeParser().parse(shape),
        "tasks": [{"command": ["true"], "slot": "task", "count": {"per_slot": 1}}],
        "attributes": {"system": {"duration": 1000.0, "exec": {"test": {"run_duration": "1000s"}}}}}))
    flux.job.event_wait(h, job, "alloc")
    r = flux.job.job_kvs_lookup(h, job, ["R"])["R"]
    for key in ("starttime", "expiration"):
        del r["execution"][key]
    children = {"core": cores} | ({} if gpus == "-" else {"gpu": gpus})
    wanted = {
        "version": 1,
        "execution": {"R_lite": [{"rank": ranks, "children": children}],
                      "nodelist": [cluster + (f"[{ranks}]" if "-" in ranks else ranks)],
                      "nslots": int(slots)},
        "scheduling": {"writer": "TreePool", "children": [{"ranks": ranks, "topo": topo}]}}
    if r != wanted:
        wrong += 1
        print("FAILED:", name, json.dumps(r), "is not", json.dumps(wanted))
print(count, "rows")
sys.exit(1 if wrong or count not in (9, 11) else 0)
END

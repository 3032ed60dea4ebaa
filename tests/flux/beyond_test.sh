#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# sched-copse in a real Flux instance, beyond what other schedulers do: hierarchical resources in
# jobspecs, layers that change, ends that were moved before a reload, instances in instances.
#
# usage: beyond_test.sh FLUX MODULES MODPROBE PART
#   FLUX      the command flux
#   MODULES   the folder with sched-copse.so
#   MODPROBE  the file for modprobe.d
#   PART      layers: a hierarchical resource
#             nested: instances in instances
#             topology: the machine as hwloc has it
#             devices: GPUs of two types, also in an instance in the instance
#             racks: few racks, and units of memory; also in an instance in the instance
# Exit status 77: there is no Flux or no jq.
set -eu
flux=${1-} modules=${2-} modprobe=${3-} part=${4-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }
command -v jq > /dev/null || { echo 'skipped: there is no jq'; exit 77; }

use_copse=(--conf=modules.alternatives.sched=sched-copse
           --conf=modules.alternatives.feasibility=sched-copse)
if [ -z "${INSIDE_COPSE_TEST-}" ]; then
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
  mkdir -p "$WORK/modprobe.d"
  cp "$modprobe" "$WORK/modprobe.d/"
  PATH=$(dirname "$flux"):$PATH
  COPSE_COMMAND=$(dirname "$modprobe")/flux-copse.py
  export COPSE_COMMAND PATH FLUX_MODULE_PATH_PREPEND="$modules" FLUX_MODPROBE_PATH_APPEND="$WORK" WORK
  export INSIDE_COPSE_TEST=1
  # An instance of its own, also where the test runs in one.
  start() { env -u FLUX_URI timeout 1000 flux start "$@"; }
  case $part in
  layers)
    cat > "$WORK/resources.yaml" << 'END'
- resource: flat
  mode: MODE_2
  layers:
    - {nodes: ["n[0-3]"], count: 2}
END
    start -s1 --conf=fake-resources.nnodes=4 --conf=fake-resources.cores-per-node=2 \
      --conf=fake-resources.host-prefix=n "${use_copse[@]}" --conf=sched-copse.hres="$WORK/resources.yaml" \
      bash "$0" "$flux" "$modules" "$modprobe" layers ;;
  nested)
    start -s2 "${use_copse[@]}" bash "$0" "$flux" "$modules" "$modprobe" nested ;;
  topology)
    topologies=(--conf=sched-copse.inventory-format=hwloc --conf=sched-copse.scheduling=jgf)
    start -s1 "${use_copse[@]}" "${topologies[@]}" bash "$0" "$flux" "$modules" "$modprobe" topology
    # Fake ranks have no topology: the instance starts, and its log has the reason for no scheduler.
    start -s1 --conf=fake-resources.nnodes=2 --conf=fake-resources.cores-per-node=2 "${use_copse[@]}" \
      "${topologies[@]}" true 2> "$WORK/fake"
    grep -q 'cannot read the topology of rank 1: .*inventory' "$WORK/fake" || { cat "$WORK/fake"; exit 1; } ;;
  devices)
    cat > "$WORK/R.json" << END
{"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {"core": "0-3", "gpu": "0-3"}}],
  "nodelist": ["$(hostname)"], "properties": {"a100@gpu[0-1]": "0", "h100@gpu[2-3]": "0"},
  "starttime": 0, "expiration": 0}}
END
    start -s1 "${use_copse[@]}" --conf=resource.path="$WORK/R.json" --conf=resource.noverify=true \
      bash "$0" "$flux" "$modules" "$modprobe" devices ;;
  racks)
    # Two racks of two nodes, each with two cores and eight units of memory.
    python3 - "$WORK/R.json" "$(hostname)" << 'END'
import json, sys
path, host = sys.argv[1:]
nodes, edges = [], []
def add(type, number, parent, above, rank=-1, **more):
    name = f"{type}{number}"
    nodes.append({"id": str(len(nodes)), "metadata": {"type": type, "id": number, "rank": rank, "name": name,
                  "paths": {"containment": f"{above}/{name}"}} | more})
    if parent is not None:
        edges.append({"source": parent, "target": nodes[-1]["id"]})
    return nodes[-1]["id"], f"{above}/{name}"
cluster = add("cluster", 0, None, "")
for r in range(2):
    rack = add("rack", r, *cluster)
    for n in (2 * r, 2 * r + 1):
        node = add("node", n, *rack, n)
        for c in range(2):
            add("core", c, *node, n)
        add("memory", 0, *node, n, size=8, divisible=True)
json.dump({"version": 1, "execution": {"R_lite": [{"rank": "0-3", "children": {"core": "0-1"}}], "starttime": 0, "expiration": 0,
           "nodelist": [",".join([host] * 4)]}, "scheduling": {"graph": {"nodes": nodes, "edges": edges}}}, open(path, "w"))
END
    start -s4 "${use_copse[@]}" --conf=resource.path="$WORK/R.json" --conf=resource.noverify=true \
      --conf=sched-copse.scheduling=jgf bash "$0" "$flux" "$modules" "$modprobe" racks ;;
  *) echo "FAILED: there is no part \"$part\""; exit 1 ;;
  esac
  echo passed
  exit
fi

. "$(dirname "$0")/common.sh"

# The machine is that of hwloc, with the types between a node and its cores.
if [ "$part" = topology ]; then
  id=$(flux submit -N1 --exclusive true)
  event "$id" clean
  types=$(flux job info "$id" R | jq -r '.scheduling.graph.nodes | map(.metadata.type) | unique | join(",")')
  case $types in *socket*) ;; *) failed "a graph of types $types" ;; esac
  same 'the cores' "$(flux job info "$id" R | jq -c '.execution.R_lite')" "$(flux kvs get resource.R | jq -c '.execution.R_lite')"
  ! flux module reload sched-copse inventory-format=jgf 2> /dev/null || failed 'a format of no inventory'
  flux dmesg | grep -q 'which requires inventory' || failed 'the log does not say why'
  flux module load sched-copse
  exit
fi
# The R of a job has the types of its own GPUs, and an instance in that job knows them.
if [ "$part" = devices ] || [ "$part" = inner_devices ]; then
  submit() {  # SECONDS, GPUS, their PROPERTIES as JSON, COMMAND as JSON
    flux python - "$@" << 'END' | flux job submit
import json, os, sys
seconds, gpus, properties, command = sys.argv[1:]
gpu = {"type": "gpu", "count": int(gpus)} | ({"properties": json.loads(properties)} if properties else {})
env = {k: v for k, v in os.environ.items() if k not in ("FLUX_URI", "FLUX_KVS_NAMESPACE")}
print(json.dumps({"version": 1, "resources": [{"type": "slot", "count": 1, "label": "task", "with": [
    {"type": "core", "count": 1}, gpu]}],
    "tasks": [{"command": json.loads(command), "slot": "task", "count": {"per_slot": 1}}],
    "attributes": {"system": {"duration": int(seconds), "cwd": os.getcwd(), "environment": env}}}))
END
  }
  properties() { flux job info "$1" R | jq -c '.execution.properties'; }
  id=$(submit 9 1 '["h100"]' '["true"]')
  event "$id" clean
  same "the types of a job's GPU" "$(properties "$id")" '{"h100@gpu":"0"}'
  case $(flux job info "$id" R | jq -r '.execution.R_lite[0].children.gpu') in 2 | 3) ;; *) failed 'a GPU of the other type' ;; esac
  if [ "$part" = devices ]; then
    printf '[modules]\nalternatives.sched = "sched-copse"\nalternatives.feasibility = "sched-copse"\n' > "$WORK/inner.toml"
    inner=$(submit 60 3 '' "[\"flux\", \"broker\", \"--config-path=$WORK/inner.toml\", \"bash\", \"$0\", \"$flux\", \"$modules\", \"$modprobe\", \"inner_devices\"]")
    event "$inner" clean
    same 'the types of three GPUs' "$(properties "$inner" | jq -r 'keys | map(split("@")[0]) | join(",")')" a100,h100
    until_same 'the inner instance' COMPLETED of "$inner" status
  fi
  exit
fi
# Nodes of one rack are preferred; jobs share the memory of a node, and an instance in a job has that of the job.
if [ "$part" = racks ] || [ "$part" = inner_racks ]; then
  submit() {  # SECONDS, MEMORY, RANK, COMMAND as JSON; without a command, nothing runs
    flux python - "$@" << 'END' | flux job submit
import json, os, sys
seconds, memory, rank, *command = sys.argv[1:]
env = {k: v for k, v in os.environ.items() if k not in ("FLUX_URI", "FLUX_KVS_NAMESPACE")}
system = {"duration": int(float(seconds.rstrip("s"))) + 30, "cwd": os.getcwd(), "environment": env, "constraints": {"ranks": [rank]}}
if not command:
    system["exec"] = {"test": {"run_duration": seconds}}
print(json.dumps({"version": 1, "resources": [{"type": "slot", "count": 1, "label": "task", "with": [
    {"type": "core", "count": 1}, {"type": "memory", "count": int(memory)}]}],
    "tasks": [{"command": json.loads(command[0]) if command else ["true"], "slot": "task", "count": {"per_slot": 1}}],
    "attributes": {"system": system}}))
END
  }
  units() { flux job info "$1" R | jq -c '[.scheduling.graph.nodes[].metadata | select(.type == "memory") | .size]'; }
  in_log() { flux dmesg | grep -q "$1"; }
  until_true 'the graph' in_log 'machine: .*(the graph in R)'
  if [ "$part" = inner_racks ]; then
    same 'the memory' "$(flux kvs get resource.R | jq -c '[.scheduling.graph.nodes[].metadata | select(.type == "memory") | .size]')" '[5]'
    most=$(submit 0.1s 5 0)
    event "$most" clean
    until_same 'a job with all memory' COMPLETED of "$most" status
    ! submit 0.1s 6 0 2> "$WORK/error" > "$WORK/more" || event "$(cat "$WORK/more")" exception
    exit
  fi
  in_log 'match-policy=few-racks' || failed 'another policy'
  one=$(sleeper 600s -N1 -x -t 1h)
  event "$one" alloc
  same 'the first node' "$(of "$one" ranks)" 0
  two=$(sleeper 600s -N2 -x -t 1h)
  event "$two" alloc
  same 'nodes of one rack' "$(of "$two" ranks)" '[2-3]'
  flux cancel "$two"
  event "$two" clean
  five=$(submit 600s 5 1)
  event "$five" alloc
  same 'the memory of a job' "$(units "$five")" '[5]'
  four=$(submit 0.1s 4 1)
  three=$(submit 0.1s 3 1)
  event "$three" clean
  same 'the rest of the memory' "$(units "$three")" '[3]'
  still_waits 'a job with more memory than is left' "$four"
  flux module reload sched-copse
  still_waits 'the same after a reload' "$four"
  flux cancel "$five"
  event "$four" clean
  printf '[modules]\nalternatives.sched = "sched-copse"\nalternatives.feasibility = "sched-copse"\n' > "$WORK/inner.toml"
  inner=$(submit 60 5 1 "[\"flux\", \"broker\", \"--config-path=$WORK/inner.toml\", \"bash\", \"$0\", \"$flux\", \"$modules\", \"$modprobe\", \"inner_racks\"]")
  flux job attach "$inner"
  until_same 'the inner instance' COMPLETED of "$inner" status
  flux cancel "$one"
  no_exceptions
  exit
fi
# An instance in an instance: its jobs have ids of the cores that its own R has.
if [ "$part" = deep ] || [ "$part" = deeper ]; then
  same "the scheduler of the $part one" "$(flux module list | awk '/sched/ {print $1}')" sched-copse
  job=$(flux submit -n1 true)
  event "$job" clean
  until_same "the state in the $part one" COMPLETED of "$job" status
  has=$(flux kvs get resource.R | jq -r '.execution.R_lite[0].children.core')
  same "the core in the $part one" "$(flux job info "$job" R | jq -r '.execution.R_lite[0].children.core')" "$has"
  echo "$part $has" >> "$WORK/depths"
  if [ "$part" = deep ]; then
    inner=$(flux batch -n1 --output="$WORK/inner" "${use_copse[@]}" --wrap bash "$0" "$flux" "$modules" "$modprobe" deeper)
    event "$inner" clean
    cat "$WORK/inner"
  fi
  exit
fi
if [ "$part" = nested ]; then
  flux jobtap load alloc-check.so
  id=$(flux batch -n1 --output="$WORK/outer" "${use_copse[@]}" --wrap bash "$0" "$flux" "$modules" "$modprobe" deep)
  event "$id" clean
  # Flux numbers cores from 0 in each instance.
  cat "$WORK/outer"
  same 'depths, and their cores' "$(tr '\n' ' ' < "$WORK/depths")" 'deep 0 deeper 0 '
  exit
fi

flux jobtap load alloc-check.so
# Two licences: the second job waits though cores are free.
first=$(sleeper 600s -n1 -t 1000s --setattr=system.hres=flat:2)
event "$first" alloc
second=$(sleeper 600s -n1 -t 1000s --setattr=system.hres=flat:1)
other=$(sleeper 0.1s -n1 -t 10s)
event "$other" clean
still_waits 'a job without a licence' "$second"
until_same 'the licences of the first job' flat:2 of "$first" annotations.sched.hres
flux python "$COPSE_COMMAND" layers > "$WORK/layers"
grep -Eq '^flat +n\[0-3\] +2 +2 +2 +0$' "$WORK/layers" || failed "layers: $(cat "$WORK/layers")"
! flux python "$COPSE_COMMAND" set-layer flat 'n[0-9]' 3 2> /dev/null || failed 'a layer that does not exist'
# After a reload the licences are still used, and the moved end is known.
ends=$(flux job info "$first" R | jq '.execution.expiration')
flux update "$first" duration=+100s
flux module reload sched-copse
still_waits 'the second job after a reload' "$second"
late=$(sleeper 0.1s -N4 -x -t 10s)
starts_later() {
  starts=$(flux python "$COPSE_COMMAND" when --json "$late" 2> /dev/null | jq -r '.promised // .expected // 0')
  [ "${starts%.*}" -ge "$((${ends%.*} + 90))" ]
}
until_true 'a start after the end that was moved' starts_later
flux cancel "$late"
# More licences, while jobs run.
flux python "$COPSE_COMMAND" set-layer flat 'n[0-3]' 3
event "$second" alloc
flux cancel "$first" "$second"
event "$second" clean
! flux module reload sched-copse hres=/nonsense 2> /dev/null || failed 'a file that does not exist'
flux module load sched-copse scheduling=jgf
graph=$(sleeper 0.1s -n1)
event "$graph" clean
same 'a graph in R' "$(flux job info "$graph" R | jq -r '.scheduling.graph.nodes | map(.metadata.type) | unique | join(",")')" cluster,core,node
no_exceptions

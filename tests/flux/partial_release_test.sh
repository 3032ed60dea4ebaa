#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Copse under the names of Fluxion's modules, on racks: R in the formats that Fluxion has, and nodes
# that housekeeping gives back one by one while the modules are loaded again.
#
# usage: partial_release_test.sh FLUX NAMES
#   FLUX   the command flux
#   NAMES  the folder with sched-fluxion-*.so, which are sched-copse.so, or Fluxion's own
# Exit status 77: there is no Flux here.
set -eu
flux=${1-} names=${2-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }
command -v jq > /dev/null || { echo 'skipped: there is no jq'; exit 77; }

if [ "${3-}" != inside ]; then
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
  cat > "$WORK/conf.toml" << END
[resource]
noverify = true
[fake-resources]
nnodes = 4
cores-per-node = 4
host-prefix = "n"
[job-manager.housekeeping]
command = ["bash", "-c", "rank=\$(flux getattr rank); while [ -e $WORK/hold\$rank ]; do sleep 0.1; done"]
release-after = "0"
END
  PATH=$(dirname "$flux"):$PATH
  export PATH WORK FLUX_MODULE_PATH_PREPEND="$names" FLUX_SCHED_MODULE=none
  env -u FLUX_URI timeout 1000 flux start -s4 --config-path="$WORK/conf.toml" bash "$0" "$flux" "$names" inside
  exit
fi

. "$(dirname "$0")/common.sh"
sleeper() { flux submit --setattr=system.exec.test.run_duration=600s "$@" true; }
until_allocated() { until_same "$1" "$2" allocated '{ranks}/{ncores}'; }
load() {
  flux module load sched-fluxion-resource match-policy=lonode "$@"
  flux module load sched-fluxion-qmanager queue-policy=easy
}
unload() {
  flux module remove sched-fluxion-qmanager
  flux module remove sched-fluxion-resource
}
# The types in the graph of a job's R, and its writer.
graph() {
  flux job info "$1" R | jq -r '.scheduling as $s | if $s == null then "none" else
    ([$s.graph.nodes[].metadata.type] | unique | join(",")) + (if $s.writer then " " + $s.writer else "" end) end'
}

# The machine: two racks of two nodes.
jq -n '
  def pool($id; $type; $name; $n; $rank; $path): {id: ($id | tostring), metadata: {
    type: $type, basename: $type, name: $name, id: $n, uniq_id: $id, rank: $rank, exclusive: false,
    unit: "", size: 1, paths: {containment: $path}}};
  def edge($from; $to): {source: ($from | tostring), target: ($to | tostring), metadata: {subsystem: "containment"}};
  [pool(0; "cluster"; "cluster0"; 0; -1; "/cluster0")] as $top
  | [range(2) | pool(1 + .; "rack"; "rack\(.)"; .; -1; "/cluster0/rack\(.)")] as $racks
  | [range(4) | pool(3 + .; "node"; "n\(.)"; .; .; "/cluster0/rack\(. / 2 | floor)/n\(.)")] as $nodes
  | [range(16) | (. / 4 | floor) as $n | pool(7 + .; "core"; "core\(. % 4)"; . % 4; $n;
      "/cluster0/rack\($n / 2 | floor)/n\($n)/core\(. % 4)")] as $cores
  | {version: 1, execution: {R_lite: [{rank: "0-3", children: {core: "0-3"}}], nodelist: ["n[0-3]"],
      starttime: 0, expiration: 0},
     scheduling: {graph: {nodes: ($top + $racks + $nodes + $cores), edges: (
       [range(2) | edge(0; 1 + .)] + [range(4) | edge(1 + (. / 2 | floor); 3 + .)]
       + [range(16) | edge(3 + (. / 4 | floor); 7 + .)])}}}' > "$WORK/r"
flux resource reload -f "$WORK/r"
flux jobtap load alloc-check.so

# R, by the format. A graph without racks is that of R_lite alone.
load match-format=rv1_shorthand
part=$(sleeper -n3) whole=$(sleeper -N1 -x)
event "$part" alloc
event "$whole" alloc
same 'a node in shorthand' "$(graph "$whole")" 'cluster,node,rack fluxion:jgf_shorthand'
same 'cores in shorthand' "$(graph "$part")" 'cluster,core,node,rack'
flux cancel "$whole" "$part"
flux queue drain
unload
load match-format=rv1_shorthand load-format=rv1exec_force
whole=$(sleeper -N1 -x)
event "$whole" alloc
same 'a node without racks' "$(graph "$whole")" 'cluster,node fluxion:jgf_shorthand'
flux cancel "$whole"
flux queue drain
unload

# Two of four nodes come back; the modules are loaded again; then the others come back.
for format in rv1 rv1_shorthand; do
  touch "$WORK/hold2" "$WORK/hold3"
  load match-format=$format
  first=$(sleeper -n14)
  event "$first" alloc
  flux cancel "$first"
  until_allocated "two nodes are back ($format)" '2-3/6'
  second=$(sleeper -N2 -n8)
  event "$second" alloc
  until_same "a job on these ($format)" '[0-1]' of "$second" ranks
  third=$(sleeper -N3 -n12)
  unload
  load match-format=$format
  until_allocated "the same after a reload ($format)" '0-3/14'
  rm "$WORK/hold2"
  until_allocated "another one is back ($format)" '0-1,3/10'
  rm "$WORK/hold3"
  until_allocated "all are back ($format)" '0-1/8'
  flux cancel "$second"
  event "$third" alloc
  flux cancel "$third"
  flux queue drain
  until_allocated "nothing is held ($format)" '/0'
  unload
done
no_exceptions 'alloc-check\|restart'
echo passed

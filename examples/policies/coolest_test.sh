#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The coolest of four nodes is taken first, then, when it has become the hottest, the next.
set -eu
query=$1
examples=$2
got=$(printf '%s\n' \
    'set-property /desk0/rack0/node0 celsius=55' \
    'set-property /desk0/rack0/node2 celsius=31' \
    'set-property /desk0/rack0/node3 celsius=44' \
    "match allocate $examples/jobspecs/desk-whole-node.yaml" \
    'set-property /desk0/rack0/node2 celsius=90' \
    "match allocate $examples/jobspecs/desk-whole-node.yaml" \
    'quit' | "$query" -L "$examples/machines/desk.graphml" -P coolest | grep -- '---node')
want='      ---------node2[1:x]
      ---------node3[1:x]'
[ "$got" = "$want" ] || { printf 'expected:\n%s\ngot:\n%s\n' "$want" "$got"; exit 1; }

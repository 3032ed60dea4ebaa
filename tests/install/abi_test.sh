#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Programs of the last release run with this libcopse.so.0; and scripts/check-abi finds changes that would break them.
#
# usage: abi_test.sh SOURCE LIBRARY
# Exit status: 0 all well, 1 not, 77 abidw is missing.
set -eu
source=$1 library=$2

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed() { printf '%s\n' "$*"; exit 1; }

# Compiled with the released header, run with the library of this build.
cc -std=c11 -Wall -Wextra -Werror -I"$source/tests/abi" "$source/examples/c/best_place.c" "$library" \
  -o "$folder/best_place"
got=$(LD_LIBRARY_PATH=$(dirname "$library") "$folder/best_place" "$source/examples/machines/desk.graphml" \
  'slot=1/[core=2;gpu=1]' | tail -n 1)
want='job 9, from 3600 s: {"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {"core": "0-1", "gpu": "0"}}], "nodelist": ["node0"], "starttime": 3600, "expiration": 7200, "nslots": 1}}'
[ "$got" = "$want" ] || failed "an old program got: $got"

"$source/scripts/check-abi"
# A change by sed; then the exit status of the check, and words of its output.
changed() {
  sed "$1" "$source/tests/abi/copse.h" > "$folder/copse.h"
  cmp -s "$folder/copse.h" "$source/tests/abi/copse.h" && failed "$1 changes nothing"
  status=0
  "$source/scripts/check-abi" "$folder/copse.h" > "$folder/said" 2>&1 || status=$?
  [ "$status" -eq "$2" ] && grep -q "$3" "$folder/said" || failed "$1: status $status, $(cat "$folder/said")"
}
changed 's/  int64_t now, horizon;/  int64_t horizon, now;/' 1 'members of copse_engine_info'
changed 's/^  bool held;/  bool held; bool more;/' 1 'copse_job.more lies in a gap'
changed 's/^  bool held;/  bool held; int64_t more;/' 0 'as they were'
changed 's/^  COPSE_STUCK = 4 /  COPSE_STUCK = 5 /' 1 'COPSE_STUCK was 4 and is 5'
changed 's/^  COPSE_STUCK = 4 /  COPSE_STUCK = 4, COPSE_MORE = 5 /' 0 'as they were'
changed 's/^void copse_free (void \*memory);//' 1 'copse_free was removed'
changed 's/^copse_code copse_advance (copse_engine \*engine, int64_t/copse_code copse_advance (copse_engine *engine, int32_t/' \
  1 'copse_advance was'

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every function that libcopse.so promises is called by fuzz/fuzz_capi.cpp: a new one cannot be forgotten there.
#
# usage: fuzzed_test.sh SOURCE
set -eu
source=$1 list=$1/src/capi/libcopse.map
failed() { printf 'fuzzed_test: %s\n' "$*"; exit 1; }
# What is called in the target; comments do not count.
called() { sed 's,//.*,,' "$source/fuzz/fuzz_capi.cpp" | grep -o 'copse_[a-z_]*(' | tr -d '('; }
promised() { sed -n 's/^ *\(copse_[a-z_]*\);$/\1/p' "$list"; }

[ "$(promised | wc -l)" -gt 50 ] || failed "$list lists no functions"
for name in $(promised); do
  called | grep -qx "$name" || failed "fuzz/fuzz_capi.cpp never calls $name: add it to a call of Caller"
done
echo "fuzzed_test: $(promised | wc -l) functions"

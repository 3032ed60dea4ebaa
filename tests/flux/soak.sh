#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# sched-copse in a real Flux of four brokers, under random load for a while (soak.py): housekeeping
# gives nodes back one by one, and Flux's alloc-check watches every R.
#
# usage: soak.sh FLUX MODULES MODPROBE [SECONDS]
#   FLUX      the command flux
#   MODULES   the folder with sched-copse.so
#   MODPROBE  the file for modprobe.d
#   SECONDS   how long (20)
# Exit status 77: there is no Flux here.
set -eu
flux=${1-} modules=${2-} modprobe=${3-} seconds=${4-20}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/modprobe.d"
cp "$modprobe" "$work/modprobe.d/"
cat > "$work/conf.toml" <<'C'
[modules]
alternatives.sched = "sched-copse"
alternatives.feasibility = "sched-copse"
[job-manager.housekeeping]
command = ["sleep", "0.2"]
release-after = "0"
[sched-copse]
queue-policy = "easy"
C
PATH=$(dirname "$flux"):$PATH
export PATH FLUX_MODULE_PATH_PREPEND="$modules" FLUX_MODPROBE_PATH_APPEND="$work"
# An instance of its own, also where the test runs in one.
env -u FLUX_URI timeout $((seconds + 600)) flux start -s4 --config-path="$work/conf.toml" \
  flux python "$(dirname "$0")/soak.py" "$seconds"

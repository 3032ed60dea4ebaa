#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the package for Python with pip, from a copy of the files of git, into a separate environment, without
# network. Runs the example, and checks that pip removes all files again.
#
# usage: pip_test.sh SOURCE [BUILD [PYTHON]]
#   BUILD   a build folder with COPSE_PYTHON, so that nothing is compiled twice; none: all is compiled
#   PYTHON  the interpreter, /usr/bin/python3 by default
#
# Exit status: 0 passed, 1 failed, 77 git, or venv or pip for PYTHON, is missing.
set -eu
source=$(cd "$1" && pwd) build=${2-} python=${3-/usr/bin/python3}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed() { printf '%s\n' "$*"; exit 1; }

git -C "$source" rev-parse > "$folder/log" 2>&1 || { echo 'pip_test: skipped, there is no git'; exit 77; }
"$python" -c 'import ensurepip, setuptools, venv, wheel' 2> "$folder/log" ||
  { echo 'pip_test: skipped, it needs python3-venv, python3-setuptools and python3-wheel'; exit 77; }

mkdir "$folder/sources" "$folder/elsewhere"
git -C "$source" ls-files -z --cached --others --exclude-standard -- |
  tar -C "$source" --null --files-from=- --ignore-failed-read -cf - 2> "$folder/log" | tar -C "$folder/sources" -xf -
"$python" -m venv --system-site-packages "$folder/venv"
there() { (cd "$folder/venv" && find . -not -name '*.pyc' -not -name __pycache__ | sort); }
there > "$folder/before"

# In a folder without sources, so that Python imports the installed package.
cd "$folder/elsewhere"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PYTHONDONTWRITEBYTECODE=1
unset PYTHONPATH
[ -z "$build" ] || export COPSE_BUILD="$build"
"$folder/venv/bin/pip" install --no-index --no-build-isolation "$folder/sources" > "$folder/log" 2>&1 ||
  { cat "$folder/log"; failed 'pip install failed'; }
tail -n 1 "$folder/log"
"$folder/venv/bin/python" -c 'import copse, copse.gym, copse.plan, sys
assert copse.__file__.startswith(sys.prefix), copse.__file__'
want='job 8, from 0 s: rank3/core[4-5],gpu1
job 9, from 3600 s: rank0/core[0-1],gpu0'
got=$("$folder/venv/bin/python" "$source/examples/python/best_place.py" "$source/examples/machines/desk.graphml" \
  'slot=1/[core=2;gpu=1]' | tail -n 2)
[ "$got" = "$want" ] || failed "the example: expected:
$want
got:
$got"

"$folder/venv/bin/pip" uninstall --yes copse | tail -n 1
there | diff "$folder/before" - || failed 'uninstalled, it leaves this'

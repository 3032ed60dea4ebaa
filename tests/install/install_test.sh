#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs into a prefix that is not the configured one, and uses only installed files: programs run,
# pages link to existing files, and a program builds by pkg-config and by find_package.
#
# usage: install_test.sh SOURCE BUILD COMPILER
set -eu
source=$1 build=$2 compiler=$3

prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
failed() { printf '%s\n' "$*"; exit 1; }

cmake --install "$build" --prefix "$prefix" > "$prefix/install.log"
docs=$(dirname "$(find "$prefix/share" -name CONTRIBUTING.md)")
for program in copse resource-query grug2dot flux-jobspec-validate; do
  "$prefix/bin/$program" --help > "$prefix/help" 2>&1 || failed "$program --help fails"
  [ -s "$(find "$prefix" -name "$program.1")" ] || failed "$program has no manual page"
done

# Every page and header that a page names is installed.
"$source/scripts/check-links" "$docs"
for header in "$source"/include/copse/*.hpp; do
  [ -s "$docs/include/copse/${header##*/}" ] || failed "the pages do not lead to ${header##*/}"
done

# One program, built in two ways, without the sources.
cp -R "$docs/examples/library" "$prefix/program"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name copse.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # words of options
"$compiler" -std=c++23 -Wall -Wextra -Werror "$prefix/program/best_place.cpp" \
  -o "$prefix/by_pkg_config" $(pkg-config --cflags --libs copse)
cmake -S "$prefix/program" -B "$prefix/program/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" > "$prefix/cmake.log"
cmake --build "$prefix/program/build" >> "$prefix/cmake.log" || { cat "$prefix/cmake.log"; exit 1; }

# A plugin, built in two ways, in an installed program.
cp -R "$docs/examples/policies" "$prefix/plugin"
# shellcheck disable=SC2046 # words of options
"$compiler" -std=c++23 -Wall -Wextra -Werror -shared -fPIC "$prefix/plugin/coolest.cpp" \
  -o "$prefix/plugin/by_pkg_config.so" $(pkg-config --cflags copse)
cmake -S "$prefix/plugin" -B "$prefix/plugin/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" > "$prefix/cmake.log"
cmake --build "$prefix/plugin/build" >> "$prefix/cmake.log" || { cat "$prefix/cmake.log"; exit 1; }
for plugin in "$prefix/plugin/by_pkg_config.so" "$prefix/plugin/build/coolest.so"; do
  "$prefix/bin/copse" match -L "$docs/examples/machines/desk.graphml" -P "$plugin" \
    "$docs/examples/jobspecs/desk-whole-node.yaml" > "$prefix/match" || failed "$plugin does not serve"
done

# A program in C, built in two ways; it needs only the shared library.
cp -R "$docs/examples/c" "$prefix/in_c"
library=$(dirname "$(find "$prefix" -name libcopse.so.0)")
# shellcheck disable=SC2046 # words of options
cc -std=c11 -Wall -Wextra -Werror "$prefix/in_c/best_place.c" -o "$prefix/c_by_pkg_config" \
  $(pkg-config --cflags --libs copse-c)
cmake -S "$prefix/in_c" -B "$prefix/in_c/build" -DCMAKE_PREFIX_PATH="$prefix" > "$prefix/cmake.log"
cmake --build "$prefix/in_c/build" >> "$prefix/cmake.log" || { cat "$prefix/cmake.log"; exit 1; }
want='job 8, from 0 s: {"version": 1, "execution": {"R_lite": [{"rank": "3", "children": {"core": "4-5", "gpu": "1"}}], "nodelist": ["node3"], "starttime": 0, "expiration": 3600, "nslots": 1}}
job 9, from 3600 s: {"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {"core": "0-1", "gpu": "0"}}], "nodelist": ["node0"], "starttime": 3600, "expiration": 7200, "nslots": 1}}'
for program in "$prefix/c_by_pkg_config" "$prefix/in_c/build/best_place"; do
  got=$(LD_LIBRARY_PATH=$library "$program" "$docs/examples/machines/desk.graphml" 'slot=1/[core=2;gpu=1]' | tail -n 2)
  [ "$got" = "$want" ] || failed "$program: expected:
$want
got:
$got"
done

# A client of Fluxion's C API.
# shellcheck disable=SC2046 # words of options
cc -std=c11 -Wall -Wextra -Werror "$docs/examples/c/fluence.c" -o "$prefix/fluence" \
  $(pkg-config --cflags --libs copse-reapi)
got=$(LD_LIBRARY_PATH=$library/flux "$prefix/fluence" "$docs/examples/machines/desk.graphml" "$docs/examples/jobspecs/desk-whole-node.yaml")
[ "$(printf '%s\n' "$got" | tail -n 1)" = 'job 1 is CANCELED' ] || failed "fluence: $got"

# The package for Python, if it was built.
package=$(find "$prefix" -path '*/copse/__init__.py')
if [ -n "$package" ]; then
  python=$(sed -n 's/^_Python3_EXECUTABLE:INTERNAL=//p' "$build/CMakeCache.txt")
  got=$(PYTHONPATH=${package%/copse/__init__.py} "$python" -c 'import copse, sys
print(copse.Engine(copse.Machine.load(sys.argv[1]), policy="low").match("slot=1/core=2"))' \
    "$docs/examples/machines/desk.graphml")
  [ "$got" = 'rank0/core[0-1]' ] || failed "the package for Python: $got"
fi

case $(sed -n 's/^copse_DIR:PATH=//p' "$prefix/program/build/CMakeCache.txt") in
  "$prefix"/*) ;;
  *) failed 'find_package found another installation' ;;
esac

cd "$docs"
want='job 8, from 0 s: {"version": 1, "execution": {"R_lite": [{"rank": "3", "children": {"core": "4-5", "gpu": "1"}}], "nodelist": ["node3"], "starttime": 0, "expiration": 600, "nslots": 1}}
job 9, from 600 s: {"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {"core": "0-1", "gpu": "0"}}], "nodelist": ["node0"], "starttime": 600, "expiration": 1200, "nslots": 1}}'
for program in "$prefix/by_pkg_config" "$prefix/program/build/best_place"; do
  got=$("$program" examples/machines/desk.graphml examples/jobspecs/desk-gpu-memory.yaml | tail -n 2)
  [ "$got" = "$want" ] || failed "expected:
$want
got:
$got"
done

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every package has the version of CMakeLists.txt; the RPM spec and the Spack recipe can be read; and systemd rates
# the unit of the service as safe.
#
# usage: versions_test.sh SOURCE
set -eu
cd "$1"
failed() { printf '%s\n' "$*"; exit 1; }

version=$(sed -n 's/^project(copse VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || failed 'CMakeLists.txt has no version'
grep -q "^Version: *$version\$" packaging/rpm/copse.spec || failed "packaging/rpm/copse.spec is not of $version"
head -n 1 debian/changelog | grep -q "^copse ($version-" || failed "debian/changelog is not of $version"

if command -v rpmspec > /dev/null; then
  names=$(rpmspec -q --qf '%{name} ' packaging/rpm/copse.spec 2>&1) || failed "packaging/rpm/copse.spec: $names"
  for name in copse copse-server copse-libs copse-devel copse-reapi python3-copse; do
    case " $names" in *" $name "*) ;; *) failed "packaging/rpm/copse.spec has no package $name: $names" ;; esac
  done
fi
python3 packaging/spack/read_recipe.py CMakeLists.txt || failed 'packaging/spack/package.py cannot be used'

if command -v systemd-analyze > /dev/null; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  sed 's#@CMAKE_INSTALL_FULL_BINDIR@#/usr/bin#; s#@CMAKE_INSTALL_FULL_DOCDIR@#/usr/share/doc/copse#' \
    packaging/systemd/copse.service.in > "$folder/copse.service"
  # In tenths: 20 is 2.0.
  systemd-analyze security --offline=true --threshold=20 "$folder/copse.service" > "$folder/said" ||
    { tail -n 1 "$folder/said"; failed 'the unit of copse serve is less safe than 2.0'; }
fi

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The client in Go (examples/go) on this libreapi_cli.so. It uses no network.
#
# usage: go_test.sh SOURCE LIBRARY
# Exit status: 0 passed, 1 failed, 77 Go is missing (Debian: golang-go).
set -eu
source=$1 library=$2
command -v go > /dev/null || { echo 'go_test: skipped, there is no go (Debian: golang-go)'; exit 77; }

folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cp -R "$source/examples/go" "$folder/sources"
cd "$folder/sources"
headers=$source/include/reapi
libraries=$(dirname "$library")
export GOPROXY=off GOFLAGS=-mod=mod GOCACHE="${GOCACHE:-$folder/cache}" GOPATH="$folder/path" CGO_ENABLED=1 \
  CGO_CFLAGS="-I$headers -I$headers/resource/reapi/bindings/c" CGO_LDFLAGS="-L$libraries" \
  LD_LIBRARY_PATH="$libraries" COPSE_EXAMPLES="$source/examples"
[ -z "$(gofmt -l .)" ] || { gofmt -d .; exit 1; }
go vet ./...
go test -count=1 ./...

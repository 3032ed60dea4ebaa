# SPDX-License-Identifier: Apache-2.0
#
# The front door: each target names the few commands behind it. The build itself is CMake's, its
# configurations are in CMakePresets.json, its folders build/<preset>.
#
#   JOBS=2      compilers, tests and checks at once
#   SECONDS=60  how long `make fuzz` runs each target
#   CMAKE_FLAGS=-DCOPSE_PYTHON=ON   options for `make build`, `make test` and `make install`

JOBS ?= 2
SECONDS ?= 60
PREFIX ?= /usr/local
CMAKE_FLAGS ?=

DEMO = build/release/resource-query -L examples/machines/desk.graphml -P high -F pretty_simple

# The C++ files that git tracks, or would track.
SOURCES = git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.hpp'

.DEFAULT_GOAL := all
.PHONY: all deps deps-dev build demo test sanitize conformance fuzz bench \
        format format-check tidy docs install dist packages clean

all: # this text
	@echo 'make TARGET, where TARGET is one of:'
	@sed -n 's/^\([a-z-]*\):[^#]*# \(.*\)$$/  \1|\2/p' Makefile | awk -F'|' '{printf "%-14s  %s\n", $$1, $$2}'

deps: # install what the build and the tests need (Debian 12)
	@scripts/install-deps

deps-dev: # the same, with clang-19 for fuzz, format and tidy, and a hook that checks commit messages
	@scripts/install-deps --dev
	@git config core.hooksPath scripts/hooks 2>/dev/null || true

# Where packages have other names (exit status 2) the build is tried all the same.
build: # configure and build build/release
	@scripts/install-deps || [ $$? -eq 2 ]
	cmake --preset release $(CMAKE_FLAGS)
	cmake --build build/release -j$(JOBS)

# Only what it runs is built.
demo: # build resource-query, and run a short session on a small machine
	@scripts/install-deps || [ $$? -eq 2 ]
	cmake --preset release
	cmake --build build/release -j$(JOBS) --target resource-query
	@echo
	@echo '$$ cat examples/demo.commands'
	@cat examples/demo.commands
	@echo
	@echo '$$ $(DEMO) < examples/demo.commands'
	@$(DEMO) < examples/demo.commands

test: build # build and run all tests
	ctest --preset release --no-tests=error -j$(JOBS)

sanitize: # the same with address and undefined-behaviour sanitizers
	@scripts/install-deps || [ $$? -eq 2 ]
	cmake --preset sanitizers
	cmake --build build/sanitizers -j$(JOBS)
	UBSAN_OPTIONS=print_stacktrace=1 ctest --preset sanitizers --no-tests=error -j$(JOBS)

conformance: build # compare with recorded sessions of the reference, if they are there
	scripts/conformance -j $(JOBS) build/release

fuzz: deps-dev # build the fuzz targets and run each for SECONDS
	cmake --preset fuzz
	cmake --build build/fuzz -j$(JOBS)
	scripts/fuzz -s $(SECONDS) -j $(JOBS) -- $(FUZZ_FLAGS)

bench: build # build and run the benchmarks
	@programs=$$(find build/release/bench -maxdepth 1 -type f -perm -u+x | sort); \
	if [ -z "$$programs" ]; then echo 'bench: no programs in build/release/bench'; exit 1; fi; \
	for program in $$programs; do echo "bench: $$program"; "$$program" || exit 1; done

format: # lay out all sources
	$(SOURCES) | xargs -0 -r clang-format-19 -i

format-check: # check layout, order of includes, structure, words, links of documents, commit messages
	$(SOURCES) | xargs -0 -r clang-format-19 --dry-run -Werror
	scripts/check-includes
	scripts/check-structure
	scripts/check-words
	scripts/check-links
	scripts/check-commits

tidy: build # clang-tidy over src/
	scripts/tidy -j $(JOBS) --record build/release

docs: build # update the tables of options in docs/
	cmake --build build/release --target option-lists

install: build # install below PREFIX (/usr/local)
	cmake --install build/release --prefix '$(PREFIX)'

# A release is what git has, and nothing else; the same commit gives the same bytes.
dist: # make build/dist/copse-VERSION.tar.gz of what is committed
	@version=$$(sed -n 's/^project(copse VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt); \
	mkdir -p build/dist && git archive --format=tar --prefix="copse-$$version/" HEAD \
	  | gzip -n > "build/dist/copse-$$version.tar.gz" && echo "build/dist/copse-$$version.tar.gz"

packages: dist # build Debian packages in build/dist, of what is committed
	@cd build/dist && archive=$$(ls -t copse-*.tar.gz | head -n 1) && rm -rf "$${archive%.tar.gz}" \
	  && tar -xf "$$archive" && cd "$${archive%.tar.gz}" \
	  && DEB_BUILD_PROFILES="nocheck $$DEB_BUILD_PROFILES" DEB_BUILD_OPTIONS="nocheck parallel=$(JOBS)" \
	     dpkg-buildpackage -us -uc -b

clean: # remove build/
	rm -rf build

# `make test` and `make demo` set up all they need on a fresh Debian or Ubuntu machine; see scripts/setup.sh.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)
FUZZ_LIMITS ?= -max_total_time=60
PYTHON_TESTS := tests/oracle tests/cli python/tests
SOURCES := git ls-files -z '*.h' '*.cpp'
PACKAGE_SOURCES := $(shell git ls-files pyproject.toml CMakeLists.txt cmake include src python/CMakeLists.txt python/plumbline python/src)
PACKAGE_GROUPS := packages-base packages-bench packages-torch packages-lint packages-cross packages-sanitize

.PHONY: help setup build python test check-python demo reproduction picture bench check-format format tidy sanitize fuzz cross wheels install-test clean $(PACKAGE_GROUPS)

help:  ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: packages-base .venv/test.stamp  ## Install what building and testing need

build: build/.configured  ## Build in release, into build/
	@cmake --build --preset release --parallel $(JOBS)

python: .venv/package.stamp  ## Build the Python package and install it into .venv/

test: build check-python  ## Run all tests
	@ctest --preset release --parallel $(JOBS)
	@.venv/bin/python -m pytest -q -rs -n $(JOBS) $(PYTHON_TESTS)

check-python: .venv/package.stamp  ## Fail if the Python package is not formatted, typed and tidy
	@.venv/bin/ruff check --quiet python
	@.venv/bin/ruff format --check --quiet python
	@.venv/bin/mypy

demo: build .venv/test.stamp  ## Remove the bias from generated data and print the certificate before and after
	@scripts/demo.sh build/plumbline out/demo

reproduction: build  ## Write docs/reproduction.md and its figures anew; needs the published data
	@scripts/reproduction.sh build/plumbline out/reproduction

picture: .venv/package.stamp  ## Draw docs/picture.png anew; needs the published data
	@.venv/bin/python scripts/picture.py docs/picture.png

bench: out/bench/.configured .venv/bench.stamp .venv/package.stamp packages-torch  ## Measure speed beside the limits of this machine
	@cmake --build --preset bench --parallel $(JOBS)
	@.venv/bin/python benchmarks/run.py out/bench

check-format: packages-lint  ## Fail if a source is not formatted
	@$(SOURCES) | xargs -0 -r clang-format --dry-run --Werror

format: packages-lint  ## Format all sources
	@$(SOURCES) | xargs -0 -r clang-format -i
	@if [[ -x .venv/bin/ruff ]]; then .venv/bin/ruff format --quiet python; fi

tidy: out/tidy/.configured  ## Run clang-tidy over the library
	@cmake --build --preset tidy --parallel $(JOBS) --target plumbline_core plumbline_methods plumbline_paper

sanitize: out/asan-ubsan/.configured  ## Run the tests under the address and undefined-behaviour sanitizers
	@cmake --build --preset asan-ubsan --parallel $(JOBS)
	@ctest --preset asan-ubsan --parallel $(JOBS)

fuzz: out/asan-ubsan/.configured  ## Run each fuzz target within FUZZ_LIMITS (a minute) under the sanitizers
	@cmake --build --preset asan-ubsan --parallel $(JOBS) --target csv_fuzz model_fuzz moments_fuzz
	@fuzz/run.sh out/asan-ubsan/fuzz $(FUZZ_LIMITS)

cross: out/arm64/.configured  ## Build for arm64 and run the kernel and moments tests in an emulator
	@cmake --build --preset arm64 --parallel $(JOBS) --target kernels_test moments_test network_kernels_test
	@ctest --preset arm64 --parallel $(JOBS)

wheels: packages-base  ## Build a wheel with each Python on PATH, and use it in an environment of its own
	@CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) scripts/wheels.sh

install-test: build  ## Install, then build and run a project that finds the installed package
	@tests/install/run.sh build

clean:  ## Delete all that make has made, .venv/ included
	rm -rf build out .venv

# Asked anew each time: dpkg answers in a tenth of a second, and apt is called only if something is missing.
$(PACKAGE_GROUPS): packages-%:
	@scripts/setup.sh packages $*

.venv/%.stamp: requirements/%.txt | packages-base
	@scripts/setup.sh python $*

.venv/bench.stamp .venv/python.stamp: requirements/test.txt

# From the release build, whose libraries it shares, and which is left as it was; `pip install .` builds its own.
.venv/package.stamp: .venv/python.stamp $(PACKAGE_SOURCES) | build
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
	  --config-settings=build-dir=build --config-settings=cmake.define.PLUMBLINE_BUILD_TESTS=ON \
	  --config-settings=cmake.define.PLUMBLINE_BUILD_EXAMPLES=ON --config-settings=cmake.define.PLUMBLINE_BUILD_PAPER=ON \
	  --config-settings=cmake.define.PLUMBLINE_BUILD_TOOL=ON --config-settings=cmake.define.PLUMBLINE_FMT_HEADER_ONLY=OFF .
	@cmake -S . -B build -DPLUMBLINE_BUILD_PYTHON=OFF >/dev/null
	@touch $@

# The presets live outside of what ninja watches; it configures again by itself when a CMakeLists.txt changes.
build/.configured: CMakePresets.json | packages-base
	@cmake --preset release
	@touch $@

out/%/.configured: CMakePresets.json | packages-base
	@cmake --preset $*
	@touch $@

out/bench/.configured: | packages-bench
out/arm64/.configured: | packages-cross
out/asan-ubsan/.configured: | packages-sanitize

# Ninja does not know that objects depend on the checks, so new checks start from nothing.
out/tidy/.configured: CMakePresets.json .clang-tidy | packages-base packages-lint
	@rm -rf out/tidy
	@cmake --preset tidy
	@touch $@

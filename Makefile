# Each target installs what it lacks on a fresh Debian or Ubuntu machine, and no more; see scripts/setup.sh.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

export JOBS ?= $(shell nproc)
FUZZ_LIMITS ?= -max_total_time=60
TORTURE ?= --output out/torture.md
# Rates over many runs: what they call is called by other tests too.
RATES ?= SpreadIndependence|ProbeCoverage|Independence.RejectsAtItsLevel|Population.TheBoundCovers
SKLEARN ?= ==1.6.* newest
SANITIZE_TARGETS ?= all
TSAN_PROGRAMS ?= base_tests io_tests moments_tests debias_tests tables_tests predict_tests methods_tests metrics_tests \
  paper_tests
TIDY_TARGETS ?= plumbline_core plumbline_tables plumbline_methods plumbline_command_line plumbline plumbline_paper \
  plumbline-paper plumbline_python
PYTHON_TESTS := tests/oracle tests/cli paper/tests python/tests
SOURCES := git ls-files -z '*.h' '*.cpp'
PACKAGE_SOURCES := $(shell find pyproject.toml CMakeLists.txt cmake include src apps paper/CMakeLists.txt paper/datasets \
  paper/python python/CMakeLists.txt python/plumbline python/src -type f -not -name '*.pyc')
PACKAGE_GROUPS := $(addprefix packages-,tool paper figures python test trees bench torch lint cross sanitize)

.PHONY: help setup build test-sklearn python develop test check-python demo reproduction picture bench check-format format tidy sanitize \
  tsan fuzz fuzz-long torture cross wheels install-test clean $(PACKAGE_GROUPS)

help:  ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: packages-tool  ## Remove the bias from made-up people and print the certificate before and after
	@scripts/build.sh tool plumbline
	@scripts/demo.sh build/plumbline out/demo

build: packages-tool packages-paper  ## Build plumbline and plumbline-paper in release, into build/
	@scripts/build.sh programs plumbline_manual plumbline-paper_manual

test: packages-tool packages-paper packages-figures packages-test packages-trees packages-python  ## Build and run all tests
	@$(MAKE) --no-print-directory --jobs=2 release .venv/python.stamp  # one waits for compilers, the other for pip
	@$(MAKE) --no-print-directory check-python
	@ctest --preset release --parallel $(JOBS)
	@.venv/bin/python -m pytest -q -rs -n $(JOBS) $(PYTHON_TESTS)

setup: packages-tool packages-paper packages-figures packages-test .venv/test.stamp  ## Install what building and testing need

.PHONY: release
release: packages-tool packages-paper packages-figures packages-test packages-trees
	@scripts/build.sh release

test-sklearn: .venv/package.stamp  ## Run tests with each scikit-learn of SKLEARN, which PyPI gives
	@PLUMBLINE_SKLEARN="$(SKLEARN)" .venv/bin/python -m pytest -q -s python/tests/test_sklearn_versions.py

python: .venv/package.stamp  ## Build the Python package and install it into .venv/

develop: packages-tool .venv/python.stamp  ## The same, so that changes of Python files need no new installation
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@rm -f .venv/package.stamp

check-python: .venv/package.stamp  ## Fail if a Python file is not formatted and tidy, or the package not typed
	@.venv/bin/ruff check --quiet .
	@.venv/bin/ruff format --check --quiet .
	@.venv/bin/mypy

reproduction: build packages-figures  ## Write docs/reproduction.md and its figures anew; needs the published data
	@scripts/reproduction.sh build/plumbline out/reproduction

picture: .venv/package.stamp  ## Draw docs/picture.png anew; needs the published data
	@.venv/bin/python scripts/picture.py docs/picture.png

bench: packages-tool packages-paper packages-bench packages-torch .venv/bench.stamp .venv/package.stamp  ## Measure speed beside the limits of this machine
	@scripts/build.sh bench
	@.venv/bin/python benchmarks/run.py out/bench

check-format: packages-lint  ## Fail if a C++ file is not formatted
	@$(SOURCES) | xargs -0 -r clang-format --dry-run --Werror

format: packages-lint  ## Format all sources
	@$(SOURCES) | xargs -0 -r clang-format -i
	@if [[ -x .venv/bin/ruff ]]; then .venv/bin/ruff format --quiet .; fi

tidy: packages-tool packages-paper packages-lint packages-sanitize .venv/python.stamp  ## Run clang-tidy over every source but the tests
	@if [[ .clang-tidy -nt out/tidy/build.ninja ]]; then rm -rf out/tidy; fi  # objects do not depend on the checks
	@scripts/build.sh tidy $(TIDY_TARGETS)

sanitize: packages-tool packages-paper packages-test packages-sanitize  ## Run the tests under the address and undefined-behaviour sanitizers
	@scripts/build.sh asan-ubsan $(SANITIZE_TARGETS)
	@ctest --preset asan-ubsan --parallel $(JOBS) --exclude-regex '_NOT_BUILT|$(RATES)'

tsan: packages-tool packages-paper packages-test packages-sanitize  ## Run the tests of TSAN_PROGRAMS under the thread sanitizer
	@scripts/build.sh tsan $(TSAN_PROGRAMS) plumbline
	@for program in $(TSAN_PROGRAMS); do $$(find out/tsan -name $$program) --gtest_brief=1; done

fuzz: packages-tool packages-paper packages-test packages-sanitize  ## Run each fuzz target within FUZZ_LIMITS (a minute) under the sanitizers
	@scripts/build.sh asan-ubsan csv_fuzz model_fuzz moments_fuzz table_fuzz arrow_fuzz
	@fuzz/run.sh out/asan-ubsan/fuzz $(FUZZ_LIMITS)

fuzz-long:  ## The same with a hundred million inputs in all: an hour or two
	@$(MAKE) --no-print-directory fuzz FUZZ_LIMITS=-total=100000000

torture: .venv/package.stamp  ## Problems, kills, failing calls, mutated files and odd inputs: how TORTURE says, minutes by default
	@scripts/build.sh tool plumbline
	@mkdir -p out
	@.venv/bin/python -W ignore -m torture.run $(TORTURE)

cross: packages-tool packages-cross  ## Build for arm64 and run the kernel and moments tests in an emulator
	@scripts/build.sh arm64 kernels_tests moments_tests
	@ctest --preset arm64 --parallel $(JOBS)

wheels: packages-tool packages-python  ## Build a wheel with each Python on PATH, say which platforms it serves, and use it
	@scripts/wheels.sh

install-test: build  ## Install, then build and run a project that finds the installed package
	@tests/install/run.sh build

clean:  ## Delete all that make has made, .venv/ included
	rm -rf build out .venv

# Asked anew each time: dpkg answers in a tenth of a second, and apt is called only if something is missing.
$(PACKAGE_GROUPS): packages-%:
	@scripts/setup.sh packages $*

.venv/%.stamp: requirements/%.txt | packages-python
	@scripts/setup.sh python $*

.venv/bench.stamp .venv/python.stamp: requirements/test.txt

.venv/package.stamp: .venv/python.stamp $(PACKAGE_SOURCES) | packages-tool
	@scripts/python_package.sh
	@touch $@

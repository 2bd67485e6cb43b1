# Two commands matter: `make demo` and `make test`. Both install what they need on a fresh Debian machine.
# Nothing is done twice: stamps under build/stamps say what is up to date.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory

JOBS ?= 2
FUZZ_RUNS ?= 20000
STAMPS := build/stamps
BIN := .venv/bin
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Meshed bodies are kept in the build folder, not in the user's cache.
export TAXEL_CACHE ?= $(CURDIR)/build/cache
# And the kernels of Warp.
export WARP_CACHE_PATH ?= $(CURDIR)/build/cache/warp

APT := cmake g++ ninja-build libeigen3-dev libgtest-dev libbenchmark-dev libembree-dev \
       clang clang-format libclang-rt-14-dev clang-tidy-14 libegl1 libgl1-mesa-dri pkg-config
# What the Python tests need besides: a browser, shells to complete in, another DDS to talk to.
APT_PYTHON := chromium zsh fish cyclonedds-dev cyclonedds-tools
NATIVE := CMakeLists.txt CMakePresets.json $(shell find src cmake -type f 2>/dev/null)
PACKAGE := pyproject.toml README.md $(NATIVE) $(shell find python -type f -not -path '*/__pycache__/*')
CPP_FILES := $(shell find src python/src tests fuzz benchmarks examples -name '*.h' -o -name '*.cc' -o -name '*.cu' -o -name '*.cuh')

.PHONY: help build demo test bench docs tables format lint lint-types tidy clean prefix wheel wheel-cuda notebooks \
        test-release test-asan test-fuzz test-examples test-headers test-python test-python-long test-python-rest test-mjlab \
        test-impacts test-wheel verify

help:
	@echo "make demo     press objects into three tactile sensors; pictures in out/demo"
	@echo "make test     all checks: C++ (release, sanitizers), fuzz, examples, Python, format"
	@echo "make build    the Python package in .venv and the C++ library in build/release"
	@echo "make bench    taxel bench contact; table in benchmarks/results"
	@echo "make wheel    a wheel to give away, in dist/;  make wheel-cuda  its part for GPUs (needs nvcc)"
	@echo "make notebooks  the notebooks, executed, in build/notebooks"
	@echo "make verify   every row of the reference file"
	@echo "make docs     the documentation as a site; open site/index.html"
	@echo "make tables   the measured numbers of README and docs, from benchmarks/results"
	@echo "make format   clang-format and ruff, in place;  make lint  only looks"
	@echo "make tidy     clang-tidy over the sources that differ from main"
	@echo "make clean    removes build/, dist/, out/, site/ and .venv/"

# --- what the machine must have -----------------------------------------------------------------------------------

# Debian packages, only those that are missing; as root, or through sudo, or a message.
DEBIAN = $(if $(filter %/apt-python,$@),$(APT_PYTHON),$(APT))
$(STAMPS)/apt $(STAMPS)/apt-python: Makefile
	@mkdir -p $(STAMPS)
	@missing=""; \
	if command -v dpkg >/dev/null; then \
	  for p in $(DEBIAN); do dpkg -s $$p >/dev/null 2>&1 || missing="$$missing $$p"; done; \
	  python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$$missing python3-venv"; \
	  python3 -c 'import os, sysconfig; assert os.path.exists(sysconfig.get_paths()["include"] + "/Python.h")' 2>/dev/null \
	    || missing="$$missing python3-dev"; \
	else echo "not a Debian machine: please see to it yourself that these are installed: $(DEBIAN)"; fi; \
	if [ -n "$$missing" ]; then \
	  echo "installing:$$missing"; \
	  if [ "$$(id -u)" = 0 ]; then run=""; \
	  elif command -v sudo >/dev/null; then run="sudo"; \
	  else echo "these packages are missing and you are not root; run: apt-get install$$missing" >&2; exit 1; fi; \
	  $$run apt-get update -qq; \
	  DEBIAN_FRONTEND=noninteractive $$run apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	fi
	@touch $@

# Requirements stand in pyproject.toml alone.
INSTALL = $(BIN)/python scripts/requirements.py $(1) >build/requirements.txt && $(BIN)/pip install -q $(2) -r build/requirements.txt

$(STAMPS)/venv: $(STAMPS)/apt pyproject.toml scripts/requirements.py
	@test -x $(BIN)/python || python3 -m venv .venv
	$(call INSTALL,build base demo mesh gym dev notebooks)
	@touch $@

# A regular install, rebuilt when a source changed; the build folder stays, so that a rebuild takes seconds. It is the
# folder of the C++ tests: the library is compiled once for both.
IN_RELEASE := --no-build-isolation --no-deps . -C build-dir=build/release \
  -C build.targets=taxel_package -C cmake.define.TAXEL_TESTS=ON -C cmake.define.TAXEL_BENCHMARKS=ON \
  -C cmake.define.TAXEL_WARNINGS_ARE_ERRORS=ON

$(STAMPS)/package: $(STAMPS)/venv $(PACKAGE)
	$(BIN)/pip install -q --force-reinstall $(IN_RELEASE)
	@touch $@

# The same, packed: what was compiled for the package, without the part for GPUs. auditwheel gives it the name of the
# oldest system that it runs on; MuJoCo's library is left where it is, in MuJoCo's own wheel.
REPAIR = PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/auditwheel repair --exclude 'libmujoco.so.*' -w dist $(1) \
  >build/auditwheel.log 2>&1 || { cat build/auditwheel.log; exit 1; }

$(STAMPS)/wheel: $(STAMPS)/package
	$(call INSTALL,wheel)
	rm -rf build/wheel dist/taxel-[0-9]*.whl
	$(BIN)/pip wheel -q -w build/wheel $(IN_RELEASE) -C install.components=python
	$(call REPAIR,build/wheel/taxel-*.whl)
	@touch $@

# --- what one can ask for ------------------------------------------------------------------------------------------

build: $(STAMPS)/package
	cmake --build build/release

demo: $(STAMPS)/package
	$(BIN)/taxel demo --out out/demo

wheel: $(STAMPS)/wheel
	@ls dist/taxel-[0-9]*.whl

wheel-cuda: $(STAMPS)/venv
	$(call INSTALL,wheel)
	rm -rf build/wheel-cuda dist/taxel_cuda-*.whl
	$(BIN)/pip wheel -q --no-build-isolation --no-deps packaging/taxel-cuda -w build/wheel-cuda -C build-dir=$(CURDIR)/build/cuda
	$(call REPAIR,build/wheel-cuda/taxel_cuda-*.whl)
	@ls dist/taxel_cuda-*.whl

bench: $(STAMPS)/package
	$(BIN)/taxel bench contact --out benchmarks/results

verify: $(STAMPS)/package
	$(BIN)/taxel verify tests/data/hydroelastic.json

# Strict: a link that leads nowhere or a page that loads something from the network is an error.
docs: $(STAMPS)/package $(STAMPS)/notebooks
	$(call INSTALL,docs)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q --strict

# Run from the first cell to the last; what they print and draw is on their pages.
$(STAMPS)/notebooks: $(STAMPS)/package scripts/notebooks.py $(wildcard docs/notebooks/*.ipynb)
	$(BIN)/python scripts/notebooks.py
	@touch $@

notebooks: $(STAMPS)/notebooks

tables:
	python3 scripts/tables.py

test: lint test-release test-asan test-fuzz test-examples test-headers test-python test-mjlab test-impacts test-wheel docs
	@echo "all checks passed"

# Google Test's own summary of each process, then CTest's; all there is where something failed.
define CTEST
ctest --test-dir build/$(1) -j $(JOBS) -V >build/ctest-$(1).log 2>&1 || { cat build/ctest-$(1).log; exit 1; }; \
grep -aE '\[=+\] .* ran|\[  PASSED  \]|tests passed|Total Test time' build/ctest-$(1).log
endef

test-release: $(STAMPS)/package
	cmake --build build/release
	$(call CTEST,release)

test-asan: $(STAMPS)/venv
	cmake --preset asan >/dev/null
	cmake --build --preset asan
	export UBSAN_OPTIONS=print_stacktrace=1; $(call CTEST,asan)

# A short run from the seeds, if any; the long run is FUZZ_RUNS=1000000.
test-fuzz: $(STAMPS)/venv
	@if ! command -v clang++ >/dev/null; then echo "no clang++: fuzz run skipped"; \
	elif ! ls fuzz/*.cc >/dev/null 2>&1; then echo "no fuzz target yet"; \
	else \
	  cmake --preset fuzz >/dev/null; cmake --build --preset fuzz --target readers_fuzz sensor_xml_fuzz; \
	  for target in $$(find build/fuzz -maxdepth 2 -type f -executable -name '*fuzz*'); do \
	    name=$$(basename $$target); mkdir -p build/corpus/$$name; \
	    echo "fuzz: $$name, $(FUZZ_RUNS) runs"; \
	    $$target -runs=$(FUZZ_RUNS) -seed=1 -rss_limit_mb=2048 -timeout=10 -max_len=4096 \
	      build/corpus/$$name $$(test -d fuzz/corpus/$${name%_fuzz} && echo fuzz/corpus/$${name%_fuzz} || true) \
	      2>build/corpus/$$name.log || { tail -40 build/corpus/$$name.log; exit 1; }; \
	    grep -a '^Done ' build/corpus/$$name.log; \
	  done; \
	fi

# As a user's machine has it, by the user's command: nothing of the Python package may come along.
prefix: test-release
	rm -rf build/prefix
	cmake --install build/release --prefix build/prefix >/dev/null

# The examples see only the installed package, as a user's program does.
test-examples: prefix
	cmake -S examples -B build/examples -G Ninja -DCMAKE_BUILD_TYPE=Release \
	  -DCMAKE_PREFIX_PATH=$(CURDIR)/build/prefix -DTAXEL_MUJOCO_PYTHON=$(CURDIR)/$(BIN)/python >/dev/null
	cmake --build build/examples
	ctest --test-dir build/examples --output-on-failure

# What is installed: the public headers and no other, each alone and all in one file.
test-headers: prefix
	JOBS=$(JOBS) $(BIN)/python scripts/headers.py --prefix build/prefix \
	  --mujoco $$($(BIN)/python -c 'import mujoco; print(mujoco.HEADERS_DIR)')/..

# What is no part of the core: torch, rsl-rl, mujoco_warp, ROS 2, recordings with others' readers of them, the live page, what
# environments of other people import, data sets on Ray.
$(STAMPS)/extras: $(STAMPS)/venv $(STAMPS)/apt-python
	$(call INSTALL,learn train warp ros record record-readers view environments dataset ray)
	@touch $@

# Files of packages that are not made for our MuJoCo: beside the environment, without what they depend on.
$(STAMPS)/fixtures: $(STAMPS)/venv
	rm -rf build/fixtures
	$(call INSTALL,fixtures,--no-deps --target build/fixtures)
	rm -rf build/fixtures/*.dist-info
	@touch $@

# A test that is skipped says why, and fails the run unless tests/python/skips.txt has it. Those of tests/gpu are
# collected here and run by scripts/gpu_check.sh. Two processes at a time, about half of the work each; what the first
# says comes when it is done. ROS 2 in a process of its own: what it leans on is C.
PYTEST = PYTHONPATH=$(CURDIR)/build/fixtures $(BIN)/python -m pytest -rs --listed-skips
LONG_TESTS := $(addprefix tests/python/,calibrate experiments learn marker press tasks)

test-python: $(STAMPS)/package $(STAMPS)/extras $(STAMPS)/fixtures
	$(MAKE) -j 2 test-python-long test-python-rest
	$(BIN)/python -m pytest -rs --listed-skips tests/python/ros

test-python-long: $(STAMPS)/package $(STAMPS)/extras $(STAMPS)/fixtures
	@$(PYTEST) $(LONG_TESTS) >build/pytest-long.log 2>&1 || { cat build/pytest-long.log; exit 1; }; cat build/pytest-long.log

test-python-rest: $(STAMPS)/package $(STAMPS)/extras $(STAMPS)/fixtures
	$(PYTEST) tests/python tests/gpu $(LONG_TESTS:%=--ignore %) --ignore tests/python/ros

# Touch in mjlab, beside the environment: it pins another MuJoCo, and works with ours.
$(STAMPS)/mjlab: $(STAMPS)/venv
	rm -rf build/mjlab
	$(call INSTALL,mjlab,--no-deps --target build/mjlab)
	@touch $@

test-mjlab: $(STAMPS)/package $(STAMPS)/extras $(STAMPS)/mjlab
	PYTHONPATH=$(CURDIR)/build/mjlab $(BIN)/python -m pytest tests/python/mjlab

# 500 hits and squeezes of skins: no energy from nothing, no core passed, no NaN, no crash.
test-impacts: $(STAMPS)/package
	rm -rf build/impacts
	$(BIN)/taxel reproduce contact-impacts --quick --jobs $(JOBS) --out build/impacts

# The wheel in a fresh environment with what it depends on and nothing else: the demo must run there.
test-wheel: $(STAMPS)/wheel
	$(BIN)/python scripts/try_wheel.py dist/taxel-[0-9]*.whl

# Types of the installed package: its stub of the core is written while it is built.
lint-types: $(STAMPS)/package
	cd build && ../$(BIN)/mypy --config-file ../pyproject.toml --cache-dir mypy

# Checks and their reasons are in .clang-tidy.
TIDY = clang-tidy-14 --quiet $(1) 2>build/tidy.log || { cat build/tidy.log; exit 1; }

# Sources that differ from main, as they are compiled (2 s each).
tidy: $(STAMPS)/package
	for file in $$(git diff --name-only --diff-filter=d $$(git merge-base HEAD main) -- 'src/taxel/*.cc'); do \
	  echo $$file; $(call TIDY,-p build/release --extra-arg=-Wno-unknown-warning-option $$file); done

lint: $(STAMPS)/venv lint-types
	$(BIN)/python scripts/headers.py --all >build/public_headers.cc
	$(call TIDY,build/public_headers.cc -- -std=c++20 -Isrc -isystem $$($(BIN)/python -c 'import mujoco; print(mujoco.HEADERS_DIR)')/..)
	@echo clang-format; clang-format --dry-run -Werror $(CPP_FILES)
	$(BIN)/python scripts/rooms.py
	$(BIN)/python scripts/versions.py
	$(BIN)/python scripts/headers.py
	$(BIN)/python scripts/notebooks.py --check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	python3 scripts/tables.py --check

format: $(STAMPS)/venv
	clang-format -i $(CPP_FILES)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf build out site dist .venv

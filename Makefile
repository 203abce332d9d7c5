# A thin front to CMake and the scripts. `make` builds build/release/pelorus; the other targets are for people and CI.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
BUILD := build/release

.PHONY: all build setup demo test check-long bench bench-language format install clean

all: build

build: | require-cmake
	@cmake --preset release >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@cmake --build --preset release -j$(JOBS)

.PHONY: require-cmake
require-cmake:
	@mkdir -p build
	@command -v cmake >/dev/null && command -v ninja >/dev/null || { \
	  echo "The build needs some Debian packages. 'make setup' installs them."; exit 1; }

setup:
	@scripts/setup.sh

demo: setup
	@$(MAKE) --no-print-directory build
	@scripts/demo.sh

test:
	@scripts/setup.sh --python
	@$(MAKE) --no-print-directory build
	@python3 scripts/run_tests.py --build $(BUILD)

# Everything again with address and undefined-behaviour sanitizers, longer crash rounds, and ten minutes of the fuzzer.
check-long: build
	@scripts/setup.sh --python
	cmake --preset asan
	cmake --build --preset asan -j$(JOBS)
	# The process is killed a thousand times while it commits; with sanitizers below, fewer times.
	PELORUS_CRASH_ROUNDS=1000 $(BUILD)/tests/crash_test
	# Sanitized frames are several times larger, and one test nests as deeply as the parser allows.
	ulimit -s 65536 && UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PELORUS_CRASH_ROUNDS=50 PELORUS_FUZZ_ROUNDS=200000 PELORUS_ORACLE_QUERIES=6000 PELORUS_KINDS_QUERIES=2400 python3 scripts/run_tests.py --build build/asan --hours 2
	scripts/fuzz.sh 600

bench: build
	@python3 scripts/bench.py
	@python3 scripts/bench_storage.py
	@python3 scripts/bench_joins.py
	@python3 scripts/bench_language.py

# Loops, calls and vector expressions only, beside CPython, NumPy, Polars and hand-written loops.
bench-language: build
	@python3 scripts/bench_language.py

format:
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf build

# A thin front to CMake and the scripts. `make` builds build/release/pelorus; the other targets are for people and CI.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
BUILD := build/release

# Warnings as errors: OFF, so that another compiler's new warning stops nobody; continuous integration sets ON.
WERROR ?= OFF

.PHONY: all build setup demo test check-long soak bench bench-language bench-service bench-console bench-editor bench-jobs bench-attackers bench-rights bench-rows bench-streaming bench-line-protocol bench-cluster bench-tsbs bench-tpch bench-files bench-python bench-library extension page format check-format install wheel package clean

all: build

build: | require-cmake
	@cmake --preset release -DPELORUS_WERROR=$(WERROR) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@[ -e $(BUILD)/pelorus ] || echo "build: the first one takes some ten minutes on two cores, and ninja says how far it is; ccache keeps what is compiled, so that the next one is short."
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

# Everything again with full counts, sanitizers, clang-tidy and the fuzzers. A second call on the same commit goes on from the
# stage that the first one came to; one that has passed is not repeated.
check-long:
	@scripts/setup.sh --long
	@python3 scripts/check_long.py

# Hours of the same: fuzzers, kills, random histories, all pairs of arguments.
soak:
	@scripts/setup.sh --long
	@python3 scripts/check_long.py --soak

bench: build
	@python3 scripts/bench.py
	@python3 scripts/bench_storage.py
	@python3 scripts/bench_joins.py
	@python3 scripts/bench_queries.py
	@python3 scripts/bench_texts.py
	@python3 scripts/bench_groupby.py
	@python3 scripts/bench_windows.py
	@python3 scripts/bench_hits.py
	@python3 scripts/bench_general.py
	@python3 scripts/bench_memory.py
	@python3 scripts/bench_language.py
	@.venv/bin/python scripts/bench_service.py

# Small queries beside users who take all memory and time they can get, and the memory that comes back.
bench-attackers: build
	@scripts/setup.sh --python
	@.venv/bin/python scripts/bench_attackers.py

# Point queries and scans beside heavy batch jobs.
bench-jobs: build
	@scripts/setup.sh --python
	@.venv/bin/python scripts/bench_jobs.py

# Round trips, point queries and idle connections, beside Redis and PostgreSQL where they are installed.
bench-service: build
	@scripts/setup.sh --python
	@.venv/bin/python scripts/bench_service.py

# Durable rows a second over the line protocol, beside QuestDB where QUESTDB_CP names its jar.
bench-line-protocol: build
	@scripts/setup.sh --python
	@.venv/bin/python -W ignore scripts/bench_line_protocol.py

# Results to Python by the unmodified client, beside a server that sends prepared bytes and pickle.
# Then our own package, beside pickle, DuckDB and sqlite3.
bench-python: build
	@scripts/setup.sh --python
	@.venv/bin/python scripts/bench_python.py
	@.venv/bin/python -W ignore scripts/bench_package.py

# Parquet files beside pyarrow and DuckDB.
bench-files: build
	@scripts/setup.sh --python
	@.venv/bin/python scripts/bench_files.py

# Nodes and copies beside a single node, one transaction of etcd, and their limits.
bench-cluster: build
	@scripts/setup.sh --python
	@.venv/bin/python -W ignore scripts/bench_cluster.py
# TSBS itself, where TSBS_BIN names the folder of its programs: loads and queries, beside QuestDB where QUESTDB_CP names its jar.
bench-tsbs: build
	@scripts/setup.sh --python
	@.venv/bin/python -W ignore scripts/bench_tsbs.py

bench-tpch: build
	@python3 scripts/bench_tpch.py
	@python3 scripts/bench_tpch.py --stored

# PostgreSQL's protocol: connects, look-ups and rows out beside PostgreSQL, by the server's processor time.
bench-rows: build
	@cmake --build --preset release -j$(JOBS) --target row_store_bench
	@$(BUILD)/row_store_bench
	@python3 scripts/bench_rows.py
	@python3 scripts/bench_row_start.py
	@python3 scripts/bench_ch.py

# The time of one check of a right, beside a look-up of a hash table.
bench-rights: build
	@cmake --build --preset release -j$(JOBS) --target right_checks
	@$(BUILD)/right_checks

# Appends, hand-overs to handlers, factors and bars, beside the least that they take in one process.
bench-streaming: build
	@cmake --build --preset release -j$(JOBS) --target stream_costs
	@$(BUILD)/stream_costs

# The start of the console and the head of a long table, beside DuckDB's console where it is installed.
bench-console: build
	@python3 scripts/bench_console.py

# Completion and diagnostics while typing, the opening of a folder of scripts, and pages of large results, with their limits.
bench-editor: build
	@python3 scripts/bench_editor.py

# Loops, calls and vector expressions only, beside CPython, NumPy, Polars and hand-written loops.
bench-language: build
	@python3 scripts/bench_language.py

# Models and prices of the analyst's library beside scikit-learn and QuantLib, where the Python of .venv has them.
bench-library: build
	@.venv/bin/python scripts/bench_library.py

# The VS Code extension, build/pelorus.vsix.
extension:
	@scripts/build_extension.sh

# The page that a node serves to browsers, clients/web/page/dist: committed, so that a build of the server needs no Node.
page:
	@scripts/npm_ci.sh clients/web/page
	@cd clients/web/page && PATH="$(CURDIR)/.venv/bin:$$PATH" && export PATH && npx tsc --noEmit && node build.mjs

format:
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i
	@scripts/format_typescript.sh

check-format:
	@git ls-files '*.h' '*.cpp' | xargs clang-format --dry-run -Werror && echo "format: as .clang-format says"
	@scripts/format_typescript.sh --check

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

# The wheel of the Python package, build/wheel/pelorus_db-….whl.
wheel: build
	@python3 scripts/build_wheel.py

# Debian package, archive, wheel and source distribution, into build/package.
package: build
	@scripts/build_packages.sh

clean:
	rm -rf build

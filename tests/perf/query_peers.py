#!/usr/bin/env python3
"""Queries in DuckDB or Polars, timed and summed up; what scripts/bench_beside.py compares us with.

Reads JSON {peer, runs, setup, queries} and prints JSON: name -> runs in seconds, and of the last answer the number of rows and
a sum for each column. `setup` is Python over `base`, a connection of two threads, or over `pl`; a query is SQL, or an
expression over the lazy frames that `setup` made.
"""
import json
import os
import sys
import time

os.environ["POLARS_MAX_THREADS"] = "2"


def duckdb_runner(setup):
    import duckdb
    base = duckdb.connect()
    base.execute("set threads = 2")
    exec(setup, {"base": base})

    def run(query):
        # A table, as ours: handing rows to Python would cost more than many a query.
        base.execute("create or replace temp table result as " + query)

    def check():
        described = base.execute("describe result").fetchall()
        sums = [f"sum(strlen({quoted(name)}))" if kind == "VARCHAR" or kind.startswith("ENUM") else
                f"sum(epoch({quoted(name)}))" if kind in ("DATE", "TIMESTAMP") else f"sum({quoted(name)})::double"
                for name, kind, *_ in described]
        values = base.execute(f"select count(*), {', '.join(sums)} from result").fetchone()
        return dict(zip(["rows", *(name for name, *_ in described)], values))
    return run, check


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def polars_runner(setup):
    import polars as pl
    names = {"pl": pl}
    exec(setup, names)
    last = None

    def run(query):
        nonlocal last
        last = eval(query, names).collect()

    def check():
        sums = {c: last[c].cast(pl.String).str.len_bytes().sum() if last[c].dtype in (pl.String, pl.Categorical) else
                last[c].cast(pl.Float64).sum() for c in last.columns}  # sums of whole numbers would wrap around
        return {"rows": last.height, **sums}
    return run, check


def main():
    asked = json.load(sys.stdin)
    run, check = {"duckdb": duckdb_runner, "polars": polars_runner}[asked["peer"]](asked["setup"])
    results = {}
    for name, query in asked["queries"].items():
        times = []
        for _ in range(asked["runs"]):
            begin = time.perf_counter()
            run(query)
            times.append(time.perf_counter() - begin)
        results[name] = {"runs": times, "check": {column: float(x or 0) for column, x in check().items()}}
    print(json.dumps(results))


if __name__ == "__main__":
    main()

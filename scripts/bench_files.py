#!/usr/bin/env python3
"""Parquet and Arrow beside pyarrow and DuckDB, on the same files and in the same run: `make bench-files`.

Each task is run some times in turns with its peer; the figure is the ratio of the medians, ours by theirs. Files are warm."""
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent
PELORUS = str(ROOT / "build/release/pelorus")
ROWS = int(os.environ.get("PELORUS_BENCH_ROWS", 10_000_000))
ROUNDS = 5


def seconds(f):
    begin = time.perf_counter()
    f()
    return time.perf_counter() - begin


class Console:
    """One process of ours, which says how long each statement took."""

    def __init__(self, folder):
        self.folder = folder

    def seconds(self, script, setup="", rounds=ROUNDS):
        body = f"{setup}\nfor (round in 1..{rounds}) {{ began = now(true); {script}; print((now(true) - began) \\ 1000000000.0) }}\n"
        path = os.path.join(self.folder, "bench.dos")
        Path(path).write_text(body)
        done = subprocess.run([PELORUS, "run", "--data", self.folder + "/data", path], cwd=self.folder, capture_output=True, text=True, timeout=580)
        assert done.returncode == 0, done.stderr
        return [float(line) for line in done.stdout.split()]


def report(name, ours, theirs, goal):
    mine, peer = statistics.median(ours), statistics.median(theirs)
    print(f"{name:52} {mine:7.3f} s {peer:7.3f} s   {mine / peer:5.2f} (goal {goal})", flush=True)


def lookups(folder, rng, ours, db):
    """One id among ids without order, found by Bloom filters; without them each row group is read."""
    ids = rng.integers(0, 1 << 60, ROWS)
    table = pa.table({"id": ids, "qty": rng.integers(1, 1000, ROWS)})
    pq.write_table(table, folder + "/ids.parquet", bloom_filter_options={"id": True})
    pq.write_table(table, folder + "/plain.parquet")
    there = ids[ROWS // 3]
    for name, what in (("ids", "one id, by Bloom filters (DuckDB)"), ("plain", "one id, without (DuckDB)")):
        theirs = [seconds(lambda: db.sql(f"select qty from '{folder}/{name}.parquet' where id = {there}").fetchall()) for _ in range(ROUNDS)]
        report(what, ours.seconds(f't = exec qty from "{name}.parquet" where id == {there}'), theirs, "1.0")


def main():
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory(prefix="pelorus_bench_files_") as folder:
        path = folder + "/trades.parquet"
        symbols = np.array([f"S{i:04d}" for i in range(1000)])
        table = pa.table({
            "day": pa.array(np.repeat(np.arange(19723, 19733, dtype=np.int32), ROWS // 10), pa.int32()).cast(pa.date32()),
            "time": pa.array(np.arange(ROWS, dtype=np.int64) * 1000, pa.int64()).cast(pa.timestamp("ns")),
            "sym": pa.array(symbols[rng.integers(0, 1000, ROWS)]).dictionary_encode(),
            "price": rng.random(ROWS) * 100, "qty": rng.integers(1, 1000, ROWS), "bid": rng.random(ROWS), "ask": rng.random(ROWS),
            "a": rng.integers(0, 100, ROWS), "b": rng.integers(0, 1 << 30, ROWS), "c": rng.random(ROWS)})
        pq.write_table(table, path)
        print(f"{ROWS} rows of 10 columns, {os.path.getsize(path) / 1e6:.0f} MB; ours, theirs, ratio")
        ours = Console(folder)
        query = "select sym, sum(qty), avg(price), max(ask) from '{}' group by sym"
        db = duckdb.connect()
        theirs = [seconds(lambda: db.sql(query.format(path)).fetchall()) for _ in range(ROUNDS)]
        report("scan into a group by (DuckDB)", ours.seconds('t = select sum(qty), avg(price), max(ask) from "trades.parquet" group by sym'), theirs, "1.0")
        theirs = [seconds(lambda: db.sql(f"select sum(qty) from '{path}' where day = '2024-01-03' and price > 50").fetchall()) for _ in range(ROUNDS)]
        report("one day of ten, by statistics (DuckDB)", ours.seconds('t = exec sum(qty) from "trades.parquet" where day = 2024.01.03, price > 50'), theirs, "1.0")
        lookups(folder, rng, ours, db)
        theirs = [seconds(lambda: pq.read_table(path)) for _ in range(ROUNDS)]
        report("all columns into memory (pyarrow)", ours.seconds('t = loadParquet("trades.parquet")'), theirs, "1.1")
        whole = pq.read_table(path)
        theirs = [seconds(lambda: pq.write_table(whole, folder + "/w.parquet")) for _ in range(ROUNDS)]
        report("write, snappy (pyarrow)", ours.seconds('saveParquet(t, "o.parquet")', 't = loadParquet("trades.parquet")'), theirs, "1.1")
        imported = ours.seconds('t = loadParquetEx(db, `trades, `day, "trades.parquet")', 'if (existsDatabase("dfs://b")) { dropDatabase("dfs://b") }; db = database("dfs://b", VALUE, 2024.01.01..2024.01.10)', 1)
        print(f"import into ten partitions: {ROWS / imported[0] / 1e6:.1f} million rows a second (goal 5)")


if __name__ == "__main__":
    sys.exit(main())

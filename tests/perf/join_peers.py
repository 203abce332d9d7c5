#!/usr/bin/env python3
"""The tasks of tests/perf/joins.dos in DuckDB and Polars, and the data of all three.

    join_peers.py data CSV_FOLDER FOLDER        makes quotes, trades and keys as CSV and Parquet
    join_peers.py duckdb|polars FOLDER RUNS     prints JSON: task -> seconds of the runs, CPU seconds, check values

Two threads each; tables in memory, made before the clock; the result of a task is a table in memory.
"""
import json
import sys
import time
from pathlib import Path

THREADS = 2
KEYS = 1_000_000
LONG_RUN = 20  # seconds: a peer that needs more runs once


def make_data(source, folder):
    import numpy as np
    import polars as pl
    folder.mkdir(parents=True, exist_ok=True)
    parts = [pl.read_csv(f, columns=["symbol", "date", "time", "bid", "ofr", "bidsiz"], schema_overrides={"symbol": pl.String})
             for f in sorted(source.glob("taq_*.csv"))]
    quotes = pl.concat(parts).with_columns(ts=(pl.col("date") + " " + pl.col("time")).str.to_datetime("%Y-%m-%d %H:%M:%S", time_unit="ms"))
    # Milliseconds within the second, so that no two quotes of a symbol have one time and every engine has one answer.
    rank = pl.int_range(pl.len()).over("symbol", "ts")
    quotes = quotes.with_columns(ts=pl.col("ts") + pl.duration(milliseconds=rank)).sort("ts", "symbol")
    r = np.random.default_rng(7)
    quotes = quotes.select("symbol", "ts", "bid", "ofr", size=pl.col("bidsiz").cast(pl.Int32), k=pl.Series(r.integers(0, KEYS, quotes.height, dtype=np.int32)))
    rows = np.sort(r.choice(quotes.height, quotes.height // 10, replace=False))
    trades = quotes[rows].select("symbol", "ts").with_columns(ts=pl.col("ts") + pl.duration(milliseconds=pl.Series(r.integers(0, 900, len(rows)))))
    trades = trades.sort("ts", "symbol").with_columns(id=pl.int_range(pl.len(), dtype=pl.Int32))
    keys = pl.DataFrame({"k": r.permutation(KEYS).astype(np.int32), "w": r.integers(0, 1000, KEYS) / 8})
    for name, table in (("quotes", quotes), ("trades", trades), ("keys", keys)):
        table.write_parquet(folder / f"{name}.parquet")
        if "ts" in table.columns:
            table = table.with_columns(pl.col("ts").dt.strftime("%Y.%m.%dT%H:%M:%S%.3f"))
        table.write_csv(folder / f"{name}.csv")


class DuckDB:
    def __init__(self, folder):
        import duckdb
        self.c = duckdb.connect()
        self.c.execute(f"set threads={THREADS}; set enable_progress_bar=false")
        for name in ("quotes", "trades", "keys"):
            self.c.execute(f"create table {name} as select * from '{folder}/{name}.parquet'")
        # Minutes are counted once, as a column, because its pivot takes columns only.
        self.c.execute("create view quotes_minute as select date_part('hour', ts) * 60 + date_part('minute', ts) as minute, symbol, bid from quotes")

    def run(self, sql):
        self.c.execute("create or replace temp table r as " + sql)

    def one(self, sql):
        return [float(v) for v in self.c.execute(sql).fetchone()]

    def asof(self):
        self.run("select id, bid, ofr from trades asof left join quotes on trades.symbol = quotes.symbol and trades.ts >= quotes.ts")

    def asofwithin(self):
        # It has no tolerance: rows that are too far away are emptied afterwards.
        near = "case when trades.ts - quotes.ts <= interval 500 milliseconds then"
        self.run(f"select id, {near} bid end as bid, {near} ofr end as ofr from trades asof left join quotes on trades.symbol = quotes.symbol and trades.ts >= quotes.ts")

    def asofnext(self):
        self.run("select id, bid, ofr from trades asof left join quotes on trades.symbol = quotes.symbol and trades.ts <= quotes.ts")

    def window(self):
        # A join by range takes hours at this size; windows over both tables together are its fastest form.
        self.run("""select id, b, low, high from (select id, avg(bid) over w as b, min(bid) over w as low, max(bid) over w as high from
            (select symbol, ts, bid, null as id from quotes union all select symbol, ts, null, id from trades)
            window w as (partition by symbol order by ts range between interval 30 seconds preceding and interval 30 seconds following)) where id is not null""")

    def moving(self):
        self.run("""select symbol, ts, case when row_number() over w >= 20 then avg(bid) over (partition by symbol order by ts rows 19 preceding) end as m
            from quotes window w as (partition by symbol order by ts)""")

    def pivot(self):
        self.c.execute("set pivot_limit=100000")
        self.run("pivot quotes_minute on symbol using avg(bid) group by minute")

    def groups(self):
        self.run("select k, sum(bid) as s, avg(ofr) as a, count(*) as n from quotes group by k")

    def equi(self):
        self.run("select q.k, bid, w from quotes q join keys on q.k = keys.k")

    def check(self, task):
        if task == "pivot":
            names = [row[0] for row in self.c.execute("describe r").fetchall()][1:]
            cells = " + ".join(f'coalesce(sum("{name}"), 0)' for name in names) if len(names) < 500 else None
            rows = self.one("select count(*) from r")[0]
            if cells is None:
                return [rows, len(names), float(sum(v or 0 for v in self.c.execute("select sum(columns(* exclude minute)) from r").fetchone()))]
            return [rows, len(names), *self.one(f"select {cells} from r")]
        if task.startswith("asof"):
            return self.one("select sum(bid), sum(ofr), count(bid) from r")
        return self.one({"window": "select sum(b), sum(low), sum(high), count(b) from r",
                         "moving": "select sum(m), count(m) from r", "groups": "select count(*), sum(s), sum(a), max(n) from r",
                         "equi": "select count(*), sum(bid * w) from r"}[task])


class Polars:
    def __init__(self, folder):
        import polars as pl
        self.pl = pl
        self.quotes = pl.read_parquet(folder / "quotes.parquet").with_columns(pl.col("symbol").cast(pl.Categorical))
        self.trades = pl.read_parquet(folder / "trades.parquet").with_columns(pl.col("symbol").cast(pl.Categorical))
        self.keys = pl.read_parquet(folder / "keys.parquet")

    def asof(self):
        self.r = self.trades.join_asof(self.quotes.select("symbol", "ts", "bid", "ofr"), on="ts", by="symbol").select("id", "bid", "ofr")

    def asofwithin(self):
        self.r = self.trades.join_asof(self.quotes.select("symbol", "ts", "bid", "ofr"), on="ts", by="symbol", tolerance="500ms").select("id", "bid", "ofr")

    def asofnext(self):
        self.r = self.trades.join_asof(self.quotes.select("symbol", "ts", "bid", "ofr"), on="ts", by="symbol", strategy="forward").select("id", "bid", "ofr")

    def window(self):
        pl = self.pl
        # Groups come out in the order of their first rows, so both must be in that of the codes.
        both = pl.concat([self.quotes.select("symbol", "ts", "bid"), self.trades], how="diagonal").sort(pl.col("symbol").to_physical(), "ts")
        self.r = both.rolling("ts", period="60s", offset="-30s", closed="both", group_by="symbol").agg(
            b=pl.col("bid").mean(), low=pl.col("bid").min(), high=pl.col("bid").max()) \
            .with_columns(id=both["id"]).filter(pl.col("id").is_not_null())

    def moving(self):
        pl = self.pl
        self.r = self.quotes.select("symbol", "ts", m=pl.col("bid").rolling_mean(20).over("symbol"))

    def pivot(self):
        pl = self.pl
        minute = pl.col("ts").dt.hour().cast(pl.Int32) * 60 + pl.col("ts").dt.minute()
        self.r = self.quotes.group_by(minute.alias("minute"), "symbol").agg(pl.col("bid").mean()).pivot("symbol", index="minute", values="bid")

    def groups(self):
        pl = self.pl
        self.r = self.quotes.group_by("k").agg(s=pl.col("bid").sum(), a=pl.col("ofr").mean(), n=pl.len())

    def equi(self):
        self.r = self.quotes.select("k", "bid").join(self.keys, on="k")

    def check(self, task):
        pl, r = self.pl, self.r
        if task == "pivot":
            return [r.height, r.width - 1, sum(v or 0 for v in r.select(pl.exclude("minute").sum()).row(0))]
        if task.startswith("asof"):
            return [r["bid"].sum(), r["ofr"].sum(), r["bid"].count()]
        if task == "window":
            return [r["b"].sum(), r["low"].sum(), r["high"].sum(), r["b"].count()]
        if task == "moving":
            return [r["m"].sum(), r["m"].count()]
        if task == "groups":
            return [r.height, r["s"].sum(), r["a"].sum(), r["n"].max()]
        return [r.height, (r["bid"] * r["w"]).sum()]


def main():
    if sys.argv[1] == "data":
        return make_data(Path(sys.argv[2]), Path(sys.argv[3]))
    import os
    os.environ["POLARS_MAX_THREADS"] = str(THREADS)
    peer = {"duckdb": DuckDB, "polars": Polars}[sys.argv[1]](Path(sys.argv[2]))
    results = {}
    for task in sys.argv[4].split(","):
        seconds, cpu = [], 0
        try:
            for run in range(int(sys.argv[3])):
                started, before = time.perf_counter(), time.process_time()
                getattr(peer, task)()
                seconds.append(time.perf_counter() - started)
                cpu = time.process_time() - before
                if run == 0:
                    check = [float(v) for v in peer.check(task)]
                if seconds[-1] > LONG_RUN:
                    break
        except Exception as error:  # a peer's own limit is no failure of the benchmark
            print(f"{sys.argv[1]} {task}: {str(error)[:200]}", file=sys.stderr)
            continue
        results[task] = {"runs": seconds, "cpu": cpu, "check": check}
    print(json.dumps(results))


main()

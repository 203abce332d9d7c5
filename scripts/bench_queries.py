#!/usr/bin/env python3
"""General queries over a table of 10^7 rows in memory, beside DuckDB and Polars in the same run.

    bench_queries.py [--rows 10000000] [--tasks top10,like,…] [--peers duckdb,polars]

The rows are computed from their numbers, so that all have the same; two threads each, medians of five runs after one to warm
up, and what a query gives is summed up and compared. The goal is the better peer's time times what the task says.
"""
import argparse
import json
import re
import statistics
import subprocess
import sys

from bench import PELORUS
from bench_record import call, entry, installed_peers, peers_python, record

RUNS = 6
# name: what it is, our query, DuckDB's, Polars' expression (over lazy frames t and s), the goal.
# A result is summed up as the sum of its column `x`, or as the one number that it is.
TASKS = {
    "top10": ("top 10 by a DOUBLE column", "select top 10 v as x from t order by v", "select v as x from t order by v limit 10",
              "t.select(x='v').sort('x').head(10)", 1.2),
    "top2keys": ("top 100 by an INT and a DOUBLE, down", "select v as x from t order by g desc, v desc limit 100",
                 "select v as x from t order by g desc, v desc limit 100", "t.sort('g', 'v', descending=True).head(100).select(x='v')", 1.2),
    "like": ("like '%99%' on 10^5 texts", "select count(*) as x from s where name like \"%99%\"", "select count(*) as x from s where name like '%99%'",
             "s.filter(pl.col('name').str.contains('99', literal=True)).select(x=pl.len())", 1.2),
    "distinct": ("distinct count of 10^5 values by 1000 groups", "select nunique(k) as x from t group by g",
                 "select count(distinct k) as x from t group by g", "t.group_by('g').agg(x=pl.col('k').n_unique())", 1.2),
    "sqrt": ("sum(sqrt(v)) by 1000 groups", "select sum(sqrt(v)) as x from t group by g", "select sum(sqrt(v)) as x from t group by g",
             "t.group_by('g').agg(x=pl.col('v').sqrt().sum())", 1.2),
    "log": ("sum(log(v)) by 1000 groups", "select sum(log(v)) as x from t group by g", "select sum(ln(v)) as x from t group by g",
            "t.group_by('g').agg(x=pl.col('v').log().sum())", 1.2),
    "case": ("sum(case …) by 1000 groups", "select sum(case when v > 50 then v else 0.0 end) as x from t group by g",
             "select sum(case when v > 50 then v else 0.0 end) as x from t group by g",
             "t.group_by('g').agg(x=pl.when(pl.col('v') > 50).then('v').otherwise(0.0).sum())", 1.2),
    "upper": ("upper(name) as a key", "select sum(v) as x from t group by upper(sym)", "select sum(v) as x from t group by upper(sym)",
              "t.group_by(pl.col('sym').str.to_uppercase()).agg(x=pl.col('v').sum())", 1.2),
    "bar": ("sums by symbol and bars of a minute", "select sum(v) as x from t group by sym, bar(time, 1m)",
            "select sum(v) as x from t group by sym, time // 60000", "t.group_by('sym', pl.col('time') // 60000).agg(x=pl.col('v').sum())", 1.2),
    "sixkeys": ("sums by six keys, 10^6 groups", "select sum(v) as x from t group by g, a, b, c, d, e",
                "select sum(v) as x from t group by g, a, b, c, d, e", "t.group_by('g', 'a', 'b', 'c', 'd', 'e').agg(x=pl.col('v').sum())", 1.2),
    "among": ("rows whose key is among 1000", "select count(*) as x from t where k in 0..999", "select count(*) as x from t where k in (select * from range(1000))",
              "t.filter(pl.col('k').is_in(list(range(1000)))).select(x=pl.len())", 1.2),
}
OWN_ROWS = """
id = long(0..({rows} - 1))
t = table(double(id * 2654435761l % 4294967296l) / 42949672.96 + 0.001 as v, int(id * 48271 % 1000) as g, int(id * 69621 % 100000) as k,
    int(id % 10) as a, int(id / 10 % 10) as b, int(id / 100 % 10) as c, int(id / 3 % 7) as d, int(id / 7 % 5) as e,
    time(34200000 + id * 37 % 23400000) as time, take(`ab`cd`ef`gh`ij`kl`mn`op, {rows}) as sym)
s = table("text number " + string(1..100000) as name)
def measured(name, q) {{
    for (run in 0:{runs}) {{
        begin = now(true)
        r = eval(q)
        print name + " " + string((now(true) - begin) \\ 1000000000.0)
    }}
    print "check " + name + " " + string(decimal128(double(sum(r.x)), 9))
}}
"""
PEER = r"""
import json, sys, time
peer, rows, runs, tasks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
if peer == "duckdb":
    import duckdb
    base = duckdb.connect()
    base.execute("set threads = 2")
    base.execute(f"create table t as select (id * 2654435761 % 4294967296)::double / 42949672.96 + 0.001 as v, (id * 48271 % 1000)::int as g, "
                 "(id * 69621 % 100000)::int as k, (id % 10)::int as a, (id // 10 % 10)::int as b, (id // 100 % 10)::int as c, (id // 3 % 7)::int as d, "
                 "(id // 7 % 5)::int as e, (34200000 + id * 37 % 23400000)::int as time, "
                 f"list_extract(['ab','cd','ef','gh','ij','kl','mn','op'], (id % 8 + 1)::int) as sym from range({rows}) r(id)")
    base.execute("create table s as select 'text number ' || i as name from range(1, 100001) r(i)")
    def run(task):
        return base.execute(task[1]).fetchnumpy()["x"]
    total = lambda r: float(r.sum())
else:
    import os
    os.environ["POLARS_MAX_THREADS"] = "2"
    import polars as pl
    id = pl.col("id")
    t = pl.select(id=pl.int_range(rows, dtype=pl.Int64)).select(
        v=(id * 2654435761 % 4294967296).cast(pl.Float64) / 42949672.96 + 0.001, g=(id * 48271 % 1000).cast(pl.Int32), k=(id * 69621 % 100000).cast(pl.Int32),
        a=(id % 10).cast(pl.Int32), b=(id // 10 % 10).cast(pl.Int32), c=(id // 100 % 10).cast(pl.Int32), d=(id // 3 % 7).cast(pl.Int32),
        e=(id // 7 % 5).cast(pl.Int32), time=(34200000 + id * 37 % 23400000).cast(pl.Int32),
        sym=pl.Series(["ab", "cd", "ef", "gh", "ij", "kl", "mn", "op"]).gather((pl.int_range(rows, eager=True) % 8))).lazy()
    s = pl.DataFrame({"name": [f"text number {i}" for i in range(1, 100001)]}).lazy()
    def run(task):
        return eval(task[2]).collect()["x"]
    total = lambda r: float(r.sum())
results = {}
for name, task in tasks.items():
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        result = run(task)
        times.append(time.perf_counter() - begin)
    results[name] = {"runs": times, "check": total(result)}
print(json.dumps(results))
"""


def own_results(rows, tasks):
    script = OWN_ROWS.format(rows=rows, runs=RUNS) + "".join(f'measured("{name}", <{TASKS[name][1]}>)\n' for name in tasks)
    output = call([PELORUS, "-"], input=script, stdout=subprocess.PIPE).stdout
    results = {name: {"runs": []} for name in tasks}
    for name, seconds in re.findall(r"^(\w+) ([\d.Ee+-]+)$", output, re.M):
        results[name]["runs"].append(float(seconds))
    for name, value in re.findall(r"^check (\w+) ([\d.Ee+-]+)$", output, re.M):
        results[name]["check"] = float(value)
    return results


def seconds(result):
    return statistics.median(result["runs"][1:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--peers", default="duckdb,polars")
    options = parser.parse_args()
    tasks = options.tasks.split(",")
    if unknown := [name for name in tasks if name not in TASKS]:
        sys.exit(f"bench: no task {', '.join(unknown)}; there are {', '.join(TASKS)}")
    python = peers_python(PELORUS.parent.parent / "bench")
    ours = own_results(options.rows, tasks)
    peers = {}
    for peer in installed_peers(python, options.peers.split(",")):
        of_peer = {name: ["", *TASKS[name][2:4]] for name in tasks}
        output = call([python, "-c", PEER, peer, options.rows, RUNS, json.dumps(of_peer)], stdout=subprocess.PIPE).stdout
        peers[peer] = json.loads(output)
    rows, wrong = [], 0
    print(f"{'query':46} {'seconds':>9} {'best peer':>20} {'ours/peer':>10}  goal")
    for name in tasks:
        what, goal = TASKS[name][0], TASKS[name][4]
        elapsed = seconds(ours[name])
        times = {peer: seconds(results[name]) for peer, results in peers.items()}
        for peer, results in peers.items():
            if abs(results[name]["check"] - ours[name]["check"]) > 1e-9 * max(1, abs(ours[name]["check"])):
                wrong += 1
                print(f"{name}: {peer} gives {results[name]['check']}, we {ours[name]['check']}", file=sys.stderr)
        best = min(times, key=times.get) if times else None
        ratio = elapsed / times[best] if best else None
        rows.append(entry(name, str(options.rows), "queries", seconds=elapsed, peers=times, goal=goal, reached=bool(best) and ratio <= goal))
        print(f"{what:46} {elapsed:9.4f} {f'{best} {times[best]:.4f}' if best else '-':>20} {f'{ratio:10.2f}' if best else '         -'}  "
              f"<= {goal}: {'reached' if best and ratio <= goal else 'not reached'}")
    record(rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

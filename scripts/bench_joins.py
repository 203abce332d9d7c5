#!/usr/bin/env python3
"""Joins, moving windows, pivot and large groups over tables in memory, beside DuckDB and Polars in the same run.

    bench_joins.py [--data FOLDER] [--work DIR] [--tasks asof,window,…] [--peers duckdb,polars]

FOLDER holds the quotes as CSV (the data that bench.py made, by default). Two threads each, medians of five runs after one to
warm up; a peer that needs more than twenty seconds for a run has that run only. Answers are compared. The goal is half of the
better peer's time.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

from bench import PELORUS
from bench_record import ROOT, call, entry, installed_peers, peers_python, record

RUNS = 6
TASKS = {"asof": "as-of join, 10^7 to 10^6 rows by symbol", "asofwithin": "the same within 500 ms", "asofnext": "the next row instead", "window": "window join, avg min max in 30 s around",
         "moving": "context by symbol, mavg 20", "pivot": "pivot by minute and symbol", "groups": "group by 10^6 keys",
         "equi": "equi join, 10^7 to 10^6 rows"}


def own_results(folder, tasks):
    results = {}
    output = call([PELORUS, "run", "tests/perf/joins.dos", folder, RUNS, ",".join(tasks)], stdout=subprocess.PIPE, cwd=ROOT).stdout
    for task, millis in re.findall(r"^(\w+)\nTime elapsed: ([\d.]+) ms", output, re.M):
        results.setdefault(task, {"runs": []})["runs"].append(float(millis) / 1000)
    for task, values in re.findall(r"^check (\w+) (.*)$", output, re.M):
        results[task]["check"] = json.loads(values)
    return results


def peer_results(python, peer, folder, tasks):
    results = {}
    for task in tasks:  # a process each: one that dies or hangs takes no other with it
        try:
            output = call([python, ROOT / "tests/perf/join_peers.py", peer, folder, RUNS, task], stdout=subprocess.PIPE, timeout=900).stdout
            results.update(json.loads(output))
        except (subprocess.SubprocessError, ValueError) as error:
            print(f"{peer} {task}: {type(error).__name__}", file=sys.stderr)
    return results


def seconds(result):
    runs = result["runs"]
    return statistics.median(runs[1:] or runs)


def agrees(a, b):
    return len(a) == len(b) and all(abs(x - y) <= 1e-9 * max(1, abs(x), abs(y)) for x, y in zip(a, b))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", help="folder with taq_*.csv")
    parser.add_argument("--size", default=os.environ.get("SIZE", "S"))
    parser.add_argument("--work", default=str(ROOT / "build/bench"))
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--peers", help="duckdb,polars, as far as they are installed, when not given")
    options = parser.parse_args()
    work = Path(options.work)
    source = Path(options.data) if options.data else work / options.size / "data"
    if not any(source.glob("taq_*.csv")):
        print(f"SKIPPED: no taq_*.csv in {source}; bench.py makes them, or give --data")
        return 0
    python = peers_python(work)
    wanted = installed_peers(python, ("duckdb", "polars")) if options.peers is None else options.peers.split(",")
    folder = work / "joins"
    if not (folder / "keys.csv").exists():
        call([python, ROOT / "tests/perf/join_peers.py", "data", source, folder])
    tasks = options.tasks.split(",")
    results = {"pelorus": own_results(folder, tasks)}
    for peer in filter(None, wanted):
        results[peer] = peer_results(python, peer, folder, tasks)
    peers = [p for p in results if p != "pelorus"]
    print(f"{'task':42} {'ours, s':>9}" + "".join(f"{p + ', s':>12}" for p in peers) + f"{'ahead of the better':>21}  answers")
    right = True
    rows = []
    for task in tasks:
        own = results["pelorus"][task]
        line = f"{TASKS[task]:42} {seconds(own):9.3f}"
        others = {p: results[p][task] for p in peers if task in results[p]}
        line += "".join(f"{seconds(others[p]):12.3f}" if p in others else f"{'-':>12}" for p in peers)
        differing = [p for p, other in others.items() if not agrees(own["check"], other["check"])]
        if others:
            factor = min(seconds(other) for other in others.values()) / seconds(own)
            line += f"{factor:20.1f}x  {'agree' if not differing else 'DIFFER from ' + ', '.join(differing)}"
        right = right and not differing
        print(line)
        rows.append(entry("join " + task, options.size, "warm", seconds=seconds(own), runs=own["runs"], agrees=not differing,
                          peers={p: seconds(other) for p, other in others.items()}))
    record(rows, work)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())

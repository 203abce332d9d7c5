#!/usr/bin/env python3
"""Queries that get a tenth of the memory that they would take, beside the same ones with all of it.

    bench_memory.py [--rows 10000000] [--tasks med,…] [--runs 3]

What a query wants is the peak of a process that runs it, less that of one that only makes the table. The goal: within three times, and the
same answer.
"""
import argparse
import os
import subprocess
import sys

from bench import PELORUS
from bench_record import entry, record

TASKS = {
    "med": "select med(v) from t group by g",
    "distinct": "select nunique(w) from t group by g",
    "distincttexts": "select nunique(s) from t group by g",
    "manygroups": "select sum(v), count(*) from t group by w",
    "largestgroups": "select top 10 sum(v) as total from t group by w, g order by total desc",
}
ROWS = """
id = long(0..({rows} - 1))
t = table(double(id * 2654435761l % 4294967296l) / 42949672.96 + 0.001 as v, int(id * 48271 % 1000) as g, int(id * 69621 % 1000003) as w,
    "text " + string(id * 7919 % 200003) as s)
undef(`id)
"""
MEASURE = """
m = mem(true)
if ({room} > 0) setMaxMemSize((m.allocatedBytes - m.freeBytes + {room}) \\ 1073741824)
best = 1e18
for (run in 0:{runs}) {{
    begin = now(true)
    r = eval(<{query}>)
    best = min(best, (now(true) - begin) \\ 1000000000.0)
}}
setMaxMemSize(64)
print(best)
print(sum(hashBucket(string(r.values().last()), 1000003)))
"""
GOAL = 3


def run(script):
    """What a process prints, and its peak in bytes."""
    process = subprocess.Popen([PELORUS, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write(script)
    process.stdin.close()
    out = process.stdout.read().split()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise RuntimeError("it ended with an error")
    return out, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    rows = ROWS.format(rows=options.rows)
    _, base = run(rows)
    entries, wrong = [], 0
    for name in options.tasks.split(","):
        query = TASKS[name]
        (whole, answer), peak = run(rows + MEASURE.format(room=0, runs=options.runs, query=query))
        room = max((peak - base) // 10, 8 << 20)
        try:
            (few, same), _ = run(rows + MEASURE.format(room=room, runs=options.runs, query=query))
        except (RuntimeError, ValueError) as error:
            print(f"{name:14} wants {(peak - base) >> 20} MB; does not run in a tenth of it: {error}", flush=True)
            continue
        ratio = float(few) / float(whole)
        wrong += same != answer
        print(f"{name:14} wants {(peak - base) >> 20} MB: {float(whole):.3f} s, in a tenth of it {float(few):.3f} s, ratio {ratio:.2f} "
              f"(goal {GOAL}){'' if same == answer else ', ANOTHER ANSWER'}", flush=True)
        entries.append(entry("memory." + name, str(options.rows), "tenth", seconds=float(few), peers={"in memory": float(whole)}))
    record(entries)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

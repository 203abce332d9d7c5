#!/usr/bin/env python3
"""make bench-language: scalar loops, calls, and vector expressions, beside CPython, NumPy, Polars and hand-written loops.

    bench_language.py [--runs 5] [--rounds 3]

Compiles tests/perf/scalar_loop.c, option_loops.c and kernel_limits.cpp with the system's compiler for this machine, and makes a virtual
environment for the peers in build/bench. All in one run, medians, two threads. We, the limits and the peers take turns in rounds, so that
a machine which slows down for a while slows all of them. Its figures go into build/bench/results.json
(bench_record.py).
"""
import argparse
import os
import re
import statistics
import subprocess
import time
from collections import defaultdict

from bench_record import ROOT, entry, peers_python, record

PELORUS = ROOT / "build/release/pelorus"
WORK = ROOT / "build/bench"
# what: (the least ratio of the peer's time to ours, the most ratio of ours to the limit)
GOALS = {"xorshift": (None, 1.3), "xorshift interpreted": (3, None), "fib": (1, None), "text": (1, None), "dictionary": (1, None),
         "each": (5, None), "loop": (5, None), "spread": (1, 1.3), "iif": (1, 1.3), "between": (1, 1.3), "double": (1, 1.3), "long": (1, 1.3),
         # The limit: the same appends, and the same queries, by themselves.
         "append beside a reader": (None, 1.5),
         # Implied volatility of 10^5 options, and 10^7 logarithms, beside C with the same functions of libm.
         "newton": (None, 1.5), "bisection": (None, 1.5), "logarithms": (None, 1.5)}


def output(*command, **env):
    return subprocess.run([str(c) for c in command], check=True, text=True, capture_output=True, cwd=ROOT,
                          env={**os.environ, **env}).stdout


def own(what, runs, **env):
    """Medians of one process; its first run warms up."""
    times = defaultdict(list)
    for name, millis in re.findall(r"^([\w ]+)\nTime elapsed: ([\d.]+) ms", output(PELORUS, "run", "tests/perf/language.dos", what, runs + 1, **env), re.M):
        times[name].append(float(millis) / 1000)
    return {name: statistics.median(all_runs[1:]) for name, all_runs in times.items()}


def start_seconds():
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        output(PELORUS, "-e", "1+1")
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    runs = arguments.runs
    WORK.mkdir(parents=True, exist_ok=True)
    output("cc", "-O3", "-march=native", "-o", WORK / "scalar_loop", "tests/perf/scalar_loop.c")
    output("cc", "-O3", "-march=native", "-o", WORK / "option_loops", "tests/perf/option_loops.c", "-lm")
    output("c++", "-O3", "-march=native", "-pthread", "-std=c++20", "-o", WORK / "kernel_limits", "tests/perf/kernel_limits.cpp")
    python = peers_python(WORK)

    ours, limits, peers, rates = defaultdict(list), defaultdict(list), defaultdict(list), defaultdict(list)

    def take(times):
        for name, value in times.items():
            ours[name].append(value)

    for _ in range(arguments.rounds):
        for what in ("loop", "calls", "each", "vectors", "options", "appends"):
            take(own(what, runs))
        take(own("interpreted", runs, PELORUS_JIT="off"))
        limits["xorshift"] += [float(output(WORK / "scalar_loop", 100_000_000).split()[1]) / 1000 for _ in range(runs)]
        for name, millis in re.findall(r"^(\w+) ([\d.]+) ", output(WORK / "option_loops", 100_000, 10_000_000, runs), re.M):
            limits[name].append(float(millis) / 1000)
        for line in output(WORK / "kernel_limits", 10_000_000, runs).splitlines():
            name, millis, rate = line.split()
            limits[name].append(float(millis) / 1000)
            rates[name].append(float(rate))
        for name, peer, value in re.findall(r"^([\w ]+): (\w+) ([\d.e-]+)$", output(python, "tests/perf/language_peers.py", runs), re.M):
            peers[name, peer].append(float(value))

    limits["append beside a reader"] = [a + q for a, q in zip(ours["append alone"], ours["query alone"])]
    median = statistics.median
    print(f"{'work':22} {'seconds':>9} {'limit':>9} {'ours/limit':>11} {'best peer':>20} {'peer/ours':>10}  goal")
    rows = []
    for name, goal in GOALS.items():
        elapsed, limit = median(ours[name]), median(limits[name]) if name in limits else None
        of_peers = {peer: median(times) for (work, peer), times in peers.items() if work == name}
        peer = min(of_peers, key=of_peers.get) if of_peers else None
        ratio = of_peers[peer] / elapsed if peer else None
        reached = (goal[0] is None or ratio >= goal[0]) and (goal[1] is None or (limit and elapsed / limit <= goal[1]))
        rows.append(entry(name, "", "language", seconds=elapsed, limit=limit, peers=of_peers, goal=goal, reached=bool(reached)))
        wanted = " and ".join(([f">= {goal[0]} x peer"] if goal[0] else []) + ([f"<= {goal[1]} x limit"] if goal[1] else []))
        print(f"{name:22} {elapsed:9.4f} {f'{limit:9.4f}' if limit else '        -'} {f'{elapsed / limit:11.2f}' if limit else '          -'} "
              f"{f'{peer} {of_peers[peer]:.4f}' if peer else '-':>20} {f'{ratio:10.2f}' if ratio else '         -'}  "
              f"{wanted}: {'reached' if reached else 'not reached'}")
    start = start_seconds()
    print(f"{'start of -e 1+1':22} {start:9.4f}   <= 0.030: {'reached' if start <= 0.03 else 'not reached'}")
    print("memory rate of the hand-written loops, GB/s: " + ", ".join(f"{name} {median(values):.2f}" for name, values in rates.items()))
    rows.append(entry("start of -e 1+1", "", "language", seconds=start))
    record(rows)


if __name__ == "__main__":
    main()

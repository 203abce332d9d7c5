#!/usr/bin/env python3
"""Interactive requests beside heavy batch jobs: what p99 of a point query and of a small scan becomes, in one run on loopback.

    .venv/bin/python scripts/bench_jobs.py [PELORUS] [--jobs 8] [--seconds 5]

The jobs are bound by the processor and run until they are cancelled. Each line prints p99 beside the jobs, p99 with nothing beside it, and
their ratio; the rate beside and without; and how much the jobs still did. The clients are Python processes on the same machine."""
import argparse
import multiprocessing
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
arguments = argparse.ArgumentParser()
arguments.add_argument("pelorus", nargs="?", default=str(ROOT / "build/release/pelorus"))
arguments.add_argument("--jobs", type=int, default=8)
arguments.add_argument("--seconds", type=float, default=5)
options = arguments.parse_args()
sys.argv[1:] = [options.pelorus]
sys.path.insert(0, str(ROOT / "tests/clients"))
from doors_test import PASSWORD, Server

ROWS = 1_000_000
SCANNED = 4_000_000
# Kinds of jobs: a sort and a group by over many threads, a loop of the interpreter on one.
WORK = """
share(table(rand(1000, 4000000) as k, rand(1.0, 4000000) as v), `heavy)
share(table(long([0]) as rounds), `done)
def queries() { for (i in 1..1000000) { select sum(v), std(v), med(v) from heavy group by k; done.append!(table(long([1]) as rounds)) } }
def counting() { s = 0.0; for (i in 1..2000000000) { s += i % 7 }; return s }
def vectors() { for (i in 1..1000000) { x = sum(sin(rand(1.0, 2000000)) * 0.5 + 1); done.append!(table(long([1]) as rounds)) } }
"""


def connect(port):
    import dolphindb
    session = dolphindb.Session()
    session.connect("127.0.0.1", port, "admin", PASSWORD)
    return session


def point(session, key):
    assert len(session.run(f"exec value from points where id = {key}")) == 1


def scan(session, key):
    assert session.run(f"exec count(*) from scanned where v > {key % 1000} and w < 0.5") >= 0


def ask(port, question, number, seconds, results):
    session = connect(port)
    key, times, end = number * 7919, [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        key = (key + 104729) % ROWS + 1
        begin = time.perf_counter()
        question(session, key)
        times.append(time.perf_counter() - begin)
    results.put(times)


def measure(port, question, clients, seconds):
    results = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=ask, args=(port, question, i, seconds, results)) for i in range(clients)]
    for worker in workers:
        worker.start()
    times = sorted(t for _ in workers for t in results.get())
    for worker in workers:
        worker.join()
    return statistics.median(times) * 1e3, times[int(len(times) * 0.99)] * 1e3, len(times) / seconds


def main():
    server = Server(f"maxBatchJobWorker={options.jobs}")
    try:
        session = connect(server.port)
        session.run(f"share(indexedTable(`id, 1..{ROWS} as id, 0.5 * (1..{ROWS}) as value), `points)")
        session.run(f"share(table(rand(1000, {SCANNED}) as v, rand(1.0, {SCANNED}) as w), `scanned)")
        session.run(WORK)
        cases = [(point, 1), (point, 16), (scan, 1), (scan, 16)]
        alone = [measure(server.port, *case, options.seconds) for case in cases]
        for kind in ("queries", "vectors", "counting"):
            ids = [session.run(f"submitJob(`{kind}, `{kind}, {kind})") for _ in range(options.jobs)]
            time.sleep(1)
            for (question, clients), (median, late, rate) in zip(cases, alone):
                rounds = session.run("exec sum(rounds) from done")
                m, p, r = measure(server.port, question, clients, options.seconds)
                rounds = (session.run("exec sum(rounds) from done") - rounds) / options.seconds
                print(f"{question.__name__:6} {clients:2} clients beside {options.jobs} jobs '{kind}': p99 {p:8.2f} ms, alone {late:8.2f} ms, ratio {p / late:6.2f}"
                      f"   median {m:7.2f}, alone {median:7.2f}   {r:6.0f}/s, alone {rate:6.0f}/s   jobs {rounds:5.1f} rounds/s", flush=True)
            session.run(f"cancelJob({ids})".replace("'", '"'))
            while session.run('exec count(*) from getRecentJobs() where endTime = NULL') > 0:
                time.sleep(0.1)
    finally:
        server.stop()


if __name__ == "__main__":
    main()

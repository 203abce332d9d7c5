#!/usr/bin/env python3
"""The benchmark's tasks beyond the headline ones: point queries, a query set, bytes on disk, appends, late rows, bytes written.

    bench_storage.py [--size S] [--work DIR]

Runs on the database that bench.py imported. Needs PELORUS_BENCH_KIT. Prints each figure beside the goal, and beside what
DuckDB reaches in the same run where the kit runs it; medians of five runs, two threads. Answers of the query set and of the late rows are compared with the kit's.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench import PELORUS, peer_results
from bench_record import ROOT, call, entry, installed_peers, peers_python, record

SESSIONS = ROOT / "build/release/sessions"
RUNS = 5
BATCH = 200_000
LATE_ROWS = 5_000_000


def seconds_of(database, script, clients, sync, *arguments):
    """Median seconds of a script of tests/perf that several clients work at together; the first run warms up."""
    command = [SESSIONS, database, ROOT / "tests/perf" / script, clients, RUNS + 1, "sync" if sync else "nosync", *arguments]
    lines = call(command, stdout=subprocess.PIPE, cwd=ROOT).stdout.split()
    return statistics.median([float(line) for line in lines][1:])


def syncs_per_second(folder, size):
    """What the disk itself does: appends of a group's bytes, each followed by fdatasync, for two seconds."""
    path = Path(folder) / "syncs"
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    count, begin = 0, time.monotonic()
    while time.monotonic() - begin < 2:
        os.write(file, b"x" * size)
        os.fdatasync(file)
        count += 1
    os.close(file)
    path.unlink()
    return count / 2


def small_commits(work):
    """Durable commits of small batches from 16 writers beside those without a sync, and beside what 16 writers could do at most
    when each waits for one sync of the disk per commit."""
    figures = []
    for rows in (1000, 100):
        commits = 16 * 400
        durable, other = (commits / seconds_of(work / "small", "small_commits.dos", 16, sync, rows, commits) for sync in (True, False))
        limit = min(other, 16 * syncs_per_second(work, 16 * rows * 16))
        figures.append((f"T8 {rows} rows, 16 writers, commits/s, fsync", durable, None, True))
        figures.append((f"T8 {rows} rows, 16 writers, fsync / no fsync", durable / other, 0.7, True))
        figures.append((f"T8 {rows} rows, 16 writers, fsync / the disk's limit", durable / limit, 1, True))
    return figures


def output_of(*arguments):
    return call([PELORUS, "run", *arguments], stdout=subprocess.PIPE, cwd=ROOT).stdout


def query_set_agrees(database, expected):
    for query, figure, value in re.findall(r"(Q\d) (\w+) (-?[\d.]+)", output_of("--data", database, "tests/perf/query_set_answers.dos")):
        want = expected["T6"][query][figure]
        if abs(float(value) - want) > 1e-8 * max(1, abs(want)):
            return False
    return True


def late_rows_agree(csv, expected):
    rows = re.findall(r"^\d+ +(\d+) +", output_of("tests/perf/late_rows.dos", csv, "check"), re.M)
    return [int(size) for size in rows[:10]] == [size for size in expected["hour_size"] if size][:10]


def inputs(kit, work, data, python):
    """The list of point queries and the late trades as CSV."""
    points, late = work / "points.csv", work / "late.csv"
    if not points.exists():
        code = ("import sys; sys.path[:0] = [sys.argv[1], sys.argv[1] + '/peers']; import common\n"
                "for symbol, day in common.point_list(sys.argv[2]): print(f'{symbol},{day}')")
        points.write_text(call([python, "-c", code, kit, data], stdout=subprocess.PIPE).stdout)
    if not late.exists():
        call([python, Path(kit, "taq_gen.py"), "--disorder", "--rows", LATE_ROWS, "--out", work, "--format", "parquet"], stdout=subprocess.DEVNULL)
        code = ("import sys, pyarrow.parquet as pq; t = pq.read_table(sys.argv[1]).to_pandas(); t['ts'] = t['ts'].astype('int64')\n"
                "t.to_csv(sys.argv[2], index=False)")
        call([python, "-c", code, work / "disorder.parquet", late])
    return points, late


def own_figures(work, database, points, late):
    figures = []
    for clients, goal in ((1, 1500), (2, 2800), (4, 2800), (8, 2800), (16, 2800)):
        seconds = seconds_of(database, "point_queries.dos", clients, True, points)
        figures.append((f"T5 point queries/s, {clients} clients", 400 / seconds, goal, True))
    times = {}
    for query, millis in re.findall(r"(Q\d)\nTime elapsed: ([\d.]+) ms", output_of("--data", database, "tests/perf/query_set.dos", "each")):
        times.setdefault(query, []).append(float(millis) / 1000)
    for query, runs in sorted(times.items()):
        figures.append((f"T6 {query}, s", statistics.median(runs[1:]), None, False))
    figures.append(("T6 one user, s", seconds_of(database, "query_set.dos", 1, True), 0.15, False))
    figures.append(("T6 eight users, s", seconds_of(database, "query_set.dos", 8, True), 0.9, False))
    for sync in (True, False):
        for writers, goal in ((1, 9 if sync else 12), (2, 10 if sync else 12), (4, 10 if sync else 12)):
            seconds = seconds_of(work / "append", "append.dos", writers, sync, 40)
            figures.append((f"T8 M rows/s, {'fsync' if sync else 'no fsync'}, {writers} writers", 40 * BATCH / seconds / 1e6, goal, True))
    figures += small_commits(work)
    for line in call([ROOT / "build/release/write_amplification", work / "amplified"], stdout=subprocess.PIPE).stdout.splitlines():
        name, ratio = line.split("\t")
        figures.append((f"bytes written, {name}", float(ratio), 20 if "commit" in name else 3, False))
    seconds = seconds_of(work / "late", "late_rows.dos", 1, True, late)
    figures.append(("T9 late rows, M rows/s", LATE_ROWS / seconds / 1e6, 5, True))
    return figures


def peer_figures(kit, size, data, work, python):
    """DuckDB's figures under the names of ours; it opened the database that bench.py made it import."""
    tasks = peer_results(kit, size, data, work, installed_peers(python, ("duckdb",)), python, "T5,T6").get("duckdb")
    if tasks is None:
        return {}
    figures = {f"T5 point queries/s, {clients} clients": row["queries_s"] for clients, row in tasks["T5"]["clients"].items()}
    figures.update({f"T6 Q{i}, s": tasks[f"T6.Q{i}"]["warm_s"] for i in range(1, 8)})
    figures.update({"T6 one user, s": tasks["T6.users1"]["warm_s"], "T6 eight users, s": tasks["T6.users8"]["warm_s"]})
    return figures


def disk_bytes(folder):
    return sum(512 * path.stat().st_blocks for path in Path(folder).rglob("*") if path.is_file())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default=os.environ.get("SIZE", "S"))
    parser.add_argument("--work", default=str(ROOT / "build/bench"))
    options = parser.parse_args()
    kit = os.environ.get("PELORUS_BENCH_KIT")
    work = Path(options.work) / options.size
    database, data = work / "db", work / "data"
    if not kit or not database.exists():
        print("SKIPPED: PELORUS_BENCH_KIT does not name the benchmark kit, or bench.py has not run")
        return 0
    call(["cmake", "--build", "--preset", "release", "--target", "sessions", "write_amplification"], stdout=subprocess.DEVNULL, cwd=ROOT)
    python = peers_python(options.work)
    points, late = inputs(kit, work, data, python)
    expected = json.loads(Path(kit, f"expected/{options.size}.json").read_text())
    figures = own_figures(work, database, points, late)
    peers = peer_figures(kit, options.size, data, work, python)
    # Without what the headline tasks wrote beside the quotes.
    fresh = work / "footprint"
    subprocess.run(["rm", "-rf", str(fresh)], check=True)
    output_of("--data", fresh, "examples/taq/import.dos", data)
    figures.append(("T7 bytes a row", disk_bytes(fresh) / expected["rows"], 5.0, False))
    print(f"{'figure':52} {'ours':>10} {'DuckDB':>10} {'goal':>8}")
    for name, value, goal, more_is_better in figures:
        reached = "" if goal is None else "reached" if (value >= goal if more_is_better else value <= goal) else "NOT reached"
        peer = f"{peers[name]:10.4g}" if name in peers else ""
        print(f"{name:52} {value:10.4g} {peer:>10} {goal if goal is not None else '':>8} {reached}")
    right = query_set_agrees(database, expected)
    late_right = late_rows_agree(late, json.loads(Path(kit, f"expected/disorder{LATE_ROWS}.json").read_text()))
    print("answers agree" if right and late_right else f"ANSWERS DIFFER: query set {right}, late rows {late_right}")
    record([entry(name, options.size, "storage", value=value, goal=goal, more_is_better=more, peers={"duckdb": peers.get(name)})
            for name, value, goal, more in figures], options.work)
    return 0 if right and late_right else 1


if __name__ == "__main__":
    sys.exit(main())

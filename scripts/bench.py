#!/usr/bin/env python3
"""make bench: the headline tasks, their times and peak memory, and the ratio to a peer and to the hand-written limit.

    bench.py [--size S] [--work DIR] [--peers duckdb,polars,clickhouse]

Needs PELORUS_BENCH_KIT, the folder of the benchmark kit: it makes the data, holds the answers, and runs the peers in the same
run: those that are installed, or none with --peers ''. Its figures go into build/bench/results.json (bench_record.py).
"""
import argparse
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench_record import ROOT, call, entry, installed_peers, peers_python, record

PELORUS = ROOT / "build/release/pelorus"
RUNS = 6
COLD_RUNS = 3


def peak(command, **more):
    """Output, seconds and peak bytes of a command."""
    started = time.monotonic()
    process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, text=True, cwd=ROOT, **more)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"bench: {command} failed")
    return output, time.monotonic() - started, usage.ru_maxrss * 1024


def own_times(data, work):
    database = work / "db"
    subprocess.run(["rm", "-rf", str(database)], check=True)
    imports = []
    for _ in range(3):
        subprocess.run(["rm", "-rf", str(database)], check=True)
        _, seconds, memory = peak([PELORUS, "run", "--data", database, "examples/taq/import.dos", data])
        imports.append(seconds)
    results = {"T0": {"seconds": statistics.median(imports), "runs": imports, "peakBytes": memory}}
    output, _, memory = peak([PELORUS, "run", "--data", database, "tests/perf/taq_warm.dos", RUNS])
    times = {}
    for task, millis in re.findall(r"(T\d)\nTime elapsed: ([\d.]+) ms", output):
        times.setdefault(task, []).append(float(millis) / 1000)
    for task, runs in times.items():
        results[task] = {"seconds": statistics.median(runs[1:]), "runs": runs[1:], "peakBytes": memory}
    return results


def drop_from_page_cache(folder):
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def cold_times(database):
    """Of a process that has just opened the database, whose files are not in the page cache."""
    runs = {}
    for task in ("T1", "T3") * COLD_RUNS:
        drop_from_page_cache(database)
        output, _, memory = peak([PELORUS, "run", "--data", database, "tests/perf/taq_warm.dos", 1, task])
        runs.setdefault(task, []).append(float(re.search(r"Time elapsed: ([\d.]+) ms", output).group(1)) / 1000)
    return {task + " cold": {"seconds": statistics.median(times), "runs": times, "peakBytes": memory} for task, times in runs.items()}


def csv_rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def near(got, expected, relative):
    return abs(float(got) / expected - 1) < relative


def agreement(database, kit, size, work):
    """For each task, whether the example's answer is the kit's. T0 is right when T1 and T2 on what it imported are."""
    expected = json.loads(Path(kit, f"expected/{size}.json").read_text())
    answers = {}
    for task, name in (("T1", "spread"), ("T2", "minute_bars"), ("T3", "regression")):
        peak([PELORUS, "run", "--data", database, f"examples/taq/{name}.dos", work / f"{name}.csv"])
        answers[task] = csv_rows(work / f"{name}.csv")
    t1, t2, t3 = expected["T1"], expected["T2"], expected["T3"]
    right = {"T1": len(answers["T1"]) == t1["rows"] and all(
        near(row["avgSpread"], average, 1e-9) and int(row["count"]) == count
        for row, average, count in zip(answers["T1"], t1["avgSpread"], t1["count"]))}
    bars = answers["T2"][0]
    right["T2"] = int(bars["bars"]) == t2["bars"] and all(
        near(bars[column], t2[key], 1e-9)
        for column, key in (("sumBid", "sum_bid"), ("sumOfr", "sum_ofr"), ("sumMinuteBid", "sum_minute_bid")))
    right["T3"] = all(
        near(row["beta"], t3[name], 1e-7) and near(row["stdError"], t3["se_" + name], 1e-7) and near(row["tstat"], t3["t_" + name], 1e-7)
        for row, name in zip(answers["T3"], ("intercept", "beta"), strict=True))
    right["T0"] = right["T1"] and right["T2"]
    return right


def peer_results(kit, size, data, work, peers, python, tasks):
    """What the kit's runners measured just now: by peer and task. A peer whose runner fails is left out, and told."""
    results = {}
    for peer in peers:
        command = [python, Path(kit, "run_peers.py"), "--size", size, "--data", data, "--work", work / "peers", "--peers", peer, "--tasks", tasks]
        try:
            call(command, stdout=subprocess.DEVNULL)
            results[peer] = json.loads((work / f"peers/results_{size}/{peer}.json").read_text())["tasks"]
        except (subprocess.CalledProcessError, OSError, ValueError, KeyError) as error:
            print(f"bench: no figures of {peer}: {error}", file=sys.stderr)
    return results


def peer_times(*arguments):
    merged = {}
    for peer, results in peer_results(*arguments, "T0,T1,T2,T3").items():
        for task, row in results.items():
            if "warm_s" in row:
                merged.setdefault(task, {})[peer] = row["warm_s"]
            if "cold_s" in row:
                merged.setdefault(task + " cold", {})[peer] = row["cold_s"]
    return merged


def limit_times(kit, data, work):
    """Seconds of the hand-written loops, by task; empty when they cannot be built or the raw data is not there."""
    program = work / "light"
    try:
        call(["g++", "-O3", "-march=native", "-std=c++20", "-pthread", Path(kit, "limit/light.cpp"), "-o", program])
        output = call([program, data, work], capture_output=True).stdout
    except (subprocess.CalledProcessError, OSError, ValueError, KeyError):
        return {}
    limits = json.loads(output)["mmap_2t"]
    return {"T1": limits["T1_s"], "T2": limits["T2_write_s"], "T3": limits["T3_s"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default=os.environ.get("SIZE", "S"))
    parser.add_argument("--work", default=str(ROOT / "build/bench"))
    parser.add_argument("--peers", default=os.environ.get("PEERS"), help="those that are installed when not given")
    options = parser.parse_args()
    kit = os.environ.get("PELORUS_BENCH_KIT")
    if not kit:
        print("SKIPPED: PELORUS_BENCH_KIT does not name the benchmark kit")
        return 0
    work = Path(options.work) / options.size
    work.mkdir(parents=True, exist_ok=True)
    python = peers_python(options.work)
    wanted = installed_peers(python) if options.peers is None else [peer for peer in options.peers.split(",") if peer]
    data = work / "data"
    if not (data / "meta.json").exists():
        call([python, Path(kit, "taq_gen.py"), "--size", options.size, "--out", data, "--format", "all"], stdout=subprocess.DEVNULL)
    own = own_times(data, work)
    own.update(cold_times(work / "db"))
    right = agreement(work / "db", kit, options.size, work)
    peers = peer_times(kit, options.size, data, work, wanted, python)
    limits = limit_times(kit, data, work)
    rows = []
    print(f"{'task':8} {'seconds':>9} {'peak MiB':>9} {'best peer':>22} {'ratio':>6} {'limit':>8} {'ratio':>6}")
    for task in ("T0", "T1", "T2", "T3", "T1 cold", "T3 cold"):
        name, _, mode = task.partition(" ")
        row = entry(name, options.size, mode or ("durable" if task == "T0" else "warm"), **own[task], agrees=right[name],
                    peers=peers.get(task, {}), limit=limits.get(task))
        rows.append(row)
        best = row.get("bestPeer")
        peer_text = f"{best} {row['peers'][best]:.3f} s" if best else ""
        ratio = f"{row['ratioToBestPeer']:.2f}" if best else ""
        limit_text = f"{row['limit']:8.3f} {row['ratioToLimit']:6.1f}" if row["limit"] else ""
        print(f"{task:8} {row['seconds']:9.3f} {row['peakBytes'] / 2**20:9.0f} {peer_text:>22} {ratio:>6} {limit_text}")
    wrong = [task for task, good in right.items() if not good]
    print("answers agree" if not wrong else "ANSWERS DIFFER: " + " ".join(wrong))
    record(rows, options.work)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

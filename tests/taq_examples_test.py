#!/usr/bin/env python3
"""The examples as a user runs them: generated quotes embedded and on a cluster, the benchmark kit's answers, real quotes.

The kit is found through PELORUS_BENCH_KIT, the real quotes through PELORUS_MARKET_DATA.
"""
import csv
import gzip
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PELORUS = str(Path(sys.argv[1]).resolve())
TALLY = {"passed": 0, "failed": 0, "skipped": 0}


def run(*arguments, timeout=300):
    return subprocess.run([PELORUS, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, cwd=ROOT)


def example(data, name, *arguments):
    where = ["--connect", data] if ":" in str(data) else ["--data", data]
    done = run("run", *where, f"examples/{name}", *arguments)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def close(a, b, relative):
    return math.isclose(float(a), float(b), rel_tol=relative, abs_tol=0)


class Cluster:
    def __init__(self, folder, nodes):
        self.folder, self.nodes = folder, nodes

    def __enter__(self):
        done = run("cluster", "up", "--nodes", self.nodes, "--dir", self.folder)
        assert done.returncode == 0, done.stderr
        return re.search(r"node1\s+(\S+:\d+)", done.stdout).group(1)

    def __exit__(self, *_):
        run("cluster", "down", "--dir", self.folder)


def the_cluster_gives_the_embedded_answers(folder):
    run("run", "examples/taq/generate.dos", folder / "csv", 2, 20000)
    example(folder / "db", "taq/import.dos", folder / "csv")
    for task in ("spread", "minute_bars", "regression"):
        example(folder / "db", f"taq/{task}.dos", folder / f"{task}.csv")
    with Cluster(folder / "cluster", 2) as address:
        example(address, "taq/import.dos", folder / "csv")
        for task in ("spread", "minute_bars", "regression"):
            example(address, f"taq/{task}.dos", folder / f"{task}_nodes.csv")
            assert (folder / f"{task}.csv").read_bytes() == (folder / f"{task}_nodes.csv").read_bytes(), task
        out = example(address, "taq/import_jobs.dos", folder / "csv")
        assert "40000" in out, out


def the_kit_s_small_data_gives_its_answers(folder):
    kit = os.environ.get("PELORUS_BENCH_KIT")
    if not kit:
        return "PELORUS_BENCH_KIT is not set"
    python = ROOT / ".venv/bin/python"
    if not python.exists():
        return "no .venv: scripts/setup.sh --python"
    made = subprocess.run([python, f"{kit}/taq_gen.py", "--size", "XS", "--out", folder / "csv", "--format", "csv"],
                          capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, made.stderr
    expected = json.loads(Path(kit, "expected/XS.json").read_text())

    def check(where, out):
        out.mkdir()
        example(where, "taq/import.dos", folder / "csv")
        for task in ("spread", "minute_bars", "regression"):
            example(where, f"taq/{task}.dos", out / f"{task}.csv")
        spread, t1 = rows(out / "spread.csv"), expected["T1"]
        assert len(spread) == t1["rows"]
        for row, average, count in zip(spread, t1["avgSpread"], t1["count"]):
            assert close(row["avgSpread"], average, 1e-9) and int(row["count"]) == count
        bars, t2 = rows(out / "minute_bars.csv")[0], expected["T2"]
        assert int(bars["bars"]) == t2["bars"]
        for column, key in (("sumBid", "sum_bid"), ("sumOfr", "sum_ofr"), ("sumMinuteBid", "sum_minute_bid")):
            assert close(bars[column], t2[key], 1e-9)
        fit, t3 = rows(out / "regression.csv"), expected["T3"]
        for row, name in zip(fit, ("intercept", "beta")):
            assert close(row["beta"], t3[name], 1e-7)
            assert close(row["stdError"], t3["se_" + name], 1e-7)
            assert close(row["tstat"], t3["t_" + name], 1e-7)

    check(folder / "db", folder / "embedded")
    for nodes in (1, 4):
        with Cluster(folder / f"cluster{nodes}", nodes) as address:
            check(address, folder / f"nodes{nodes}")
            assert (folder / "embedded/spread.csv").read_bytes() == (folder / f"nodes{nodes}/spread.csv").read_bytes()


def real_quotes_agree_with_an_independent_computation(folder):
    data = os.environ.get("PELORUS_MARKET_DATA")
    if not data:
        return "PELORUS_MARKET_DATA is not set"
    source = folder / "quotes.csv"
    with gzip.open(Path(data, "nyse_quotes_2018.csv.gz"), "rb") as packed, open(source, "wb") as plain:
        shutil.copyfileobj(packed, plain)
    out = example(folder / "db", "real_quotes.dos", source, folder / "out")
    assert "rows stored: 131401" in out, out
    quotes = [(r["date"], r["time"], float(r["bid"]), float(r["ofr"]), int(r["bidsiz"]), int(r["ofrsiz"])) for r in rows(source)]
    assert len(quotes) == 131401
    trading = [q for q in quotes if "09:30:00" <= q[1] < "16:00:00" and q[3] > q[2] > 0 and q[3] / q[2] < 1.2]
    groups = {}
    for q in trading:
        groups.setdefault((q[0], q[1][:5]), []).append((q[3] - q[2]) / (q[3] + q[2]) * 2)
    spread = rows(folder / "out/spread.csv")
    assert len(spread) == len(groups)
    for row, key in zip(spread, sorted(groups)):
        values = groups[key]
        assert row["date"] == key[0] and row["minute"].startswith(key[1]), (row, key)
        assert int(row["count"]) == len(values) and close(row["avgSpread"], math.fsum(values) / len(values), 1e-12)
    bars = {}
    for q in quotes:
        bars.setdefault((q[0], q[1][:5]), []).append(q)
    stored = rows(folder / "out/bars.csv")
    assert len(stored) == len(bars)
    for row, key in zip(stored, sorted(bars)):
        own = bars[key]
        assert close(row["bid"], math.fsum(q[2] for q in own) / len(own), 1e-12) or float(row["bid"]) == 0
    y = [q[3] / q[2] - 1 for q in trading]
    x = [(q[4] + q[5]) * (q[3] + q[2]) / 2 for q in trading]
    n, mx, my = len(x), math.fsum(x) / len(x), math.fsum(y) / len(y)
    beta = math.fsum((a - mx) * (b - my) for a, b in zip(x, y)) / math.fsum((a - mx) ** 2 for a in x)
    fit = rows(folder / "out/regression.csv")
    assert close(fit[1]["beta"], beta, 1e-9) and close(fit[0]["beta"], my - beta * mx, 1e-9)


def a_line_of_code_gives_its_value(folder):
    del folder
    assert run("-e", "1+1").stdout == "2\n"


def main():
    for test in (a_line_of_code_gives_its_value, the_cluster_gives_the_embedded_answers, the_kit_s_small_data_gives_its_answers,
                 real_quotes_agree_with_an_independent_computation):
        name = test.__name__.replace("_", " ")
        with tempfile.TemporaryDirectory() as folder:
            try:
                skipped = test(Path(folder))
            except Exception as problem:  # a failed test must not keep the others from running
                TALLY["failed"] += 1
                print(f"FAILED {name}: {type(problem).__name__} {str(problem)[-2000:]}")
                continue
        if skipped:
            TALLY["skipped"] += 1
            print(f"SKIPPED {name}: {skipped}")
        else:
            TALLY["passed"] += 1
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**TALLY))
    return 1 if TALLY["failed"] else 0


sys.exit(main())

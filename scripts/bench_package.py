#!/usr/bin/env python3
"""The Python package beside what its users know: pickle, DuckDB, sqlite3. Each line has the ratio of one run; below 1 we are quicker.

  scripts/bench_package.py [--build build/release] [--rows N]     with numpy, pandas, pyarrow and duckdb installed"""
import argparse
import io
import pickle
import sqlite3
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def best(work, runs=5):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def line(what, ours, theirs, peer, goal):
    print(f"{what:<58} {1e3 * ours:9.2f} ms  {peer} {1e3 * theirs:9.2f} ms  ratio {ours / theirs:6.3f}  goal {goal}", flush=True)


def bench_install():
    wheels = sorted((ROOT / "build/wheel").glob("*manylinux*.whl"))
    if not wheels:
        print("pip install to first result: no wheel, `make wheel` makes it")
        return
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        begin = time.perf_counter()
        subprocess.run([f"{folder}/bin/pip", "install", "-q", "--disable-pip-version-check", wheels[-1]], check=True)
        subprocess.run([f"{folder}/bin/python", "-c", "import pelorus; print(pelorus.run('1 + 1'))"], check=True, stdout=subprocess.DEVNULL)
        print(f"{'pip install to first result':<58} {time.perf_counter() - begin:9.2f} s   goal 10 s")
        imported = best(lambda: subprocess.run([f"{folder}/bin/python", "-c", "import pelorus"], check=True))
        nothing = best(lambda: subprocess.run([f"{folder}/bin/python", "-c", "pass"], check=True))
        print(f"{'import, beyond the interpreter':<58} {1e3 * (imported - nothing):9.2f} ms  goal 50 ms")


SCRIPT = """table(rand(1000.0, n) as a, rand(1000.0, n) as b, rand(1000, n) as c, rand(1000l, n) as d, 2024.01.01T00:00:00.000 + 0..(n - 1) as e,
take(2024.01.01..2024.12.31, n) as f, rand(`AA`BB`CC`DD`EE, n) as g, rand(`LL`MM`NN, n) as h, rand(1000.0, n) as i, rand(100, n) as j)"""


def bench_results(pelorus, pd, rows):
    db = pelorus.open()
    result = db.run(SCRIPT, n=rows)
    texts = result.df()
    for name in ("g", "h"):
        texts[name] = texts[name].astype(object)
    held = io.BytesIO()
    pickle.dump(texts, held)
    loaded = best(lambda: pickle.loads(held.getvalue()), 3)
    line(f"{rows:,} x 10 to pandas, embedded", best(result.df), loaded, "pickle.load", 0.1)
    line(f"{rows:,} x 10 to pyarrow, embedded", best(result.arrow), loaded, "pickle.load", "")
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "node.cfg")
        config.write_text(f"port=0\ndataDir={folder}/data\nadminPassword=Secret_123\n")
        node = subprocess.Popen([BUILD / "pelorus", "serve", "--config", config], stdout=subprocess.PIPE, text=True)
        port = next(said for said in node.stdout if "listens on" in said).strip().rstrip(".").rsplit(":", 1)[1]
        with pelorus.connect(f"127.0.0.1:{port}", "admin", "Secret_123") as remote:
            remote.run("t = " + SCRIPT, n=rows)
            line(f"{rows:,} x 10 to pandas, by connect", best(lambda: remote.run("t").df(), 3), loaded, "pickle.load", 0.25)
        node.terminate()
        node.wait()
    db.close()


def bench_frames(pelorus, pd, np):
    try:
        import duckdb
    except ImportError:
        print("queries over frames: DuckDB is not installed")
        return
    draw = np.random.default_rng(1)
    n = 10_000_000
    frame = pd.DataFrame({"k": draw.integers(0, 1000, n), "x": draw.random(n), "y": draw.random(n)})
    db = pelorus.open()
    duck = duckdb.connect()
    for query in ("select k, sum(x) as s from frame group by k", "select sum(x) as s from frame where y < 0.1", "select k, avg(x) as a, max(y) as b from frame group by k"):
        ours = best(lambda frame=frame: db.sql(query).df(), 3)
        theirs = best(lambda frame=frame: duck.sql(query).df(), 3)
        line(f"sql over a frame: {query}"[:58], ours, theirs, "duckdb     ", 1.1)
    db.close()


def bench_rows(pelorus):
    db = pelorus.dbapi.connect()
    cursor = db.cursor()
    cursor.execute("t = table(100000:0, `a`b, [LONG, STRING])")
    lite = sqlite3.connect(":memory:")
    lite.execute("create table t(a integer, b text)")

    def ours():
        for i in range(1000):
            cursor.execute("insert into t values(?, ?)", (i, "text"))

    def theirs():
        for i in range(1000):
            lite.execute("insert into t values(?, ?)", (i, "text"))

    line("1,000 rows one by one", best(ours), best(theirs), "sqlite3    ", 1.2)
    many = [(i, "text") for i in range(1000)]
    line("1,000 rows by executemany", best(lambda: cursor.executemany("insert into t values(?, ?)", many)),
         best(lambda: lite.executemany("insert into t values(?, ?)", many)), "sqlite3    ", 1.2)


def main():
    sys.path.insert(0, str(BUILD / "python"))
    import numpy as np
    import pandas as pd
    import pelorus
    import pelorus.dbapi

    bench_install()
    bench_results(pelorus, pd, OPTIONS.rows)
    bench_frames(pelorus, pd, np)
    bench_rows(pelorus)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release")
    parser.add_argument("--rows", type=int, default=2_000_000)
    OPTIONS = parser.parse_args()
    BUILD = Path(OPTIONS.build).resolve()
    main()

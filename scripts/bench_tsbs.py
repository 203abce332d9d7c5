#!/usr/bin/env python3
"""TSBS itself, cpu-only, beside QuestDB in the same run: its loaders over TCP and HTTP, and its sixteen kinds of queries over /exec.

    TSBS_BIN=FOLDER QUESTDB_CP=questdb.jar .venv/bin/python scripts/bench_tsbs.py [PELORUS] [--rounds 1] [--queries 20]

TSBS_BIN is the folder of the programs that `go build ./cmd/...` makes of TSBS (QuestDB's fork). Loads: 4,000 hosts, one hour, 1.44 M rows of 500 MB;
a load ends when a query sees all rows. Ours are on disk then, QuestDB's are in its log, not synced. Queries: 100 hosts, 25 hours, mean
milliseconds of one worker. Without QUESTDB_CP ours are printed alone."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from bench_line_protocol import Pelorus, Questdb

KINDS = [*(f"single-groupby-{kind}" for kind in ("1-1-1", "1-1-12", "1-8-1", "5-1-1", "5-1-12", "5-8-1")), "cpu-max-all-1", "cpu-max-all-8", "cpu-max-all-32-24", "double-groupby-1",
         "double-groupby-5", "double-groupby-all", "high-cpu-all", "high-cpu-1", "lastpoint", "groupby-orderby-limit"]
START = "2016-01-01T00:00:00Z"


def program(name):
    return os.path.join(os.environ["TSBS_BIN"], name)


def generate(file, scale, end):
    with open(file, "w") as out:
        subprocess.run([program("tsbs_generate_data"), "--use-case=cpu-only", "--seed=123", f"--scale={scale}", f"--timestamp-start={START}", f"--timestamp-end={end}", "--log-interval=10s",
                        "--format=questdb"], stdout=out, stderr=subprocess.DEVNULL, check=True)
    with open(file) as lines:
        return sum(1 for _ in lines)


def load(server, file, door, workers, rows):
    """Rows a second from the start of the loader until a query sees them all; the processor seconds of the server."""
    if door == "TCP":
        command = [program("tsbs_load_questdb"), f"--ilp-bind-to=127.0.0.1:{server.tcp_port}"]
    else:
        command = [program("tsbs_load_influx"), f"--urls=http://127.0.0.1:{server.port}", "--do-create-db=false", "--gzip=false"]
    begin = time.perf_counter()
    subprocess.run([*command, f"--file={file}", f"--workers={workers}", "--reporting-period=0s" if door == "HTTP" else "--reporting-period=10s"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    while server.count() < rows:
        time.sleep(0.01)
    seconds = time.perf_counter() - begin
    ticks = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return rows / seconds, sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def ask(server, folder, kind, queries):
    """Mean milliseconds of a query."""
    file = f"{folder}/{kind}"
    if not os.path.exists(file):
        with open(file, "wb") as out:
            subprocess.run([program("tsbs_generate_queries"), "--use-case=cpu-only", "--seed=123", "--scale=100", f"--timestamp-start={START}", "--timestamp-end=2016-01-02T00:00:01Z",
                            f"--queries={queries}", f"--query-type={kind}", "--format=questdb"], stdout=out, stderr=subprocess.DEVNULL, check=True)
    said = subprocess.run([program("tsbs_run_queries_questdb"), "--use-http", f"--url=http://127.0.0.1:{server.port}/", "--workers=1", f"--file={file}", "--print-interval=0"],
                          capture_output=True, text=True, check=True).stdout
    return float(re.search(r"all queries.*?mean:\s*([\d.]+)ms", said, re.S).group(1))


def beside(ours, peer, unit, higher_is_better):
    if peer is None:
        return f"{ours:11,.1f} {unit}"
    return f"{ours:11,.1f} {unit}   questdb {peer:11,.1f}   ratio {ours / peer if higher_is_better else peer / ours:.2f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pelorus", nargs="?", default=str(ROOT / "build/release/pelorus"))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--queries", type=int, default=20)
    options = parser.parse_args()
    class_path = os.environ.get("QUESTDB_CP", "")
    makers = [lambda: Pelorus(options.pelorus)] + ([lambda: Questdb(class_path)] if class_path else [])
    with tempfile.TemporaryDirectory(prefix="tsbs_") as folder:
        rows = generate(folder + "/load", 4000, "2016-01-01T01:00:00Z")
        for door, workers in (("TCP", 1), ("TCP", 2), ("TCP", 4), ("HTTP", 1), ("HTTP", 2), ("HTTP", 4)):
            best = [(0, 0)] * len(makers)
            for _ in range(options.rounds):
                for i, make in enumerate(makers):
                    server = make()
                    try:
                        best[i] = max(best[i], load(server, folder + "/load", door, workers, rows))
                    finally:
                        server.stop()
            print(f"load, {door}, {workers} workers: {beside(best[0][0], best[1][0] if class_path else None, 'rows/s', True)}   server's processor seconds {[round(b[1], 1) for b in best]}", flush=True)
        os.remove(folder + "/load")
        rows = generate(folder + "/load", 100, "2016-01-02T01:00:00Z")
        servers = [make() for make in makers]
        try:
            for server in servers:
                load(server, folder + "/load", "TCP", 1, rows)
            for kind in KINDS:
                for server in servers:
                    ask(server, folder, kind, options.queries)  # once to warm it
                figures = [ask(server, folder, kind, options.queries) for server in servers]
                print(f"{kind:24} {beside(figures[0], figures[1] if class_path else None, 'ms', False)}", flush=True)
        finally:
            for server in servers:
                server.stop()


if __name__ == "__main__":
    main()

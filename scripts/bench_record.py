"""The record that every benchmark writes: build/bench/results.json, one entry per task, size and mode.

A run replaces the entries that it measured and leaves the others, so that size M stands beside S and the joins beside the
headline tasks. A record that cannot be read is an error, not an empty one. Each entry says when, at which commit and on how many processors it was measured.
"""
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = {"duckdb": "duckdb", "polars": "polars", "clickhouse": "chdb"}  # the name in the record, the package that it is


def call(command, **more):
    return subprocess.run([str(c) for c in command], check=True, text=True, **more)


def peers_python(work):
    """The interpreter that has the peers' packages, made below `work` when it is not there or the list has grown."""
    requirements = ROOT / "tests/perf/requirements.txt"
    folder = Path(work) / "venv"
    python, stamp = folder / "bin/python", folder / "requirements.installed"
    wanted = requirements.read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        call([sys.executable, "-m", "venv", folder])
        for package in wanted.split():  # one by one: a peer that cannot be had leaves the others
            if subprocess.run([str(python), "-m", "pip", "install", "-q", package], check=False).returncode != 0:
                print(f"bench: {package} could not be installed; it is left out", file=sys.stderr)
        stamp.write_text(wanted)
    return python


def installed_peers(python, among=tuple(PEERS)):
    """Those of `among` whose package that interpreter has."""
    names = [PEERS[peer] for peer in among]
    code = "import importlib.util, sys; print(*[n for n in sys.argv[1:] if importlib.util.find_spec(n)])"
    found = call([python, "-c", code, *names], stdout=subprocess.PIPE).stdout.split()
    return [peer for peer in among if PEERS[peer] in found]


def commit():
    try:
        name = call(["git", "-C", ROOT, "describe", "--always", "--dirty"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        return name.strip()
    except (subprocess.CalledProcessError, OSError):
        return ""


def entry(task, size, mode, **figures):
    """One measured figure. `peers` (name: value) gives the best of them and the ratio to it; `limit` the ratio to the limit.

    `seconds`, or `value` with its `unit`; `more_is_better` says which way ratios go. A ratio below 1 is ahead.
    """
    row = {"task": task, "size": size, "mode": mode, **figures}
    own = row.get("seconds", row.get("value"))
    better = row.pop("more_is_better", False)

    def ratio(other):
        return other / own if better else own / other

    peers = {name: value for name, value in (row.get("peers") or {}).items() if value}
    if peers and own:
        best = (max if better else min)(peers, key=peers.get)
        row.update(bestPeer=best, ratioToBestPeer=ratio(peers[best]))
    if row.get("limit") and own:
        row["ratioToLimit"] = ratio(row["limit"])
    return row


def record(rows, work=ROOT / "build/bench"):
    path = Path(work) / "results.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        kept = json.loads(path.read_text())
    except FileNotFoundError:
        kept = []

    def key(row):
        return row["task"], row["size"], row["mode"]

    stamp = {"commit": commit(), "at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "cores": os.cpu_count()}
    entries = {key(row): row for row in kept}
    entries.update({key(row): {**row, **stamp} for row in rows})
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps([entries[k] for k in sorted(entries)], indent=1) + "\n")
    temporary.replace(path)

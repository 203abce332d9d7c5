#!/usr/bin/env python3
"""The benchmark's record keeps one entry per task, size and mode, whatever ran last."""
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
from bench_record import entry, record

passed = failed = 0


def check(what, got, wanted):
    global passed, failed
    if got == wanted:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}: {got!r} instead of {wanted!r}")


with tempfile.TemporaryDirectory() as work:
    path = Path(work, "results.json")
    record([entry("T1", "S", "warm", seconds=2.0, peers={"duckdb": 4.0, "polars": 8.0}, limit=1.0)], work)
    record([entry("T1", "M", "warm", seconds=9.0), entry("T1", "S", "cold", seconds=3.0)], work)
    record([entry("T1", "S", "warm", seconds=1.0, peers={"duckdb": 4.0, "polars": None})], work)
    rows = {(row["task"], row["size"], row["mode"]): row for row in json.loads(path.read_text())}
    check("a run of size M leaves those of size S", sorted(rows), [("T1", "M", "warm"), ("T1", "S", "cold"), ("T1", "S", "warm")])
    check("the newest run of a task counts", rows["T1", "S", "warm"]["seconds"], 1.0)
    check("the best peer", (rows["T1", "S", "warm"]["bestPeer"], rows["T1", "S", "warm"]["ratioToBestPeer"]), ("duckdb", 0.25))
    rate = entry("T8", "S", "storage", value=10.0, more_is_better=True, peers={"duckdb": 5.0})
    check("a rate that is twice the peer's is ahead", rate["ratioToBestPeer"], 0.5)
    path.write_text("[{")
    try:
        record([entry("T1", "S", "warm", seconds=1.0)], work)
        check("a record that cannot be read", "replaced", "refused")
    except ValueError:
        check("a record that cannot be read stays", path.read_text(), "[{")

print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)

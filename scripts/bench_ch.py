#!/usr/bin/env python3
"""The 22 queries of CH-benCHmark over row tables, and TPC-C's conditions on balances, beside PostgreSQL 15 in the same run.

    scripts/bench_ch.py

PELORUS_BENCH_ORDERS sets the orders of a district (twenty of them, some six lines an order). Each line prints the best time of five of both, and the ratio; PostgreSQL has gathered its statistics, and may use several processes. Needs Debian's postgresql, and its psql for both."""
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.argv[1:] = sys.argv[1:] or [str(ROOT / "build/release/pelorus")]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "scripts")]
import mixed_load
from bench_rows import BINARIES, Pelorus, Postgres

ORDERS = int(os.environ.get("PELORUS_BENCH_ORDERS", "1500"))
SUPPLIERS = 1_000
TIMES = 5


def psql(server, text):
    options = "-c default_table_access_method=rows" if server.name == "pelorus" else ""
    done = subprocess.run([str(BINARIES / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(server.port), "-U", server.user, server.database],
                          input=text, capture_output=True, text=True, env={**os.environ, "PGOPTIONS": options})
    assert done.returncode == 0, done.stderr
    return done.stdout


def load(server, rows):
    for table, columns in mixed_load.TABLES.items():
        psql(server, f"create table {table} ({columns});\ncopy {table} from stdin;\n{rows[table]}\\.\n")
    psql(server, mixed_load.view(SUPPLIERS) + ";")
    if server.name == "postgres":
        psql(server, "vacuum analyze;")


def best(server, text):
    """The shortest time of a query in milliseconds, as the client sees it."""
    shown = psql(server, "\\timing on\n\\o /dev/null\n" + (text + ";\n") * (TIMES + 1))
    times = [float(time) for time in re.findall(r"^Time: ([\d.]+) ms", shown, re.M)]
    assert len(times) == TIMES + 1, shown
    return min(times[1:])


def main():
    if BINARIES is None:
        print("no PostgreSQL is installed: its postgresql package is needed")
        return 0
    rows = mixed_load.rows(1, warehouses=2, districts=10, customers=ORDERS, orders=ORDERS, items=20_000, suppliers=SUPPLIERS)
    servers = [Pelorus(), Postgres()]
    try:
        for server in servers:
            load(server, rows)
        print(f"{'query':>10} {'pelorus':>10} {'postgres':>10} {'ratio':>7}   milliseconds, over {rows['order_line'].count(chr(10)):,} order lines; above 1 is ahead")
        for name, text in {**mixed_load.queries(SUPPLIERS), **mixed_load.balances(1)}.items():
            ours, theirs = (best(server, text) for server in servers)
            print(f"{name:>10} {ours:>10.1f} {theirs:>10.1f} {theirs / ours:>7.2f}", flush=True)
    finally:
        for server in servers:
            server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())

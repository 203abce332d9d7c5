#!/usr/bin/env python3
"""pgbench, unmodified, over row tables: its tables with and without foreign keys, its three scripts in the three ways of
asking, and balances that agree after each run and after the node was killed amid one."""
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]
from cases import cases_in, run_cases_with_server, tally
from line_protocol_test import PASSWORD, Node

MODES = ("simple", "extended", "prepared")
TABLES = (("accounts", "abalance"), ("tellers", "tbalance"), ("branches", "bbalance"), ("history", "delta"))


def environment(node):
    return {**os.environ, "PGHOST": "127.0.0.1", "PGPORT": str(node.port), "PGUSER": "admin", "PGPASSWORD": PASSWORD, "PGDATABASE": "pelorus",
            "PGSSLMODE": "disable", "PGOPTIONS": "-c default_table_access_method=rows"}


def pgbench(node, *arguments):
    """Runs pgbench to its end, and returns what it printed."""
    run = subprocess.run(["pgbench", *arguments], env=environment(node), capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def rows(node, query):
    run = subprocess.run(["psql", "-XAtq", "-c", query], env=environment(node), capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


def processed(output):
    return int(re.search(r"transactions actually processed: (\d+)", output)[1])


def agreed_total(node):
    """The total of the balances, once all four tables were found to have the same."""
    totals = {table: rows(node, f"select sum({column}) from pgbench_{table}") for table, column in TABLES}
    assert len(set(map(tuple, totals.values()))) == 1, totals
    return totals["history"]


def test_tables_are_made_in_every_order(node):
    for arguments in (["--foreign-keys"], ["-I", "dtGvpf"], ["-I", "dtpgv", "--unlogged-tables", "--fillfactor=90"], ["-s", "2"]):
        pgbench(node, "-i", "-q", *arguments)
        scale = 2 if "-s" in arguments else 1
        for table, count in (("accounts", 100_000), ("tellers", 10), ("branches", 1)):
            assert rows(node, f"select count(*) from pgbench_{table}") == [str(count * scale)], (arguments, table)


def test_each_script_runs_in_each_way_of_asking(node):
    pgbench(node, "-i", "-q", "--foreign-keys")
    written = 0
    for mode in MODES:
        for script in ("tpcb-like", "simple-update", "select-only"):
            output = pgbench(node, "-n", "-M", mode, "-b", script, "-c", "4", "-t", "50")
            assert processed(output) == 200 and "failed transactions: 0 " in output, output
            if script == "tpcb-like":
                written += 200
                agreed_total(node)
            elif script == "simple-update":
                # It changes accounts and history alone: the others follow, so that all agree before the next script.
                written += 200
                rows(node, "update pgbench_branches set bbalance = (select sum(delta) from pgbench_history)")
                rows(node, "update pgbench_tellers set tbalance = 0")
                rows(node, "update pgbench_tellers set tbalance = (select sum(delta) from pgbench_history) where tid = 1")
                agreed_total(node)
    assert rows(node, "select count(*) from pgbench_history") == [str(written)]


def test_balances_agree_after_the_node_was_killed(node):
    pgbench(node, "-i", "-q")
    for kills in range(2):
        before = int(rows(node, "select count(*) from pgbench_history")[0])
        client = subprocess.Popen(["pgbench", "-n", "-M", "prepared", "-c", "4", "-T", "60"], env=environment(node), stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        deadline = time.monotonic() + 30
        while int(rows(node, "select count(*) from pgbench_history")[0]) < before + 300:
            assert time.monotonic() < deadline and client.poll() is None, "pgbench does not go on"
        node.kill()
        output = client.communicate(timeout=30)[0]
        node.start()
        agreed_total(node)
        found = int(rows(node, "select count(*) from pgbench_history")[0]) - before
        # Each client may have had one transaction whose commit was not answered.
        assert processed(output) <= found <= processed(output) + 4, (processed(output), found)
    pgbench(node, "-n", "-c", "2", "-t", "20")
    agreed_total(node)


if __name__ == "__main__":
    if shutil.which("pgbench") is None or shutil.which("psql") is None:
        print("SKIPPED tests/clients/pgbench_test.py (no pgbench and psql: Debian's postgresql-15 has both)")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(0)
    sys.exit(tally(*run_cases_with_server(cases_in(globals()), Node())))

#!/usr/bin/env python3
"""The 22 queries of CH-benCHmark over row tables, and TPC-C's conditions on balances, give what PostgreSQL 15 gives.

Needs psycopg in .venv and the Debian package postgresql-15; skipped without. PELORUS_SEED chooses the rows.
"""
import os
import sys
from pathlib import Path

from postgres_oracle_test import BINARIES, Postgres, pq
from row_tables_oracle_test import outcome, plain

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import mixed_load  # noqa: E402
from cases import run_cases, tally  # noqa: E402
from line_protocol_test import PASSWORD, Node  # noqa: E402

SEED = int(os.environ.get("PELORUS_SEED", "20261128"))
SUPPLIERS = 50


def load(connection, table, rows):
    result = connection.exec_(f"copy {table} from stdin".encode())
    assert result.status == pq.ExecStatus.COPY_IN, result.error_message
    connection.put_copy_data(rows.encode())
    connection.put_copy_end()
    result = connection.get_result()
    assert result.status == pq.ExecStatus.COMMAND_OK, result.error_message
    assert connection.get_result() is None


def comparable(rows):
    """Rows with numbers to 12 digits, since quotients have a scale of their own here, and char(n) without its blanks."""
    return [tuple(float(f"{cell:.12g}") if isinstance(cell, float) else cell and cell.rstrip() for cell in map(plain, row)) for row in rows]


def test_queries_over_orders_give_what_postgres_gives(node, postgres):
    ours = pq.PGconn.connect(f"host=127.0.0.1 port={node.port} user=admin password={PASSWORD} dbname=pelorus sslmode=disable options='-c default_table_access_method=rows'".encode())
    theirs = pq.PGconn.connect(f"host=127.0.0.1 port={postgres.port} user=admin dbname=postgres".encode())
    rows = mixed_load.rows(SEED, suppliers=SUPPLIERS)
    for connection in (ours, theirs):
        assert connection.status == pq.ConnStatus.OK, connection.error_message
        for table, columns in mixed_load.TABLES.items():
            tag, _ = outcome(connection, f"create table {table} ({columns})")
            assert tag == "CREATE TABLE", tag
            load(connection, table, rows[table])
        assert outcome(connection, mixed_load.view(SUPPLIERS))[0] == "CREATE VIEW"
    empty = []
    for name, text in {**mixed_load.queries(SUPPLIERS), **mixed_load.balances(1)}.items():
        here, there = outcome(ours, text), outcome(theirs, text)
        assert here[0] == there[0] and there[0].startswith("SELECT"), f"query {name}: {here[0]} {here[1]} here, {there[0]} {there[1]} there"
        a, b = comparable(here[1]), comparable(there[1])
        # Rows that the order of a query leaves equal come in any order.
        assert sorted(a, key=repr) == sorted(b, key=repr), f"query {name}: {a[:5]} here, {b[:5]} there"
        if not b or all(cell is None for cell in b[0]):
            empty.append(name)
    assert not empty, f"queries without rows compare nothing: {empty}"


def main():
    if not Path(BINARIES, "initdb").exists():
        print("SKIPPED tests/oracles/mixed_load_oracle_test.py (no postgresql-15)")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    node = Node()
    postgres = Postgres()
    try:
        return tally(*run_cases([test_queries_over_orders_give_what_postgres_gives], node, postgres))
    finally:
        postgres.stop()
        node.stop()


if __name__ == "__main__":
    sys.exit(main())

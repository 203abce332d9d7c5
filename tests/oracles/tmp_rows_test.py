#!/usr/bin/env python3
"""Random tables, constraints and changes give the rows, counts and SQLSTATEs that PostgreSQL 15 gives.

Each statement is a transaction of its own. Here tables are made by `using rows`. Texts are never empty: '' is NULL here.
A statement that is refused as not supported (0A000) is counted and run nowhere else.

Needs psycopg in .venv and the Debian package postgresql-15; skipped without. PELORUS_ORACLE_STATEMENTS and PELORUS_SEED
choose how many statements, and which.
"""
import os
import random
import sys
from collections import Counter
from pathlib import Path

from postgres_oracle_test import BINARIES, Postgres, draw_value, literal, pq

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from cases import run_cases, tally  # noqa: E402
from line_protocol_test import PASSWORD, Node  # noqa: E402

STATEMENTS = int(os.environ.get("PELORUS_ORACLE_STATEMENTS", "600"))
SEED = int(os.environ.get("PELORUS_SEED", "20261127"))
PER_TABLE = 60
TYPES = ["int4", "int8", "int2", "float8", "text", "date", "timestamp", "numeric(12,3)", "bool"]


class Changes:
    """Draws a table with constraints, then changes of it."""

    def __init__(self, draw, number):
        self.draw = draw
        self.table = f"drawn{number}"
        self.columns = [(f"c{i}", draw.choice(TYPES)) for i in range(draw.randint(2, 5))]
        self.columns[0] = ("c0", draw.choice(["int4", "int8", "text", "date", "numeric(12,3)"]))
        self.key = draw.sample([n for n, _ in self.columns], draw.choice([0, 1, 1, 2]))
        self.required = [n for n, _ in self.columns if draw.random() < 0.2]
        self.unique = draw.sample([n for n, _ in self.columns], draw.choice([0, 0, 1, 2]))

    def create(self):
        parts = [f"{n} {t}" + (" not null" if n in self.required else "") for n, t in self.columns]
        if self.key:
            parts.append(f"primary key ({', '.join(self.key)})")
        if self.unique:
            parts.append(f"unique ({', '.join(self.unique)})")
        return ", ".join(parts)

    def value(self, type_name):
        return literal(draw_value(self.draw, type_name), type_name)

    def condition(self):
        name, type_name = self.draw.choice(self.columns)
        if self.draw.random() < 0.15:
            return f"{name} is {self.draw.choice(['', 'not '])}null"
        operator = self.draw.choice(["=", "=", "=", "<", ">", "<>"] if type_name != "bool" else ["=", "<>"])
        return f"{name} {operator} {self.value(type_name)}"

    def where(self):
        return " where " + self.draw.choice([" and ", " or "]).join(self.condition() for _ in range(self.draw.randint(1, 2))) if self.draw.random() < 0.9 else ""

    def statement(self):
        draw = self.draw
        kind = draw.random()
        if kind < 0.5:
            chosen = self.columns if draw.random() < 0.7 else draw.sample(self.columns, draw.randint(1, len(self.columns)))
            rows = ", ".join("(" + ", ".join(self.value(t) for _, t in chosen) + ")" for _ in range(draw.randint(1, 3)))
            tail = draw.choice(["", "", "", " on conflict do nothing", " on conflict do nothing returning *"])
            if self.key and draw.random() < 0.1:
                tail = f" on conflict ({', '.join(self.key)}) do nothing"
            return f"insert into {self.table} ({', '.join(n for n, _ in chosen)}) values {rows}{tail}"
        if kind < 0.75:
            items = ", ".join(f"{n} = {self.value(t)}" for n, t in draw.sample(self.columns, draw.randint(1, 2)))
            return f"update {self.table} set {items}{self.where()}"
        if kind < 0.9:
            return f"delete from {self.table}{self.where()}"
        names = draw.sample([n for n, _ in self.columns], draw.randint(1, 2))
        return f"create {draw.choice(['', 'unique '])}index on {self.table} ({', '.join(names)})"


def outcome(connection, statement):
    """The state of a statement, or its tag and rows as texts."""
    result = connection.exec_(statement.encode())
    if result.status == pq.ExecStatus.FATAL_ERROR:
        return result.error_field(pq.DiagnosticField.SQLSTATE).decode(), result.error_message.decode(errors="replace")
    rows = [tuple(result.get_value(r, c) for c in range(result.nfields)) for r in range(result.ntuples)]
    return (result.command_status or b"").decode(), rows


def shown(row, columns):
    """The cells of a row, floats as numbers."""
    return tuple(None if cell is None else float(cell) if t == "float8" else cell.decode() for cell, (_, t) in zip(row, columns))


def test_random_changes_give_what_postgres_gives(node, postgres):
    ours = pq.PGconn.connect(f"host=127.0.0.1 port={node.port} user=admin password={PASSWORD} dbname=pelorus sslmode=disable".encode())
    assert ours.status == pq.ConnStatus.OK, ours.error_message
    theirs = pq.PGconn.connect(f"host=127.0.0.1 port={postgres.port} user=admin dbname=postgres".encode())
    assert theirs.status == pq.ConnStatus.OK, theirs.error_message
    draw = random.Random(SEED)
    counts, different = Counter(), []
    changes = None
    for number in range(STATEMENTS):
        if number % PER_TABLE == 0:
            changes = Changes(draw, number)
            made = outcome(theirs, f"create table {changes.table} ({changes.create()})")
            mine = outcome(ours, f"create table {changes.table} ({changes.create()}) using rows")
            assert made[0] == mine[0] == "CREATE TABLE", (made, mine, changes.create())
        statement = changes.statement()
        mine = outcome(ours, statement)
        if mine[0] == "0A000":
            counts["refused"] += 1
            continue
        expected = outcome(theirs, statement)
        if mine[0] != expected[0]:
            different.append((statement, mine, expected))
        counts[expected[0].split()[0]] += 1
        question = f"select * from {changes.table}"
        node.run("wrong = checkTables(\"dfs://public\"); if (size(wrong) > 0) throw string(exec first(damage) from wrong)") if os.environ.get("EACH") else None
        print(statement) if os.environ.get("EACH") else None
        rows = [sorted((shown(row, changes.columns) for row in outcome(c, question)[1]), key=repr) for c in (ours, theirs)]
        if rows[0] != rows[1]:
            different.append((statement, rows[0], rows[1]))
            break
    print(dict(counts), "seed", SEED)
    for statement, mine, expected in different[:5]:
        print(" ", statement, "\n    ", mine, "\n    ", expected)
    assert not different, f"{len(different)} of {STATEMENTS} differ"
    assert counts["23505"] > 0 and counts["23502"] > 0 and counts["INSERT"] > 0, counts
    node.run('wrong = checkTables("dfs://public"); if (size(wrong) > 0) throw string(exec first(damage) from wrong)')


def main():
    if not Path(BINARIES, "initdb").exists():
        print("SKIPPED tests/oracles/row_tables_oracle_test.py (no postgresql-15)")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    node = Node()
    postgres = Postgres()
    try:
        return tally(*run_cases([test_random_changes_give_what_postgres_gives], node, postgres))
    finally:
        postgres.stop()
        node.stop()


if __name__ == "__main__":
    sys.exit(main())

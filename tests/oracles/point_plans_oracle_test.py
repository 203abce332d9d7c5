#!/usr/bin/env python3
"""Random look-ups in row tables give what a scan gives, and what PostgreSQL 15 gives.

Tables have random keys and indexes. Each condition is asked in two forms: as it is, and with its columns within a no-op,
which no index knows. Selects, `for update`, updates and deletes, alone and within transactions, with literals and with
parameters, prepared once and run with many values. PELORUS_ORACLE_STATEMENTS and PELORUS_SEED choose how many, and which.

Needs psycopg in .venv and the Debian package postgresql-15; skipped without.
"""
import os
import random
import sys
from collections import Counter
from pathlib import Path

from postgres_oracle_test import BINARIES, Postgres, draw_value, literal, pq
from row_tables_oracle_test import PASSWORD, Node, outcome, run_cases, sorted_rows, tally

STATEMENTS = int(os.environ.get("PELORUS_ORACLE_STATEMENTS", "700"))
SEED = int(os.environ.get("PELORUS_SEED", "20261128"))
PER_TABLE = 100
KEYS = ["int4", "int8", "int2", "text", "date", "timestamp", "bool", "numeric(12,3)", "float8"]
NO_OPS = {"text": "coalesce({0}, {0})", "bool": "coalesce({0}, {0})", "date": "coalesce({0}, {0})", "timestamp": "coalesce({0}, {0})"}
OIDS = {"int4": 23, "int8": 20, "int2": 21, "text": 25, "date": 1082, "timestamp": 1114, "bool": 16, "numeric(12,3)": 1700, "float8": 701}


class Drawn:
    """A table with indexes, and statements about it."""

    def __init__(self, draw, number):
        self.draw = draw
        self.table = f"looked{number}"
        self.columns = [("k0", draw.choice(["int4", "int8", "int2", "text"])), ("k1", draw.choice(KEYS)), ("k2", draw.choice(KEYS)), ("v", "int4"), ("w", "text")]
        self.types = dict(self.columns)
        names = ["k0", "k1", "k2"]
        self.key = draw.sample(names, draw.choice([0, 1, 2, 3]))
        self.indexes = [draw.sample(names + ["v"], draw.randint(1, 3)) for _ in range(draw.choice([0, 1, 1, 2]))]
        # Few different values, so that conditions meet rows.
        self.pools = {n: [literal(draw_value(draw, t), t) for _ in range(6)] for n, t in self.columns}
        self.prepared = 0

    def definition(self):
        columns = ", ".join(f"{n} {t}" for n, t in self.columns)
        return columns + (f", primary key ({', '.join(self.key)})" if self.key else "")

    def value(self, name):
        pool = self.pools[name]
        if self.draw.random() < 0.15:
            return literal(draw_value(self.draw, self.types[name]), self.types[name])
        return self.draw.choice(pool)

    def bound(self, name):
        """A value that is not NULL, which conditions rarely have; sometimes one of another type than the column."""
        kind = self.types[name]
        if kind in ("int2", "int4", "int8", "float8", "numeric(12,3)") and self.draw.random() < 0.12:
            return self.draw.choice(["3000000000", "70000", "-70000", "2.5", "1e0", "0", "1.0", "-9223372036854775807"])
        for _ in range(5):
            value = self.value(name)
            if value != "null":
                return value
        return "null"

    def parts(self, most=3):
        """Conditions that are joined by and: of each its text, with {0} where the column stands, and the column."""
        chosen = self.draw.sample(["k0", "k1", "k2", "v"], self.draw.randint(1, most))
        if self.draw.random() < 0.2:
            chosen.append(self.draw.choice(chosen))
        return [(name, self.part(name)) for name in chosen]

    def part(self, name):
        draw = self.draw
        kind = draw.random()
        if self.types[name] == "bool":
            return f"{{0}} = {self.bound(name)}" if kind < 0.9 else "{0} is null"
        if kind < 0.5:
            return f"{{0}} = {self.bound(name)}"
        if kind < 0.65:
            return f"{{0}} in ({', '.join(self.bound(name) for _ in range(draw.randint(1, 4)))})"
        if kind < 0.85:
            return f"{{0}} {draw.choice(['<', '<=', '>', '>='])} {self.bound(name)}"
        if kind < 0.95:
            return f"{{0}} between {self.bound(name)} and {self.bound(name)}"
        return draw.choice(["{0} is null", "{0} is not null", "{0} <> " + self.bound(name)])

    def hidden(self, name):
        return NO_OPS.get(self.types[name], "({0} + 0)").format(name)

    def where(self, parts, hides):
        return " and ".join(text.format(self.hidden(name) if hides else name) for name, text in parts)

    def rest(self):
        return self.draw.choice(["", "", "", " and w is not null", " and v + 1 > 0", " and (v = 1 or v is null)"])


    def prepared_change(self):
        """An update or delete with parameters: its text, their types, and the columns that their values are drawn for."""
        draw = self.draw
        texts, columns = [], []

        def parameter(name):
            columns.append(name)
            return f"${len(columns)}"

        def new_value(name):
            kind = self.types[name]
            if name in self.key:
                return "{p}"  # rows that move one behind the other are refused or not by their order, which is open
            if kind == "text":
                return draw.choice(["{p}", "coalesce({p}, {c})", "{c} || {p}", "upper({p})", "nullif({c}, {p})", "case when {c} = {p} then null else {p} end"])
            if kind in ("int2", "int4", "int8", "float8", "numeric(12,3)"):
                return draw.choice(["{p}", "{c} + {p}", "{c} - {p} * 2", "coalesce({c}, {p}) + 1", "case when {c} > {p} then {p} else {c} end", "greatest({c}, {p})", "{c} / {p}", "abs({p})"])
            return draw.choice(["{p}", "coalesce({c}, {p})", "nullif({p}, {c})"])
        isUpdate = draw.random() < 0.75
        if isUpdate:
            items = []
            for name in draw.sample(["v", "w", "k1", "k2"], draw.randint(1, 2)):
                form = new_value(name)
                items.append(f"{name} = " + form.replace("{c}", name).replace("{p}", parameter(name) if draw.random() < 0.8 else self.value(name)))
            texts.append(f"update {self.table} set {', '.join(items)}")
        else:
            texts.append(f"delete from {self.table}")
        conditions = []
        for name in draw.sample(["k0", "k1", "v", "w"], draw.randint(1, 2)):
            forms = ["{0} = {1}", "{0} = {1}", "{0} = {1}", "{0} is not distinct from {1}", "({0} = {1} or {0} is null)", "{0} in ({1}, {1})", "not {0} <> {1}"]
            if self.types[name] != "bool":
                forms += ["{0} >= {1}", "{1} > {0}", "{0} between {1} and {1}", "coalesce({0}, {1}) = {1}"]
            conditions.append(draw.choice(forms).format(name, parameter(name) if draw.random() < 0.8 else self.bound(name)))
        texts.append(" where " + draw.choice([" and ", " and ", " or "]).join(conditions))
        texts.append(draw.choice(["", "", " returning *", " returning k0, v"]))
        return "".join(texts), [self.types[n].split("(")[0] for n in columns], columns


    def loose(self, name):
        """A literal for a column, mostly of its type, else of a class that it may not take."""
        kind = self.types[name]
        if self.draw.random() < 0.7:
            return self.value(name)
        numbers = ["0", "5", "-5", "7", "-7", "12.5", "-0.125", "2147483647", "-2147483660", "3000000000", "-32769", "99999999999999999999", "1e2", "1234567.891", "'12'", "'-3.5'"]
        texts = ["'x'", "'it''s'", "'a\\b'", "''", "' y '", "17", "-1.5", "true"]
        other = ["'2026-02-03'", "'2026-02-30'", "'t'", "'yes'", "null", "true", "'2026-02-03 04:05:06.5'"]
        return self.draw.choice(numbers if kind in ("int2", "int4", "int8", "float8", "numeric(12,3)") else texts if kind == "text" else other)

    def literal_change(self):
        """A change as clients write it with literals: its text with {} where they stand, and the columns that they are for."""
        draw, columns = self.draw, []

        def literal_for(name):
            columns.append(name)
            return "{}"
        kind = draw.random()
        if kind < 0.4:
            named = draw.sample([n for n, _ in self.columns], 5 if draw.random() < 0.6 else draw.randint(2, 4))
            cells = [draw.choice([literal_for(n)] * 5 + ["default", "null"]) for n in named]
            if draw.random() < 0.2:
                cells[-1] = f"{cells[-1]} {draw.choice(['+ 1', '- 2', ''])}" if self.types[named[-1]][:3] == "int" and cells[-1] == "{}" else cells[-1]
            text = f"insert into {self.table} ({', '.join(named)}) values ({', '.join(cells)})"
            if self.key and draw.random() < 0.3:
                text += f" on conflict ({', '.join(self.key)}) do " + draw.choice(["nothing", f"update set v = {self.table}.v + {literal_for('v')}"])
        else:
            conditions = []
            if kind < 0.85:
                items = []
                for name in draw.sample([n for n in ("v", "w", "k1", "k2") if n not in self.key], draw.randint(1, 2)):
                    isNumber = self.types[name] in ("int2", "int4", "int8", "float8", "numeric(12,3)")
                    form = draw.choice(["{p}", "{p}", "{c} + {p}", "{c} - {p}", "{c} - {p} * 2", "{c} * {p} + {p}", "coalesce({c}, 1) + {p}", "case when {c} > {p} then {p} else {c} end", "-({c} - {p})", "abs({p})"] if isNumber else ["{p}", "{p}", "coalesce({c}, {p})", "nullif({c}, {p})"])
                    items.append(f"{name} = " + "".join(literal_for(name) if part == "{p}" else part for part in form.replace("{c}", name).replace("{p}", "\0{p}\0").split("\0")))
                text = f"update {self.table} set {', '.join(items)}"
            else:
                text = f"delete from {self.table}"
            for name in draw.sample(["k0", "k1", "v", "w"], draw.randint(1, 2)):
                forms = ["{0} = {1}", "{0} = {1}", "{0} in ({1}, {1})", "{1} = {0}", "not {0} <> {1}"] + ([] if self.types[name] == "bool" else ["{0} >= {1}", "{0} between {1} and {1}"])
                form = draw.choice(forms)
                conditions.append("".join(literal_for(name) if part == "{1}" else part for part in form.replace("{0}", name).replace("{1}", "\0{1}\0").split("\0")))
            text += f" where {draw.choice([' and ', ' or ']).join(conditions)}"
        return text + draw.choice(["", "", "", " returning *", " returning k0, v + 1", ";"]), columns


def both(connections, statement):
    return [outcome(c, statement) for c in connections]


def fill(drawn, ours, theirs):
    rows = []
    for _ in range(drawn.draw.randint(0, 60)):
        rows.append("(" + ", ".join(drawn.value(n) for n, _ in drawn.columns) + ")")
    for row in rows:
        statement = f"insert into {drawn.table} values {row}"
        mine, expected = both((ours, theirs), statement)
        assert mine[0] == expected[0], (statement, mine, expected)


def make(draw, number, ours, theirs):
    drawn = Drawn(draw, number)
    both([theirs], f"drop table if exists {drawn.table}")
    made = outcome(theirs, f"create table {drawn.table} ({drawn.definition()})")
    mine = outcome(ours, f"create table {drawn.table} ({drawn.definition()}) using rows")
    assert made[0] == mine[0] == "CREATE TABLE", (drawn.definition(), mine, made)
    isEarly = draw.random() < 0.5
    for when in (True, False):
        if when == isEarly:
            for columns in drawn.indexes:
                made, mine = both((theirs, ours), f"create index on {drawn.table} ({', '.join(columns)})")
                assert made[0] == mine[0] == "CREATE INDEX", (columns, mine, made)
        else:
            fill(drawn, ours, theirs)
    return drawn


def answers(connection, drawn, parts, rest, ask):
    """The answers to a condition as it is, and with its columns hidden."""
    return [ask(connection, drawn.where(parts, hides) + rest) for hides in (False, True)]


def same(a, b):
    if a[0] != b[0]:
        return False
    isError = isinstance(a[1], str)
    return isError or a[1] == b[1] or sorted_rows(a[1]) == sorted_rows(b[1])


def test_random_look_ups_give_what_scans_give(node, postgres):
    ours = pq.PGconn.connect(f"host=127.0.0.1 port={node.port} user=admin password={PASSWORD} dbname=pelorus sslmode=disable".encode())
    assert ours.status == pq.ConnStatus.OK, ours.error_message
    theirs = pq.PGconn.connect(f"host=127.0.0.1 port={postgres.port} user=admin dbname=postgres".encode())
    assert theirs.status == pq.ConnStatus.OK, theirs.error_message
    draw = random.Random(SEED)
    counts, different = Counter(), []
    drawn = None
    for number in range(STATEMENTS):
        if number % PER_TABLE == 0:
            if drawn:
                both((ours, theirs), "rollback")
            drawn = make(draw, number, ours, theirs)
            isOpen = False
        kind = draw.random()
        parts, rest = drawn.parts(), drawn.rest()
        if kind < 0.1:
            statement = draw.choice(["commit", "rollback"]) if isOpen else f"begin isolation level {draw.choice(['read committed', 'repeatable read'])}"
            mine, expected = both((ours, theirs), statement)
            isOpen = not isOpen
            assert mine[0] == expected[0], (statement, mine, expected)
        elif kind < 0.5:
            items = draw.choice(["*", "*", "v, k0", "count(*), sum(v)", "max(w), min(v)", "k1, v + 1 as x"])
            tail = draw.choice(["", "", " order by k0, k1, k2, v, w", " for update"]) if "(" not in items else ""
            if draw.random() < 0.2 and not tail and "(" not in items:
                items = "distinct k0, v"
            ask = lambda c, where: outcome(c, f"select {items} from {drawn.table} where {where}{tail}")  # noqa: E731
            mine, scanned = answers(ours, drawn, parts, rest, ask)
            expected = ask(theirs, drawn.where(parts, False) + rest)
            if mine[0] == scanned[0] and mine[1] != scanned[1] and not isinstance(mine[1], str):
                different.append((items, drawn.where(parts, False) + rest, mine, scanned))
            statement = f"select {items} where {drawn.where(parts, False)}{rest}{tail}"
            counts["found"] += len(expected[1]) > 0 and not isinstance(expected[1], str)
        elif kind < 0.6:
            # Prepared once, run with several values.
            name = draw.choice(["k0", "k1", "k2"])
            if drawn.types[name] in ("bool",):
                continue
            drawn.prepared += 1
            plan = f"p{number}"
            isList = draw.random() < 0.3
            compared = f"{draw.choice(['in', 'in', 'not in'])} ($1, $2, $3)" if isList else f"{draw.choice(['=', '=', '>=', '<'])} $1"
            text = f"select * from {drawn.table} where {name} {compared}{draw.choice(['', ' order by k0, k1, k2, v, w', ' for update', ' and v is not null for share', ' order by k0, k1, k2, v, w for update'])}"
            for c in (ours, theirs):
                both([c], f"prepare {plan} ({', '.join([drawn.types[name].split('(')[0]] * (3 if isList else 1))}) as {text}")
            for _ in range(3):
                value = ", ".join(drawn.value(name) for _ in range(3 if isList else 1))
                mine, expected = both((ours, theirs), f"execute {plan}({value})")
                if not same(mine, expected):
                    different.append((text, value, mine, expected))
            statement = text
        elif kind < 0.68:
            # From the second time on the text is known but for its literals.
            text, columns = drawn.literal_change()
            for _ in range(5):
                # What stands in the place of a literal takes braces as they are.
                pieces = text.split("{}")
                statement = pieces[0] + "".join(drawn.loose(n) + piece for n, piece in zip(columns, pieces[1:]))
                mine, expected = both((ours, theirs), statement)
                counts["literals"] += 1
                counts["changed"] += expected[0].split()[0] in ("INSERT", "UPDATE", "DELETE") and not expected[0].endswith(" 0")
                if isinstance(mine[1], str) and isinstance(expected[1], str):
                    # Which of several errors comes first is open, but the same for a text that is not kept.
                    written = mine if isOpen else outcome(ours, f"/* */ {statement}")
                    mine = expected if written[0] == mine[0] and written[1].split("\n")[0] == mine[1].split("\n")[0] else (mine, written)
                if not same(mine, expected) or isOpen:
                    break
        elif kind < 0.75:
            statement, types, columns = drawn.prepared_change()
            mine, expected = both((ours, theirs), f"prepare c{number}{' (' + ', '.join(types) + ')' if types else ''} as {statement}")
            for _ in range(4):
                if not same(mine, expected):
                    break
                values = ", ".join(drawn.value(n) for n in columns)
                mine, expected = both((ours, theirs), f"execute c{number}{'(' + values + ')' if columns else ''}")
                counts["runs"] += 1
                counts["met"] += expected[0].split()[0] in ("UPDATE", "DELETE") and not expected[0].endswith(" 0")
                # Which of several rows that are refused comes first is open.
                if mine[0][:2] == expected[0][:2] == "23":
                    mine = expected
                if not same(mine, expected):
                    statement += f" of {values}"
        elif kind < 0.85:
            column = draw.choice(["v", "v", "w", "k1"])
            value = drawn.draw.choice(["v + 1", "v - 1", drawn.value("v")]) if column == "v" else drawn.value(column)
            statement = f"update {drawn.table} set {column} = {value} where {drawn.where(parts, False)}{rest}{draw.choice(['', ' returning *', ' returning k0, v'])}"
            mine, expected = both((ours, theirs), statement)
        elif kind < 0.92:
            statement = f"delete from {drawn.table} where {drawn.where(parts, False)}{rest}{draw.choice(['', ' returning *'])}"
            mine, expected = both((ours, theirs), statement)
        else:
            statement = f"insert into {drawn.table} values ({', '.join(drawn.value(n) for n, _ in drawn.columns)})"
            mine, expected = both((ours, theirs), statement)
        if not same(mine, expected):
            different.append((statement, mine, expected))
        counts[expected[0].split()[0]] += 1
        if isOpen and any(isinstance(answer[1], str) for answer in (mine, expected)):
            both((ours, theirs), "rollback")
            isOpen = False
        question = f"select * from {drawn.table}"
        rows = [sorted_rows(outcome(c, question)[1]) for c in (ours, theirs)]
        if rows[0] != rows[1]:
            different.append((statement, [r for r in rows[0] if r not in rows[1]], [r for r in rows[1] if r not in rows[0]]))
            both((ours, theirs), "rollback")
            drawn = make(draw, 100_000 + number, ours, theirs)
            isOpen = False
    both((ours, theirs), "rollback")
    print(dict(counts), "seed", SEED)
    for one in different[:int(os.environ.get("PELORUS_ORACLE_SHOWN", "5"))]:
        print("\n     ".join(map(str, one)))
    assert not different, f"{len(different)} of {STATEMENTS} differ"
    assert counts["found"] > 0 and counts["UPDATE"] > 0 and counts["DELETE"] > 0 and counts["met"] > 0 and counts["changed"] > 0, counts
    node.run('wrong = checkTables("dfs://public"); if (size(wrong) > 0) throw string(exec first(damage) from wrong)')


def main():
    if not Path(BINARIES, "initdb").exists():
        print("SKIPPED tests/oracles/point_plans_oracle_test.py (no postgresql-15)")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    node = Node()
    postgres = Postgres()
    try:
        return tally(*run_cases([test_random_look_ups_give_what_scans_give], node, postgres))
    finally:
        postgres.stop()
        node.stop()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Random joins, sub-queries, sets of keys and set operations in standard SQL give what DuckDB gives for the same text:
tables that `from` lists with commas, inner and left joins, conditions of all kinds between them, sub-queries that see the
outer row, rollup, cube, windows over groups, union, intersect and except; in memory and over partitions, on one thread and
on two.

Keys may be NULL and are compared for equality only, between tables that are listed; the other columns are never NULL: ordered
with others, NULL is the least value in our language, and unknown in SQL.

Needs duckdb in .venv; skipped without. PELORUS_JOIN_QUERIES and PELORUS_SEED choose how many and which.
"""
import json
import os
import random
import sys
import tempfile
from pathlib import Path

try:
    import duckdb
except ImportError:
    print("SKIPPED tests/oracles/join_oracle_test.py (no duckdb: scripts/setup.sh --python)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

from script_answers import answers_of

QUERIES = int(os.environ.get("PELORUS_JOIN_QUERIES", "300"))
SEED = int(os.environ.get("PELORUS_SEED", "20260201"))
QUERIES_PER_DATASET = 60
TABLES = 8
COLUMNS = {"id": "INT", "k": "INT", "m": "INT", "s": "SYMBOL", "v": "INT", "x": "DOUBLE"}
SQL_TYPES = {"INT": "INTEGER", "SYMBOL": "VARCHAR", "DOUBLE": "DOUBLE"}


def random_rows(r, count):
    return [[i, r.choice([None, *range(7)]), r.choice([None, *range(4)]), r.choice(["R", "AB", "CD", "E"]), r.randrange(50),
             r.randrange(-40, 40) / 4] for i in range(count)]


def make_tables(r, folder, connection):
    for number in range(TABLES):
        rows = random_rows(r, r.choice([0, 1, 4, 9, 14] if number else [9, 14]))
        lines = [",".join(COLUMNS)] + [",".join("" if v is None else str(v) for v in row) for row in rows]
        Path(folder, f"t{number}.csv").write_text("\n".join(lines) + "\n")
        declared = ", ".join(f"{c} {SQL_TYPES[t]}" for c, t in COLUMNS.items())
        connection.execute(f"create or replace table t{number} ({declared})")
        if rows:
            connection.executemany(f"insert into t{number} values ({', '.join('?' * len(COLUMNS))})", rows)


def setup_script(folder):
    types = ", ".join(f'"{t}"' for t in COLUMNS.values())
    names = "".join("`" + c for c in COLUMNS)
    script = f'layout = table({names} as name, [{types}] as type)\ndb = database("dfs://joins", RANGE, 0 4 9 100)\n'
    for n in range(TABLES):
        script += (f't{n} = loadText("{folder}/t{n}.csv", , layout)\np{n} = db.createPartitionedTable(t{n}, `p{n}, `id)\n'
                   f"written = p{n}.append!(t{n})\n")
    return script


class Generator:
    def __init__(self, r):
        self.r = r

    def table(self):
        return "{t}" + str(self.r.randrange(TABLES))

    def compared(self, left, right):
        """A condition of two rows that is no plain equality of keys."""
        r = self.r
        return r.choice([f"{left}.v {r.choice(['<', '<=', '>', '<>'])} {right}.v", f"{left}.x + {right}.x > {r.randrange(-4, 4)}",
                         f"{left}.s = {right}.s", f"abs({left}.v - {right}.v) < {r.randrange(5, 30)}"])

    def filter(self, name):
        r = self.r
        return r.choice([f"{name}.v < {r.randrange(10, 60)}", f"{name}.s = 'R'", f"{name}.s in ('R', 'AB')",
                         f"{name}.x between {r.randrange(-12, 0)} and {r.randrange(0, 12)}", f"{name}.s <> 'E'",
                         f"({name}.v > {r.randrange(50)} or {name}.s = 'CD')"])

    def equality(self, left, right):
        return f"{left}.{self.r.choice('kkm')} = {right}.{self.r.choice('kkm')}"

    def either(self, left, right):
        """An or, whose arms may share a part."""
        r = self.r
        common = self.equality(left, right) if r.random() < 0.6 else ""
        arms = []
        for _ in range(r.choice([2, 3])):
            parts = [self.filter(left), self.filter(right)] if r.random() < 0.7 else [self.compared(left, right)]
            arms.append("(" + " and ".join(([common] if common else []) + parts) + ")")
        return "(" + " or ".join(arms) + ")"

    def inner(self, outer, depth=0):
        """The source and conditions of a sub-query that sees `outer`."""
        r = self.r
        name = "q" + "xyz"[depth]
        conditions = [self.equality(name, outer)]
        if r.random() < 0.4:
            conditions.append(self.compared(name, outer))
        if r.random() < 0.3:
            conditions.append(self.filter(name))
        source = f"{self.table()} {name}"
        if r.random() < 0.25:
            source += f", {self.table()} {name}2"
            conditions.append(self.equality(name + "2", name))
        if depth == 0 and r.random() < 0.25:
            conditions.append(self.predicate(name, 1) if r.random() < 0.6 else self.predicate(outer, 1))
        r.shuffle(conditions)
        return name, source, " and ".join(conditions)

    def predicate(self, outer, depth=0):
        r = self.r
        name, source, where = self.inner(outer, depth)
        operator = r.choice(["<", "<=", ">", ">=", "=", "<>"])
        aggregate = r.choice(["min", "max", "sum", "count"])
        return r.choice([
            f"exists (select * from {source} where {where})",
            f"not exists (select {name}.v from {source} where {where})",
            f"{outer}.v {operator} (select {aggregate}({name}.v) from {source} where {where})",
            f"{outer}.v * 1.5 > (select 0.5 * avg({name}.x) + 3 from {source} where {where})",
            f"{outer}.v in (select {name}.v from {source} where {where})",
            f"{outer}.v not in (select {name}.v from {source} where {where})",
            f"{outer}.v {operator} any (select {name}.v from {source} where {where})",
            f"{outer}.v {operator} all (select {name}.v from {source} where {where})",
            f"{outer}.k in (select {name}.k from {source} where {where} group by {name}.k having count(*) > 1)"])

    def query(self):
        form = self.r.random()
        if form < 0.1:
            return self.set_operation()
        if form < 0.16:
            return self.plain_names()
        return self.joins()

    def set_operation(self):
        """Queries of the same columns that meet; an intersect binds tighter than what stands before it."""
        r = self.r
        text = ""
        for i in range(r.choice([2, 2, 3])):
            where = f" where {self.filter('a')}" if r.random() < 0.5 else ""
            one = f"select a.k as c0, a.s as c1 from {self.table()} a{where}"
            if r.random() < 0.3:
                one = f"({one})"
            text += (r.choice([" union ", " union all ", " intersect ", " except ", " intersect all ", " except all "]) if i else "") + one
        if text.startswith("("):
            text = f"select * from ({text}) whole"
        return text if r.random() < 0.6 else f"select c1, count(*) as n from ({text}) as met group by c1"

    def plain_names(self):
        """Aliases without as, names of functions in any case, an order by what an item is computed from."""
        r = self.r
        if r.random() < 0.5:
            return f"select v c0, k c1, s c2 from {self.table()} where v < {r.randrange(10, 50)}"
        return f"select s kind, SUM (v) total, Max(x) most, stddev_samp(x) spread from {self.table()} group by s order by s"

    def joins(self):
        r = self.r
        count = r.choice([1, 2, 2, 3, 3, 4, 5, 6])
        names = "abcdef"[:count]
        conditions, source = [], f"{self.table()} a"
        # A left join whose columns only the select list reads may stand anywhere among the others.
        adds = r.random() < 0.25
        if adds:
            more = r.choice(["", " and l.s = a.s", " and l.v < 30"])
            source += f" left {r.choice(['', 'outer '])}join {self.table()} l on l.k = a.k{more}"
        for i in range(1, count):
            other = r.choice(names[:i])
            style = r.random()
            condition = self.equality(names[i], other)
            if style < 0.6:
                source += f", {self.table()} {names[i]}"
                conditions.append(condition)
            elif style < 0.85:
                more = " and " + self.compared(names[i], other) if r.random() < 0.4 else ""
                source += f" {r.choice(['', 'inner '])}join {self.table()} {names[i]} on {condition}{more}"
            else:
                source += f" cross join {self.table()} {names[i]}"
                conditions.append(condition if r.random() < 0.7 else self.compared(names[i], other))
            # Beside `join … on` alone, an equality in where is a condition like others, for which NULL = NULL.
            lists_tables = ", " in source or " cross " in source
            if r.random() < 0.25:
                conditions.append(r.choice([self.equality, self.compared, self.either][not lists_tables:2 + lists_tables])(names[i], other))
        for name in names:
            if r.random() < 0.3:
                conditions.append(self.filter(name))
        for _ in range(r.choice([0, 0, 1, 1, 2] if count > 1 else [1, 1, 2])):
            conditions.append(self.predicate(r.choice(names)))
        r.shuffle(conditions)
        where = " where " + " and ".join(conditions) if conditions else ""
        form = r.random()
        if form < 0.5:
            items = [f"{name}.{r.choice(['id', 'v', 'k'])}{r.choice([' as', ''])} c{i}" for i, name in enumerate(names)]
            if adds:
                items.append(f"l.{r.choice(['id', 'v', 'x'])} as added")
            if r.random() < 0.3:
                name, inner, inner_where = self.inner(r.choice(names))
                items.append(f"(select {r.choice(['max', 'min', 'count', 'sum'])}({name}.v) from {inner} where {inner_where}) as sub")
            return f"select {', '.join(items)} from {source}{where}"
        aggregates = f"count(*) as n, sum({r.choice(names)}.v) as total, max({r.choice(names)}.x) as most"
        if form < 0.75:
            return f"select {aggregates} from {source}{where}"
        key = r.choice(names)
        if form > 0.95:
            total = f"sum({key}.v)"
            return (f"select {key}.s as key, {total} * 1.0 / (1 + sum({total}) over ()) as share, "
                    f"rank() over (order by {total}, {key}.s) + 1 as place from {source}{where} group by {key}.s")
        if form > 0.87:
            sets = r.choice([f"rollup({key}.s, {key}.m)", f"cube({key}.s, {key}.m)", f"{key}.s, rollup({key}.m)",
                             f"grouping sets (({key}.s), ({key}.m, {key}.s), ())", f"grouping sets (({key}.m), ({key}.s))"])
            more = r.choice(["", f", count(distinct {key}.v) as different", f", avg({key}.x) as mean"])
            return (f"select {key}.s as k1, {key}.m as k2, grouping({key}.s) + 2 * grouping({key}.m) as level, {aggregates}{more} "
                    f"from {source}{where} group by {sets}{r.choice(['', ' having count(*) > 1'])}")
        return f"select {key}.s as key, {aggregates} from {source}{where} group by {key}.s"


def plain(value):
    return None if value == "" else value


def near(a, b):
    if a is None or b is None or isinstance(a, str) or isinstance(b, str):
        return a == b
    return abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))


def in_order(rows):
    return sorted(rows, key=lambda row: [(v is not None, str(type(v)) if isinstance(v, str) else "", v if v is not None else 0) for v in row])


def same(ours, theirs):
    return len(ours) == len(theirs) and all(
        len(a) == len(b) and all(near(x, y) for x, y in zip(a, b)) for a, b in zip(in_order(ours), in_order(theirs)))


def dataset(pelorus, seed, count, folder):
    r = random.Random(seed)
    connection = duckdb.connect(config={"threads": 2})
    make_tables(r, folder, connection)
    generator = Generator(r)
    queries = [generator.query() for _ in range(count)]
    script = setup_script(folder)
    for i, query in enumerate(queries):
        for place in "tp":
            text = json.dumps(query.replace("{t}", place))
            script += f'try {{ print("{i} {place}\\t" + toStdJson(eval(parseExpr({text})))) }} catch (ex) {{ print("{i} {place}\\tERROR " + string(ex)) }}\n'
    runs = [answers_of(pelorus, script, threads, f"{folder}/db{threads}") for threads in (1, 2)]
    passed = failed = 0
    for i, query in enumerate(queries):
        theirs = [list(row) for row in connection.execute(query.replace("{t}", "t")).fetchall()]
        wrong = []
        for place in "tp":
            texts = [answers.get(f"{i} {place}", "no answer") for answers in runs]
            if texts[0] != texts[1]:
                wrong.append(f"{place}, one thread and two: {texts[0][:400]} {texts[1][:400]}")
                continue
            try:
                ours = [[plain(v) for v in row.values()] for row in json.loads(texts[0])]
            except ValueError:
                wrong.append(f"{place}: {texts[0][:400]}")
                continue
            if not same(ours, [[float(v) if hasattr(v, "as_tuple") else v for v in row] for row in theirs]):
                wrong.append(f"{place}: {texts[0][:400]}")
        passed += not wrong
        failed += bool(wrong)
        if wrong:
            print(f"FAILED PELORUS_SEED={seed} query {i}:\n    {query}\n    DuckDB: {str(theirs)[:400]}")
            for text in wrong:
                print("    ours, " + text)
    return passed, failed


def main():
    passed = failed = 0
    for start in range(0, QUERIES, QUERIES_PER_DATASET):
        with tempfile.TemporaryDirectory() as folder:
            done = dataset(sys.argv[1], SEED + start, min(QUERIES_PER_DATASET, QUERIES - start), folder)
        passed, failed = passed + done[0], failed + done[1]
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())

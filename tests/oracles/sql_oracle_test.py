#!/usr/bin/env python3
"""Random queries over random tables give what DuckDB gives: in memory and over partitions, on one thread and on all,
with machine code off and always on.

A query is written twice, in our language and in SQL. Where the two languages mean different things, the pair says so here:

* NULL is the least value of its type, and equal to itself: `a < b` is true for NULL < 1. Conditions have two values only.
* `/` of integers rounds down, `%` has the sign of its right side, and a division by zero is NULL.
* The empty string is the NULL of text.
* A group by gives its groups in ascending order of the keys, NULL first.
* Moving functions give NULL until a window is full; mcount and cumcount are NULL where nothing was counted.
* nunique counts NULL as a value. A text that is NULL is the empty one.
* DuckDB 2.0 answers frames from `unbounded preceding` to `0 preceding` in more than one way: now and then a row's peers
  are not all in its frame, as they are by the standard and in PostgreSQL. These frames end before the row.
* Rows of a partitioned table come in the order of its partitions: what depends on the order of rows is asked of the
  table in memory only, or says its order.

Each query is asked of empty tables, too: its columns have the types that they have with rows.

Needs duckdb and pandas in .venv; skipped without. PELORUS_ORACLE_QUERIES and PELORUS_SEED choose how many and which,
PELORUS_ORACLE_KINDS of which kinds: "window context".
"""
import datetime
import json
import math
import os
import random
import sys
import tempfile
from pathlib import Path

try:
    import duckdb
    import pandas as pd
except ImportError:
    print("SKIPPED tests/oracles/sql_oracle_test.py (no duckdb: scripts/setup.sh --python)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

from script_answers import answers_of

QUERIES = int(os.environ.get("PELORUS_ORACLE_QUERIES", "400"))
SEED = int(os.environ.get("PELORUS_SEED", "20260101"))
KINDS = os.environ.get("PELORUS_ORACLE_KINDS", "").split()
QUERIES_PER_DATASET = 100
FIRST_DAY = datetime.date(2024, 1, 1)


class Pair:
    """A piece of a query in both languages. `ordered`: depends on the order of rows, so not asked of partitions."""

    def __init__(self, ours, sql, kind="i", ordered=False):
        self.ours, self.sql, self.kind, self.ordered = ours, sql, kind, ordered


# ---- data

COLUMNS = {"id": "INT", "p": "DATE", "k": "SYMBOL", "s": "STRING", "a": "INT", "b": "INT", "c": "LONG", "x": "DOUBLE", "y": "DOUBLE",
           "d": "DATE", "ts": "TIMESTAMP"}
SQL_TYPES = {"INT": "BIGINT", "LONG": "BIGINT", "DATE": "DATE", "SYMBOL": "VARCHAR", "STRING": "VARCHAR", "DOUBLE": "DOUBLE", "TIMESTAMP": "TIMESTAMP"}
KEYS = ["AA", "AB", "BC", "C", "DE", "EE"]
WORDS = ["apple", "ant", "bat", "bee", "cow", "Cat", "a b"]


def random_rows(r, n):
    nulls = r.choice([0, 0.1, 0.4])

    def maybe(value):
        return None if r.random() < nulls else value
    rows = []
    for i in range(n):
        day = FIRST_DAY + datetime.timedelta(days=r.randrange(4))
        moment = datetime.datetime(2024, 1, 1) + datetime.timedelta(milliseconds=r.randrange(2000) * 1500)
        rows.append([i, day, maybe(r.choice(KEYS)), maybe(r.choice(WORDS)), maybe(r.randrange(-5, 6)), maybe(r.randrange(0, 40)),
                     maybe(r.randrange(20000, 20050)), maybe(r.randrange(-40, 40) / 4), maybe(r.randrange(0, 1000) / 8),
                     maybe(FIRST_DAY + datetime.timedelta(days=r.randrange(10))), maybe(moment)])
    return rows


def csv_text(value):
    if value is None:
        return ""
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y.%m.%dT%H:%M:%S.") + f"{value.microsecond // 1000:03d}"
    if isinstance(value, datetime.date):
        return value.strftime("%Y.%m.%d")
    return str(value)


def make_tables(r, folder, connection):
    """Tables t, u and v (which may be empty) in DuckDB and as CSV; ours are made from the CSV."""
    sizes = {"t": r.choice([40, 120, 300]), "u": r.choice([1, 30, 80]), "v": r.choice([0, 0, 5])}
    for name, size in sizes.items():
        rows = random_rows(r, size)
        lines = [",".join(COLUMNS)] + [",".join(csv_text(v) for v in row) for row in rows]
        Path(folder, name + ".csv").write_text("\n".join(lines) + "\n")
        declared = ", ".join(f"{c} {SQL_TYPES[t]}" for c, t in COLUMNS.items())
        connection.execute(f"create or replace table {name} ({declared})")
        if rows:
            connection.executemany(f"insert into {name} values ({', '.join('?' * len(COLUMNS))})", rows)


def setup_script(folder):
    types = ", ".join(f'"{t}"' for t in COLUMNS.values())
    names = "".join("`" + c for c in COLUMNS)
    return f"""
def mix(u, v) {{ w = u * 2; w -= v; return iif(w > 3, w, -w) }}
def damped(u) {{ return sqrt(abs(mix(u, 1)) + 1) }}
layout = table({names} as name, [{types}] as type)
def read(file, layout) {{ return loadText(file, , layout) }}
byDay = database("", VALUE, 2024.01.01..2024.01.04)
byId = database("", RANGE, 0 7 50 100 1000)
if (existsDatabase("dfs://oracle")) dropDatabase("dfs://oracle")
db = database("dfs://oracle", COMPO, [byDay, byId])
""" + "".join(f"""{n} = read("{folder}/{n}.csv", layout)
e{n} = select * from {n} where id < 0
p{n} = db.createPartitionedTable({n}, `p{n}, `p`id)
written = p{n}.append!({n})
""" for n in "tuv")


# ---- expressions

class Generator:
    def __init__(self, r):
        self.r = r

    def pick(self, *items):
        return self.r.choice(items)

    def column(self, kinds, prefix=""):
        columns = {"i": ["a", "b", "c"], "f": ["x", "y"], "s": ["s"], "k": ["k"], "d": ["d", "p"], "t": ["ts"]}
        kind = self.r.choice(kinds)
        name = self.r.choice(columns[kind])
        return Pair(prefix + name, prefix + name, kind)

    def number(self, depth=0, prefix=""):
        r = self.r
        if depth > 1 or r.random() < 0.35:
            if r.random() < 0.2:
                text = r.choice(["2", "3", "7"]) if r.random() < 0.6 else r.choice(["0.5", "1.25"])
                return Pair(text, text + ("::double" if "." in text else ""), "f" if "." in text else "i")
            return self.column("iif", prefix)
        if r.random() < 0.3:
            return self.call(depth, prefix)
        kind = r.random()
        a, b = self.number(depth + 1, prefix), self.number(depth + 1, prefix)
        both = "i" if a.kind == b.kind == "i" else "f"
        if kind < 0.45:
            op = r.choice("+-*")
            return Pair(f"({a.ours} {op} {b.ours})", f"({a.sql} {op} {b.sql})", both)
        if kind < 0.55:
            if both == "i":
                return Pair(f"({a.ours} / {b.ours})", f"cast(floor(({a.sql})::double / nullif({b.sql}, 0)) as bigint)", "i")
            return Pair(f"({a.ours} / {b.ours})", f"(({a.sql})::double / nullif(({b.sql})::double, 0))", "f")
        if kind < 0.62:
            return Pair(f"({a.ours} \\ {b.ours})", f"(({a.sql})::double / nullif(({b.sql})::double, 0))", "f")
        if kind < 0.68:
            n = r.choice([2, 3, 5])
            c = self.column("i", prefix)
            return Pair(f"({c.ours} % {n})", f"((({c.sql} % {n}) + {n}) % {n})", "i")
        if kind < 0.75:
            return Pair(f"abs({a.ours})", f"abs({a.sql})", a.kind)
        if kind < 0.8:
            c = self.column("i", prefix)
            return Pair(f"nullFill({c.ours}, 3)", f"coalesce({c.sql}, 3)", "i")
        c = self.condition(depth + 1, prefix)
        if kind < 0.88:
            return Pair(f"iif({c.ours}, {a.ours}, {b.ours})", f"(case when {c.sql} then {a.sql} else {b.sql} end)", both)
        if kind < 0.94:
            return Pair(f"(case when {c.ours} then {a.ours} else {b.ours} end)", f"(case when {c.sql} then {a.sql} else {b.sql} end)", both)
        return Pair(f"(case when {c.ours} then {a.ours} end)", f"(case when {c.sql} then {a.sql} end)", a.kind)

    def call(self, depth, prefix):
        """Functions of numbers, times and texts, and functions that the script defines."""
        r = self.r
        kind = r.random()
        if kind < 0.3:
            e = self.number(depth + 1, prefix)
            f = r.choice(["sqrt", "log", "round", "floor", "ceil", "signum", "square"])
            if f in ("sqrt", "log"):
                return Pair(f"{f}(abs({e.ours}) + 1)", f"{'ln' if f == 'log' else f}((abs({e.sql}) + 1)::double)", "f")
            if f == "square":
                whole = "::bigint" if e.kind == "i" else "::double"
                return Pair(f"square({e.ours})", f"(({e.sql}){whole} * ({e.sql}){whole})", e.kind)
            return Pair(f"{f}({e.ours})", f"{'sign' if f == 'signum' else f}(({e.sql})::double)", "f")
        if kind < 0.5:
            c = self.column("d", prefix)
            ours, sql = r.choice([("year", "year"), ("monthOfYear", "month"), ("dayOfMonth", "day"), ("weekday", "dow"), ("dayOfYear", "doy"), ("quarterOfYear", "quarter")])
            return Pair(f"{ours}({c.ours})", f"date_part('{sql}', {c.sql})", "i")
        if kind < 0.6:
            ours, sql = r.choice([("hour", "hour"), ("minuteOfHour", "minute"), ("secondOfMinute", "second")])
            return Pair(f"{ours}({prefix}ts)", f"date_part('{sql}', {prefix}ts)", "i")
        if kind < 0.75:
            t = self.text(prefix)
            return Pair(f"strlen({t.ours})", f"coalesce(length({t.sql}), 0)", "i")
        a = self.number(depth + 1, prefix)
        if kind < 0.87:
            b = self.number(depth + 1, prefix)
            w = f"(({a.sql}) * 2 - ({b.sql}))"
            both = "i" if a.kind == b.kind == "i" else "f"
            return Pair(f"mix({a.ours}, {b.ours})", f"(case when {w} > 3 then {w} else -{w} end)", both)
        w = f"(({a.sql}) * 2 - 1)"
        return Pair(f"damped({a.ours})", f"sqrt((abs({w}) + 1)::double)", "f")

    def text(self, prefix=""):
        c = self.column("s", prefix)
        kind = self.r.random()
        if kind < 0.4:
            f = self.r.choice(["upper", "lower", "trim"])
            return Pair(f"{f}({c.ours})", f"{f}({c.sql})", "s")
        if kind < 0.6:
            return Pair(f'({c.ours} + "z")', f"(coalesce({c.sql}, '') || 'z')", "s")
        if kind < 0.8:
            n = self.r.randint(1, 3)
            f = self.r.choice(["left", "right"])
            return Pair(f"{f}({c.ours}, {n})", f"{f}({c.sql}, {n})", "s")
        return c

    # ---- conditions: our NULL is the least value and equal to itself.

    def comparison(self, a, op, b):
        x, y = a.sql, b.sql
        sql = {
            "=": f"({x} is not distinct from {y})", "!=": f"({x} is distinct from {y})",
            "<": f"(case when {y} is null then false when {x} is null then true else {x} < {y} end)",
            ">": f"(case when {x} is null then false when {y} is null then true else {x} > {y} end)",
            "<=": f"(case when {x} is null then true when {y} is null then false else {x} <= {y} end)",
            ">=": f"(case when {y} is null then true when {x} is null then false else {x} >= {y} end)",
        }[op]
        return Pair(f"{a.ours} {op} {b.ours}", sql)

    def literal(self, kind):
        r = self.r
        if kind == "i":
            n = r.randrange(-4, 30)
            return Pair(str(n), str(n), "i")
        if kind == "f":
            n = r.randrange(-40, 300) / 4
            return Pair(str(n), f"{n}::double", "f")
        if kind == "k":
            k = r.choice(KEYS)
            return Pair("`" + k, f"'{k}'", "k")
        if kind == "s":
            w = r.choice(WORDS)
            return Pair(f'"{w}"', f"'{w}'", "s")
        if kind == "d":
            d = FIRST_DAY + datetime.timedelta(days=r.randrange(10))
            return Pair(d.strftime("%Y.%m.%d"), f"date '{d.isoformat()}'", "d")
        t = datetime.datetime(2024, 1, 1) + datetime.timedelta(milliseconds=r.randrange(2000) * 1500)
        return Pair(csv_text(t), f"timestamp '{t.isoformat(sep=' ')}'", "t")

    def condition(self, depth=0, prefix=""):
        r = self.r
        kind = r.random()
        if depth < 2 and kind < 0.25:
            a, b = self.condition(depth + 1, prefix), self.condition(depth + 1, prefix)
            op = r.choice(["and", "or"])
            return Pair(f"({a.ours} {op} {b.ours})", f"({a.sql} {op} {b.sql})")
        if depth < 2 and kind < 0.32:
            a = self.condition(depth + 1, prefix)
            return Pair(f"not ({a.ours})", f"(not {a.sql})")
        c = self.column("iifskdt", prefix)
        if kind < 0.55:
            op = r.choice(["=", "!=", "<", ">", "<=", ">="])
            if c.kind in "if" and r.random() < 0.4:
                return self.comparison(self.number(1, prefix), op, self.number(1, prefix))
            return self.comparison(c, op, self.literal(c.kind))
        if kind < 0.68:
            low, high = self.literal(c.kind), self.literal(c.kind)
            ours = r.choice([f"{c.ours} between {low.ours} : {high.ours}", f"({c.ours} between {low.ours} and {high.ours})"]) \
                if c.kind not in "sk" else f"({c.ours} >= {low.ours} and {c.ours} <= {high.ours})"
            return Pair(ours, f"coalesce({c.sql} between {low.sql} and {high.sql}, false)")
        if kind < 0.8:
            items = [self.literal(c.kind) for _ in range(r.randint(1, 4))]
            negated = r.random() < 0.3
            ours = f"{c.ours} {'not ' if negated else ''}in [{', '.join(i.ours for i in items)}]"
            sql = f"coalesce({c.sql} in ({', '.join(i.sql for i in items)}), false)"
            return Pair(ours, f"(not {sql})" if negated else sql)
        if kind < 0.88:
            text = self.column("sk", prefix)
            pattern = r.choice(["a%", "%t", "%a%", "A%", "_", "%e%"])
            if "_" in pattern:
                pattern = "%e"
            return Pair(f'{text.ours} like "{pattern}"', f"coalesce({text.sql} like '{pattern}', false)")
        negated = r.random() < 0.4
        ours = r.choice([f"{c.ours} is {'not ' if negated else ''}null", f"{'not ' if negated else ''}isNull({c.ours})"])
        return Pair(ours, f"({c.sql} is {'not ' if negated else ''}null)")

    def where(self, prefix="", most=3):
        conditions = [self.condition(0, prefix) for _ in range(self.r.randint(0, most))]
        if not conditions:
            return Pair("", "")
        return Pair(" where " + self.r.choice([", ", " and "]).join(f"({c.ours})" for c in conditions),
                    " where " + " and ".join(f"({c.sql})" for c in conditions))

    # ---- aggregates

    AGGREGATES = {"sum": "sum({})", "avg": "avg({})", "min": "min({})", "max": "max({})", "count": "count({})",
                  "std": "stddev_samp({})", "var": "var_samp({})", "stdp": "stddev_pop({})", "varp": "var_pop({})",
                  "med": "median({})", "sum2": "sum(({0})::double * ({0}))"}

    def aggregate(self, prefix=""):
        r = self.r
        kind = r.random()
        if kind < 0.12:
            return Pair("count(*)", "count(*)")
        if kind < 0.22:
            c = self.column("ifskdt", prefix)
            f = r.choice(["first", "last"])
            # DuckDB's first keeps NULL, as ours does.
            return Pair(f"{f}({c.ours})", f"{f}({c.sql} order by {prefix}id)", c.kind, ordered=True)
        if kind < 0.3:
            c = self.column("dt", prefix)
            f = r.choice(["min", "max", "count"])
            return Pair(f"{f}({c.ours})", f"{f}({c.sql})", c.kind)
        if kind < 0.38:
            e = r.choice([self.column("ifsd", prefix), self.number(1, prefix), self.text(prefix)])
            return Pair(f"nunique({e.ours})", f"(count(distinct {e.sql}) + (count(*) > count({e.sql}))::int)", "i")
        f = r.choice(list(self.AGGREGATES))
        e = self.number(1, prefix)
        if f in ("std", "var", "stdp", "varp", "sum2"):
            e = self.column("iiff", prefix) if r.random() < 0.7 else e
            if e.ours.endswith("c"):
                e = Pair(prefix + "x", prefix + "x", "f")
        argument = e.sql if e.kind == "i" and f in ("sum", "min", "max", "count") else f"({e.sql})::double"
        result = Pair(f"{f}({e.ours})", self.AGGREGATES[f].format(argument), "f")
        if r.random() < 0.15:
            return Pair(f"({result.ours} + count(*))", f"({result.sql} + count(*))", "f")
        return result

    def group_key(self, prefix=""):
        r = self.r
        c = self.column("kkkisd", prefix)
        if c.ours.endswith("id") or (c.kind == "i" and r.random() < 0.5):
            return Pair(f"({prefix}id % 5)", f"({prefix}id % 5)")
        if r.random() < 0.2:
            return Pair(f"minute({prefix}ts)", f"(date_part('hour', {prefix}ts) * 60 + date_part('minute', {prefix}ts))")
        if r.random() < 0.15:
            return self.text(prefix)
        if r.random() < 0.15:
            e = self.number(1, prefix)
            # SQL takes a constant for the number of a column, and `0 +` for a way not to say so.
            return Pair(e.ours, f"(0 + {e.sql})")
        return c

    # ---- queries: (ours, sql, ordered result, depends on the order of rows)

    def items(self, count, prefix=""):
        return [self.r.choices([self.number(0, prefix), self.column("ifskdt", prefix), self.text(prefix)], [6, 3, 1])[0] for _ in range(count)]

    def shown(self, items, first=0):
        return (", ".join(f"{e.ours} as v{first + i}" for i, e in enumerate(items)),
                ", ".join(f"{e.sql} as v{first + i}" for i, e in enumerate(items)))

    def order(self, names, unique):
        """order by random columns, with a unique one last."""
        r = self.r
        ours, sql = [], []
        for name in [*r.sample(names, r.randint(0, min(2, len(names)))), unique]:
            descending = r.random() < 0.5
            first = not descending
            text = name + (" desc" if descending else r.choice(["", " asc"]))
            if text.endswith("c") and " " in text and r.random() < 0.25:
                first = r.random() < 0.5
                text += " nulls first" if first else " nulls last"
            ours.append(text)
            sql.append(f"{name} {'desc' if descending else 'asc'} nulls {'first' if first else 'last'}")
        return " order by " + ", ".join(ours), " order by " + ", ".join(sql)

    def limit(self):
        r = self.r
        if r.random() < 0.5:
            return "", ""
        n, offset = r.randrange(0, 30), r.randrange(0, 12)
        if r.random() < 0.5:
            return f" limit {n}", f" limit {n}"
        return f" limit {offset}, {n}", f" limit {n} offset {offset}"

    def plain(self, table="{t}"):
        items = self.items(self.r.randint(1, 3))
        where = self.where()
        ours, sql = self.shown(items)
        if self.r.random() < 0.5:
            return f"select {ours} from {table}{where.ours}", f"select {sql} from {table}{where.sql}", False, False
        order, sql_order = self.order([f"v{i}" for i in range(len(items))], "id")
        limit, sql_limit = self.limit()
        return (f"select id, {ours} from {table}{where.ours}{order}{limit}", f"select id, {sql} from {table}{where.sql}{sql_order}{sql_limit}", True, False)

    def distinct(self):
        keys = [self.group_key() for _ in range(self.r.randint(1, 2))]
        ours, sql = self.shown(keys)
        where = self.where(most=1)
        return f"select distinct {ours} from {{t}}{where.ours}", f"select distinct {sql} from {{t}}{where.sql}", False, False

    def grouped(self, table="{t}", prefix="", where=None):
        r = self.r
        keys = [self.group_key(prefix) for _ in range(r.choice([0, 1, 1, 2, 2, 3, 6]))]
        aggregates = [self.aggregate(prefix) for _ in range(r.randint(1, 3))]
        where = where or self.where(prefix)
        items, sql_items = self.shown(aggregates)
        ordered = any(a.ordered for a in aggregates)
        if not keys:
            return f"select {items} from {table}{where.ours}", f"select {sql_items} from {table}{where.sql}", False, ordered
        having = Pair("", "")
        if r.random() < 0.3:
            h = self.comparison(Pair("count(*)", "count(*)"), r.choice([">", "<="]), self.literal("i")) if r.random() < 0.5 else \
                self.comparison(Pair("sum(b)", "sum(b)") if not prefix else Pair(f"sum({prefix}b)", f"sum({prefix}b)"), ">", self.literal("i"))
            having = Pair(" having " + h.ours, " having " + h.sql)
        ours = f"select {items} from {table}{where.ours} group by " + ", ".join(f"{k.ours} as k{i}" for i, k in enumerate(keys)) + having.ours
        sql_keys = ", ".join(f"{k.sql} as k{i}" for i, k in enumerate(keys))
        sql = (f"select {sql_keys}, {sql_items} from {table}{where.sql} group by " + ", ".join(k.sql for k in keys) + having.sql +
               " order by " + ", ".join(f"k{i} nulls first" for i in range(len(keys))))
        if r.random() < 0.2:
            limit, sql_limit = self.limit()
            ours, sql = ours + limit, sql + sql_limit
        return ours, sql, True, ordered

    def joined(self):
        r = self.r
        left, right = r.choice([("{t}", "{u}"), ("{u}", "{t}"), ("{t}", "{v}"), ("{v}", "{u}")])
        keys = r.choice([["k"], ["a"], ["k", "a"], ["s"], ["d"], ["ts"], ["k", "d"], ["id"]])
        kind = r.choice(["inner join", "left join", "right join", "full join"])
        on = " and ".join(f"l.{k} = r.{k}" for k in keys)
        items = [self.number(1, r.choice(["l.", "r."])) for _ in range(2)] + [self.column("ifskdt", "l."), self.column("ifsdt", "r.")]
        # A key of the right side is the left's, except where rows have no left side.
        ours, sql = self.shown(items)
        source = f" from {left} as l {kind} {right} as r on {on}"
        if r.random() < 0.5:
            where = self.where("l.", 1) if kind in ("inner join", "left join") else Pair("", "")
            return f"select {ours}{source}{where.ours}", f"select {sql}{source}{where.sql}", False, False
        query = self.grouped(source[6:], r.choice(["l.", "r."]), Pair("", ""))
        return query if not query[3] else self.joined()

    def cross(self):
        items = [self.number(1, "l."), self.number(1, "r.")]
        ours, sql = self.shown(items)
        where = self.where("l.", 1)
        return (f"select {ours} from {{u}} as l cross join {{v}} as r{where.ours}", f"select {sql} from {{u}} as l cross join {{v}} as r{where.sql}", False, False)

    def semi(self):
        """Membership in a query, the SQL semi and anti joins."""
        r = self.r
        column = r.choice(["k", "a", "d", "s"])
        inner = self.where(most=1)
        negated = r.random() < 0.4
        items, sql_items = self.shown(self.items(2))
        condition = f"{column} {'not ' if negated else ''}in (select {column} from {{u}}{inner.ours})"
        # NULL is found among NULL: a list of values, not of unknowns.
        sql = f"exists (select 1 from {{u}} as inside where inside.{column} is not distinct from {{t}}.{column}"
        kept = f"inside.id in (select id from {{u}}{inner.sql})"
        sql = f"{'not ' if negated else ''}{sql} and {kept})"
        return f"select {items} from {{t}} where {condition}", f"select {sql_items} from {{t}} where {sql}", False, False

    def exists(self):
        inner = self.where(most=2)
        items, sql_items = self.shown(self.items(2))
        negated = self.r.choice(["", "not "])
        return (f"select {items} from {{t}} where {negated}exists (select * from {{u}}{inner.ours})",
                f"select {sql_items} from {{t}} where {negated}exists (select * from {{u}}{inner.sql})", False, False)

    def nested(self):
        inner = self.where(most=2)
        extra = self.number(1)
        query = self.grouped("@", "", self.where(most=1))
        ours = f"(select *, {extra.ours} as extra from {{t}}{inner.ours})"
        sql = f"(select *, {extra.sql} as extra from {{t}}{inner.sql})"
        return query[0].replace("@", ours), query[1].replace("@", sql + " as inside"), query[2], query[3]

    def named(self):
        inner = self.where(most=2)
        query = self.grouped("w", "", self.where(most=1))
        return (f"with w as (select * from {{t}}{inner.ours}) {query[0]}", f"with w as (select * from {{t}}{inner.sql}) {query[1]}", query[2], query[3])

    def union(self):
        everything = self.r.choice([" all", ""])
        keys = [self.group_key() for _ in range(2)]
        ours, sql = self.shown(keys)
        a, b = self.where(most=1), self.where(most=1)
        return (f"(select {ours} from {{t}}{a.ours}) union{everything} (select {ours} from {{u}}{b.ours})",
                f"select {sql} from {{t}}{a.sql} union{everything} select {sql} from {{u}}{b.sql}", False, False)

    def asof(self):
        """Right rows are of one moment each per key, so that there is one last row."""
        left, right = self.r.choice([("{t}", "{u}"), ("{u}", "{t}"), ("{v}", "{t}"), ("{t}", "{v}")])
        key = self.r.choice(["k", "a", None])
        group = f"{key}, ts" if key else "ts"
        ours_right = f"(select last(x) as x, last(b) as b from {right} group by {group})"
        sql_right = f"(select {group}, last(x order by id) as x, last(b order by id) as b from {right} group by {group})"
        names = f"`{key}`ts" if key else "`ts"
        same_key = f"l.{key} = r.{key}" if key else "l.ts is not null"
        direction = self.r.choice(["backward", "forward", "nearest"])
        tolerance = self.r.choice([None, 0, 2000, 90000, 3600000])
        limits = "" if tolerance is None else f', , "{direction}", {self.r.choice([tolerance, f"{tolerance}ms"])}'
        if not limits and direction != "backward":
            limits = f', direction="{direction}"'
        ours = f"select l.id as v0, l.y as v1, r.x as v2, r.b as v3 from aj({left} as l, {ours_right} as r, {names}{limits})"
        apart = "abs(epoch_ms(l.ts) - epoch_ms(r.ts))"
        if direction == "nearest":
            within = "" if tolerance is None else f"and {apart} <= {tolerance} "
            nearest = f"from {sql_right} as r where {same_key} and l.ts is not null and r.ts is not null {within}order by {apart}, r.ts limit 1"
            return ours, f"select l.id as v0, l.y as v1, (select r.x {nearest}) as v2, (select r.b {nearest}) as v3 from {left} as l", False, True
        compared = ">=" if direction == "backward" else "<="
        close = "" if tolerance is None else f"case when {apart} <= {tolerance} then "
        end = close and " end"
        sql = (f"select l.id as v0, l.y as v1, {close}r.x{end} as v2, {close}r.b{end} as v3 from {left} as l "
               f"asof left join {sql_right} as r on {same_key} and l.ts {compared} r.ts")
        return ours, sql, False, True

    def window_join(self):
        r = self.r
        key = r.choice(["k", "a"])
        low = r.choice([0, 1500, 60000, 600000, -1500])
        high = low + r.choice([0, 1500, 90000, 1200000])
        f, sql_f = r.choice([("sum(x)", "sum(x)"), ("avg(y)", "avg(y)"), ("min(x)", "min(x)"), ("max(b)", "max(b)"), ("avg(x + b)", "avg(x + b)"),
                             ("std(y)", "stddev_samp(y)"), ("sum(b)", "sum(b)"), ("max(y) - min(y)", "max(y) - min(y)"), ("med(x)", "median(x)")])
        right = "(select * from {t} order by ts)"
        ours = f"select id as v0, v1 from wj({{u}}, {right}, {-low}:{high}, <[{f} as v1]>, `{key}`ts)" if low >= 0 and -low <= high else None
        if ours is None or low == high == 0:  # 0:0 is the time since the row before
            return self.window_join()
        sql = (f"select l.id as v0, (select {sql_f} from {{t}} as r where r.{key} = l.{key} and r.ts >= l.ts - interval {low} milliseconds "
               f"and r.ts <= l.ts + interval {high} milliseconds) as v1 from {{u}} as l")
        return ours, sql, False, True

    def window(self):
        r = self.r
        partition = r.choice(["", "partition by k", "partition by a, k", "partition by d", "partition by s, b", "partition by k, d, a"])
        column = self.column("iff").ours
        if r.random() < 0.3:
            return self.window_of_peers(partition, column)
        f = r.choice(["sum", "avg", "min", "max", "count", "std", "var", "med", "first_value", "last_value"])
        frame = r.choice(["", "rows between {a} preceding and current row", "rows between {a} preceding and {b} following",
                          "rows between unbounded preceding and current row", "rows between current row and unbounded following",
                          "rows between unbounded preceding and unbounded following", "rows between {a} following and {c} following"])
        if frame and r.random() < 0.3:
            frame += " exclude " + r.choice(["current row", "group", "ties", "no others"])
        a, b = r.randrange(0, 6), r.randrange(0, 6)
        frame = frame.format(a=a, b=b, c=a + b)
        order = "order by id" + r.choice(["", " desc"])
        over = " ".join(part for part in (partition, order, frame) if part)
        sql_f = self.WINDOWED.get(f, f)
        kind = r.random()
        if kind < 0.25:
            g = r.choice(["row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(3)"])
            by = r.choice(["b", "k", "d", "x"]) if g in ("rank()", "dense_rank()", "percent_rank()", "cume_dist()") else "id"
            over = " ".join(part for part in (partition, f"order by {by}") if part)
            sql_over = over + " nulls first"
            return f"select id, {g} over ({over}) as v0 from {{t}}", f"select id, {g} over ({sql_over}) as v0 from {{t}}", False, False
        if kind < 0.4:
            g = r.choice(["lag", "lead"]) + f"({column}, {r.randint(1, 3)})"
            over = " ".join(part for part in (partition, order) if part)
            return f"select id, {g} over ({over}) as v0 from {{t}}", f"select id, {g} over ({over}) as v0 from {{t}}", False, False
        sql_column = f"({column})::double" if f in ("avg", "std", "var", "med") else column
        return f"select id, {f}({column}) over ({over}) as v0 from {{t}}", f"select id, {sql_f}({sql_column}) over ({over}) as v0 from {{t}}", False, False

    WINDOWED = {"std": "stddev_samp", "var": "var_samp", "med": "median"}

    def window_of_peers(self, partition, column):
        """Frames that begin and end with peers: rows with equal keys of the order, NULL among them."""
        r = self.r
        by = r.choice(["b", "x", "d", "k", "a", "b, k"])
        descending = r.choice(["", " desc"])
        nulls = r.choice(["first", "last"])
        order = ", ".join(f"{key}{descending} nulls {nulls}" for key in by.split(", "))
        frame = r.choice(["", "range between unbounded preceding and current row", "range between current row and unbounded following",
                          "range between current row and current row", "range between unbounded preceding and unbounded following"])
        if by in ("b", "x", "a") and r.random() < 0.5:
            low, high = r.randrange(0, 4), r.randrange(0, 4)
            frame = r.choice(["range between {a} preceding and current row", "range between {a} preceding and {b} following",
                              "range between {a} following and {c} following", "range between unbounded preceding and {before} preceding",
                              "range between current row and {b} following"]).format(a=low, b=high, c=low + high, before=max(low, 1))
        elif r.random() < 0.4:
            low, high = r.randrange(0, 4), r.randrange(0, 4)
            frame = r.choice(["groups between {a} preceding and current row", "groups between {a} preceding and {b} following",
                              "groups between {a} following and {c} following", "groups between unbounded preceding and {a} preceding",
                              "groups between current row and unbounded following"]).format(a=low, b=high, c=low + high)
        # Which of its peers a row is, is open: only they all may be left out.
        if frame and r.random() < 0.3:
            frame += " exclude group"
        over = " ".join(part for part in (partition, f"order by {order}", frame) if part)
        f = r.choice(["sum", "avg", "min", "max", "count", "std", "var", "med"])
        sql_column = f"({column})::double" if f in ("avg", "std", "var", "med") else column
        return (f"select id, {f}({column}) over ({over}) as v0, count(*) over ({over}) as v1 from {{t}}",
                f"select id, {self.WINDOWED.get(f, f)}({sql_column}) over ({over}) as v0, count(*) over ({over}) as v1 from {{t}}", False, False)

    def context(self):
        """Functions of a group's rows: the order is that of id."""
        r = self.r
        keys = r.choice([["k"], ["a"], ["k", "a"], ["d"], ["s"]])
        w = r.randint(1, 6)
        over = f"over (partition by {', '.join(keys)} order by id"
        moving = f"{over} rows between {w - 1} preceding and current row)"
        whole = f"over (partition by {', '.join(keys)})"
        items = []
        for _ in range(r.randint(1, 3)):
            c = self.column("iff").ours
            f = r.choice(["msum", "mavg", "mmin", "mmax", "mcount", "mstd", "prev", "next", "move", "cummax", "cummin", "cumcount", "sum", "avg", "max", "deltas",
                          "first", "rowNo", "demeaned", "msumDiff"])
            if f == "mcount":
                items.append(Pair(f"mcount({c}, {w})", f"nullif(count({c}) {moving}, 0)"))
            elif f in ("msum", "mavg", "mmin", "mmax", "mstd"):
                g = {"msum": "sum", "mavg": "avg", "mmin": "min", "mmax": "max", "mstd": "stddev_samp"}[f]
                items.append(Pair(f"{f}({c}, {max(w, 2)})" if f == "mstd" else f"{f}({c}, {w})",
                                  f"case when row_number() {over}) >= {max(w, 2) if f == 'mstd' else w} then {g}({c}) " +
                                  (f"{over} rows between {max(w, 2) - 1} preceding and current row)" if f == "mstd" else moving) + " end"))
            elif f in ("prev", "next"):
                items.append(Pair(f"{f}({c})", f"{'lag' if f == 'prev' else 'lead'}({c}) {over})"))
            elif f == "move":
                n = r.randint(-3, 3)
                items.append(Pair(f"move({c}, {n})", f"lag({c}, {n}) {over})"))
            elif f in ("cummax", "cummin", "cumcount"):
                running = f"{f[3:]}({c}) {over} rows unbounded preceding)"
                items.append(Pair(f"{f}({c})", f"nullif({running}, 0)" if f == "cumcount" else running))
            elif f == "deltas":
                items.append(Pair(f"deltas({c})", f"{c} - lag({c}) {over})"))
            elif f == "first":
                items.append(Pair(f"first({c})", f"first_value({c}) {over})"))
            elif f == "rowNo":
                items.append(Pair(f"rowNo({c})", f"row_number() {over}) - 1"))
            elif f == "demeaned":
                items.append(Pair(f"{c} - avg({c})", f"{c} - avg({c}) {whole}"))
            elif f == "msumDiff":
                items.append(Pair(f"msum({c}, {w}) * 2 - {c}", f"(case when row_number() {over}) >= {w} then sum({c}) {moving} end) * 2 - {c}"))
            else:
                items.append(Pair(f"{f}({c})", f"{f}({c}) {whole}"))
        where = self.where(most=1)
        ours, sql = self.shown(items)
        csort = r.random() < 0.5
        having, sql_having = "", ""
        if r.random() < 0.2:
            having, sql_having = " having count(*) > 3", f" qualify count(*) {whole} > 3"
        limit, sql_limit = "", ""
        if r.random() < 0.2 and not having:
            n = r.choice([1, 2, 5, -1, -3])
            limit = f" limit {n}"
            sql_limit = f" qualify row_number() {over}{' desc' if n < 0 else ''}) <= {abs(n)}"
        return (f"select id, {ours} from {{t}}{where.ours} context by {', '.join(keys)}{' csort id' if csort else ''}{having}{limit}",
                f"select id, {sql} from {{t}}{where.sql}{sql_having}{sql_limit}", False, not csort)

    def pivot(self):
        r = self.r
        row, column = r.choice([("k", "a"), ("d", "k"), ("a", "k"), ("s", "k"), ("k", "p"), ("minute(ts)", "k")])
        f = r.choice(["sum", "avg", "min", "max", "count"])
        e = self.column("iff").ours
        where = self.where(most=1)
        sql_row = "(date_part('hour', ts) * 60 + date_part('minute', ts))" if "(" in row else row
        value = f"{f}(({e})::double)" if f == "avg" else f"{f}({e})"
        ours = f"select {f}({e}) from {{t}}{where.ours} pivot by {row} as r, {column}"
        return ours, (f"select {sql_row} as r, {column} as c, {value} as v from {{t}}{where.sql} group by all"), "pivot", False

    def query(self):
        makers = [(self.plain, 4), (self.grouped, 6), (self.distinct, 1), (self.joined, 4), (self.cross, 1), (self.semi, 2), (self.exists, 1),
                  (self.nested, 2), (self.named, 1), (self.union, 1), (self.asof, 2), (self.window_join, 2), (self.window, 3), (self.context, 4),
                  (self.pivot, 2)]
        makers = [(m, w) for m, w in makers if not KINDS or m.__name__ in KINDS]
        return self.r.choices([m for m, _ in makers], [w for _, w in makers])[0]()


# ---- comparison

def plain_value(v):
    """One form for the values of both: text for temporals, None for NULL and the empty text."""
    if v is None or v == "" or (isinstance(v, float) and math.isnan(v)):
        return None
    if isinstance(v, datetime.datetime):
        return v.strftime("%Y.%m.%d %H:%M:%S.") + f"{v.microsecond // 1000:03d}"
    if isinstance(v, datetime.date):
        return v.strftime("%Y.%m.%d")
    if isinstance(v, str) and len(v) == 6 and v.endswith("m") and v[2] == ":":
        return int(v[:2]) * 60 + int(v[3:5])
    if isinstance(v, bool):
        return int(v)
    if hasattr(v, "as_tuple"):
        return float(v)
    return v


def near(a, b):
    if a is None or b is None:
        return a is b
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return abs(a - b) <= 1e-7 + 1e-9 * max(abs(a), abs(b))


def sort_key(digits):
    """Orders rows of both engines alike. Numbers may differ in their last digits, so only the first ones count."""
    def item(v):
        if isinstance(v, float):
            v = float(f"{v:.{digits}g}")
        return (v is not None, isinstance(v, str), 0 if v is None else v)
    return lambda row: [item(v) for v in row]


def same_rows(ours, theirs, ordered):
    def same(a, b):
        return all(len(x) == len(y) and all(near(v, w) for v, w in zip(x, y)) for x, y in zip(a, b))
    if len(ours) != len(theirs):
        return False
    if ordered:
        return same(ours, theirs)
    # A number may lie where rounding goes either way: not for both counts of digits.
    return any(same(sorted(ours, key=sort_key(digits)), sorted(theirs, key=sort_key(digits))) for digits in (9, 5))


def column_text(value):
    value = plain_value(value)
    return "NULL" if value is None else str(value)


def pivoted(rows):
    """DuckDB's (row, column, value) as the cells that are there; ours has the same from its wide table."""
    return {(plain_value(row), column_text(column)): plain_value(value) for row, column, value in rows}


def pivot_agrees(table, rows):
    cells = pivoted(rows)
    for line in table:
        row = plain_value(line["r"])
        for name, value in line.items():
            if name != "r" and not near(plain_value(value), cells.get((row, name))):
                return False
    return len({r for r, _ in cells}) == len(table)


def dataset(pelorus, seed, count, folder):
    r = random.Random(seed)
    connection = duckdb.connect(config={"threads": 2})
    make_tables(r, folder, connection)
    generator = Generator(r)
    queries = [generator.query() for _ in range(count)]
    script = setup_script(folder)
    for i, (ours, _, _, in_order) in enumerate(queries):
        for place, names in (("memory", dict(t="t", u="u", v="v")), ("partitions", dict(t="pt", u="pu", v="pv"))):
            if place == "partitions" and in_order:
                continue
            text = json.dumps(ours.format(**names))
            if place == "memory" and queries[i][2] != "pivot":  # whose columns are made of rows
                empty = json.dumps(ours.format(t="et", u="eu", v="ev"))
                types = f"schema(eval(parseExpr({text}))).colDefs.typeString, schema(eval(parseExpr({empty}))).colDefs.typeString"
                script += f'try {{ print("{i} types\\t" + eqObj({types}) + " " + toStdJson(({types}))) }} catch (ex) {{ print("{i} types\\tERROR " + string(ex)) }}\n'
            script += f'try {{ print("{i} {place}\\t" + toStdJson(eval(parseExpr({text})))) }} catch (ex) {{ print("{i} {place}\\tERROR " + string(ex)) }}\n'
    runs = [(threads, jit, answers_of(pelorus, script, threads, f"{folder}/db{threads}", jit)) for threads, jit in ((1, "off"), (2, "always"))]
    passed, failed = 0, 0
    for i, (ours, sql, ordered, in_order) in enumerate(queries):
        try:
            theirs = connection.execute(sql.format(t="t", u="u", v="v")).fetchall()
        except duckdb.Error as error:
            print(f"DuckDB refuses: {error}\n    {sql}")
            failed += 1
            continue
        rows = [[plain_value(v) for v in row] for row in theirs]
        wrong = []
        for place in ("memory",) if in_order else ("memory", "partitions"):
            texts = [answers.get(f"{i} {place}", "no answer") for _, _, answers in runs]
            if texts[0] != texts[1]:
                wrong.append((f"{place}: one thread without machine code, two with it", texts))
            try:
                table = json.loads(texts[0])
            except ValueError:
                wrong.append((place, texts))
                continue
            if ordered == "pivot":
                agrees = pivot_agrees(table, theirs)
            else:
                agrees = same_rows([[plain_value(v) for v in row.values()] for row in table], rows, ordered)
            if not agrees:
                wrong.append((place, texts[:1]))
        types = runs[0][2].get(f"{i} types", "no answer")
        if ordered != "pivot" and not types.startswith("true"):
            wrong.append(("types with rows, and without", [types]))
        passed += not wrong
        failed += bool(wrong)
        for place, texts in wrong[:2]:
            print(f"FAILED PELORUS_SEED={seed} query {i}, {place}:\n    {ours}\n    {sql}")
            for text in texts:
                print(f"    ours:   {text[:600]}")
            print(f"    DuckDB: {str(rows)[:600]}")
    return passed, failed


def main():
    passed = failed = 0
    for start in range(0, QUERIES, QUERIES_PER_DATASET):
        with tempfile.TemporaryDirectory() as folder:
            done = dataset(sys.argv[1], SEED + start, min(QUERIES_PER_DATASET, QUERIES - start), folder)
        passed, failed = passed + done[0], failed + done[1]
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())

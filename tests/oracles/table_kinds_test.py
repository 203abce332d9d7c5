#!/usr/bin/env python3
"""A query gives the same whatever kind of table holds the rows: plain, shared, keyed, partitioned in memory, or on disk by any engine
and scheme. The plain table in memory is the judge; DuckDB judges that one (sql_oracle_test.py).

Every data set (random rows with nulls; or none, one, or columns that are all NULL) is stored in every kind of table. A query names
tables {t} and {u}; it runs over the plain ones, then over kinds picked at random for both. Rows are compared in order where the
query defines one, else sorted. What depends on the order of rows is asked of kinds that keep it. Changes run in sequence over
tables of their own, which are compared after every one.

PELORUS_KINDS_QUERIES and PELORUS_SEED choose how many and which. PELORUS_KINDS_SHOW=1 prints both answers of what differs.
"""
import datetime
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

QUERIES = int(os.environ.get("PELORUS_KINDS_QUERIES", "240"))
SEED = int(os.environ.get("PELORUS_SEED", "20260301"))
SHOW = os.environ.get("PELORUS_KINDS_SHOW")
QUERIES_PER_DATASET = 120
KINDS_PER_QUERY = 6
FIRST_DAY = datetime.date(2024, 1, 1)

# ---- data

COLUMNS = {"id": "INT", "p": "DATE", "k": "SYMBOL", "g": "INT", "s": "STRING", "y": "SYMBOL", "a": "INT", "b": "LONG", "h": "SHORT", "c": "CHAR",
           "q": "BOOL", "x": "DOUBLE", "f": "FLOAT", "e": "DECIMAL64(2)", "d": "DATE", "m": "MONTH", "ts": "TIMESTAMP", "tm": "SECOND", "v": "INT[]"}
KEYS = ["AA", "AB", "BC", "CD", "E"]
WORDS = ["apple", "ant", "bat", "Cat", "a b"]


def literal(kind, value):
    """How the script writes a value."""
    if value is None:
        return ""
    if kind in ("STRING", "SYMBOL"):
        return f'"{value}"'
    if kind == "DATE":
        return value.strftime("%Y.%m.%d")
    if kind == "MONTH":
        return value.strftime("%Y.%m") + "M"
    if kind == "TIMESTAMP":
        return value.strftime("%Y.%m.%dT%H:%M:%S.") + f"{value.microsecond // 1000:03d}"
    if kind == "SECOND":
        return value.strftime("%H:%M:%S")
    return str(value).lower()


def random_rows(r, n, all_null):
    nulls = r.choice([0, 0.1, 0.4])

    def maybe(value):
        return None if all_null or r.random() < nulls else value
    rows = []
    for i in range(n):
        day = FIRST_DAY + datetime.timedelta(days=r.randrange(4))
        moment = datetime.datetime(2024, 1, 1) + datetime.timedelta(milliseconds=r.randrange(3000) * 2500)
        rows.append([i, day, r.choice(KEYS), r.randrange(10), maybe(r.choice(WORDS)), maybe(r.choice(KEYS)), maybe(r.randrange(-4, 6)),
                     maybe(r.randrange(0, 30)), maybe(r.randrange(0, 9)), maybe(r.randrange(0, 5)), maybe(r.random() < 0.5),
                     maybe(r.randrange(-40, 40) / 4), maybe(r.randrange(0, 200) / 8), maybe(r.randrange(-300, 900) / 100),
                     maybe(FIRST_DAY + datetime.timedelta(days=r.randrange(8))), maybe(datetime.date(2023, r.randrange(1, 13), 1)),
                     maybe(moment), maybe(moment), [r.randrange(9) for _ in range(r.randrange(1, 4))]])
    return rows


def table_script(name, rows):
    lines = [f"{name} = table(1:0, `{'`'.join(COLUMNS)}, [{', '.join(COLUMNS.values())}])"]
    columns = []
    for (column, kind), values in zip(COLUMNS.items(), zip(*rows) if rows else []):
        if column == "v":
            flat = " ".join(str(v) for row in values for v in row)
            ends, total = [], 0
            for row in values:
                total += len(row)
                ends.append(str(total))
            columns.append(f"arrayVector({' '.join(ends)}, {flat})" if len(values) > 1 else f"arrayVector([{ends[0]}], take({flat}, {total}))")
        elif all(v is None for v in values):
            columns.append(f"take({kind.split('(')[0].lower()}(,2), {len(values)})" if "(" in kind else f"take({kind.lower()}(), {len(values)})")
        else:
            text = "[" + ",".join(literal(kind, v) for v in values) + "]"
            casts = {"SYMBOL": "symbol({})", "LONG": "long({})", "SHORT": "short({})", "CHAR": "char({})", "FLOAT": "float({})",
                     "DECIMAL64(2)": "decimal64({}, 2)", "BOOL": "bool({})"}
            columns.append(casts.get(kind, "{}").format(text))
    if rows:
        columns = [c.replace("decimal64(,2)", "decimal64([double()], 2)[0]") for c in columns]
        lines.append(f"written = {name}.append!(table({', '.join(f'{c} as {n}' for n, c in zip(COLUMNS, columns))}))")
    return lines


# ---- kinds of tables

SCHEMES = {
    "value": ('database({path}, VALUE, 2024.01.01..2024.01.04{engine})', "`p"),
    "values": ('database({path}, VALUE, `AA`AB`BC`CD`E{engine})', "`k"),
    "range": ('database({path}, RANGE, 0 7 50 100 9000{engine})', "`id"),
    "hash": ('database({path}, HASH, [SYMBOL, 3]{engine})', "`k"),
    "list": ('database({path}, LIST, [`AA`CD, `AB, `BC`E]{engine})', "`k"),
    "months": ('database({path}, RANGE, 2023.12M + 0..3{engine})', "`p"),
    "compo": ('database({path}, COMPO, [database("", VALUE, 2024.01.01..2024.01.04), database("", HASH, [SYMBOL, 2])]{engine})', "`p`k"),
    "compo3": ('database({path}, COMPO, [database("", VALUE, 2024.01.01..2024.01.04), database("", LIST, [`AA`CD, `AB, `BC`E]), '
               'database("", RANGE, 0 5 10)]{engine})', "`p`k`g"),
}


class Kind:
    """How to make a table of this kind with the rows of a plain one. `ordered`: keeps the order of rows."""

    def __init__(self, name, script, ordered=False, changes=True, disk=False):
        self.name, self.script, self.ordered, self.changes, self.disk = name, script, ordered, changes, disk


def kinds():
    schema = f"`{'`'.join(COLUMNS)}, [{', '.join(COLUMNS.values())}]"
    made = [
        Kind("shared", [f"share table(1:0, {schema}) as {{n}}"], True),
        Kind("keyed", [f"{{n}} = keyedTable(`id, 1:0, {schema})"], True),
        Kind("indexed", [f"{{n}} = indexedTable(`k`id, 1:0, {schema})"], True),
        Kind("latest", [f"{{n}} = latestKeyedTable(`k`id, `p, 1:0, {schema})"], True),
        Kind("stream", [f"{{n}} = streamTable(1:0, {schema})"], True, changes=False),
        Kind("mvcc", [f"{{n}} = mvccTable(1:0, {schema})"], True),
    ]
    for name, (database, columns) in SCHEMES.items():
        memory = database.format(path='""', engine="")
        made.append(Kind("memory_" + name, [f"{{n}} = createPartitionedTable({memory}, table(1:0, {schema}), `{{n}}, {columns})"]))
        for engine, more in (("OLAP", ""), ("TSDB", ", sortColumns=`k`id"), ("PKEY", ", primaryKey=`id" + "".join(
                c for c in ("`" + part for part in columns[1:].split("`")) if c != "`id"))):
            path = f'"dfs://{engine.lower()}_{name}"'
            disk = database.format(path=path, engine=f", engine='{engine}'")
            made.append(Kind(f"{engine}_{name}", [f"if (!existsDatabase({path})) {disk}", "go",
                                                  f"{{n}} = createPartitionedTable(database({path}), table(1:0, {schema}), `{{n}}, {columns}{more})"],
                                                  disk=True))
    made.append(Kind("dimension", ['if (!existsDatabase("dfs://flat")) database("dfs://flat", VALUE, 1..3)', "go",
                                   f'{{n}} = createDimensionTable(database("dfs://flat"), table(1:0, {schema}), `{{n}})'], disk=True))
    return made


# ---- expressions

class Generator:
    def __init__(self, r):
        self.r = r

    def pick(self, *items):
        return self.r.choice(items)

    def number(self, depth=0, prefix=""):
        r = self.r
        if depth > 1 or r.random() < 0.4:
            return r.choice(["2", "0.5", "id"]) if r.random() < 0.15 else prefix + r.choice(["a", "a", "b", "h", "x", "x", "f", "e", "g", "c"])
        a, b = self.number(depth + 1, prefix), self.number(depth + 1, prefix)
        return self.pick(f"({a} {r.choice('+-*')} {b})", f"({a} \\ {b})", f"abs({a})", f"nullFill({a}, 0)",
            f"iif({self.condition(prefix, 2)}, {a}, {b})",
                         f"(case when {self.condition(prefix, 2)} then {prefix}x when {self.condition(prefix, 2)} then {prefix}f else 0.0 end)",
                         f"doubled({a})", f"(-{a})", f"({a} + 1)", f"{prefix}v[0]", f"rowSum({prefix}v)", f"strlen({prefix}s)",
                         f"({prefix}d - {prefix}p)", f"weekday({prefix}d)", f"round({a}, 1)", f"{prefix}a % 3", f"{prefix}a / 2",
                         f"coalesce({prefix}a, {prefix}b)",
                         f"nullIf({prefix}a, {prefix}h)", f"int({prefix}x)", f"scaled({a}, factor)")

    def text(self, prefix=""):
        return self.pick("s", "k", "y").join([prefix, ""]) if self.r.random() < 0.6 else self.pick(
            f"upper({prefix}s)", f'({prefix}s + "z")', f"left({prefix}s, 2)", f'iif({prefix}a > 1, {prefix}s, {prefix}k)', f"string({prefix}y)",
            f'({prefix}k + {prefix}s)', f"string({prefix}d)", f'(case {prefix}g when 1 then "one" when 2 then "two" else "more" end)')

    def moment(self, prefix=""):
        return self.pick("d", "p", "ts", "m", "tm").join([prefix, ""]) if self.r.random() < 0.6 else self.pick(
            f"month({prefix}d)", f"date({prefix}ts)", f"({prefix}d + 2)", f"bar({prefix}ts, 1H)", f"monthBegin({prefix}p)", f"minute({prefix}ts)",
            f"temporalAdd({prefix}d, 1M)")

    def item(self, prefix=""):
        return self.pick(self.number(0, prefix), self.number(1, prefix), self.text(prefix), self.moment(prefix), prefix + "q", prefix + "v",
            prefix + "c")

    def pruning(self, prefix=""):
        """Conditions on the columns that tables are partitioned by."""
        r = self.r
        day = f"2024.01.0{r.randrange(1, 6)}"
        key = r.choice(KEYS + ["ZZ"])
        n = r.randrange(0, 70)
        return prefix + self.pick(f"p = {day}", f"p >= {day}", f"p < {day}", f"p between 2024.01.02 : 2024.01.03", f"p in [2024.01.01, {day}]",
            f"p != {day}", f'k = "{key}"',
                                  f"k = `{key}", f"k in `AA`{key}", f'k != "{key}"', f"k like \"A%\"", f"k > \"{key}\"", f"id < {n}",
                                  f"id between {n // 2} and {n}", f"id = {n}",
                                  f"id in [{n}, 1, 3]", f"g = {n % 10}", f"g > {n % 10}", f"p = day", f"k in names", f"id + 0 > {n}",
                                  "p between day and (day + 1)")

    def condition(self, prefix="", depth=0, queries=False):
        r = self.r
        if depth == 0 and r.random() < 0.3:
            a, b = self.condition(prefix, 1, queries), self.condition(prefix, 1)
            return self.pick(f"({a} and {b})", f"({a} or {b})", f"not ({a})", f"({a} && {b})")
        number = self.number(2, prefix)
        if queries and r.random() < 0.35:
            column, inner = self.pick(("a", "a"), ("k", "k"), ("s", "s"), ("d", "d"), ("id", "b"), ("p", "d")), self.condition("", 2)
            return self.pick(f"{prefix}{column[0]} {self.pick('', 'not ')}in (select {column[1]} from {{u}} where {inner})",
                             f"{prefix}{column[0]} in (exec {column[1]} from {{u}} where {inner})",
                             f"{prefix}x {self.pick('>', '<=')} (select avg(x) from {{u}})", f"{prefix}x > (exec avg(x) from {{u}} where {inner})",
                             f"exists (select * from {{u}} where {inner})", f"not exists (select * from {{u}} where {inner})",
                             f"{prefix}a {self.pick('>', '=', '<')} {self.pick('any', 'all')} (select a from {{u}} where {inner})")
        return self.pick(f"{number} {self.pick('>', '<', '>=', '<=', '=', '!=', '==', '<>')} {r.randrange(-2, 9)}", f"{prefix}a between -1 and 3",
            f"{prefix}a in 1 2 3",
                         f"{prefix}s like \"a%\"", f"not {prefix}s like \"%t\"", f"isNull({prefix}a)", f"{prefix}x is null", f"{prefix}y is not null",
                         f"isValid({prefix}s)", f"{prefix}q", f"not {prefix}q", f"{prefix}q = true", f"{prefix}d > 2024.01.03",
                         f"{prefix}ts <= 2024.01.01T01:00:00.000",
                         f"{prefix}m = 2023.05M", f"{prefix}tm > 00:30:00", f"{prefix}e > 1.5", f"{prefix}c = 2", f"isBig({prefix}a)",
                         f"{prefix}y = `AA", f"{prefix}s = \"ant\"",
                         f"{prefix}s in [\"ant\", \"bat\"]", f"{prefix}d in (2024.01.02..2024.01.04)", self.pruning(prefix), self.pruning(prefix),
                         self.pruning(prefix))

    def where(self, prefix="", most=2, queries=False):
        conditions = [self.condition(prefix, queries=queries) for _ in range(self.r.randint(0, most))]
        return " where " + self.pick(", ", " and ").join(conditions) if conditions else ""

    def aggregate(self, prefix=""):
        x, p = self.number(1, prefix), prefix
        return self.pick(f"sum({x})", f"avg({x})", f"min({x})", f"max({x})", f"count({x})", "count(*)", f"std({p}x)", f"var({p}f)", f"med({p}x)",
            f"percentile({p}x, 30)",
                         f"wavg({p}x, {p}f)", f"wsum({p}a, {p}b)", f"corr({p}x, {p}f)", f"covar({p}a, {p}x)", f"beta({p}x, {p}f)", f"nunique({p}s)",
                         f"nunique({p}a)", f"sum2({p}x)",
                         f"skew({p}x)", f"kurtosis({p}x)", f"prod({p}a)", f"min({p}d)", f"max({p}ts)", f"min({p}s)", f"max({p}y)", f"count({p}s)",
                         f"max({p}e)", f"sum({p}e)",
                         f"avg({p}e)", f"size({p}a)", f"all({p}q)", f"any({p}q)", f"sum({p}q)", f"stdp({p}a)", f"varp({p}b)",
                         f"atImax({p}x * 1000 + {p}id, {p}id)", f"mad({p}x)",
                         f"spread({p}x)", f"spreadParts({p}x)", f"(max({p}x) - min({p}x))", f"sum({p}x) \\ count(*)", f"iif(sum({p}x) > 2, 1, 0)",
                         f"sum(iif({p}a > 1, {p}x, 0))",
                         f"sum({p}x > 1)", f"count(iif({p}a > 0, 1, NULL))", f"sum({p}x) + avg({p}a) * 2", f"round(avg({p}x), 2)",
                         f"doubled(sum({p}x))", f"sum({p}x) > 3",
                         f"min({p}m)", f"max({p}tm)", f"max({p}c)", f"sum({p}h)", f"quantile({p}x, 0.4)", f"sum(rowSum({p}v))", f"count({p}v)",
                         f"string(max({p}a))", f"nullFill(sum({p}a), -1)",
                         f"sum(distinct({p}a))", f"(case when count(*) > 3 then 1.5 else avg({p}x) end)", f"sum4({p}a)", f"sem({p}x)", f"sum3({p}a)",
                         f"max({p}q)")

    def key(self, prefix=""):
        p = prefix
        return self.pick("k", "k", "p", "a", "s", "y", "d", "g", "q", "h", "c", "m", "e").join([p, ""]) if self.r.random() < 0.65 else self.pick(
            f"{p}a % 3", f"month({p}p)", f"bar({p}ts, 30m)", f"minute({p}ts)", f"upper({p}s)", f"iif({p}a > 1, \"high\", \"low\")", f"{p}g / 3",
            f"date({p}ts)", f"weekday({p}p)", f"{p}x > 1",
            f"doubled({p}a)", f"bucketOf({p}g)", f"(case when {p}a > 1 then 1 else 0 end)", f"left({p}k, 1)", f"hour({p}ts)",
            f"dailyAlignedBar({p}ts, 00:00:00.000, 3600000)")

    # ---- queries: text, whether the order of the rows is defined, whether it depends on the order of the table's rows

    def shown(self, items, first=0):
        return ", ".join(f"{e} as v{first + i}" for i, e in enumerate(items))

    def order(self, names):
        chosen = self.r.sample(names, self.r.randint(0, min(2, len(names))))
        return " order by " + ", ".join([n + self.pick("", " desc", " asc", " asc nulls last") for n in chosen] + ["id" + self.pick("", " desc")])

    def limit(self):
        return self.pick("", "", f" limit {self.r.randrange(12)}", f" limit {self.r.randrange(5)}, {self.r.randrange(9)}")

    def plain(self):
        items = [self.item() for _ in range(self.r.randint(1, 4))]
        where = self.where(queries=True)
        kind = self.r.random()
        if kind < 0.15:
            return f"select * from {{t}}{where}", False, False
        if kind < 0.25:
            return f"exec {items[0]} from {{t}}{where} order by id", True, False
        if kind < 0.3:
            return f"select distinct {self.key()} as d0, {self.key()} as d1 from {{t}}{where}", False, False
        if kind < 0.4:
            return f"select top {self.r.randrange(1, 9)} id, {self.shown(items)} from {{t}}{where} order by {self.pick('x', 's', 'e', 'ts', 'q')}, id desc", True, False
        if kind < 0.5:
            return f"select {', '.join(items)} from {{t}} as t1{where}", False, False
        if kind < 0.6:
            return f"select id, {self.shown(items)} from {{t}}{where}", False, False
        scalar = self.pick("", "", ", (select max(x) from {u}) as sub", ", (exec long(count(*)) from {u}) as sub", ", day as today")
        return f"select id, {self.shown(items)}{scalar} from {{t}}{where}{self.order([f'v{i}' for i, e in enumerate(items) if e != 'v'])}{self.limit()}", True, False

    def ordered_rows(self):
        f = [self.pick(f"cumsum({c})", f"prev({c})", f"next({c})", f"move({c}, 2)", f"deltas({c})", f"msum({c}, 3)", f"rank({c})", f"rowNo({c})",
        f"ffill({c})", f"first({c})", f"last({c})",
                       f"mavg({c}, 2)", f"ema({c}, 3)", f"cummax({c})", f"ratios({c})", f"bfill({c})", f"isSorted({c})") for c in self.r.choices(["a",
                       "b", "x", "f"], k=2)]
        where = self.where()
        g = [self.pick("first(a)", "last(s)", "firstNot(x)", "lastNot(a)", "first(d)", "last(e)", "toArray(a)", "imax(x)", "imin(a)", "first(v)",
            "[first(a), last(a)] as `fa`la", "last(deltas(b))",
                       "sum(prev(a))", "max(cumsum(b))", "ifirstNot(a)") for _ in range(2)]
        g = ", ".join(e if " as " in e else f"{e} as w{i}" for i, e in enumerate(dict.fromkeys(g)))
        return self.pick((f"select id, {self.shown(f)} from {{t}}{where}", True, True), (f"select {g} from {{t}}{where} group by {self.key()} as k0",
            True, True),
                         (f"select * from {{t}}{where} limit 7", True, True), (f"select top 3:6 id, s from {{t}}{where}", True, True),
                         (f"select id, {self.shown(f)} from {{t}}{where} context by k", True, True), (f"select {g} from {{t}}", True, True),
                         (f"select id, s, x from {{t}} context by {self.key()} as k0 limit {self.pick(2, -2)}", False, True),
                         (f"select sum(x), count(*) as n from {{t}} group by segment(a)", True, True),
                         (f"select id, sum(x) from {{t}} context by segment(q)", True, True),
                         (f"select id, x from {{t}} where x > prev(x)", True, True), (f"select id, x from {{t}} where x > avg(x)", True, True),
                         (f"select id, x from {{t}} where a > 0, rowNo(a) < 5", True, True),
                         (f"select id, x from {{t}} where x > contextby(avg, x, k)", True, True),
                         (f"select distinct s from {{t}}", True, True), (f"select distinct(s) from {{t}}", False, True),
                         ("select id, x from {t} order by s", True, True))

    def grouped(self, source="{t}", prefix="", where=None):
        r = self.r
        keys = [f"{self.key(prefix)} as k{i}" for i in range(r.choice([0, 1, 1, 2, 2, 3]))]
        items = [self.aggregate(prefix) for _ in range(r.randint(1, 4))]
        where = self.where(prefix, queries=True) if where is None else where
        having = self.pick("", "", "", f" having count(*) > 2", f" having sum({prefix}x) > 1",
            f" having avg({prefix}a) < 2 and count(*) > 1") if keys else ""
        order = self.pick("", "", " order by n desc, " + ", ".join(f"k{i}" for i in range(len(keys))), "") if keys else ""
        if order:
            items.append("count(*)")
            order = order.replace(" n ", f" v{len(items) - 1} ")
        limit = self.pick("", "", "", " limit 3") if keys else ""
        top = self.pick("", "", "top 4 ") if keys and not limit else ""
        if r.random() < 0.1 and keys:
            return f"select {top}{', '.join(dict.fromkeys(items))} from {source}{where} group by {', '.join(k.split(' as ')[0] for k in keys[:1])}{having}", True, False
        if r.random() < 0.08 and not keys:
            return f"exec {items[0]} from {source}{where}", True, False
        if r.random() < 0.08:
            items.append(f"[min({prefix}x), max({prefix}x)] as `lo`hi")
            return (f"select {self.shown(items[:-1])}, {items[-1]} from {source}{where}" + (" group by " + ", ".join(keys) if keys else "")), True, False
        return f"select {top}{self.shown(items)} from {source}{where}" + (" group by " + ", ".join(keys) if keys else "") + having + order + limit, True, False

    def interval(self):
        fill = self.pick('"prev"', '"post"', '"null"', '"none"', '"linear"', "0")
        keys = self.pick("", "k, ", "g % 2 as g2, ")
        column, width = self.pick(("ts", "30m"), ("ts", "1H"), ("d", "2d"), ("p", "1d"), ("p", "2d"))
        return f"select {self.shown([self.aggregate(), self.pick('sum(x)', 'count(*)', 'max(a)')])} from {{t}}{self.where(most=1)} group by {keys}interval({column}, {width}, {fill}) as w", True, False

    def context(self):
        columns = self.r.choices(["a", "b", "x", "f", "h"], k=3)
        moving = [self.pick(f"cumsum({c})", f"prev({c})", f"next({c})", f"move({c}, 2)", f"deltas({c})", f"msum({c}, 3)", f"mavg({c}, 2)",
            f"rank({c})", f"rowNo({c})", f"ffill({c})",
                            f"sum({c})", f"{c} - avg({c})", f"{c} \\ sum({c})", "count(*)", f"first({c})", f"last(s)", f"ema({c}, 3)", f"cummax({c})",
                            f"ratios({c})", f"mrank({c}, true, 3)",
                            f"doubled({c})", f"shifted({c})", f"spread({c})", f"iif(prev({c}) > {c}, 1, 0)", "s", "d", "v", "e", f"cumsum(e)",
                            f"mcorr({c}, x, 3)", f"prev(s)", f"cumcount({c})",
                            f"{c} > avg({c})", f"(case when {c} > 0 then {c} else prev({c}) end)", f"wavg({c}, f)", f"demean({c})", f"zscore({c})",
                            f"cumrank({c})", f"prev(ts)", f"mmax(d, 2)", f"max(s)") for c in columns]
        keys = ", ".join(self.key() for _ in range(self.r.choice([1, 1, 2])))
        limit = self.pick("", "", "", f" limit {self.r.randrange(1, 4)}", f" limit -{self.r.randrange(1, 4)}")
        top = self.pick("", f"top {self.r.randrange(1, 4)} ") if not limit else ""
        having = self.pick("", "", "", " having count(*) > 2", " having sum(x) > 0", " having x > avg(x)",
            " having x > avg(x) and count(*) > 1") if not limit and not top else ""
        sort = self.pick("csort id", "csort id desc", "csort x, id", "csort d desc, id", "csort s, id asc")
        order = self.pick("", " order by id", " order by v0, id")
        hint = self.pick("", "", "", "[HINT_KEEPORDER] ") if not order else ""
        return f"select {hint}{top}id, {self.shown(moving)} from {{t}}{self.where(queries=True)} context by {keys} {sort}{limit}{having}{order if 'v,' not in keys and moving[0] != 'v' else ''}", bool(order) and moving[0] != "v", False

    def pivot(self):
        x = self.number(1)
        metric = self.pick(f"sum({x}) as m0", "count(*)", "avg(x), max(a)", f"min({x}) as m0, sum(b) as m1", "sum(x)", "max(s) as w", "max(d)",
            "spread(x)", "sum(e)")
        rows = self.pick("p", "a", "g", "s", "p, g", "bar(ts, 1H) as hour", "month(p)", "a % 2 as odd, q")
        columns = self.pick("k", "k", "y", "g", "p", "q", "s", "g % 3", "d")
        if self.r.random() < 0.2:
            return f"exec {self.pick('sum(x)', 'count(*)', 'max(a)')} from {{t}}{self.where()} pivot by {self.pick('p', 'a', 's')}, {self.pick('k', 'g')}", True, False
        return f"select {metric} from {{t}}{self.where()} pivot by {rows}, {columns}", True, False

    def cumulative(self):
        key = self.pick("p", "a", "g", "bar(ts, 1H) as w", "d", "id / 20 as w")
        name = key.split(" as ")[-1]
        if self.r.random() < 0.5:
            return f"select sum(x), count(*), {self.pick('avg(a)', 'max(b)', 'std(x)', 'wavg(x, f)', 'min(x)', 'corr(x, f)')} as v from {{t}}{self.where()} cgroup by {key} order by {name}", True, False
        return f"select sum(x) as v0, max(a) as v1 from {{t}}{self.where()} group by k cgroup by {key} order by {name}", False, False

    def windowed(self):
        column = self.r.choice(["a", "x", "f", "e", "b"])
        by = self.pick("", "partition by k ", "partition by a, k ", "partition by p ", "partition by s ")
        frame = self.pick("", "rows between 2 preceding and current row", "rows between 1 preceding and 2 following",
        "rows between unbounded preceding and current row",
                          "rows between unbounded preceding and unbounded following", "rows 2 preceding", "range between 5 preceding and current row")
        f = self.pick(f"sum({column})", f"avg({column})", f"min({column})", f"max({column})", f"count({column})", f"first_value({column})",
        f"last_value({column})", f"nth_value({column}, 2)", f"std({column})",
                      "wavg(x, f)")
        plain = self.pick("row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(3)", f"lag({column}, 1)",
            f"lead({column}, 2)", f"lag({column})")
        return (f"select id, {f} over ({by}order by id {frame}) as w0, {plain} over ({by}order by id {self.pick('', 'desc')}) as w1, "
                f"sum({column}) over ({by}) as w2 from {{t}}{self.where()}{self.pick('', ' order by id')}"), False, False

    def joined(self):
        r = self.r
        keys = r.choice([["id"], ["k"], ["k", "p"], ["a"], ["s"], ["d"], ["k", "a"], ["p"], ["y"], ["g", "k"], ["p", "k", "g"], ["e"], ["ts"], ["id",
            "p", "k"]])
        left, right = self.pick(("{t}", "{u}"), ("{u}", "{t}"), ("{t}", "{t}"), ("{t}", "(select * from {u}%s)" % self.where()),
            ("(select * from {t}%s)" % self.where(), "{u}"))
        names = "`" + "`".join(keys)
        on = " and ".join(f"l.{k} = r.{k}" for k in keys)
        function = self.pick("ej", "lj", "fj", "sej", "join", "inner join", "left join", "full join", "right join", "left outer join",
        "full outer join")
        source = (f"{function}({left} as l, {right} as r, {names})" if " " not in function and function != "join" else f"{left} as l {function} {right} as r on {on}")
        if function in ("ej", "lj", "sej") and r.random() < 0.2:
            source = source[:-1] + f", {names}, <{self.condition()}>, <{self.condition()}>)" if r.random() < 0.5 and function != "sej" else source
        if " join " in source and r.random() < 0.2 and "full" not in function:
            source += f" and {self.condition('r.', 2)}" if "right" not in function else ""
        items = [self.number(1, "l."), self.number(1, "r."), "l." + self.pick("s", "d", "k", "v", "ts"), "r." + self.pick("s", "d", "q", "e", "v",
            "m")]
        where = self.where(self.pick("l.", "r."), 1) if r.random() < 0.5 else ""
        kind = r.random()
        if kind < 0.15:
            return f"select * from {source}{where}", False, False
        if kind < 0.5:
            return f"select l.id, r.id as rid, {self.shown(items)} from {source}{where}", False, False
        if kind < 0.6:
            return f"select l.id, {self.shown(items)} from {source}{where} order by l.id, r.id{self.limit()}", True, False
        if kind < 0.7:
            return f"select l.id as lid, r.id as rid, cumsum(r.x) as c, l.x - avg(r.x) as w from {source}{where} context by l.{self.pick('k', 'p', 'g')} csort l.id, r.id", False, False
        return self.grouped(source, self.pick("l.", "r."), where)

    def special_join(self):
        inner = "(select * from {u} order by id)"
        w = self.where()
        return self.pick(
            (f"select id, x2, s2 from lsj({{t}}, (select max(x) as x2, max(s) as s2 from {{u}} group by k), `k){w}", False, False),
            (f"select l.id, r.x2 from {{t}} as l left semi join (select max(x) as x2 from {{u}} group by k) as r on l.k = r.k", False, False),
            (f"select l.id, r.id as rid, l.x * r.x as z from cj({{u}} as l, (select * from {{u}} where id < 5) as r)", False, False),
            (f"select l.id, r.id as rid from {{u}} as l cross join {{u}} as r where l.a = r.a", False, False),
            (f"select count(*) from cj({{u}}, {{t}})", True, False),
            (f"select l.id, r.id as rid, r.x from aj({{t}} as l, (select * from {{u}} order by k, id) as r, `k`id)", False, False),
            (f"select l.id, r.id as rid, r.x, r.s from aj({{t}} as l, {{u}} as r, `k`p`id)", False, False),
            (f"select l.id, r.d, r.x2 from aj({{t}} as l, (select max(x) as x2 from {{u}} group by k, d) as r, `k`d)", False, False),
            (f"select l.id, r.x2 from aj((select * from {{t}} where isValid(ts)) as l, (select max(x) as x2 from {{u}} where isValid(ts) group by ts) as r, `ts)", False, False),
            (f"select id, total, n from wj({{t}}, {inner}, -5:5, <[sum(x) as total, count(x) as n]>, `k`id)", False, False),
            (f"select id, most from wj({{t}}, {inner}, -3:0, <max(f) as most>, `id)", False, False),
            (f"select id, total from pwj({{t}}, {inner}, -3:0, <sum(x) as total>, `k`id)", False, False),
            (f"select id, avg_x, wavg_x from wj({{t}}, {inner}, -9:9, <[avg(x), wavg(x, f)]>, `k`id)", False, False),
            (f"select count(*) as n from ej({{t}} as l, {{u}} as r, `k`p) group by l.k", False, False),
            (f"select a1.id, b1.id as bid, c1.id as cid, a1.x + c1.x as z from {{t}} as a1 inner join {{u}} as b1 on a1.id = b1.id left join {{t}} as c1 on b1.k = c1.k and b1.p = c1.p{self.where('a1.', 1)}", False, False),
            (f"select l.id, r.b2 from lj({{t}} as l, (select id as id2, b as b2 from {{u}}) as r, `id, `id2){self.where('l.', 1)}", False, False),
            (f"select id, n from lj({{t}}, (select count(*) as n from {{t}} group by k), `k) where n > 2{self.pick('', ' order by id')}", False,
            False),
            (f"select l.id from {{t}} as l inner join (select k, max(x) as most from {{t}} group by k) as r on l.k = r.k where l.x = r.most", False,
            False),
            (f"select l.k, sum(r.x) as sx, count(*) as n from {{t}} as l left join {{u}} as r on l.k = r.k and l.p = r.p{self.where('l.', 1)} group by l.k", True, False),
            (f"select sum(l.x * r.f) as z from ej({{t}} as l, {{u}} as r, `k`p) pivot by l.k, r.p", True, False))

    def composed(self):
        """Sub-queries, unions, names, metacode, functions around queries."""
        w = self.where()
        inner = f"(select *, {self.number(1)} as extra from {{t}}{w})"
        a, s, o = self.grouped("@", where="")
        return self.pick(
            (a.replace("@", inner), True, False), (a.replace("@", f"(select * from {{t}}{w}) as z"), True, False),
                (f"with w as (select * from {{t}}{w}) {a.replace('@', 'w')}", True, False),
            (f"with w as (select * from {{t}}{w}), z as (select * from w where a > 0) select id, x from z order by id", True, False),
            (f"(select id, k, x from {{t}}{w}) union all (select id, k, x from {{u}}{self.where()})", False, False),
            (f"(select k, a from {{t}}{w}) union (select k, a from {{u}})", False, False),
            (f"select k, n from (select count(*) as n from {{t}}{w} group by k, p) where n > 1", False, False),
            (f"select max(n) as n from (select count(*) as n from {{t}}{w} group by k, p) group by k", True, False),
            (f"sql(select=sqlCol(`id`x`s), from={{t}}, where=<a > 0>).eval()", False, False),
            (f"sql(select=(sqlCol(`x, sum, `total), sqlCol(`a, avg)), from={{t}}, groupBy=sqlCol(`k), groupFlag=1).eval()", True, False),
            (f"sql(select=[sqlColAlias(<cumsum(x)>, `c), sqlCol(`id)], from={{t}}, groupBy=sqlCol(`k), groupFlag=0, csort=sqlCol(`id), limit=2).eval()", False, False),
            (f"eval(<select id, x from {{t}}{w}>)", False, False), (f"queryOf({{t}})", True, False), (f"(exec sum(x) from {{t}}{w}) + 1", True,
            False),
            (f"rows(select id from {{t}}{w})", True, False),
            (f"select id from {{t}} where k in (select k from {{u}} where x > 0) and p in (exec p from {{u}})", False, False),
            (f"select * from (select id, x, rank(x) as r from {{t}}{w} context by k csort id) where r < 2", False, False),
            (f"select avg(x) from {{t}} where id in (select max(id) as m from {{t}} group by k).m", True, False),
            (f"select k, total \\ (exec sum(x) from {{t}}) as share from (select sum(x) as total from {{t}} group by k)", True, False),
            (f"(select * from {{t}}{w}).rows()", True, False), (f"exec count(*) from {{t}}{w}", True, False), (f"select count(*) from {{t}}{w}", True,
            False),
            (f"sort(exec distinct(k) from {{t}}{w})", True, False), (f"each(x -> x + 1, exec a from {{t}}{w} order by id)", True, False),
            (f"select id, t1.x from {{t}} t1{self.where('t1.', 1)}", False, False), (f"exec first(x) from (select * from {{t}}{w} order by id)", True,
            False),
            (f"select id, rowMax(a, b) as r, rowAvg(x, f) as r2 from {{t}}{w}", False, False),
            (f"select id, x from {{t}} where x = (select max(x) from {{t}})", False, False),
            (f"select [HINT_SEQ] sum(x) from {{t}}{w} group by k", True, False), (f"select [HINT_LOCAL] id from {{t}}{w}", False, False),
            (f"select [HINT_HASH] sum(x), count(*) from {{t}} group by k, a", True, False),
            (f"select [HINT_SORT] sum(x) from {{t}} group by a", True, False), (f"select [128] sum(x) from {{t}}{w} group by k", True, False),
            (f"rename!((select id, x as z from {{t}}{w}), `z, `zz)", False, False), (f"select count(*) as n, k from {{t}}{w} group by k", True,
            False))

    def query(self):
        kind = self.r.choices(["plain", "grouped", "context", "joined", "special_join", "composed", "pivot", "windowed", "ordered_rows", "interval",
            "cumulative"],
                              [5, 6, 4, 5, 3, 4, 2, 2, 3, 1, 1])[0]
        return getattr(self, kind)()

    def change(self, start):
        """A change of {t}; `start` numbers the rows that are added."""
        r = self.r
        where = self.where()
        column, value = self.pick(("a", "a + 1"), ("x", "x * 2"), ("a", "3"), ("s", 'upper(s)'), ("s", '"new"'), ("d", "d + 1"), ("e", "e + 0.25"),
            ("x", "NULL"), ("q", "not q"), ("b", "b + a"), ("x", "a"), ("h", "a"),
                                  ("y", "`ZZ"), ("x", "case when a > 0 then 1.0 else x end"), ("ts", "temporalAdd(ts, 1H)"), ("m", "month(d)"), ("x",
                                  "doubled(x)"), ("f", "scaled(f, factor)"))
        by = self.pick("a = sum(a)", "x = x - avg(x)", "x = cumsum(x)", "b = rank(a)", "x = prev(x)", "b = count(*)", "s = last(s)")
        rows = f"(select * from {{u}}{self.where()} order by id)"
        return self.pick(f"update {{t}} set {column} = {value}{where}", f"update {{t}} set {column} = {value}{where}",
            f"update {{t}} set {column} = {value}, c = 1{where}", f"delete from {{t}} where {self.condition()}",
                         f"delete from {{t}} where {self.condition()}, {self.condition()}",
                         f"update {{t}} set {by}{where} context by k, p, g, id csort id",
                         f"update {{t}} set {by} where id < 7 context by p, k, g csort id desc",
                         f"written = {{t}}.append!(moved({rows}, {start}))", f"written = tableInsert({{t}}, moved({rows}, {start}))",
                         f"update {{t}} set x = plain_u.f from ej({{t}}, plain_u, `id)",
                         f"update {{t}} set a = plain_u.b from lj({{t}}, plain_u, `id){self.pick('', ' where id < 20')}",
                         f"delete from {{t}} where id in (exec id from plain_u where a > 2)",
                         f"delete from {{t}} where k in (select k from plain_u where x > 8) and a > 3",
                         f"sqlUpdate({{t}}, [<x + 1 as x>], where=<a > 1>).eval()", f"sqlDelete({{t}}, <a = 2>).eval()",
                         f"update {{t}} set {column} = {value} where {self.pruning()}",
                         f"delete from {{t}} where {self.pruning()} and {self.condition('', 1)}")


FUNCTIONS = """
def doubled(x) { return x * 2 }
def scaled(x, factor) { return x * factor }
def isBig(x) { return x > 2 }
def bucketOf(x) { return iif(x > 5, `high, `low) }
def shifted(x) { return x - prev(x) }
defg spread(x) { return max(x) - min(x) }
defg partsOfSpread(x) { return max(x) - min(x) }
defg leastOf(x) { return min(x) }
defg mostOf(x) { return max(x) }
def between2(a, b) { return b - a }
defg spreadParts(x) { return max(x) - min(x) }
mapr spreadParts(x) { min(x), max(x) -> between2(min, max) }
def queryOf(t) { return select sum(x) as total, count(*) as n from t where a > 0 group by k }
def moved(chosen, start) { changed = select * from chosen; if (changed.rows() > 0) changed.replaceColumn!(`id, start + til(changed.rows())); return changed }
def cellsOf(c) {
    if (type(c) >= 64 or typestr(c) like "%ANY%" or typestr(c) like "%[]%") return concat(each(def(x): "(" + concat(string(x), " ") + ")", c), "|")
    return concat(string(c), "|")
}
def emit(name, r) {
    if (form(r) == 6) {
        print("#" + name + " TABLE " + string(r.rows()))
        if (r.columns() > 0) for (n in r.columnNames()) print(n + "\\t" + typestr(r[n]) + "\\t" + iif(r.rows() == 0, "", cellsOf(r[n])))
    } else if (form(r) == 0) print("#" + name + " " + typestr(r) + " " + string(r))
    else { print("#" + name + " " + typestr(r) + " " + string(size(r))); if (form(r) == 1) print(cellsOf(r)) else print(r) }
    print("#end")
}
day = 2024.01.02
names = `AA`E`QQ
factor = 3
"""


class Script:
    """The lines of a script, and which of them answer what."""

    def __init__(self):
        self.lines, self.asked = FUNCTIONS.strip("\n").split("\n"), {}

    def ask(self, name, text):
        self.lines.append(f'emit("{name}", {text})')
        self.asked[len(self.lines)] = name

    def change(self, name, text):
        self.lines.append(text)
        self.asked[len(self.lines)] = name


def normal(answer, ordered, counts=False):
    """The answer with rows sorted where their order is open, and types without what differs by size."""
    head, *lines = answer
    # What exec counts over partitions is a sum of their counts, which is LONG.
    if counts:
        head = head.replace("LONG ", "INT ")
        answer = [head, *lines]
    if not head.startswith("TABLE"):
        if ordered or len(lines) != 1:
            return answer
        return [head] + sorted(lines[0].split("|"))
    columns = [line.split("\t") for line in lines]
    # A column of texts is SYMBOL or STRING by where it comes from; both are texts.
    names = [(c[0], c[1].replace("FAST ", "").replace("HUGE ", "")) for c in columns]
    rows = list(zip(*[c[2].split("|") for c in columns]))
    return [head, names, rows if ordered else sorted(rows)]


def run(binary, script, folder):
    path = Path(folder, "kinds.dos")
    path.write_text("\n".join(script.lines) + "\n")
    done = subprocess.run([binary, "run", "--data", str(Path(folder, "data")), "--keep-going", str(path)],
                          capture_output=True, text=True, timeout=900, errors="replace")
    answers, name, lines = {}, None, []
    for line in done.stdout.split("\n"):
        if line == "#end":
            answers[name] = lines
            name = None
        elif name is None and line.startswith("#"):
            name, _, head = line[1:].partition(" ")
            lines = [head]
        elif name is not None:
            lines.append(line)
    errors, unexpected = {}, []
    for line in done.stderr.split("\n"):
        if line.startswith("kinds.dos:") or line.startswith(str(path)):
            parts = line[line.index("kinds.dos:") + 10:].split(":", 2)
            number = int(parts[0])
            if number in script.asked:
                errors.setdefault(script.asked[number], parts[2].strip())
            else:
                inner = [n for n in script.asked.values() if n in line]
                errors.setdefault(inner[0], parts[2].strip()) if inner else unexpected.append(line)
    if done.returncode < 0:
        unexpected.append(f"the process died of signal {-done.returncode} after {len(answers)} answers; the last was {name or (list(answers) or [''])[-1]}")
    return answers, errors, unexpected


def plain_error(text):
    """What went wrong, without the statement and names that say where."""
    return text.split("=> ")[-1]


def main():
    binary = sys.argv[1]
    everything = kinds()
    passed = failed = 0
    seen = {}
    for dataset in range((QUERIES + QUERIES_PER_DATASET - 1) // QUERIES_PER_DATASET):
        r = random.Random(SEED * 1000 + dataset)
        g = Generator(r)
        script = Script()
        sizes = [(90, 40), (90, 40), (60, 0), (0, 20), (1, 1), (40, 12)][dataset % 6]
        for name, size in zip(("plain_t", "plain_u"), sizes):
            script.lines += table_script(name, random_rows(r, size, dataset % 6 == 5))
        script.lines += ["go"]
        for kind in everything:
            for n, plain in (("t", "plain_t"), ("u", "plain_u"), ("w", "plain_t")):
                script.lines += [line.format(n=f"{kind.name}_{n}") for line in kind.script]
                script.lines += ["go", f"written = {kind.name}_{n}.append!(select * from {plain})"]
        script.lines += ["plain_w = select * from plain_t", "go"]
        queries = [g.query() for _ in range(min(QUERIES_PER_DATASET, QUERIES - dataset * QUERIES_PER_DATASET))]
        chosen = {}
        for i, (text, ordered, sequential) in enumerate(queries):
            script.ask(f"q{i}_plain", text.replace("{t}", "plain_t").replace("{u}", "plain_u"))
            allowed = [k for k in everything if k.ordered or not sequential]
            chosen[i] = [(r.choice(allowed).name, r.choice(allowed).name) for _ in range(KINDS_PER_QUERY)]
            if not sequential and r.random() < 0.5:
                chosen[i][0] = ("plain", chosen[i][0][1])
                chosen[i][1] = (chosen[i][1][0], chosen[i][1][0])
            for left, right in chosen[i]:
                script.ask(f"q{i}_{left}_{right}", text.replace("{t}", left + "_t").replace("{u}", right + "_u"))
        changes = [g.change(1000 + 100 * i) for i in range(16)]
        changing = [k for k in everything if k.changes]
        for i, text in enumerate(changes):
            for kind in ["plain", *[k.name for k in changing]]:
                script.change(f"c{i}_{kind}_change", text.replace("{t}", kind + "_w").replace("{u}", "plain_u"))
                script.ask(f"c{i}_{kind}", f"select * from {kind}_w order by id")
        with tempfile.TemporaryDirectory() as folder:
            answers, errors, unexpected = run(binary, script, folder)
            if os.environ.get("PELORUS_KINDS_KEEP"):
                Path(os.environ["PELORUS_KINDS_KEEP"], f"kinds{dataset}.dos").write_text("\n".join(script.lines) + "\n")
        for line in dict.fromkeys(unexpected):
            print(f"FAILED data set {dataset}: {line[:300]}")
            failed += 1

        def judge(name, base, ordered, text):
            nonlocal passed, failed
            if base in errors and name in errors:
                seen.setdefault(("refused", plain_error(errors[base])), []).append((text, dataset, name))
                return True
            if name in errors:
                what = "error: " + plain_error(errors[name])
            elif name not in answers:
                what = "no answer"
            elif base not in answers:
                what = "no error, but the plain table gives: " + plain_error(errors.get(base, "no answer"))
            elif normal(answers[name], ordered, text.startswith("exec count(")) == normal(answers[base], ordered, text.startswith("exec count(")):
                passed += 1
                return True
            else:
                what = "another answer"
                if SHOW:
                    print("\n".join(["--- plain", *answers[base][:30], "--- " + name, *answers[name][:30]]))
            failed += 1
            print(f"FAILED data set {dataset}, {name}: {what}\n    {text}")
            return False

        for i, (text, ordered, sequential) in enumerate(queries):
            for left, right in chosen[i]:
                judge(f"q{i}_{left}_{right}", f"q{i}_plain", ordered, text.replace("{t}", left + "_t").replace("{u}", right + "_u"))
        for kind in changing:
            for i, text in enumerate(changes):
                said = f"c{i}_{kind.name}_change"
                if (said in errors) != (f"c{i}_plain_change" in errors):
                    failed += 1
                    print(f"FAILED data set {dataset}, {said}: {plain_error(errors.get(said, 'no error'))}, plain: {plain_error(errors.get(f'c{i}_plain_change', 'no error'))}\n    {text}")
                    break
                if not judge(f"c{i}_{kind.name}", f"c{i}_plain", True, text.replace("{t}", kind.name + "_w")):
                    break
    if SHOW:
        for (what, error), texts in sorted(seen.items(), key=lambda item: -len(item[1])):
            print(f"{what} {len(texts)}: {error}\n    {texts[0][0]}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

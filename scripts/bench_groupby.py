#!/usr/bin/env python3
"""The ten group-by questions of db-benchmark over 10^7 rows in memory, beside DuckDB and Polars in the same run.

    bench_groupby.py [--rows 10000000] [--tasks q1,q2,…] [--peers duckdb,polars] [--runs 6]

Nine columns computed from row numbers: two of 100 texts, one of a text per hundred rows, three of whole numbers alike, values 1 to 5
and 1 to 15, and a DOUBLE of six decimals. Texts lie as the published solutions keep them: SYMBOL here, ENUM in DuckDB,
Categorical in Polars. Six runs of each, the first to warm up. The goal is 1.1 times the better peer's time.
"""
import sys

from bench_beside import Task, compare, options_of

# column: our type and DuckDB's, how many values, a multiplier of its own
NUMBERS = {"id4": ("int", 100, 2246822519), "id5": ("int", 100, 3266489917), "id6": ("int", "{many}", 668265263),
           "v1": ("int", 5, 374761393), "v2": ("int", 15, 2654435761)}
TEXTS = {"id1": (100, 3, 2971215073), "id2": (100, 3, 1500450271), "id3": ("{many}", 10, 3367900313)}


def hashed(multiplier, xor, shift="{} >> 15"):
    """A number below 2^32 from the row's, in the language that `xor` and `shift` say: two rounds, so that columns are unrelated."""
    first = f"(id * {multiplier} % 4294967296)"
    return f"({xor.format(first, shift.format(first))} * 2057 % 4294967296)"


def own_rows(rows, many):
    one = lambda m: hashed(f"{m}l", "bitXor({}, {})")  # noqa: E731
    lines = [f"id = long(1..{rows})", "columns = dict(STRING, ANY, true)"]
    for name, (count, digits, multiplier) in TEXTS.items():
        count = str(count).format(many=many)
        lines.append(f'columns[`{name}] = symbol("id" + lpad(string(1..{count}), {digits}, "0"))[int({one(multiplier)} % {count})]')
    for name, (_, count, multiplier) in NUMBERS.items():
        lines.append(f"columns[`{name}] = int({one(multiplier)} % {str(count).format(many=many)}) + 1")
    lines.append(f"columns[`v3] = double({one(1640531527)} * 100000000 / 4294967296) / 1000000.0")
    return "\n".join([*lines, "t = table(columns)", "undef(`id`columns)", ""])


def duckdb_rows(rows, many):
    one = lambda m: hashed(m, "xor({}, {})")  # noqa: E731
    lines, items = [], []
    for name, (count, digits, multiplier) in TEXTS.items():
        count = str(count).format(many=many)
        lines.append(f"base.execute(\"create type {name}_t as enum (select 'id' || lpad(i::varchar, {digits}, '0') from range(1, {count} + 1) r(i))\")")
        items.append(f"('id' || lpad(({one(multiplier)} % {count} + 1)::varchar, {digits}, '0'))::{name}_t as {name}")
    items += [f"({one(multiplier)} % {str(count).format(many=many)} + 1)::int as {name}" for name, (_, count, multiplier) in NUMBERS.items()]
    items.append(f"({one(1640531527)} * 100000000 // 4294967296)::double / 1000000.0 as v3")
    lines.append(f"base.execute(\"create table t as select {', '.join(items)} from range(1, {rows} + 1) r(id)\")")
    return "\n".join(lines)


def polars_rows(rows, many):
    # Polars has no shift by elements: the half above is a division.
    one = lambda m: hashed(m, "({} ^ {})", "({} // 32768)")  # noqa: E731
    lines = [f"id = pl.int_range(1, {rows} + 1, dtype=pl.Int64, eager=True)", "columns = {}"]
    for name, (count, digits, multiplier) in TEXTS.items():
        count = str(count).format(many=many)
        lines.append(f"columns['{name}'] = pl.Series(['id' + str(i).zfill({digits}) for i in range(1, {count} + 1)])"
                     f".gather({one(multiplier)} % {count}).cast(pl.Categorical)")
    for name, (_, count, multiplier) in NUMBERS.items():
        lines.append(f"columns['{name}'] = ({one(multiplier)} % {str(count).format(many=many)} + 1).cast(pl.Int32)")
    lines.append(f"columns['v3'] = ({one(1640531527)} * 100000000 // 4294967296).cast(pl.Float64) / 1000000.0")
    return "\n".join([*lines, "t = pl.DataFrame(columns).lazy()", "del id, columns"])


def grouped(what, keys, ours, duckdb, polars, goal=1.1):
    return Task(what, f"select {ours} from t group by {keys}", f"select {keys}, {duckdb} from t group by {keys}", goal,
                f"t.group_by({', '.join(repr(k.strip()) for k in keys.split(','))}).agg({polars})")


TASKS = {
    "q1": grouped("sum by 100 texts", "id1", "sum(v1) as v1", "sum(v1) as v1", "pl.col('v1').sum()"),
    "q2": grouped("sum by two times 100 texts", "id1, id2", "sum(v1) as v1", "sum(v1) as v1", "pl.col('v1').sum()"),
    "q3": grouped("sum and mean by 10^5 texts", "id3", "sum(v1) as v1, avg(v3) as v3", "sum(v1) as v1, avg(v3) as v3",
                  "pl.col('v1').sum(), pl.col('v3').mean()"),
    "q4": grouped("three means by 100 numbers", "id4", "avg(v1) as v1, avg(v2) as v2, avg(v3) as v3",
                  "avg(v1) as v1, avg(v2) as v2, avg(v3) as v3", "pl.col('v1', 'v2', 'v3').mean()"),
    "q5": grouped("three sums by 10^5 numbers", "id6", "sum(v1) as v1, sum(v2) as v2, sum(v3) as v3",
                  "sum(v1) as v1, sum(v2) as v2, sum(v3) as v3", "pl.col('v1', 'v2', 'v3').sum()"),
    "q6": grouped("median and deviation by 10^4 pairs", "id4, id5", "med(v3) as m, std(v3) as s", "median(v3) as m, stddev(v3) as s",
                  "m=pl.col('v3').median(), s=pl.col('v3').std()"),
    "q7": grouped("range by 10^5 texts", "id3", "max(v1) - min(v2) as r", "max(v1) - min(v2) as r", "r=pl.col('v1').max() - pl.col('v2').min()"),
    "q8": Task("two largest by 10^5 numbers", "select id6, v3 from t context by id6 csort v3 desc limit 2",
               "select id6, v3 from (select id6, v3, row_number() over (partition by id6 order by v3 desc) as place from t) where place <= 2", 1.1,
               "t.select('id6', 'v3').group_by('id6').agg(pl.col('v3').top_k(2)).explode('v3')"),
    "q9": grouped("regression by 10^4 pairs", "id2, id4", "square(corr(v1, v2)) as r2", "corr(v1, v2) ^ 2 as r2",
                  "r2=pl.corr('v1', 'v2') ** 2"),
    "q10": grouped("sum and count by six keys, 10^7 groups", "id1, id2, id3, id4, id5, id6", "sum(v3) as v3, count(*) as n",
                   "sum(v3) as v3, count(*) as n", "pl.col('v3').sum(), n=pl.len()"),
}


def main():
    options = options_of(__doc__, 10_000_000, TASKS, ("duckdb", "polars"))
    many = max(1, options.rows // 100)
    setups = {"duckdb": duckdb_rows(options.rows, many), "polars": polars_rows(options.rows, many)}
    return compare(TASKS, own_rows(options.rows, many), setups, options, "groupby")


if __name__ == "__main__":
    sys.exit(main())

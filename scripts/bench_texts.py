#!/usr/bin/env python3
"""Queries over texts: sorts, groups, distinct ones, functions of keys, beside DuckDB and Polars in the same run.

    bench_texts.py [--rows 10000000] [--tasks sort,pair,…] [--peers duckdb,polars] [--runs 4]

The rows are computed from their numbers, so that all have the same. `id` is a text of 12 bytes, one of rows / 2; `name` one of 50,000
texts of 18 to 22 bytes; `sym` a symbol of 100; `k` an integer, one of 3/8 of the rows. The goal is the better peer's time times what the task says.
"""
import sys

from bench_beside import Task, compare, options_of

TASKS = {
    "sort": Task("all rows in the order of a text", "select id as x, v from t order by id", "select id as x, v from t order by id", 0.8,
                 "t.select('id', 'v').sort('id', maintain_order=True).select(x='id', v='v')"),
    "sortname": Task("all rows in the order of 50,000 texts", "select name as x, v from t order by name", "select name as x, v from t order by name", 0.8,
                     "t.select('name', 'v').sort('name', maintain_order=True).select(x='name', v='v')"),
    "pair": Task("sums by a symbol and a text, rows / 2 groups", "select sum(v) as x from t group by sym, id", "select sum(v) as x from t group by sym, id",
                 0.8, "t.group_by('sym', 'id').agg(x=pl.col('v').sum())"),
    "names": Task("counts by 50,000 texts", "select count(*) as x from t group by name", "select count(*) as x from t group by name", 0.9,
                  "t.group_by('name').agg(x=pl.len())"),
    "symbolsof": Task("distinct symbols by 100 keys", "select count(distinct sym) as x from t group by g", "select count(distinct sym) as x from t group by g",
                      0.8, "t.group_by('g').agg(x=pl.col('sym').n_unique())"),
    "symbols": Task("distinct symbols", "select count(distinct sym) as x from t", "select count(distinct sym) as x from t", 0.8,
                    "t.select(x=pl.col('sym').n_unique())"),
    "textsof": Task("distinct texts by 100 keys", "select count(distinct name) as x from t group by g", "select count(distinct name) as x from t group by g",
                    0.8, "t.group_by('g').agg(x=pl.col('name').n_unique())"),
    "texts": Task("distinct texts", "select count(distinct id) as x from t", "select count(distinct id) as x from t", 0.8,
                  "t.select(x=pl.col('id').n_unique())"),
    "upper": Task("upper of a symbol as a key", "select sum(v) as x from t group by upper(sym)", "select sum(v) as x from t group by upper(sym)", 0.8,
                  "t.group_by(u=pl.col('sym').str.to_uppercase()).agg(x=pl.col('v').sum())"),
    "distinct": Task("distinct integers", "select distinct k as x from t", "select distinct k as x from t", 0.8, "t.select(x='k').unique()"),
    "first": Task("first 9,000 rows by a text", "select top 9000 id as x from t order by id", "select id as x from t order by id limit 9000", 0.8,
                  "t.select(x='id').sort('x').head(9000)"),
}
OWN_ROWS = """
n = long(0..({rows} - 1))
t = table("id" + lpad(string(n * 2654435761l % ({rows} / 2)), 10, "0") as id, "a name of many: " + string(n * 48271 % 50000) as name,
    symbol("s" + string(n * 69621 % 100)) as sym, int(n * 7919 % 100) as g, int(n * 40503 % ({rows} * 3 / 8)) as k, double(n % 1000) as v)
"""
DUCKDB_ROWS = """
base.execute("create table t as select 'id' || lpad((n * 2654435761 % ({rows} // 2))::varchar, 10, '0') as id, 'a name of many: ' || (n * 48271 % 50000) as name, "
             "'s' || (n * 69621 % 100) as sym, (n * 7919 % 100)::int as g, (n * 40503 % ({rows} * 3 // 8))::int as k, (n % 1000)::double as v from range({rows}) r(n)")
"""
POLARS_ROWS = """
n = pl.col("n")
t = pl.select(n=pl.int_range({rows}, dtype=pl.Int64)).select(
    id="id" + (n * 2654435761 % ({rows} // 2)).cast(pl.String).str.zfill(10), name="a name of many: " + (n * 48271 % 50000).cast(pl.String),
    sym="s" + (n * 69621 % 100).cast(pl.String), g=(n * 7919 % 100).cast(pl.Int32), k=(n * 40503 % ({rows} * 3 // 8)).cast(pl.Int32),
    v=(n % 1000).cast(pl.Float64)).lazy()
"""


def main():
    options = options_of(__doc__, 10_000_000, TASKS, ("duckdb", "polars"), 4)
    setups = {"duckdb": DUCKDB_ROWS.format(rows=options.rows), "polars": POLARS_ROWS.format(rows=options.rows)}
    return compare(TASKS, OWN_ROWS.format(rows=options.rows), setups, options, "texts")


if __name__ == "__main__":
    sys.exit(main())

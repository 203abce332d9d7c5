#!/usr/bin/env python3
"""Window functions, `context by` and limits of groups over 10^7 rows in memory, beside DuckDB and Polars in the same run.

    bench_windows.py [--rows 10000000] [--tasks rownumber,…] [--peers duckdb,polars] [--runs 4]

Rows are computed from their numbers: `p` cuts them into 3.75 million partitions, `g` into 1,000, in an order of their own; `id` is
the order of the table.
"""
import sys

from bench_beside import Task, compare, options_of


def total(what, goal, ours, duckdb="", polars=""):
    """A query whose answer is the sum of a column `y`, so that nobody's time is that of showing rows."""
    return Task(what, f"select sum(y) as x from ({ours})", f"select sum(y) as x from ({duckdb or ours})", goal,
                f"t.select({polars}.alias('y')).select(x=pl.col('y').sum())" if polars else "")


TASKS = {
    "rownumber": total("row_number of 3.75 M partitions", 1.0, "select row_number() over (partition by p order by id) as y from t"),
    "rank": total("rank by a number, of 3.75 M", 1.0, "select rank() over (partition by p order by v) as y from t"),
    "sliding": total("sum of 10 rows, of 3.75 M", 1.0,
                     "select sum(v) over (partition by p order by id rows between 9 preceding and current row) as y from t"),
    "running": total("running sum, of 3.75 M", 1.0, "select sum(v) over (partition by p order by id) as y from t"),
    "lag": total("lag, of 3.75 M", 1.0, "select lag(v) over (partition by p order by id) as y from t"),
    "whole": total("mean of the partition, of 3.75 M", 1.0, "select avg(v) over (partition by p) as y from t"),
    "cumsum": total("cumsum, of 3.75 M groups", 0.7, "select cumsum(v) as y from t context by p",
                    "select sum(v) over (partition by p order by id) as y from t", "pl.col('v').cum_sum().over('p')"),
    "msum": total("msum of 10 rows, of 3.75 M groups", 0.7, "select msum(v, 10, 1) as y from t context by p",
                  "select sum(v) over (partition by p order by id rows between 9 preceding and current row) as y from t"),
    "deltas": total("change to the row before, of 3.75 M groups", 0.7, "select v - prev(v) as y from t context by p",
                    "select v - lag(v) over (partition by p order by id) as y from t", "(pl.col('v') - pl.col('v').shift(1)).over('p')"),
    "two": total("two largest of 3.75 M groups", 0.8, "select v as y from t context by p csort v desc limit 2",
                 "select v as y from (select v, row_number() over (partition by p order by v desc) as r from t) where r <= 2"),
    "rownumber1000": total("row_number of 1,000 partitions", 0.8, "select row_number() over (partition by g order by id) as y from t"),
    "rank1000": total("rank by a number, of 1,000", 0.8, "select rank() over (partition by g order by v) as y from t"),
    "sliding1000": total("mean of 100 rows, of 1,000", 0.8,
                         "select avg(v) over (partition by g order by id rows between 99 preceding and current row) as y from t"),
    "running1000": total("running sum, of 1,000", 0.8, "select sum(v) over (partition by g order by id) as y from t"),
    "max1000": total("max of 100 rows, of 1,000", 0.8,
                     "select max(v) over (partition by g order by id rows between 99 preceding and current row) as y from t"),
    "mavg1000": total("mavg of 100 rows, of 1,000 groups", 0.8, "select mavg(v, 100, 1) as y from t context by g",
                      "select avg(v) over (partition by g order by id rows between 99 preceding and current row) as y from t"),
    "one": total("running sum of all rows", 0.8, "select sum(v) over (order by id) as y from t"),
    "onerank": total("rank of all rows", 0.8, "select rank() over (order by v) as y from t"),
}
OWN_ROWS = """
id = long(0..({rows} - 1))
t = table(id as id, double(id * 2654435761l % 4294967296l) / 42949672.96 + 0.001 as v,
    int(id * 2246822519l % 4294967296l % max(1, {rows} * 3 / 8)) as p, int(id * 48271 % 1000) as g)
undef(`id)
"""
DUCKDB_ROWS = """
base.execute("create table t as select id, (id * 2654435761 % 4294967296)::double / 42949672.96 + 0.001 as v, "
             "(id * 2246822519 % 4294967296 % greatest(1, {rows} * 3 // 8))::int as p, (id * 48271 % 1000)::int as g from range({rows}) r(id)")
"""
POLARS_ROWS = """
t = pl.select(id=pl.int_range({rows}, dtype=pl.Int64)).with_columns(
    v=(pl.col('id') * 2654435761 % 4294967296).cast(pl.Float64) / 42949672.96 + 0.001,
    p=(pl.col('id') * 2246822519 % 4294967296 % max(1, {rows} * 3 // 8)).cast(pl.Int32), g=(pl.col('id') * 48271 % 1000).cast(pl.Int32)).lazy()
"""


def main():
    options = options_of(__doc__, 10_000_000, TASKS, ("duckdb", "polars"), runs=4)
    setups = {"duckdb": DUCKDB_ROWS.format(rows=options.rows), "polars": POLARS_ROWS.format(rows=options.rows)}
    return compare(TASKS, OWN_ROWS.format(rows=options.rows), setups, options, "windows")


if __name__ == "__main__":
    sys.exit(main())

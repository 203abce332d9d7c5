#!/usr/bin/env python3
"""General queries over a table of 10^7 rows in memory, beside DuckDB and Polars in the same run.

    bench_queries.py [--rows 10000000] [--tasks top10,like,…] [--peers duckdb,polars] [--runs 6]

The rows are computed from their numbers, so that all have the same. The goal is the better peer's time times what the task says.
"""
import sys

from bench_beside import Task, compare, options_of

TASKS = {
    "top10": Task("top 10 by a DOUBLE column", "select top 10 v as x from t order by v",
                 "select v as x from t order by v limit 10", 1.2,
                 "t.select(x='v').sort('x').head(10)"),
    "top2keys": Task("top 100 by an INT and a DOUBLE, down", "select v as x from t order by g desc, v desc limit 100",
                    "select v as x from t order by g desc, v desc limit 100", 1.2,
                    "t.sort('g', 'v', descending=True).head(100).select(x='v')"),
    "topwide": Task("all columns of the last 10 of a condition", "select g + k as x, * from t where a > 4 order by v desc, time limit 10",
                    "select g + k as x, * from t where a > 4 order by v desc, time limit 10", 1.2,
                    "t.filter(pl.col('a') > 4).sort('v', 'time', descending=[True, False]).head(10).with_columns(x=pl.col('g') + pl.col('k'))"),
    "limit": Task("five rows of a wide expression", "select sqrt(v) * g + k % 7 + log(v) as x, v from t limit 5",
                  "select sqrt(v) * g + k % 7 + ln(v) as x, v from t limit 5", 1.2,
                  "t.head(5).select(x=pl.col('v').sqrt() * pl.col('g') + pl.col('k') % 7 + pl.col('v').log())"),
    "like": Task("like '%99%' on 10^5 texts", 'select count(*) as x from s where name like "%99%"',
                "select count(*) as x from s where name like '%99%'", 1.2,
                "s.filter(pl.col('name').str.contains('99', literal=True)).select(x=pl.len())"),
    "distinct": Task("distinct count of 10^5 values by 1000 groups", "select nunique(k) as x from t group by g",
                    "select count(distinct k) as x from t group by g", 1.2,
                    "t.group_by('g').agg(x=pl.col('k').n_unique())"),
    "sqrt": Task("sum(sqrt(v)) by 1000 groups", "select sum(sqrt(v)) as x from t group by g",
                "select sum(sqrt(v)) as x from t group by g", 1.2,
                "t.group_by('g').agg(x=pl.col('v').sqrt().sum())"),
    "log": Task("sum(log(v)) by 1000 groups", "select sum(log(v)) as x from t group by g",
               "select sum(ln(v)) as x from t group by g", 1.2,
               "t.group_by('g').agg(x=pl.col('v').log().sum())"),
    "case": Task("sum(case …) by 1000 groups", "select sum(case when v > 50 then v else 0.0 end) as x from t group by g",
                "select sum(case when v > 50 then v else 0.0 end) as x from t group by g", 1.2,
                "t.group_by('g').agg(x=pl.when(pl.col('v') > 50).then('v').otherwise(0.0).sum())"),
    "upper": Task("upper(name) as a key", "select sum(v) as x from t group by upper(sym)",
                 "select sum(v) as x from t group by upper(sym)", 1.2,
                 "t.group_by(upper_sym=pl.col('sym').str.to_uppercase()).agg(x=pl.col('v').sum())"),
    "bar": Task("sums by symbol and bars of a minute", "select sum(v) as x from t group by sym, bar(time, 1m)",
               "select sum(v) as x from t group by sym, time // 60000", 1.2,
               "t.group_by('sym', bar_time=pl.col('time') // 60000 * 60000).agg(x=pl.col('v').sum())"),
    "sixkeys": Task("sums by six keys, 10^6 groups", "select sum(v) as x from t group by g, a, b, c, d, e",
                   "select sum(v) as x from t group by g, a, b, c, d, e", 1.2,
                   "t.group_by('g', 'a', 'b', 'c', 'd', 'e').agg(x=pl.col('v').sum())"),
    "among": Task("rows whose key is among 1000", "select count(*) as x from t where k in 0..999",
                 "select count(*) as x from t where k in (select * from range(1000))", 1.2,
                 "t.filter(pl.col('k').is_in(list(range(1000)))).select(x=pl.len())"),
}
OWN_ROWS = """
id = long(0..({rows} - 1))
t = table(double(id * 2654435761l % 4294967296l) / 42949672.96 + 0.001 as v, int(id * 48271 % 1000) as g, int(id * 69621 % 100000) as k,
    int(id % 10) as a, int(id / 10 % 10) as b, int(id / 100 % 10) as c, int(id / 3 % 7) as d, int(id / 7 % 5) as e,
    time(34200000 + id * 37 % 23400000) as time, take(`ab`cd`ef`gh`ij`kl`mn`op, {rows}) as sym)
s = table("text number " + string(1..100000) as name)
"""
DUCKDB_ROWS = """
base.execute("create table t as select (id * 2654435761 % 4294967296)::double / 42949672.96 + 0.001 as v, (id * 48271 % 1000)::int as g, "
             "(id * 69621 % 100000)::int as k, (id % 10)::int as a, (id // 10 % 10)::int as b, (id // 100 % 10)::int as c, (id // 3 % 7)::int as d, "
             "(id // 7 % 5)::int as e, (34200000 + id * 37 % 23400000)::int as time, "
             "list_extract(['ab','cd','ef','gh','ij','kl','mn','op'], (id % 8 + 1)::int) as sym from range({rows}) r(id)")
base.execute("create table s as select 'text number ' || i as name from range(1, 100001) r(i)")
"""
POLARS_ROWS = """
id = pl.col("id")
t = pl.select(id=pl.int_range({rows}, dtype=pl.Int64)).select(
    v=(id * 2654435761 % 4294967296).cast(pl.Float64) / 42949672.96 + 0.001, g=(id * 48271 % 1000).cast(pl.Int32), k=(id * 69621 % 100000).cast(pl.Int32),
    a=(id % 10).cast(pl.Int32), b=(id // 10 % 10).cast(pl.Int32), c=(id // 100 % 10).cast(pl.Int32), d=(id // 3 % 7).cast(pl.Int32),
    e=(id // 7 % 5).cast(pl.Int32), time=(34200000 + id * 37 % 23400000).cast(pl.Int32),
    sym=pl.Series(["ab", "cd", "ef", "gh", "ij", "kl", "mn", "op"]).gather((pl.int_range({rows}, eager=True) % 8))).lazy()
s = pl.DataFrame({{"name": [f"text number {{i}}" for i in range(1, 100001)]}}).lazy()
"""


def main():
    options = options_of(__doc__, 10_000_000, TASKS, ("duckdb", "polars"))
    setups = {"duckdb": DUCKDB_ROWS.format(rows=options.rows), "polars": POLARS_ROWS.format(rows=options.rows)}
    return compare(TASKS, OWN_ROWS.format(rows=options.rows), setups, options, "queries")


if __name__ == "__main__":
    sys.exit(main())

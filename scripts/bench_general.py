#!/usr/bin/env python3
"""Thirty queries of everyday over 10^7 rows in memory, beside DuckDB in the same run: what no other benchmark here asks.

    bench_general.py [--rows 10000000] [--tasks in,prefix,…] [--peers duckdb] [--runs 4]

Rows are computed from their numbers: a month of timestamps in order, numbers, texts of which 50,000 are different, one column with
NULLs, and a table of 10^5 keys to join. The goal is 1.2 times the peer's time.
"""
import sys

from bench_beside import Task, compare, options_of


def task(what, ours, duckdb="", any_rows=False):
    return Task(what, ours, duckdb or ours, 1.2, any_rows=any_rows)


TASKS = {
    "in": task("count where in and between", "select count(*) as n from t where g in (1, 5, 7, 900) and v between 20.0 and 80.0"),
    "or": task("count of or of three columns", "select count(*) as n from t where g < 3 or k > 99990 or v < 0.01"),
    "point": task("rows of one key", "select v from t where k = 777"),
    "prefix": task("sum where a text begins so", 'select sum(v) as x from t where s like "name 12%"', "select sum(v) as x from t where s like 'name 12%'"),
    "textequal": task("sum where a text equals", 'select sum(v) as x from t where s = "name 4242"', "select sum(v) as x from t where s = 'name 4242'"),
    "textgroup": task("count by 50,000 texts", "select count(*) as n from t group by s"),
    "topgroups": task("ten largest of 50,000 texts", "select top 10 count(*) as n, sum(v) as x from t group by s order by n desc, x desc",
                      "select count(*) as n, sum(v) as x from t group by s order by n desc, x desc limit 10"),
    "substr": task("count by the first letters", "select count(*) as n from t group by left(s, 6)", "select count(*) as n from t group by left(s, 6)"),
    "strlen": task("mean length of texts", "select avg(strlen(s)) as x from t", "select avg(strlen(s)) as x from t"),
    "distincttexts": task("different texts", "select distinct s from t"),
    "distinctpairs": task("different pairs of 10^5", "select distinct g, d from t"),
    "nuniquetexts": task("how many texts there are", "select nunique(s) as n from t", "select count(distinct s) as n from t"),
    "moments": task("min, max, mean, deviation by a key", "select min(v) as a, max(v) as b, avg(v) as c, std(v) as d from t group by sym",
                    "select min(v) as a, max(v) as b, avg(v) as c, stddev(v) as d from t group by sym"),
    "nulls": task("sums and counts of a column with NULLs", "select sum(x) as a, count(x) as n, avg(x) as b from t group by g"),
    "firstlast": task("first and last by a key", "select first(v) as a, last(v) as b from t group by g",
                      "select first(v order by id) as a, last(v order by id) as b from t group by g"),
    "argmax": task("where the greatest stands", "select atImax(v, id) as i from t group by g", "select arg_max(id, v) as i from t group by g"),
    "quantile": task("median and 90 % by eight keys", "select med(v) as a, quantile(v, 0.9) as b from t group by sym",
                     "select median(v) as a, quantile_cont(v, 0.9) as b from t group by sym"),
    "corr": task("correlation by a key", "select corr(v, k) as c from t group by g", "select corr(v, k) as c from t group by g"),
    "date": task("sums by day and hour", "select sum(v) as x from t group by date(time), hour(time)", "select sum(v) as x from t group by time::date, hour(time)"),
    "month": task("sums by year and month", "select sum(v) as x from t group by year(time), monthOfYear(time)", "select sum(v) as x from t group by year(time), month(time)"),
    "weekday": task("count on weekdays", "select count(*) as n from t where weekday(time, false) < 5 group by hour(time)",
                    "select count(*) as n from t where isodow(time) <= 5 group by hour(time)"),
    "day": task("sum of one day", "select sum(v) as x from t where time >= 2024.01.10T00:00:00.000 and time < 2024.01.11T00:00:00.000",
                "select sum(v) as x from t where time >= '2024-01-10' and time < '2024-01-11'"),
    "having": task("groups above a bound", "select g, sum(v) as x from t group by g having sum(v) > 500100",
                   "select g, sum(v) as x from t group by g having sum(v) > 500100"),
    "cases": task("sums of two cases", "select sum(case when v > 50 then v else 0.0 end) as a, sum(case when g < 10 then 1 else 0 end) as b from t"),
    "wide": task("sum of a wide expression", "select sum(v * g + k \\ 3.0 - sqrt(v) * abs(v - 50)) as x from t", "select sum(v * g + k / 3.0 - sqrt(v) * abs(v - 50)) as x from t"),
    "running": task("running sums by key", "select sum(y) as x from (select cumsum(v) as y from t context by g)",
                    "select sum(y) as x from (select sum(v) over (partition by g order by id) as y from t)"),
    "lag": task("change to the row before by key", "select max(y) as x from (select v - prev(v) as y from t context by g)",
                "select max(y) as x from (select v - lag(v) over (partition by g order by id) as y from t)"),
    "moving": task("moving mean of 20 by key", "select sum(y) as x from (select mavg(v, 20, 1) as y from t context by g)",
                   "select sum(y) as x from (select avg(v) over (partition by g order by id rows 19 preceding) as y from t)"),
    "rank": task("three largest by key", "select sum(v) as x from (select v from t context by g csort v desc limit 3)",
                 "select sum(v) as x from (select v, row_number() over (partition by g order by v desc) as r from t) where r <= 3"),
    "joinsum": task("sum by what a key stands for", "select sum(v) as x from ej(t, u, `k) group by kind", "select sum(v) as x from t join u using (k) group by kind"),
    "leftjoin": task("rows without a partner", "select count(*) as n from lj(t, u, `k) where isNull(weight)",
                     "select count(*) as n from t left join u using (k) where weight is null"),
    "semijoin": task("rows whose key is among others", "select count(*) as n from t where k in (exec k from u where weight < 10.0)",
                     "select count(*) as n from t where k in (select k from u where weight < 10.0)"),
    "sort": task("all rows by two columns", "select g, v from t order by g, v"),
    "toptext": task("first 20 by a text and a number", "select top 20 s, id from t order by s desc, id", "select s, id from t order by s desc, id limit 20"),
    "union": task("two selects as one", "select sum(x) as x from unionAll((select v as x from t where g < 100), (select x from t where g >= 900))",
                  "select sum(x) as x from (select v as x from t where g < 100 union all select x from t where g >= 900)"),
}
OWN_ROWS = """
id = long(0..({rows} - 1))
t = table(id as id, double(id * 2654435761l % 4294967296l) / 42949672.96 + 0.001 as v, int(id * 48271 % 1000) as g, int(id * 69621 % 100000) as k,
    int(id / 7 % 100) as d, "name " + string(id * 7919 % 50000) as s, take(`ab`cd`ef`gh`ij`kl`mn`op, {rows}) as sym,
    2024.01.01T00:00:00.000 + id * (2678400000l / {rows}) as time, iif(id % 11 == 0, double(), double(id % 1000) / 8) as x)
u = table(0..89999 as k, (0..89999) % 17 as kind, double((0..89999) % 1000) / 4 as weight)
undef(`id)
"""
DUCKDB_ROWS = """
base.execute("create table t as select id, (id * 2654435761 % 4294967296)::double / 42949672.96 + 0.001 as v, (id * 48271 % 1000)::int as g, "
             "(id * 69621 % 100000)::int as k, (id // 7 % 100)::int as d, 'name ' || (id * 7919 % 50000) as s, "
             "list_extract(['ab','cd','ef','gh','ij','kl','mn','op'], (id % 8 + 1)::int) as sym, "
             "make_timestamp(1704067200000000 + id * (2678400000 // {rows}) * 1000) as time, "
             "case when id % 11 = 0 then null else (id % 1000)::double / 8 end as x from range({rows}) r(id)")
base.execute("create table u as select id::int as k, (id % 17)::int as kind, (id % 1000)::double / 4 as weight from range(90000) r(id)")
"""


def main():
    options = options_of(__doc__, 10_000_000, TASKS, ("duckdb",), runs=4)
    return compare(TASKS, OWN_ROWS.format(rows=options.rows), {"duckdb": DUCKDB_ROWS.format(rows=options.rows)}, options, "general")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The 22 queries of TPC-H as written, over tables in memory, beside DuckDB in the same run.

    bench_tpch.py [--scale 1] [--tasks q1,q2,…] [--runs 4] [--stored]

The data come from tpchgen-cli, a public generator of the benchmark's rows, once for each scale, to build/bench. Decimals are
DOUBLE on both sides. With --stored our tables lie in a database on disk, lineitem and orders cut by the ranges of their order
keys. Four runs of each, the first to warm up. The goal is 0.9 of DuckDB's time in the geometric mean, 1.5 for each.
"""
import argparse
import sys

from bench_beside import Task, compare
from bench_record import ROOT, call, peers_python

# d: date, i: whole number, f: decimal kept as DOUBLE, s: text, y: one of few texts
TABLES = {
    "region": "r_regionkey i, r_name y, r_comment s",
    "nation": "n_nationkey i, n_name y, n_regionkey i, n_comment s",
    "supplier": "s_suppkey i, s_name s, s_address s, s_nationkey i, s_phone s, s_acctbal f, s_comment s",
    "customer": "c_custkey i, c_name s, c_address s, c_nationkey i, c_phone s, c_acctbal f, c_mktsegment y, c_comment s",
    "part": "p_partkey i, p_name s, p_mfgr y, p_brand y, p_type y, p_size i, p_container y, p_retailprice f, p_comment s",
    "partsupp": "ps_partkey i, ps_suppkey i, ps_availqty i, ps_supplycost f, ps_comment s",
    "orders": "o_orderkey i, o_custkey i, o_orderstatus y, o_totalprice f, o_orderdate d, o_orderpriority y, o_clerk y, "
              "o_shippriority i, o_comment s",
    "lineitem": "l_orderkey i, l_partkey i, l_suppkey i, l_linenumber i, l_quantity f, l_extendedprice f, l_discount f, "
                "l_tax f, l_returnflag y, l_linestatus y, l_shipdate d, l_commitdate d, l_receiptdate d, "
                "l_shipinstruct y, l_shipmode y, l_comment s",
}
OWN_TYPES = {"d": "DATE", "i": "INT", "f": "DOUBLE", "s": "STRING", "y": "SYMBOL"}
DUCKDB_TYPES = {"d": "DATE", "i": "INTEGER", "f": "DOUBLE", "s": "VARCHAR", "y": "VARCHAR"}
CUT_BY_ORDER = {"orders": "o_orderkey", "lineitem": "l_orderkey"}


def columns_of(table):
    return [column.split() for column in TABLES[table].split(", ")]


def queries():
    text = (ROOT / "scripts/tpch_queries.sql").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("--")]
    return [" ".join(query.split()) for query in "\n".join(lines).split(";") if query.strip()]


def generated(scale):
    """The folder of the rows of a scale, made when it is not there."""
    folder = ROOT / f"build/bench/tpch{scale:g}"
    if (folder / "lineitem.csv").exists():
        return folder
    tool = peers_python(ROOT / "build/bench").parent / "tpchgen-cli"
    call([tool, "csv", "-s", f"{scale:g}", "--output-dir", folder.with_suffix(".new")])
    folder.with_suffix(".new").rename(folder)
    return folder


def own_rows(folder, scale, stored):
    script = ""
    for table in TABLES:
        names = "".join("`" + name for name, _ in columns_of(table))
        types = ", ".join(f'"{OWN_TYPES[kind]}"' for _, kind in columns_of(table))
        script += f'{table} = loadText("{folder}/{table}.csv", , table({names} as name, [{types}] as type))\n'
    if not stored:
        return script
    last = int(6_000_000 * scale) + 1
    script += ('if (existsDatabase("dfs://tpch")) dropDatabase("dfs://tpch")\n'
               f'db = database("dfs://tpch", RANGE, [{", ".join(str(1 + i * last // 16) for i in range(16))}, {last + 1}])\n')
    for table in TABLES:
        made = f"db.createPartitionedTable({table}, `{table}, `{CUT_BY_ORDER[table]})" if table in CUT_BY_ORDER else f"db.createTable({table}, `{table})"
        script += f"stored = {made}\nwritten = stored.append!({table})\n{table} = stored\n"
    return script


def duckdb_rows(folder):
    lines = ""
    for table in TABLES:
        types = {name: DUCKDB_TYPES[kind] for name, kind in columns_of(table)}
        lines += f'base.execute("""create table {table} as select * from read_csv(\'{folder}/{table}.csv\', header = true, columns = {types})""")\n'
    return lines


def main():
    texts = queries()
    tasks = {f"q{i + 1}": Task("TPC-H", query, query, 1.5) for i, query in enumerate(texts)}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--tasks", default=",".join(tasks))
    parser.add_argument("--runs", type=int, default=4, help="of each query, the first of which warms up")
    parser.add_argument("--stored", action="store_true", help="our tables lie on disk")
    options = parser.parse_args()
    options.tasks, options.peers, options.rows = options.tasks.split(","), "duckdb", f"{options.scale:g}"
    if unknown := [name for name in options.tasks if name not in tasks]:
        sys.exit(f"bench: no task {', '.join(unknown)}; there are {', '.join(tasks)}")
    folder = generated(options.scale)
    return compare(tasks, own_rows(folder, options.scale, options.stored), {"duckdb": duckdb_rows(folder)}, options,
                   "tpch stored" if options.stored else "tpch")


if __name__ == "__main__":
    sys.exit(main())

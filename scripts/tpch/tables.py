"""The tables of TPC-H: their columns as Pelorus and as DuckDB call the types."""

# name: (columns as "name type", …); d: date, i: whole number, l: long, f: decimal kept as DOUBLE, s: text, y: one of few texts
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
PELORUS_TYPES = {"d": "DATE", "i": "INT", "f": "DOUBLE", "s": "STRING", "y": "SYMBOL"}
DUCKDB_TYPES = {"d": "DATE", "i": "INTEGER", "f": "DOUBLE", "s": "VARCHAR", "y": "VARCHAR"}


def columns_of(table: str) -> list[tuple[str, str]]:
    """Return the names of a table's columns, and the letters of their types."""
    return [tuple(column.split()) for column in TABLES[table].split(",")]


def queries(text: str) -> list[str]:
    """Return the queries of a file, without comments."""
    lines = [line for line in text.splitlines() if not line.startswith("--")]
    return [query.strip() for query in "\n".join(lines).split(";") if query.strip()]

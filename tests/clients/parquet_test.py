#!/usr/bin/env python3
"""Parquet files between Pelorus and pyarrow, DuckDB and Polars: every type, both ways; queries in place; damaged files."""
import datetime as dt
import decimal
import os
import random
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "support")]
from cases import cases_in, run_cases_in_folders, tally

try:
    import duckdb
    import polars
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)
PELORUS = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/release/pelorus")
if not (Path(PELORUS).parent / "libpelorus_arrow.so").exists():
    print("SKIPPED: Pelorus was built without Arrow C++ (scripts/fetch_arrow.sh)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


def ended(folder, script, limit="4000"):
    """A run of the script in the folder: what it printed, and its code."""
    path = os.path.join(folder, "script.dos")
    Path(path).write_text(script)
    process = subprocess.run([PELORUS, "run", "--data", folder + "/data", path], cwd=folder, capture_output=True, text=True, timeout=120)
    return process.returncode, process.stdout, process.stderr


def run(folder, script):
    code, out, err = ended(folder, script)
    assert code == 0, (script, out, err)
    return out.strip().split("\n")


def refused(folder, script):
    """The error of a script, which must be one of ours: no signal ended the process."""
    code, out, err = ended(folder, script)
    assert code == 1, (code, script, out, err)
    assert "Internal error" not in err, err
    return err


def all_types():
    """A table of each type that we can hold, with a NULL in the second row."""
    utc = dt.timezone.utc
    stamp = dt.datetime(2024, 3, 15, 9, 30, 0, 123000)
    return pa.table({
        "b": pa.array([True, None, False], pa.bool_()),
        "i8": pa.array([1, None, -128 + 1], pa.int8()),
        "u8": pa.array([1, None, 255], pa.uint8()),
        "i16": pa.array([1, None, -32767], pa.int16()),
        "u16": pa.array([1, None, 65535], pa.uint16()),
        "i32": pa.array([1, None, -2**31 + 1], pa.int32()),
        "u32": pa.array([1, None, 2**32 - 1], pa.uint32()),
        "i64": pa.array([1, None, 2**62], pa.int64()),
        "u64": pa.array([1, None, 2**64 - 1], pa.uint64()),
        "f16": pa.array([1.5, None, -0.25], pa.float16()),
        "f32": pa.array([1.5, None, -0.25], pa.float32()),
        "f64": pa.array([1.5, None, float("nan")], pa.float64()),
        "s": pa.array(["a", None, "längere Zeile"], pa.string()),
        "ls": pa.array(["x", None, "y"], pa.large_string()),
        "bin": pa.array([b"x", None, b"y"], pa.binary()),
        "d": pa.array([dt.date(2024, 3, 15), None, dt.date(1969, 12, 31)], pa.date32()),
        "t32": pa.array([dt.time(9, 30), None, dt.time(0, 0, 1)], pa.time32("ms")),
        "t64": pa.array([dt.time(9, 30, 0, 1), None, dt.time(0, 0, 1)], pa.time64("us")),
        "tn": pa.array([1, None, 86_399_999_999_999], pa.time64("ns")),
        "ms": pa.array([stamp, None, stamp], pa.timestamp("ms")),
        "us": pa.array([stamp, None, stamp], pa.timestamp("us")),
        "ns": pa.array([stamp, None, stamp], pa.timestamp("ns")),
        "sec": pa.array([stamp.replace(microsecond=0), None, stamp.replace(microsecond=0)], pa.timestamp("s")),
        "zone": pa.array([stamp.replace(tzinfo=utc), None, stamp.replace(tzinfo=utc)], pa.timestamp("us", tz="America/New_York")),
        "d9": pa.array([decimal.Decimal("1.23"), None, decimal.Decimal("-1234567.89")], pa.decimal128(9, 2)),
        "d18": pa.array([decimal.Decimal("1.23"), None, decimal.Decimal("-1.23")], pa.decimal128(18, 2)),
        "d38": pa.array([decimal.Decimal("1.23"), None, decimal.Decimal("-12345678901234567890123456.78")], pa.decimal128(38, 2)),
        "dict": pa.array(["p", None, "q"]).dictionary_encode(),
        "fixed": pa.array([b"abcd", None, b"efgh"], pa.binary(4)),
        "list": pa.array([[1, 2, None], None, [3]], pa.list_(pa.int32())),
        "ldbl": pa.array([[0.5], [], [1.5, 2.5]], pa.list_(pa.float64())),
        "lday": pa.array([[dt.date(2024, 1, 2)], None, []], pa.list_(pa.date32())),
    })


TYPES = {"b": "BOOL", "i8": "CHAR", "u8": "SHORT", "i16": "SHORT", "u16": "INT", "i32": "INT", "u32": "LONG", "i64": "LONG", "u64": "LONG",
         "f16": "FLOAT", "f32": "FLOAT", "f64": "DOUBLE", "s": "STRING", "ls": "STRING", "bin": "STRING", "d": "DATE", "t32": "TIME",
         "t64": "NANOTIME", "tn": "NANOTIME", "ms": "TIMESTAMP", "us": "NANOTIMESTAMP", "ns": "NANOTIMESTAMP", "sec": "TIMESTAMP",
         "zone": "NANOTIMESTAMP", "d9": "DECIMAL32(2)", "d18": "DECIMAL64(2)", "d38": "DECIMAL128(2)", "dict": "STRING", "fixed": "STRING",
         "list": "INT[]", "ldbl": "DOUBLE[]", "lday": "DATE[]"}
ROWS = {"b": "[true,,false]", "i8": "[1,,-127]", "u8": "[1,,255]", "u16": "[1,,65535]", "u32": "[1,,4294967295]", "i64": "[1,,4611686018427387904]",
        "u64": "[1,,]", "f16": "[1.5,,-0.25]", "f32": "[1.5,,-0.25]", "f64": "[1.5,,]", "s": '["a",,"längere Zeile"]', "bin": '["x",,"y"]',
        "d": "[2024.03.15,,1969.12.31]", "t32": "[09:30:00.000,,00:00:01.000]", "t64": "[09:30:00.000001000,,00:00:01.000000000]",
        "tn": "[00:00:00.000000001,,23:59:59.999999999]", "ms": "[2024.03.15T09:30:00.123,,2024.03.15T09:30:00.123]",
        "us": "[2024.03.15T09:30:00.123000000,,2024.03.15T09:30:00.123000000]", "sec": "[2024.03.15T09:30:00.000,,2024.03.15T09:30:00.000]",
        "zone": "[2024.03.15T09:30:00.123000000,,2024.03.15T09:30:00.123000000]", "d9": "[1.23,,-1234567.89]",
        "d38": "[1.23,,-12345678901234567890123456.78]", "dict": '["p",,"q"]', "fixed": '["abcd",,"efgh"]',
        "list": "[[1,2,],[],[3]]", "ldbl": "[[0.5],[],[1.5,2.5]]", "lday": "[[2024.01.02],[],[]]"}


def test_every_type_of_pyarrow_is_read(folder):
    for version, page in (("1.0", "1.0"), ("2.6", "2.0")):
        pq.write_table(all_types().drop_columns(["tn", "ns", "u32"] if version == "1.0" else []), folder + "/t.parquet", version=version,
                       data_page_version=page, compression="zstd")
        names = [n for n in TYPES if version != "1.0" or n not in ("tn", "ns", "u32")]
        said = run(folder, 's = extractParquetSchema("t.parquet"); for (i in 0..(s.rows() - 1)) { print(s.name[i] + " " + s.type[i]) }')
        assert said == [f"{n} {TYPES[n]}" for n in names], said
        shown = [n for n in names if n in ROWS]
        assert run(folder, 't = loadParquet("t.parquet");' + ";".join(f"print(t.{n})" for n in shown)) == [ROWS[n] for n in shown]
        in_place = ";".join(f'print(exec {n} from "t.parquet")' for n in shown)
        assert run(folder, in_place) == [ROWS[n] for n in shown]


def test_files_of_other_writers_are_read(folder):
    duckdb.sql("select range::int as k, range * 0.5 as x, 'S' || range % 7 as sym, date '2024-01-01' + (range % 30)::int as d, "
               f"[range, range + 1] as pair, uuid() as id from range(300000)").write_parquet(folder + "/duck.parquet", compression="zstd")
    frame = polars.read_parquet(folder + "/duck.parquet")
    frame.drop("id").write_parquet(folder + "/polars.parquet", row_group_size=50000)
    for name in ("duck", "polars"):
        said = run(folder, f'print(select count(*), sum(k), sum(x) from "{name}.parquet" where sym = `S3, d >= 2024.01.10);'
                           f't = loadParquet("{name}.parquet"); print(sum(t.k)); print(t.pair.flatten().sum()); print(size(distinct(t.sym)))')
        rows = duckdb.sql(f"select count(*), sum(k), sum(x) from '{folder}/{name}.parquet' where sym = 'S3' and d >= '2024-01-10'").fetchall()[0]
        assert [float(x) for x in said[2].split()] == [float(x) for x in rows], (said, rows)
        assert said[3] == str(sum(range(300000))), said
        assert said[-1] == "7", said
    assert run(folder, 'print(typestr(loadParquet("duck.parquet").id))') == ["FAST UUID VECTOR"]
    ids = run(folder, 'print(string(loadParquet("duck.parquet").id[0]))')
    assert ids == [str(uuid.UUID(bytes=frame["id"][0]))], ids


def test_what_we_write_others_read(folder):
    run(folder, """
n = 3
t = table([true, 00b, false] as b, [1c, 00c, 3c] as c, [1h, 00h, 3h] as h, [1, 00i, 3] as i, [1l, 00l, 3l] as l,
  [1.5f, 00f, 2.5f] as f, [1.5, 00F, 2.5] as x, ["a", "", "c"] as s, symbol(["a", "", "c"]) as y, [2024.03.15, 00d, 1969.12.31] as d,
  [2024.03M, 00M, 1969.12M] as m, [09:30:00.001, 00t, 00:00:01.000] as t, [09:30m, 00m, 10:00m] as u, [09:30:01, 00s, 10:00:01] as v,
  [2024.03.15T09:30:01, 00D, 1969.12.31T23:59:59] as dt, [2024.03.15T09:30:01.123, 00T, 1969.12.31T23:59:59.999] as ts,
  [09:30:01.123456789, 00n, 00:00:00.000000001] as nt, [2024.03.15T09:30:01.123456789, 00N, 1969.12.31T23:59:59.999999999] as ns,
  decimal32([1.5, NULL, -2.25], 2) as d32, decimal64([1.5, NULL, -2.25], 3) as d64, decimal128([1.5, NULL, -2.25], 4) as d128,
  uuid(["9d457e79-1bed-d6c2-3612-b0d31c1881f6", "", "9d457e79-1bed-d6c2-3612-b0d31c1881f7"]) as id, datehour([2024.03.15T09:00:00, 00D, 2024.03.15T10:00:00]) as dh)
t[`a] = array(INT[], 0).append!([1 2 3, 00i, 4 00i])
for (method in `none`snappy`gzip`lz4`zstd) { saveParquet(t, method + ".parquet", method) }
u = loadParquet("zstd.parquet")
print(each(eqObj, t.values(), u.values()).all())
print(eqObj(t.schema().colDefs.typeString, u.schema().colDefs.typeString))
""")
    said = run(folder, 'u = loadParquet("gzip.parquet"); print(concat(u.schema().colDefs.typeString, " "))')
    assert said == ["BOOL CHAR SHORT INT LONG FLOAT DOUBLE STRING SYMBOL DATE MONTH TIME MINUTE SECOND DATETIME TIMESTAMP NANOTIME NANOTIMESTAMP "
                    "DECIMAL32(2) DECIMAL64(3) DECIMAL128(4) UUID DATEHOUR INT[]"], said
    for method in ("none", "snappy", "gzip", "lz4", "zstd"):
        got = pq.read_table(f"{folder}/{method}.parquet")
        row = {n: got[n].to_pylist() for n in got.column_names if n not in ("nt", "ns")}
        assert row["b"] == [True, None, False] and row["c"] == [1, None, 3] and row["l"] == [1, None, 3], row
        assert row["x"] == [1.5, None, 2.5] and row["s"] == ["a", None, "c"] == row["y"], row
        assert row["d"] == [dt.date(2024, 3, 15), None, dt.date(1969, 12, 31)], row
        assert row["m"] == [dt.date(2024, 3, 1), None, dt.date(1969, 12, 1)], row
        assert row["u"] == [dt.time(9, 30), None, dt.time(10, 0)] and row["v"] == [dt.time(9, 30, 1), None, dt.time(10, 0, 1)], row
        assert row["ts"][0] == dt.datetime(2024, 3, 15, 9, 30, 1, 123000) and row["dt"][0] == dt.datetime(2024, 3, 15, 9, 30, 1), row
        assert row["d32"] == [decimal.Decimal("1.50"), None, decimal.Decimal("-2.25")] == row["d64"] == row["d128"], row
        assert str(row["id"][0] if isinstance(row["id"][0], uuid.UUID) else uuid.UUID(bytes=row["id"][0])) == "9d457e79-1bed-d6c2-3612-b0d31c1881f6", row
        assert row["a"] == [[1, 2, 3], None, [4, None]], row["a"]
        assert str(got.schema.field("c").type) == "int8" and str(got.schema.field("ns").type) == "timestamp[ns]", got.schema
        assert got["ns"].cast(pa.int64())[0].as_py() == 1710495001123456789
        assert duckdb.sql(f"select sum(x), max(ts), count(s) from '{folder}/{method}.parquet'").fetchall()[0][0] == 4
        assert polars.read_parquet(f"{folder}/{method}.parquet")["i"].to_list() == [1, None, 3]


def test_statistics_row_groups_and_order_are_written(folder):
    run(folder, 't = table(0..99999 as k, rand(1.0, 100000) as x, take(`a`b, 100000) as s); saveParquet(t, "t.parquet", `zstd, 30000, `k)')
    meta = pq.read_metadata(folder + "/t.parquet")
    assert [meta.row_group(i).num_rows for i in range(meta.num_row_groups)] == [30000, 30000, 30000, 10000]
    column = meta.row_group(1).column(0)
    assert (column.statistics.min, column.statistics.max, column.statistics.null_count) == (30000, 59999, 0)
    assert column.compression == "ZSTD" and column.has_column_index and column.has_offset_index
    assert [s.column_index for s in meta.row_group(0).sorting_columns] == [0]
    assert not os.path.exists(folder + "/t.parquet.unfinished")


def test_columns_row_groups_and_schema_are_chosen(folder):
    pq.write_table(pa.table({"a": range(100), "b": [str(i) for i in range(100)], "c": [i / 2 for i in range(100)]}), folder + "/t.parquet", row_group_size=10)
    assert run(folder, """
functions = loadPlugin("parquet")
t = parquet::loadParquet("t.parquet", , 0 2, 3, 2)
print(t.columnNames()); print(first(t.a)); print(size(t))
s = parquet::extractParquetSchema("t.parquet")
update s set name = "day" where name = "a"
update s set type = "SHORT" where name = "day"
u = parquet::loadParquet("t.parquet", s)
print(typestr(u.day)); print(sum(u.day))
ds = parquet::parquetDS("t.parquet")
print(size(ds)); print(string(ds[1]))
print(mr(ds, def(t) { return sum(t.a) }, +))
""") == ['["a","c"]', "30", "20", "FAST SHORT VECTOR", "4950", "10", 'DataSource< loadParquet("t.parquet",,,1,1) >', "4950"]
    assert "There is no column z" in refused(folder, 'loadParquet("t.parquet", , `z)')
    assert "there are 10 row groups" in refused(folder, 'loadParquet("t.parquet", , , 10)')


def test_patterns_and_keys_of_folders(folder):
    for year in (2023, 2024):
        for sym in ("A", "B"):
            os.makedirs(f"{folder}/trades/year={year}/sym={sym}", exist_ok=True)
            pq.write_table(pa.table({"x": [float(year), 1.0]}), f"{folder}/trades/year={year}/sym={sym}/part-0.parquet")
    Path(f"{folder}/trades/year=2023/sym=A/_SUCCESS").write_text("")
    assert run(folder, """
print(exec count(*) from "trades/**/*.parquet")
print(select sum(x) as x from "trades/year=*/sym=?/*.parquet" where year = 2024 group by sym)
print(exec sum(x) from "trades/*/*/*.parquet" where year = 2023, sym = `B)
t = loadParquet("trades/**/*.parquet"); print(t.year); print(t.sym)
""") == ["8", "sym x   ", "--- ----", "A   2025", "B   2025", "2024", "[2023,2023,2023,2023,2024,2024,2024,2024]", '["A","A","B","B","A","A","B","B"]']
    pq.write_table(pa.table({"y": [1]}), f"{folder}/trades/year=2024/sym=B/part-1.parquet")
    error = refused(folder, 'select * from "trades/**/*.parquet"')
    assert "part-1.parquet has no column x" in error, error
    pq.write_table(pa.table({"x": [1]}), f"{folder}/trades/year=2024/sym=B/part-1.parquet")
    error = refused(folder, 'select * from "trades/**/*.parquet"')
    assert "The column x is DOUBLE in " in error and "part-1.parquet" in error, error
    assert "No file fits trades/none*.parquet" in refused(folder, 'select * from "trades/none*.parquet"')


def test_queries_read_only_what_they_need(folder):
    """Row groups whose statistics exclude them are damaged, and so are columns that are not asked for: nobody notices."""
    path = folder + "/t.parquet"
    pq.write_table(pa.table({"k": range(100000), "x": [i * 0.5 for i in range(100000)], "s": [f"s{i % 5}" for i in range(100000)]}), path,
                   row_group_size=10000, compression="none", use_dictionary=["s"], write_page_checksum=True)
    meta = pq.read_metadata(path)
    raw = bytearray(Path(path).read_bytes())
    for group in range(10):
        for c in range(3):
            column = meta.row_group(group).column(c)
            if group != 4 or c == 1:
                begin = column.dictionary_page_offset or column.data_page_offset
                raw[begin:begin + column.total_compressed_size] = bytes(b ^ 0x5A for b in raw[begin:begin + column.total_compressed_size])
    Path(path).write_bytes(raw)
    assert run(folder, 'print(exec count(*) from "t.parquet" where k between 41000 : 41999, s = `s1)') == ["200"]
    assert run(folder, 'print(exec count(*) from "t.parquet")') == ["100000"]
    error = refused(folder, 'select sum(x) from "t.parquet"')
    assert "column x" in error and "row group" in error and "t.parquet" in error, error


def damaged(path, places):
    """Flips a bit at each place of the file, so that checksums refuse the pages that hold them."""
    raw = bytearray(Path(path).read_bytes())
    for place in places:
        raw[place] ^= 1
    Path(path).write_bytes(raw)


def test_pages_that_their_index_excludes_are_not_read(folder):
    """One row group of many pages, of which all are damaged but those in the middle block of rows."""
    path, rows, page_bytes = folder + "/t.parquet", 400_000, 65536
    pq.write_table(pa.table({"k": range(rows), "x": [i * 0.5 for i in range(rows)]}), path, compression="none", use_dictionary=False, write_page_checksum=True,
                   write_page_index=True, data_page_size=page_bytes, row_group_size=rows)
    places = []
    for c in range(2):
        column = pq.read_metadata(path).row_group(0).column(c)
        for place in range(column.data_page_offset + 20000, column.data_page_offset + column.total_compressed_size, page_bytes):
            row = (place - column.data_page_offset) // 8
            if not 100_000 < row < 290_000:
                places.append(place)
    assert len(places) > 20
    damaged(path, places)
    assert run(folder, 'print(exec sum(x) from "t.parquet" where k between 150000 : 150999); print(exec count(*) from "t.parquet" where k > 1000000)') == ["7.524975E7", "0"]
    assert "column k" in refused(folder, 'select count(*) from "t.parquet" where k between 1000 : 2000')


def test_row_groups_that_a_bloom_filter_excludes_are_not_read(folder):
    """Ids without order: statistics exclude nothing, the filters all row groups but one, whose pages alone are whole."""
    count, rows, group_rows = 8, 40_000, 5_000
    ids = random.Random(3).sample(range(1 << 40), rows)
    texts = [f"order-{i}" for i in ids]
    table = pa.table({"id": ids, "text": texts, "x": [i * 0.5 for i in range(rows)]})
    pq.write_table(table, folder + "/theirs.parquet", row_group_size=group_rows, write_page_checksum=True, bloom_filter_options={name: {"ndv": group_rows} for name in ("id", "text")})
    run(folder, 't = loadParquet("theirs.parquet"); saveParquet(t, "ours.parquet", `snappy, 5000, , `id`text)')
    for name in ("theirs", "ours"):
        meta = pq.read_metadata(f"{folder}/{name}.parquet")
        assert meta.num_row_groups == count
        columns = [meta.row_group(g).column(c) for g in range(count) if g != 5 for c in range(2)]
        damaged(f"{folder}/{name}.parquet", [column.data_page_offset + column.total_compressed_size // 2 for column in columns])
        there = ids[5 * group_rows + 17]
        conditions = (f"id == {there}", f"id in [{there}]", f'text == "order-{there}"', f'text in ["order-{there}", "order-{there}"]')
        said = run(folder, "\n".join(f'print(exec x from "{name}.parquet" where {condition})' for condition in conditions))
        assert said == [f"[{(5 * group_rows + 17) * 0.5:g}]"] * 4, (name, said)
        assert f"{name}.parquet, row group" in refused(folder, f'select sum(x) from "{name}.parquet" where id > 5')
    assert "of which files have no Bloom filters" in refused(folder, 'saveParquet(table(true false as b), "b.parquet", , , , `b)')
    assert "bloomFilterColumns must have names" in refused(folder, 'saveParquet(table(true false as b), "b.parquet", , , , `c)')


def test_values_are_found_through_the_filters_of_others(folder):
    """All values that a file has, by the filters of DuckDB and of ours, for each type that has some."""
    duckdb.sql(f"""copy (select (i * 7919 % 100)::smallint as i16, (i * 7919 % 100)::int as i32, (i * 7919 % 100)::bigint as i64, (i * 7919 % 100)::uinteger as u32,
        (i * 7919 % 100) / 8.0::float as f32, (i * 7919 % 100) / 8.0::double as f64, 's' || (i * 7919 % 100) as s, date '2024-01-01' + (i * 7919 % 100)::int as d,
        timestamp '2024-01-01' + interval 1 second * (i * 7919 % 100) as ts from range(5000) r(i)) to '{folder}/theirs.parquet' (format parquet, row_group_size 2048)""")
    said = run(folder, """
t = loadParquet("theirs.parquet")
saveParquet(t, "ours.parquet", `snappy, 2000, , t.columnNames())
for (name in t.columnNames()) {
    column = t[name]
    for (value in distinct(column)[0 50 99]) {
        expected = sum(column == value)
        values = [value]
        n = <exec count(*) from "theirs.parquet" where _$name == value>.eval()
        m = <exec count(*) from "ours.parquet" where _$name in values>.eval()
        if (n != expected || m != expected || expected != 50) { print(name + " " + string(value) + " " + string(n) + " " + string(m)) }
    }
}
print("done")""")
    assert said == ["done"], said


def test_nested_columns_are_refused_by_name(folder):
    pq.write_table(pa.table({"a": [1, 2], "s": [{"p": 1, "q": "x"}, None], "l": [["x"], []], "m": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int32())),
                             "ll": [[[1]], [[2], [3]]]}), folder + "/t.parquet")
    assert run(folder, 'print(exec a from "t.parquet"); print(loadParquet("t.parquet", , `a).a)') == ["[1,2]", "[1,2]"]
    for name, what in (("s", "a struct"), ("l", "a list of STRING"), ("m", "a map"), ("ll", "a list of")):
        error = refused(folder, f'select {name} from "t.parquet"')
        assert f"The column {name} of" in error and what in error, error
    assert "The column s of" in refused(folder, 'loadParquet("t.parquet")')


def test_import_into_a_database_and_out_of_it(folder):
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=i % 4) for i in range(40000)]
    pq.write_table(pa.table({"day": days, "sym": [f"S{i % 3}" for i in range(40000)], "x": [float(i) for i in range(40000)]}), folder + "/t.parquet", row_group_size=7000)
    said = run(folder, """
db = database("dfs://parquet", VALUE, 2024.01.01..2024.01.10)
t = loadParquetEx(db, `trades, `day, "t.parquet")
print(exec count(*) from t)
print(exec count(*) from parquet::loadParquetEx(database("", VALUE, 2024.01.01..2024.01.10), `m, `day, "t.parquet"))
schema = extractParquetSchema("t.parquet")
update schema set type = "SYMBOL" where name = "sym"
u = loadParquetEx(db, `others, `day, "t.parquet", schema, , 1, 2)
print(exec count(*) from u); print(exec typeString from schema(u).colDefs where name = `sym)
saveParquet(t, "out"); saveParquet(t, "out.parquet"); saveParquet(<select * from t where day = 2024.01.02>, "one.parquet")
print(sort(files("out").filename))
print(exec sum(x) from "out/*.parquet")
""")
    assert said == ["40000", "40000", "14000", '["SYMBOL"]', '["20240101.parquet","20240102.parquet","20240103.parquet","20240104.parquet"]', "7.9998E8"], said
    assert duckdb.sql(f"select count(*), sum(x) from '{folder}/out/*.parquet'").fetchall()[0] == (40000, 799980000.0)
    assert pq.read_table(folder + "/one.parquet").num_rows == 10000


def test_a_second_save_of_partitions_writes_only_what_is_not_whole(folder):
    run(folder, """
db = database("dfs://saved", VALUE, 1..8)
t = createPartitionedTable(db, table(1:0, `k`x, [INT, DOUBLE]), `t, `k)
t.append!(table(take(1..8, 80000) as k, rand(1.0, 80000) as x)); saveParquet(t, "out")""")
    out = Path(folder, "out")
    names = sorted(path.name for path in out.iterdir())
    assert names == [f"{k}.parquet" for k in range(1, 9)], names
    stamp = lambda name: os.stat(out / name).st_ino  # noqa: E731
    first = {name: stamp(name) for name in names}
    whole = (out / "3.parquet").read_bytes()
    (out / "3.parquet").write_bytes(whole[:-20])
    os.remove(out / "5.parquet")
    (out / "6.parquet.unfinished").write_bytes(b"what a process that was killed left")
    run(folder, 'saveParquet(loadTable("dfs://saved", `t), "out")')
    assert {name for name in names if stamp(name) != first[name]} <= {"3.parquet", "5.parquet"}
    assert pq.read_table(out / "3.parquet").num_rows == pq.read_table(out / "5.parquet").num_rows == 10000
    # Another compression, and rows that were stored meanwhile, make all files anew.
    run(folder, 'saveParquet(loadTable("dfs://saved", `t), "out", `zstd)')
    assert pq.ParquetFile(out / "1.parquet").metadata.row_group(0).column(0).compression == "ZSTD"
    run(folder, 't = loadTable("dfs://saved", `t); t.append!(table(1 as k, 7.0 as x)); saveParquet(t, "out", `zstd)')
    assert duckdb.sql(f"select count(*) from '{folder}/out/*.parquet'").fetchall()[0] == (80001,)


def test_bounds_of_reals_skip_no_row(folder):
    # Statistics leave NaN out, which is NULL here, and NULL is less than any number.
    values = [10.0, 20.0, float("nan")] * 1000 + [30.0, 40.0] * 1000
    pq.write_table(pa.table({"x": values}), folder + "/theirs.parquet", row_group_size=3000)
    said = run(folder, """
t = loadParquet("theirs.parquet"); saveParquet(t, "ours.parquet", , 3000)
for (bound in [5.0, 15.0, 35.0]) {
    print([exec count(*) from t where x < bound, exec count(*) from t where x > bound, exec count(*) from t where isNull(x), exec count(*) from t where x == bound + 5])
    print([exec count(*) from "theirs.parquet" where x < bound, exec count(*) from "theirs.parquet" where x > bound, exec count(*) from "theirs.parquet" where isNull(x), exec count(*) from "theirs.parquet" where x == bound + 5])
    print([exec count(*) from "ours.parquet" where x < bound, exec count(*) from "ours.parquet" where x > bound, exec count(*) from "ours.parquet" where isNull(x), exec count(*) from "ours.parquet" where x == bound + 5])
}""")
    assert len(said) == 9 and said[0::3] == said[1::3] == said[2::3], said


def test_empty_tables_and_large_row_groups(folder):
    pq.write_table(pa.table({"a": pa.array([], pa.int32()), "s": pa.array([], pa.string())}), folder + "/empty.parquet")
    assert run(folder, 't = loadParquet("empty.parquet"); print(size(t)); print(exec count(*) from "empty.parquet"); saveParquet(t, "e2.parquet");'
                       'print(size(loadParquet("e2.parquet")))') == ["0", "0", "0"]
    pq.write_table(pa.table({"a": range(3_000_000), "s": [f"v{i % 1000}" for i in range(3_000_000)]}), folder + "/big.parquet", row_group_size=3_000_000)
    assert run(folder, 'print(exec sum(a) from "big.parquet" where s = `v7, a >= 1500000); print(exec max(a) from "big.parquet");'
                       'print(exec count(a) from "big.parquet" where a < 140000)') == [str(sum(range(1500007, 3_000_000, 1000))), "2999999", "140000"]


def test_damaged_files_are_refused_and_change_nothing(folder):
    """Bits are flipped and files cut: a table or an error that names the file, and no signal. All in one process, for speed."""
    path = folder + "/good.parquet"
    table = all_types().drop_columns(["f16"])
    pq.write_table(pa.concat_tables([table] * 50), path, compression="snappy", write_page_checksum=True)
    good = Path(path).read_bytes()
    rng = random.Random(7)
    names = []
    for i in range(int(os.environ.get("PELORUS_FULL") and 3000 or 150)):
        raw = bytearray(good)
        for _ in range(rng.choice([1, 1, 3, 20])):
            at = rng.randrange(len(raw)) if i % 2 else rng.randrange(max(0, len(raw) - 6000), len(raw))
            raw[at] ^= 1 << rng.randrange(8)
        if i % 10 == 0:
            raw = raw[:rng.randrange(len(raw))]
        if i % 17 == 0:
            raw[-8:-4] = rng.randrange(2**32).to_bytes(4, "little")
        names.append(f"{i}.parquet")
        Path(folder, names[-1]).write_bytes(raw)
    script = "n = 0; m = 0\n"
    for name in names:
        script += f'try {{ t = loadParquet("{name}"); n += 1 }} catch (e) {{ m += 1; if (strpos(string(e[1]), "{name}") < 0) print(e) }}\n'
        script += f'try {{ select * from "{name}" }} catch (e) {{ if (strpos(string(e[1]), "{name}") < 0) print(e) }}\n'
    said = run(folder, script + "print(n + m); print(m > 0)")
    assert said[-2:] == [str(len(names)), "true"], said[-2:]
    assert all("emory" in line for line in said[:-2]), said[:-2]  # sizes that a file lies about are refused by the limit
    Path(folder, "text.parquet").write_text("a,b\n1,2\n")
    assert "text.parquet" in refused(folder, 'loadParquet("text.parquet")')
    Path(folder, "none.parquet").write_bytes(b"")
    assert "none.parquet" in refused(folder, 'select * from "none.parquet"')
    assert "goood.parquet: No such file or directory" in refused(folder, 'loadParquet("goood.parquet")')


def test_a_file_that_cannot_be_written_leaves_the_old_one(folder):
    run(folder, 'saveParquet(table(1 2 as a), "t.parquet")')
    error = refused(folder, 't = table(1 2 as a); t[`b] = (1, `x); saveParquet(t, "t.parquet")')
    assert "The column b is of type ANY" in error, error
    assert run(folder, 'print(loadParquet("t.parquet").a)') == ["[1,2]"]
    assert [name for name in os.listdir(folder) if "parquet" in name] == ["t.parquet"]


def test_a_library_of_another_build_is_refused_by_name(folder):
    os.makedirs(folder + "/bin")
    shutil.copy(PELORUS, folder + "/bin/pelorus")
    Path(folder, "other.c").write_text('const char *pelorusParquetInterface(void) { return "another"; }\nvoid *pelorusParquetLibrary(void *h) { __builtin_trap(); }\n')
    Path(folder, "oldest.c").write_text("void *pelorusParquetLibrary(void *h) { __builtin_trap(); }\n")
    Path(folder, "script.dos").write_text('print(1); loadParquet("t.parquet")')
    Path(folder, "t.parquet").write_bytes(b"")
    for source in ("other.c", "oldest.c"):
        subprocess.run(["cc", "-shared", "-fPIC", "-o", folder + "/bin/libpelorus_arrow.so", folder + "/" + source], check=True)
        process = subprocess.run([folder + "/bin/pelorus", "run", "--data", folder + "/data", folder + "/script.dos"], cwd=folder, capture_output=True, text=True, timeout=60)
        assert process.returncode == 1 and process.stdout == "1\n", process
        assert "bin/libpelorus_arrow.so is of another build than this program" in process.stderr, process.stderr


if __name__ == "__main__":
    sys.exit(tally(*run_cases_in_folders(cases_in(globals()), "pelorus_parquet_", wanted="".join(sys.argv[2:3]))))

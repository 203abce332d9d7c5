#!/usr/bin/env python3
"""Arrow's C stream interface between pyarrow and our reader and writer, in one process (tests/support/arrow_bridge.cpp)."""
import ctypes
import datetime as dt
import decimal
import sys
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "support")]
try:
    import polars
    import pyarrow as pa
    import pyarrow.compute as pc
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)
from cases import cases_in, run_cases, tally

BRIDGE = ctypes.CDLL(str(Path(sys.argv[1]).resolve().parent / "tests" / "libarrow_bridge.so"))
BRIDGE.passThrough.restype = ctypes.c_char_p
BRIDGE.passThrough.argtypes = [ctypes.c_void_p, ctypes.c_void_p]


def through(reader):
    """What comes back of a reader of pyarrow."""
    given, got = ctypes.create_string_buffer(40), ctypes.create_string_buffer(40)
    reader._export_to_c(ctypes.addressof(given))
    why = BRIDGE.passThrough(ctypes.addressof(given), ctypes.addressof(got))
    if why is not None:
        raise ValueError(why.decode())
    table = pa.RecordBatchReader._import_from_c(ctypes.addressof(got)).read_all()
    table.validate(full=True)
    return table


def table_through(table, rows=None):
    return through(pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=rows)))


PLAIN = {"b": pa.array([True, None, False] * 11), "c": pa.array([1, None, -3] * 11, pa.int8()), "i": pa.array([1, None, -3] * 11, pa.int32()), "l": pa.array([1, None, 3] * 11),
         "f": pa.array([1.5, None, 3] * 11, pa.float32()), "x": pa.array([0.5, None, 3] * 11), "s": pa.array(["a", None, "ccc"] * 11), "d": pa.array([dt.date(2024, 1, 2), None, dt.date(1969, 12, 31)] * 11),
         "ms": pa.array([1, None, 3] * 11, pa.timestamp("ms")), "ns": pa.array([1, None, 3] * 11, pa.timestamp("ns")), "t": pa.array([1, None, 3] * 11, pa.time32("ms")), "tn": pa.array([1, None, 3] * 11, pa.time64("ns")),
         "dec": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-2.25")] * 11, pa.decimal128(38, 2)), "u": pa.array([b"0123456789abcdef", None, b"fedcba9876543210"] * 11, pa.binary(16)),
         "li": pa.array([[1, 2], None, [3]] * 11, pa.list_(pa.int32())), "y": pa.array(["p", None, "q"] * 11).dictionary_encode()}


def test_types_that_both_have_come_back_equal():
    table = pa.table(PLAIN)
    got = table_through(table, 7)
    assert got.column_names == table.column_names
    for name in table.column_names:
        assert got[name].to_pylist() == table[name].to_pylist(), name


def test_slices_begin_where_they_say():
    table = pa.table(PLAIN)
    for begin in (1, 5, 8, 13, 33):
        part = table.slice(begin, 11)
        assert table_through(part).to_pylist() == part.to_pylist(), begin
    # A batch whose own array has an offset, and not only its columns.
    rows = pa.StructArray.from_arrays([table[n].combine_chunks() for n in ("i", "s", "b")], ["i", "s", "b"])[3:17]
    batch = pa.RecordBatch.from_struct_array(rows)
    assert table_through(pa.Table.from_batches([batch])).to_pylist() == rows.to_pylist()


def test_types_of_other_widths_become_ours():
    table = pa.table({"u8": pa.array([1, None], pa.uint8()), "u32": pa.array([2**31, None], pa.uint32()), "h": pa.array([1.5, None], pa.float16()), "big": pa.array(["a", None], pa.large_string()),
                      "s": pa.array([1, None], pa.timestamp("s")), "us": pa.array([1, None], pa.timestamp("us", "Europe/Paris")), "fl": pa.array([[1, 2], None], pa.list_(pa.int64(), 2)),
                      "ll": pa.array([[1], [2, 3]], pa.large_list(pa.float64())), "n": pa.nulls(2), "y8": pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int8()), pa.array(["p"]))})
    got = table_through(table).to_pydict()
    assert got == {"u8": [1, None], "u32": [2**31, None], "h": [1.5, None], "big": ["a", None], "s": [dt.datetime(1970, 1, 1, 0, 0, 1), None], "us": got["us"],
                   "fl": [[1, 2], None], "ll": [[1.0], [2.0, 3.0]], "n": [None, None], "y8": ["p", None]}, got
    assert got["us"][0].microsecond == 1 and got["us"][1] is None


def test_what_no_table_holds_is_refused_by_name():
    for column in (pa.array([{"a": 1}]), pa.array([1], pa.duration("s")), pa.array([[["x"]]])):
        try:
            table_through(pa.table({"odd": column}))
        except ValueError as refused:
            assert "odd" in str(refused), refused
        else:
            raise AssertionError(f"{column.type} was taken")


def test_views_of_strings_are_read():
    texts = ["a", None, "", "longer than the twelve bytes that stand in a view"] * 3
    got = table_through(pa.table({"s": pa.array(texts, pa.string_view()), "b": pa.array([None if x is None else x.encode() for x in texts], pa.binary_view())}).slice(1, 10))
    assert got["s"].to_pylist() == [x or None for x in texts[1:11]] and got["b"].to_pylist() == [x.encode() if x else None for x in texts[1:11]]


def test_the_errors_of_a_stream_come_through():
    def batches():
        yield pa.record_batch({"a": [1]})
        raise RuntimeError("the source broke")
    try:
        through(pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches()))
    except ValueError as refused:
        assert "the source broke" in str(refused)
    else:
        raise AssertionError("the error was lost")


def test_many_rows_and_other_programs():
    n = 3_000_000
    table = pa.table({"k": pa.array(range(n)), "y": pc.cast(pa.array([i % 5 for i in range(n)]), pa.string()).dictionary_encode()})
    got = table_through(table)
    assert got["k"].num_chunks == 3 and pc.sum(got["k"]).as_py() == n * (n - 1) // 2
    assert polars.from_arrow(got)["y"].n_unique() == 5
    assert table_through(table.slice(0, 0)).num_rows == 0


if __name__ == "__main__":
    sys.exit(tally(*run_cases(cases_in(globals()), wanted="".join(sys.argv[2:3]))))

#!/usr/bin/env python3
"""Frames of pandas, polars and pyarrow with any values come back from the engine as they were: properties, by hypothesis."""
import datetime as dt
import decimal
import sys
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
PELORUS = str(Path(sys.argv[1]).resolve())
sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "support")]
from cases import cases_in, run_cases, tally
from python_package import package_of, skip

sys.path.insert(0, package_of(PELORUS))

try:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st
except ImportError as missing:
    skip(missing)
import pelorus

DB = pelorus.open()
EXAMPLES = int(sys.argv[3]) if len(sys.argv) > 3 else 60
relaxed = settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))

# The least integer of each type is NULL, as is the empty text: they are left out.
TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1, max_size=12)
KINDS = {
    "int8": (pa.int8(), st.integers(-(2**7) + 1, 2**7 - 1)),
    "int16": (pa.int16(), st.integers(-(2**15) + 1, 2**15 - 1)),
    "int32": (pa.int32(), st.integers(-(2**31) + 1, 2**31 - 1)),
    "int64": (pa.int64(), st.integers(-(2**63) + 1, 2**63 - 1)),
    "float32": (pa.float32(), st.floats(width=32, allow_nan=False, allow_subnormal=False).filter(lambda x: x != -3.4028234663852886e38)),
    "float64": (pa.float64(), st.floats(allow_nan=False).filter(lambda x: x != -1.7976931348623157e308)),
    "bool": (pa.bool_(), st.booleans()),
    "string": (pa.string(), TEXTS),
    "binary": (pa.binary(), st.binary(min_size=1, max_size=12)),
    "date": (pa.date32(), st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))),
    "seconds": (pa.timestamp("s"), st.datetimes(dt.datetime(1902, 1, 1), dt.datetime(2038, 1, 1)).map(lambda x: x.replace(microsecond=0))),
    "millis": (pa.timestamp("ms"), st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 1, 1)).map(lambda x: x.replace(microsecond=x.microsecond // 1000 * 1000))),
    "nanos": (pa.timestamp("ns"), st.datetimes(dt.datetime(1678, 1, 1), dt.datetime(2262, 1, 1))),
    "time": (pa.time64("ns"), st.times()),
    "decimal": (pa.decimal128(18, 3), st.decimals(-(10**14), 10**14, places=3, allow_nan=False, allow_infinity=False)),
}


@st.composite
def tables(draw, kinds=tuple(KINDS)):
    rows = draw(st.integers(0, 12))
    names = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4, unique=True))
    columns = {}
    for kind in names:
        arrow, values = KINDS[kind]
        columns[kind] = pa.array(draw(st.lists(st.none() | values, min_size=rows, max_size=rows)), arrow)
    return pa.table(columns)


def back(frame):
    DB.put("frame", frame)
    return DB.run("frame")


def plain(x):
    return float(x) if isinstance(x, decimal.Decimal) else x


@relaxed
@given(tables())
def arrow_tables(table):
    got = back(table)
    assert got.columns == table.column_names and len(got) == table.num_rows
    wanted = table.to_pydict()
    for name, column in got.arrow().to_pydict().items():
        assert [plain(x) for x in column] == [plain(x) for x in wanted[name]], (name, column, wanted[name])


@relaxed
@given(tables(tuple(kind for kind in KINDS if kind != "decimal")))
def polars_frames(table):
    frame = pl.from_arrow(table)
    got = back(frame)
    assert got.pl().to_dict(as_series=False) == frame.to_dict(as_series=False)


@relaxed
@given(tables(("int8", "int16", "int32", "int64", "float64", "bool", "string", "binary", "nanos", "millis")))
def pandas_frames(table):
    nullable = {pa.int8(): pd.Int8Dtype(), pa.int16(): pd.Int16Dtype(), pa.int32(): pd.Int32Dtype(), pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    frame = table.to_pandas(types_mapper=nullable.get)
    got = back(frame).df()
    assert list(got.columns) == list(frame.columns) and len(got) == len(frame)
    for name in frame:
        missing = frame[name].isna()
        assert (got[name].isna() == missing).all(), (name, frame[name], got[name])
        assert got[name][~missing].tolist() == frame[name][~missing].tolist(), (name, frame[name], got[name])


@relaxed
@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | KINDS["float64"][1] | TEXTS,
                    lambda inner: st.dictionaries(TEXTS, inner, max_size=4)))
def scalars_and_dictionaries(value):
    assert DB.call("def(x) { return x }", value) == value


def test_arrow_tables():
    arrow_tables()


def test_polars_frames():
    polars_frames()


def test_pandas_frames():
    pandas_frames()


def test_scalars_and_dictionaries():
    scalars_and_dictionaries()


if __name__ == "__main__":
    sys.exit(tally(*run_cases(cases_in(globals()), wanted="".join(sys.argv[2:3]))))

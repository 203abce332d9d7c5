"""Objects of Python as values of the language, and scalars back."""
from __future__ import annotations

import array
import datetime as dt
import ipaddress
import sys
import uuid
from decimal import Decimal
from typing import Any, Iterable, Optional

from . import _cells, _core
from .errors import DataError, NotSupportedError

Value = _core.Value
_INTEGERS = {"BOOL", "CHAR", "SHORT", "INT", "LONG"}
_ARROW = {"i1": "c", "u1": "C", "i2": "s", "u2": "S", "i4": "i", "u4": "I", "i8": "l", "u8": "L", "f4": "f", "f8": "g"}
_EPOCH = dt.datetime(1970, 1, 1)
_LONGEST = 2**63 - 1


# ---- Scalars -------------------------------------------------------------------------------------------------------


def scalar(value: Value) -> Any:
    """The Python object of a scalar: None for NULL. Functions and other values stay as they are."""
    if value.is_null:
        return None
    kind = value.type
    if kind == "BOOL":
        return value.integer() != 0
    if kind in _INTEGERS:
        return value.integer()
    if kind in ("DOUBLE", "FLOAT"):
        return value.real()
    text = value.text()
    if text is not None:
        return text
    if kind == "DURATION":
        return value.shown(True)
    batch = next(iter(_core.Reader.open(value.stream())))
    return _cells.items(batch.column(0))[0]


def _nanoseconds(moment: dt.datetime) -> int:
    if moment.tzinfo is not None:
        moment = moment.astimezone(dt.timezone.utc).replace(tzinfo=None)
    since = moment - _EPOCH
    nanoseconds = (since.days * 86400 + since.seconds) * 1_000_000_000 + since.microseconds * 1000
    if abs(nanoseconds) > _LONGEST:
        raise DataError(f"{moment} is outside of what nanoseconds in 64 bits can say: 1678 to 2262.")
    return nanoseconds


def _time_nanoseconds(time: dt.time) -> int:
    return ((time.hour * 60 + time.minute) * 60 + time.second) * 1_000_000_000 + time.microsecond * 1000


def _cell(format: str, raw: bytes) -> Value:
    """A scalar by way of a column of one element."""
    stream = _core.make_stream([("x", format, 1, 0, (None, raw), None)])
    return Value.from_stream(stream).column(0).item(0)


def _decimal(number: Decimal) -> Value:
    if not number.is_finite():
        return Value.make_null("DOUBLE")
    sign, digits, exponent = number.as_tuple()
    scale = max(0, -int(exponent))
    whole = int(number.scaleb(scale))
    if abs(whole) >= 10**38 or scale > 38:
        raise DataError(f"{number} has more than 38 digits.")
    return _cell(f"d:38,{scale}", whole.to_bytes(16, "little", signed=True))


def _date_value(x: dt.date) -> Value:
    return Value.make_integer("DATE", (x - _EPOCH.date()).days)


def _integer(x: int) -> Value:
    if abs(x) > _LONGEST:
        raise DataError(f"{x} does not fit into 64 bits.")
    return Value.make_integer("LONG", x)


# Exact classes first: bool is an int, datetime a date.
_SCALARS = {
    type(None): lambda x: Value.make_null("VOID"),
    bool: lambda x: Value.make_integer("BOOL", int(x)),
    int: _integer,
    float: Value.make_real,
    str: Value.make_text,
    bytes: Value.make_text,
    bytearray: lambda x: Value.make_text(bytes(x)),
    dt.datetime: lambda x: Value.make_integer("NANOTIMESTAMP", _nanoseconds(x)),
    dt.date: _date_value,
    dt.time: lambda x: Value.make_integer("NANOTIME", _time_nanoseconds(x)),
    Decimal: _decimal,
}


def _numpy_scalar(x: Any) -> Optional[Value]:
    np = sys.modules.get("numpy")
    if np is None or not isinstance(x, np.generic):
        return None
    if isinstance(x, (np.datetime64, np.timedelta64)):
        return of(np.array([x])).item(0)
    return of(x.item())


# ---- Columns -------------------------------------------------------------------------------------------------------


def _bits(flags: Any) -> Any:
    np = sys.modules["numpy"]
    return np.packbits(flags, bitorder="little")


def _moment_column(name: str, data: Any, nulls: Any) -> tuple:
    """datetime64 and timedelta64: their NaT is the least integer, and so is NULL."""
    np = sys.modules["numpy"]
    kind, unit = data.dtype.kind, np.datetime_data(data.dtype)[0]
    if kind == "M" and unit == "D":
        stored, format = data.astype("M8[D]"), "tdD"
        validity = ~np.isnat(stored)
        days = np.where(validity, stored.view("i8"), 0)
        if len(days) and (abs(days) > 2**31 - 1).any():
            raise DataError(f"The column {name} has a day that is too far away.")
        return (name, format, len(data), int((~validity).sum()), (_bits(validity), np.ascontiguousarray(days, "i4")), None)
    if unit not in ("s", "ms", "us", "ns"):
        unit = "s" if unit in ("Y", "M", "W", "h", "m") else "ns"
        data = data.astype(f"{kind}8[{unit}]")
    if kind == "m":
        # Times of a day; longer durations are numbers of nanoseconds.
        nanoseconds = data.astype("m8[ns]")
        validity = ~np.isnat(nanoseconds)
        numbers = np.where(validity, nanoseconds.view("i8"), 0)
        is_of_day = len(numbers) == 0 or (numbers.min() >= 0 and numbers.max() < 86_400_000_000_000)
        return (name, "ttn" if is_of_day else "l", len(data), int((~validity).sum()), (_bits(validity), np.ascontiguousarray(numbers)), None)
    validity = ~np.isnat(data)
    letter = {"s": "s", "ms": "m", "us": "u", "ns": "n"}[unit]
    return (name, f"ts{letter}:", len(data), int((~validity).sum()), (_bits(validity), np.ascontiguousarray(data).view("i8")), None)


def _object_column(name: str, items: Any) -> tuple:
    """Texts, or whatever objects all of one kind that scalars are made of."""
    present = [x for x in items if not _is_missing(x)]
    if not present or all(isinstance(x, (str, bytes)) for x in present):
        is_blob = bool(present) and all(isinstance(x, bytes) for x in present)
        validity, offsets, texts, missing = _core.text_buffers(items)
        return (name, "Z" if is_blob else "U", len(items), missing, (validity if missing else None, offsets, texts), None)
    np = _numpy()
    missing = np.fromiter((_is_missing(x) for x in items), bool, len(items))
    nulls = (int(missing.sum()), _bits(~missing) if missing.any() else None)
    if all(isinstance(x, bool) for x in present):
        flags = np.fromiter((bool(x) if not m else False for x, m in zip(items, missing)), bool, len(items))
        return (name, "b", len(items), nulls[0], (nulls[1], _bits(flags)), None)
    if all(isinstance(x, int) for x in present):
        if any(abs(x) > _LONGEST for x in present):
            raise DataError(f"The column {name} has an integer that does not fit into 64 bits.")
        numbers = np.fromiter((0 if m else int(x) for x, m in zip(items, missing)), "i8", len(items))
        return (name, "l", len(items), nulls[0], (nulls[1], numbers), None)
    if all(isinstance(x, (int, float)) or _is_number(x) for x in present):
        numbers = np.fromiter((np.nan if m else float(x) for x, m in zip(items, missing)), "f8", len(items))
        return (name, "g", len(items), nulls[0], (nulls[1], numbers), None)
    if all(isinstance(x, Decimal) for x in present):
        return _decimal_column(name, items, nulls)
    if all(isinstance(x, dt.datetime) for x in present):
        numbers = np.fromiter((0 if m else _nanoseconds(x) for x, m in zip(items, missing)), "i8", len(items))
        return (name, "tsn:", len(items), nulls[0], (nulls[1], numbers), None)
    if all(isinstance(x, dt.date) and not isinstance(x, dt.datetime) for x in present):
        numbers = np.fromiter((0 if m else (x - _EPOCH.date()).days for x, m in zip(items, missing)), "i4", len(items))
        return (name, "tdD", len(items), nulls[0], (nulls[1], numbers), None)
    if all(isinstance(x, dt.time) for x in present):
        numbers = np.fromiter((0 if m else _time_nanoseconds(x) for x, m in zip(items, missing)), "i8", len(items))
        return (name, "ttn", len(items), nulls[0], (nulls[1], numbers), None)
    kinds = ", ".join(sorted({type(x).__name__ for x in present})[:4])
    raise DataError(f"The column {name} has objects that no column takes together: {kinds}.")


def _decimal_column(name: str, items: Any, nulls: tuple) -> tuple:
    scale = max([max(0, -int(x.as_tuple().exponent)) for x in items if isinstance(x, Decimal) and x.is_finite()], default=0)
    raw = b"".join((0 if _is_missing(x) or not x.is_finite() else int(x.scaleb(scale))).to_bytes(16, "little", signed=True) for x in items)
    return (name, f"d:38,{scale}", len(items), nulls[0], (nulls[1], raw), None)


def _is_missing(x: Any) -> bool:
    if x is None:
        return True
    try:
        return bool(x != x)
    except (TypeError, ValueError):
        return type(x).__name__ in ("NAType", "NaTType")


def _is_number(x: Any) -> bool:
    np = sys.modules.get("numpy")
    return np is not None and isinstance(x, (np.integer, np.floating, np.bool_))


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise NotSupportedError("Lists become columns by NumPy, which is not installed: pip install numpy.") from None
    return numpy


def array_column(name: str, data: Any) -> tuple:
    """A one-dimensional array of NumPy as a column of a stream; it is lent, not copied."""
    np = sys.modules["numpy"]
    nulls = None
    if isinstance(data, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(data)
        nulls, data = (mask if mask.any() else None), data.data
    if data.ndim != 1:
        raise DataError(f"The column {name} has {data.ndim} dimensions; it can have one.")
    if data.dtype.byteorder == ">":
        data = data.astype(data.dtype.newbyteorder("<"))
    kind, code = data.dtype.kind, data.dtype.str[1:]
    missing = 0 if nulls is None else int(nulls.sum())
    validity = None if nulls is None else _bits(~nulls)
    if kind == "b":
        return (name, "b", len(data), missing, (validity, _bits(data)), None)
    if code == "f2":
        data, code = data.astype("f4"), "f4"
    if code == "f16":
        data, code = data.astype("f8"), "f8"
    if code in _ARROW:
        return (name, _ARROW[code], len(data), missing, (validity, np.ascontiguousarray(data)), None)
    if kind in "mM":
        return _moment_column(name, data, nulls)
    if kind == "U":
        return _object_column(name, data.tolist())
    if kind == "S":
        return _object_column(name, data.tolist())
    if kind == "O":
        return _object_column(name, data)
    raise DataError(f"The column {name} has elements of the type {data.dtype}, which no column takes.")


# ---- Frames --------------------------------------------------------------------------------------------------------


def _category_column(name: str, categorical: Any) -> tuple:
    np = sys.modules["numpy"]
    texts = categorical.categories
    if not all(isinstance(x, str) for x in texts):
        nulls = categorical.codes < 0
        values = texts.to_numpy()[np.where(nulls, 0, categorical.codes)] if len(texts) else np.empty(len(nulls), object)
        if values.dtype.kind == "O":
            values[nulls] = None
            return array_column(name, values)
        return array_column(name, np.ma.MaskedArray(values, nulls))
    codes = np.ascontiguousarray(categorical.codes, "i4")
    validity = codes >= 0
    missing = int((~validity).sum())
    bits = _bits(validity) if missing else None
    return (name, "i", len(codes), missing, (bits, np.where(validity, codes, 0).astype("i4")), _object_column("", list(texts)))


def _pandas_column(name: str, series: Any) -> tuple:
    pd, np = sys.modules["pandas"], _numpy()
    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return _category_column(name, series.array)
    if isinstance(kind, pd.DatetimeTZDtype):
        return array_column(name, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    if isinstance(kind, np.dtype):
        return array_column(name, series.to_numpy())
    nulls = series.isna().to_numpy()
    inner = getattr(kind, "numpy_dtype", None)
    if inner is not None and inner.kind in "iufb":
        data = series.to_numpy(dtype=inner, na_value=inner.type(0))
        return array_column(name, np.ma.MaskedArray(data, nulls) if nulls.any() else data)
    return _object_column(name, series.astype(object).to_numpy())


def _unique(names: Iterable[Any]) -> list[str]:
    """Names of columns as texts, each once: what stands twice gets a number."""
    seen: set[str] = set()
    result = []
    for name in names:
        base = text = str(name) if not isinstance(name, tuple) else "_".join(map(str, name))
        number = 1
        while text in seen or not text:
            text, number = f"{base or 'col'}_{number}", number + 1
        seen.add(text)
        result.append(text)
    return result


def _pandas_columns(frame: Any, wanted: Optional[set]) -> list[tuple]:
    names = _unique(frame.columns)
    chosen = [i for i, name in enumerate(names) if wanted is None or name in wanted] or list(range(min(1, len(names))))
    return [_pandas_column(names[i], frame.iloc[:, i]) for i in chosen]


def _mapping_columns(mapping: dict) -> list[tuple]:
    names = _unique(mapping)
    return [sequence_column(name, column) for name, column in zip(names, mapping.values())]


def sequence_column(name: str, items: Any) -> tuple:
    """A list, an array or a series as a column of a stream."""
    np = _numpy()
    if isinstance(items, np.ndarray):
        return array_column(name, items)
    pd = sys.modules.get("pandas")
    if pd is not None and isinstance(items, pd.Series):
        return _pandas_column(name, items)
    if isinstance(items, array.array):
        return array_column(name, np.asarray(items))
    return _object_column(name, list(items))


def _is_of(x: Any, module: str, *names: str) -> bool:
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(x, tuple(getattr(loaded, name) for name in names if hasattr(loaded, name)))


def _is_dataset(x: Any) -> bool:
    """Whether an object is a dataset of pyarrow: Parquet and other files, of which only the wanted columns are read."""
    return _is_of(x, "pyarrow.dataset", "Dataset")


def is_frame(x: Any) -> bool:
    """Whether a query may read an object as a table: frames, Arrow tables, dictionaries of arrays are no variables of the session."""
    if _is_of(x, "pandas", "DataFrame") or hasattr(x, "__arrow_c_stream__") or _is_dataset(x) or _is_of(x, "polars", "LazyFrame"):
        return True
    np = sys.modules.get("numpy")
    if np is not None and isinstance(x, np.ndarray) and x.dtype.names:
        return True
    return bool(isinstance(x, dict) and x) and all(
        isinstance(key, str) and (isinstance(column, (list, array.array)) or (np is not None and isinstance(column, np.ndarray))) for key, column in x.items())


def stream(x: Any, wanted: Optional[set] = None) -> tuple[Any, Optional[list[str]]]:
    """An Arrow stream of the rows of a frame, and the columns to take of it. With `wanted` others may be left out."""
    if _is_of(x, "pandas", "DataFrame"):
        return _core.make_stream(_pandas_columns(x, wanted)), None
    if isinstance(x, dict):
        return _core.make_stream(_mapping_columns(x)), None
    np = sys.modules.get("numpy")
    if np is not None and isinstance(x, np.ndarray) and x.dtype.names:
        return _core.make_stream([array_column(name, x[name]) for name in x.dtype.names]), None
    if _is_of(x, "polars", "LazyFrame"):
        x = x.collect()
    if _is_dataset(x):
        names = [name for name in x.schema.names if wanted is None or name in wanted] or x.schema.names[:1]
        x = x.scanner(columns=names).to_reader()
    if hasattr(x, "__arrow_c_stream__"):
        return x.__arrow_c_stream__(), None if wanted is None else sorted(wanted)
    raise DataError(f"A {type(x).__name__} is no table.")


def table(x: Any, wanted: Optional[set] = None) -> Value:
    """A frame as a table of the language; NaN of floats is NULL."""
    rows, columns = stream(x, wanted)
    return Value.from_stream(rows, columns)


def _vector(items: Any) -> Value:
    return Value.from_stream(_core.make_stream([sequence_column("value", items)])).column(0)


def _list(items: Any) -> Value:
    """A vector when one takes the items, else a tuple."""
    if items and not any(isinstance(x, (list, tuple, dict, set)) or is_frame(x) or hasattr(x, "__array__") and getattr(x, "ndim", 0) for x in items):
        try:
            return _vector(list(items))
        except DataError:
            pass
    return Value.make_tuple([of(x) for x in items])


def of(x: Any) -> Value:
    """Any object of Python as a value of the language."""
    make = _SCALARS.get(type(x))
    if make is not None:
        return make(x)
    if isinstance(x, Value):
        return x
    inner = getattr(x, "_value", None)  # a Result
    if isinstance(inner, Value):
        return inner
    found = _numpy_scalar(x)
    if found is not None:
        return found
    np = sys.modules.get("numpy")
    if np is not None and isinstance(x, np.ndarray) and not x.dtype.names:
        return _vector(x) if x.ndim == 1 else _array(x)
    if _is_of(x, "pandas", "Series", "Index"):
        return _vector(x.to_series() if _is_of(x, "pandas", "Index") else x)
    if _is_of(x, "polars", "Series"):
        return Value.from_stream(x.to_frame("value").__arrow_c_stream__()).column(0)
    if isinstance(x, dict) and not is_frame(x) or isinstance(x, dict) and not x:
        return Value.make_dictionary([of(key) for key in x], [of(item) for item in x.values()])
    if is_frame(x):
        return table(x) if not isinstance(x, dict) else Value.make_dictionary([of(key) for key in x], [of(item) for item in x.values()])
    if isinstance(x, (list, tuple)):
        return _list(x)
    if isinstance(x, array.array):
        return _vector(x)
    if isinstance(x, (set, frozenset, range)):
        return _list(list(x))
    if _is_missing(x):
        return Value.make_null("VOID")
    if isinstance(x, (uuid.UUID, ipaddress.IPv4Address, ipaddress.IPv6Address)):
        return Value.make_text(str(x))
    for kind, convert in _SCALARS.items():
        if isinstance(x, kind):
            return convert(x)
    raise NotSupportedError(f"A {type(x).__name__} has no counterpart in the language.")


def _array(x: Any) -> Value:
    """An array of two dimensions is a matrix, of more a tuple of what it consists of."""
    if x.ndim == 0:
        return of(x.item())
    if x.ndim > 2:
        return Value.make_tuple([_array(each) for each in x])
    if x.shape[1] == 0:
        raise DataError("A matrix has a column at least.")
    return Value.from_stream(_core.make_stream([array_column(f"c{i}", x[:, i]) for i in range(x.shape[1])])).matrix()

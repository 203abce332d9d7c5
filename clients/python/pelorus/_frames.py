"""Tables for pandas."""
from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ._arrays import Part

_NULLABLE = {"i1": "Int8", "i2": "Int16", "i4": "Int32", "i8": "Int64", "u1": "UInt8", "u2": "UInt16", "u4": "UInt32", "u8": "UInt64"}


def _seconds_of(days: np.ndarray) -> np.ndarray:
    """Days as datetime64[s]: NumPy's own conversion asks the calendar about each of them."""
    numbers = days.view("i8")
    seconds = numbers * 86_400
    seconds[numbers == np.iinfo("i8").min] = np.iinfo("i8").min
    return seconds.view("M8[s]")


def series(whole: Part) -> Any:
    """What pandas takes for a column: its nullable arrays where integers or truths are NULL, categories for SYMBOL."""
    data, nulls = whole.data, whole.nulls
    if whole.categories is not None:
        codes = data if nulls is None else np.where(nulls, -1, data)
        return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(pd.Index(whole.categories, dtype=object)), validate=False)
    if data.dtype.kind == "M" and data.dtype.str.endswith("[D]"):
        return _seconds_of(data)
    if nulls is None:
        return data
    if data.dtype.kind == "b":
        return pd.arrays.BooleanArray(data.copy(), nulls.copy())
    array = pd.arrays.IntegerArray(data.copy(), nulls.copy())
    assert str(array.dtype) == _NULLABLE[data.dtype.str[1:]]
    return array


def frame(columns: dict[str, Part], rows: int) -> pd.DataFrame:
    """The columns under their names, which are unique."""
    return pd.DataFrame({name: series(whole) for name, whole in columns.items()}, index=pd.RangeIndex(rows), copy=False)

"""Arrow columns as arrays of NumPy, without a copy where the bytes are the same."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from . import _cells

_PLAIN = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8", "f": "f4", "g": "f8"}
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}


class Part(NamedTuple):
    """Elements of a column: the data, and where they are NULL (None: nowhere, or the data say it themselves)."""

    data: np.ndarray
    nulls: Optional[np.ndarray]
    categories: Optional[np.ndarray] = None  # then the data are positions in it


def _null_bits(column: Any) -> Optional[np.ndarray]:
    validity = column.buffers[0] if column.buffers else None
    if validity is None or column.null_count == 0:
        return None
    bits = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little")
    return bits[column.offset : column.offset + column.length] == 0


def _elements(column: Any, dtype: str) -> np.ndarray:
    return np.frombuffer(column.buffers[1], dtype)[column.offset : column.offset + column.length]


def _moments(column: Any, format: str, width: str) -> np.ndarray:
    kind = format[1]
    data = _elements(column, width)
    if kind == "d":
        return data.astype("i8").view("M8[D]") if width == "i4" else data.view("M8[ms]")
    if kind == "t":
        return data.astype("i8", copy=False).view(f"m8[{_UNITS[format[2]]}]")
    return data.view(f"M8[{_UNITS[format[2]]}]")


def _objects(items: list) -> np.ndarray:
    array = np.empty(len(items), object)
    array[:] = items
    return array


def part(column: Any) -> Part:
    """One column of a batch."""
    format = column.format
    if column.dictionary is not None:
        return Part(_elements(column, _PLAIN[format]), _null_bits(column), _objects(column.dictionary.items()))
    if format in _PLAIN:
        data, nulls = _elements(column, _PLAIN[format]), _null_bits(column)
        if nulls is not None and format in "fg":
            data = data.copy()
            data[nulls] = np.nan
            nulls = None
        return Part(data, nulls)
    if format == "b":
        bits = np.unpackbits(np.frombuffer(column.buffers[1], np.uint8), bitorder="little")
        return Part(bits[column.offset : column.offset + column.length].astype(bool), _null_bits(column))
    if format[0] == "t":
        width = "i4" if format == "tdD" or format in ("tts", "ttm") else "i8"
        data, nulls = _moments(column, format, width), _null_bits(column)
        if nulls is not None and not np.isnat(data[nulls]).all():
            data = data.copy()
            data[nulls] = np.array("NaT", data.dtype)
        return Part(data, None)
    items = np.empty(column.length, object)
    for i, item in enumerate(_cells.items(column)):
        items[i] = item
    return Part(items, None)


def join(parts: list[Part]) -> Part:
    """The parts of all batches as one. Categories are those of the stream: each batch has the same."""
    if len(parts) == 1:
        return parts[0]
    nulls = None
    if any(p.nulls is not None for p in parts):
        nulls = np.concatenate([np.zeros(len(p.data), bool) if p.nulls is None else p.nulls for p in parts])
    return Part(np.concatenate([p.data for p in parts]), nulls, parts[0].categories)


def plain(whole: Part) -> np.ndarray:
    """An array by itself: masked where integers or truths are NULL, objects for texts."""
    if whole.categories is not None:
        if not len(whole.data):
            return np.empty(0, object)
        codes = whole.data if whole.nulls is None else np.where(whole.nulls, 0, whole.data)
        texts = whole.categories[codes] if len(whole.categories) else np.full(len(codes), None, object)
        if whole.nulls is not None:
            texts[whole.nulls] = None
        return texts
    return whole.data if whole.nulls is None else np.ma.MaskedArray(whole.data, whole.nulls)

"""Cells of Arrow columns as objects of Python."""
from __future__ import annotations

import datetime as dt
import ipaddress
import struct
import uuid
from decimal import Decimal
from typing import Any, Callable, Optional

_EPOCH = dt.datetime(1970, 1, 1)
_EPOCH_DAY = _EPOCH.toordinal()
_PER_SECOND = {"s": 1, "m": 1000, "u": 1_000_000, "n": 1_000_000_000}


def _date(days: int) -> dt.date:
    return dt.date.fromordinal(_EPOCH_DAY + days)


def _time_of(unit: str) -> Callable[[int], dt.time]:
    per_second = _PER_SECOND[unit]

    def convert(number: int) -> dt.time:
        seconds, rest = divmod(number, per_second)
        return dt.time(seconds // 3600 % 24, seconds // 60 % 60, seconds % 60, rest * 1_000_000 // per_second)

    return convert


def _moment_of(unit: str) -> Callable[[int], dt.datetime]:
    per_second = _PER_SECOND[unit]

    def convert(number: int) -> dt.datetime:
        seconds, rest = divmod(number, per_second)
        return _EPOCH + dt.timedelta(seconds=seconds, microseconds=rest * 1_000_000 // per_second)

    return convert


def _decimal_of(format: str) -> Callable[[int], Decimal]:
    scale = int(format[2:].split(",")[1])
    return lambda number: Decimal(number).scaleb(-scale)


def _bytes16_of(type_name: Optional[str]) -> Optional[Callable[[bytes], Any]]:
    if type_name in (None, "UUID"):
        return lambda raw: uuid.UUID(bytes=raw)
    if type_name in ("COMPLEX", "POINT"):
        # The second part comes first, and each has its most significant byte first.
        parts = struct.Struct(">dd").unpack
        return (lambda raw: complex(*reversed(parts(raw)))) if type_name == "COMPLEX" else (lambda raw: tuple(reversed(parts(raw))))
    if type_name == "IPADDR":
        return lambda raw: ipaddress.ip_address(raw)
    return None


def converter(format: str, type_name: Optional[str] = None) -> Optional[Callable[[Any], Any]]:
    """What makes a Python object of a raw item of that Arrow format that is no None; None: the item is one."""
    if format.startswith("td"):
        return _date
    if format.startswith("tt"):
        return _time_of(format[2])
    if format.startswith("ts"):
        return _moment_of(format[2])
    if format.startswith("d:"):
        return _decimal_of(format)
    if format.startswith("w:"):
        return _bytes16_of(type_name)
    return None


def items(column: Any, begin: int = 0, count: Optional[int] = None) -> list:
    """Cells of a column, as Python objects; NULL is None. Nanoseconds are cut to microseconds, as Python's times are."""
    raw = column.items(begin, column.length - begin if count is None else count)
    if column.child is not None:
        convert = converter(column.child.format, column.child.type)
        return raw if convert is None else [None if row is None else [None if x is None else convert(x) for x in row] for row in raw]
    if column.dictionary is not None:
        return raw
    convert = converter(column.format, column.type)
    return raw if convert is None else [None if x is None else convert(x) for x in raw]

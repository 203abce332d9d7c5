"""DB-API 2.0 (PEP 249) over the same connections.

>>> import pelorus.dbapi
>>> connection = pelorus.dbapi.connect("folder")          # or connect(address="127.0.0.1:8848", user="admin", password=...)
>>> cursor = connection.cursor()
>>> cursor.execute("select * from t where x > ?", [3]).fetchall()

Each statement is a transaction of its own: `commit` does nothing, and `rollback` raises NotSupportedError.
"""
from __future__ import annotations

import datetime as _dt
import re as _re
import time as _time
from collections.abc import Mapping as _Mapping
from functools import lru_cache as _lru_cache
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

from . import _core, _values
from ._connection import Connection as _Session
from ._result import Result as _Result
from .errors import (DatabaseError, DataError, Error, IntegrityError, InterfaceError, InternalError, NotSupportedError, OperationalError,
                     ProgrammingError, Warning)

apilevel = "2.0"
threadsafety = 1  # threads share the module, not connections
paramstyle = "qmark"  # named (:name) works, too

Date, Time, Timestamp = _dt.date, _dt.time, _dt.datetime
Binary = bytes


def DateFromTicks(ticks: float) -> _dt.date:
    return Date(*_time.localtime(ticks)[:3])


def TimeFromTicks(ticks: float) -> _dt.time:
    return Time(*_time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks: float) -> _dt.datetime:
    return Timestamp(*_time.localtime(ticks)[:6])


class _TypeSet(frozenset):
    """A type object of PEP 249: equal to each type's name that it stands for."""

    def __eq__(self, other: object) -> bool:
        return other in self if isinstance(other, str) else frozenset.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = frozenset.__hash__


STRING = _TypeSet({"STRING", "UUID", "IPADDR", "INT128"})
BINARY = _TypeSet({"BLOB"})
NUMBER = _TypeSet({"BOOL", "CHAR", "SHORT", "INT", "LONG", "FLOAT", "DOUBLE", "DECIMAL"})
DATETIME = _TypeSet({"DATE", "MONTH", "TIME", "TIMESTAMP"})
ROWID = _TypeSet(set())

_CODES = {"b": "BOOL", "c": "CHAR", "s": "SHORT", "i": "INT", "l": "LONG", "f": "FLOAT", "g": "DOUBLE", "u": "STRING", "U": "STRING", "z": "BLOB",
          "Z": "BLOB"}


def _type_code(format: str, dictionary: Optional[str], name: Optional[str]) -> str:
    if dictionary is not None:
        return "STRING"
    if name:
        return "DECIMAL" if name.startswith("DECIMAL") else {"MINUTE": "TIME", "DATETIME": "TIMESTAMP"}.get(name, name)
    if format[0] == "t":
        return {"d": "DATE", "t": "TIME", "s": "TIMESTAMP"}[format[1]]
    if format[0] == "d":
        return "DECIMAL"
    return "UUID" if format == "w:16" else _CODES.get(format, "STRING")


# Pieces of a statement that a placeholder is not looked for in: texts and comments.
_PIECES = _re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|//[^\n]*|/\*.*?\*/|(?<!:):([A-Za-z_]\w*)|\?", _re.DOTALL)


_INSERT = _re.compile(r"\s*insert\s+into\s+([A-Za-z_]\w*)\s+values\s*\(\s*(\?(?:\s*,\s*\?)*)\s*\)\s*;?\s*", _re.IGNORECASE)


@_lru_cache(maxsize=256)
def _placed(statement: str, is_named: bool) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The statement with a variable in the place of each placeholder, these variables, and the names of their parameters."""
    variables: list[str] = []
    keys: list[str] = []

    def variable(match: "_re.Match[str]") -> str:
        piece, name = match.group(0), match.group(1)
        if (name is None if is_named else piece != "?"):
            return piece
        made = f"pelorus_parameter_{name if is_named else len(variables)}"
        if made not in variables:
            variables.append(made)
            keys.append(name)
        return made

    return _PIECES.sub(variable, statement), tuple(variables), tuple(keys)


def _bound(statement: str, parameters: Union[Sequence[Any], Mapping[str, Any]]) -> tuple[str, tuple[str, ...], tuple]:
    """The statement with variables for its placeholders, these variables, and what each of them is to be."""
    if isinstance(parameters, _Mapping):
        text, variables, keys = _placed(statement, True)
        for key in keys:
            if key not in parameters:
                raise ProgrammingError(f"The statement wants a parameter {key}, which was not given.")
        return text, variables, tuple(parameters[key] for key in keys)
    text, variables, _ = _placed(statement, False)
    if len(parameters) < len(variables):
        raise ProgrammingError(f"The statement has more placeholders than the {len(parameters)} parameters that were given.")
    if len(parameters) > len(variables):
        raise ProgrammingError(f"The statement has {len(variables)} placeholders, and {len(parameters)} parameters were given.")
    return text, variables, tuple(parameters)


class Cursor:
    """A statement and its rows. One thread at a time uses it."""

    arraysize = 1

    def __init__(self, connection: "Connection") -> None:
        self.connection = connection
        #: (name, type code, None, None, None, None, None) of each column; None for a statement without rows.
        self.description: Optional[list[tuple]] = None
        #: Rows of the result; -1 where the statement had none.
        self.rowcount = -1
        self.lastrowid: Optional[int] = None
        self.messages: list = []
        self._result: Optional[_Result] = None
        self._is_closed = False

    def _session(self) -> _Session:
        if self._is_closed:
            raise InterfaceError("The cursor is closed.")
        return self.connection._open()

    def execute(self, operation: str, parameters: Union[Sequence[Any], Mapping[str, Any], None] = None) -> "Cursor":
        """Runs a statement or script, with ? for each of a sequence of parameters or :name for those of a mapping."""
        session = self._session()
        if not isinstance(operation, str):
            raise InterfaceError("A statement is a str.")
        if parameters is None:
            self._take(session._statement(operation))
        else:
            self._take(session._statement(*_bound(operation, parameters)))
        return self

    def executemany(self, operation: str, seq_of_parameters: Sequence[Any]) -> "Cursor":
        """Runs a statement for each set of parameters. Rows of an insert into a table of the session are stored together."""
        many = list(seq_of_parameters)
        insert = _INSERT.fullmatch(operation)
        if insert and len(many) > 1 and self._insert(insert.group(1), insert.group(2).count("?"), many):
            return self
        rows = 0
        for parameters in many:
            self.execute(operation, parameters)
            rows += max(self.rowcount, 0)
        if self.description is None:
            self.rowcount = -1
        return self

    def _insert(self, table: str, width: int, rows: list) -> bool:
        """Appends the rows as columns. False, with nothing stored, where no column takes all of its objects."""
        session = self._session()
        if any(isinstance(row, _Mapping) or len(row) != width for row in rows) or session._session.knows(table) != 1:
            return False
        try:
            columns = {f"c{i}": list(column) for i, column in enumerate(zip(*rows))}
            value = _values.table(columns)
        except (DataError, NotSupportedError):
            return False
        self._result, self.description, self.rowcount = None, None, -1
        session.append(table, _Result(value))
        return True

    def callproc(self, procname: str, parameters: Sequence[Any] = ()) -> Sequence[Any]:
        """Calls a function; what it returns are the rows to fetch."""
        session = self._session()
        self._take(session._called(procname, tuple(parameters)))
        return parameters

    def _take(self, value: _core.Value) -> None:
        self._result, self.description, self.rowcount = None, None, -1
        if value.form == "other" or (value.form == "scalar" and value.type == "VOID") or value.form == "tuple":
            return
        try:
            reader = _core.Reader.open(value.stream(1))
        except ProgrammingError:  # a table on disk: a handle, not rows
            return
        self.description = [(name, _type_code(*formats), None, None, None, None, None) for name, formats in zip(reader.names, reader.formats)]
        self._result = _Result(value)
        self.rowcount = value.size

    def _rows(self) -> _Result:
        self._session()
        if self._result is None:
            raise ProgrammingError("There are no rows: the last statement returned none, or there was no statement.")
        return self._result

    def fetchone(self) -> Optional[tuple]:
        return self._rows().fetchone()

    def fetchmany(self, size: Optional[int] = None) -> list[tuple]:
        return self._rows().fetchmany(self.arraysize if size is None else size)

    def fetchall(self) -> list[tuple]:
        return self._rows().fetchall()

    def __iter__(self) -> Iterator[tuple]:
        while (row := self.fetchone()) is not None:
            yield row

    def nextset(self) -> None:
        self._session()
        return None

    def setinputsizes(self, sizes: Any) -> None:
        self._session()

    def setoutputsize(self, size: Any, column: Any = None) -> None:
        self._session()

    def df(self) -> Any:
        """The rows as a `pandas.DataFrame`."""
        return self._rows().df()

    def arrow(self) -> Any:
        """The rows as a `pyarrow.Table`."""
        return self._rows().arrow()

    def close(self) -> None:
        self._is_closed = True
        self._result = None

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


class Connection:
    """A session with a database, as PEP 249 has it."""

    Warning, Error, InterfaceError, DatabaseError, DataError = Warning, Error, InterfaceError, DatabaseError, DataError
    OperationalError, IntegrityError, InternalError = OperationalError, IntegrityError, InternalError
    ProgrammingError, NotSupportedError = ProgrammingError, NotSupportedError

    def __init__(self, session: _Session) -> None:
        self._session: Optional[_Session] = session

    def _open(self) -> _Session:
        if self._session is None:
            raise InterfaceError("The connection is closed.")
        return self._session

    def cursor(self) -> Cursor:
        self._open()
        return Cursor(self)

    def execute(self, operation: str, parameters: Any = None) -> Cursor:
        """A new cursor that has run the statement."""
        return self.cursor().execute(operation, parameters)

    def commit(self) -> None:
        """Does nothing: each statement is a transaction of its own."""
        self._open()

    def rollback(self) -> None:
        self._open()
        raise NotSupportedError("Each statement is a transaction of its own: there is nothing to roll back.")

    def close(self) -> None:
        self._open().close()
        self._session = None

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._session is not None:
            self.close()


def connect(database: Optional[str] = None, *, address: Optional[str] = None, user: Optional[str] = None, password: Optional[str] = None,
            tls: bool = False, certificate: Optional[str] = None, timeout: float = 2.5) -> Connection:
    """Opens the database of a folder (None or ":memory:": a temporary one), or connects to the node at an address."""
    import pelorus

    if address is not None:
        if database is not None:
            raise InterfaceError("Give a folder or an address, not both.")
        return Connection(pelorus.connect(address, user, password, tls=tls, certificate=certificate, timeout=timeout))
    return Connection(pelorus.open(None if database in (None, "", ":memory:") else database))

"""Connection: a session with a database of this process, or with a node."""
from __future__ import annotations

import atexit
import keyword
import os
import re
import sys
import threading
import weakref
from typing import Any, Callable, Optional

from . import _core, _progress, _values
from ._result import Result, unwrap
from .errors import InterfaceError

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_TEXTS = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|//[^\n]*|/\*.*?\*/", re.DOTALL)
_live: "weakref.WeakSet[Connection]" = weakref.WeakSet()
_calling = threading.local()  # `sessions`: of the functions of Python that the thread is in, by id(), innermost last


class Connection:
    """A session: its variables and functions are its own, tables of the database everybody's.

    Made by `pelorus.open` and `pelorus.connect`. One thread at a time uses it; `cursor()` makes another session with the
    same database for another one. It is closed by `close()`, at the end of a `with` block, or at the end of the program.
    """

    def __init__(self, database: _core.Database, *, is_remote: bool = False) -> None:
        self._database = database
        self._session = database.session()
        self._is_remote = is_remote
        self._process = os.getpid()
        #: Receives each line that scripts print. By default they go to standard output.
        self.on_print: Optional[Callable[[str], None]] = lambda line: print(line)
        #: Whether a line says how far long statements are: True, False, or None for a terminal or notebook.
        self.shows_progress: Optional[bool] = None
        self._watch = None if is_remote else _progress.ProgressLine(self._session.progress, _watched(weakref.ref(self)))
        _live.add(self)

    # ---- Scripts

    def run(self, script: str, /, **variables: Any) -> Any:
        """Runs a script, after the variables were set, and returns the value of its last expression.

        Scalars, tuples and dictionaries come as Python's objects, NULL as None; tables, vectors and matrices as a `Result`.
        Ctrl-C cancels the script. Raises ProgrammingError for errors of the script, with place and caret.
        """
        for name, object in variables.items():
            self.put(name, object)
        return unwrap(self._statement(script))

    def sql(self, query: str, /, **variables: Any) -> Result:
        """Runs a query that may read frames of the caller by their names: pandas, polars, pyarrow, dictionaries of arrays.

        A name is looked up in the session first, then in the caller's local and global variables. Only the columns that the query
        names are taken. Returns a `Result`.
        """
        caller = sys._getframe(1)
        return self._query(query, {**caller.f_globals, **caller.f_locals}, variables)

    def _query(self, query: str, scope: dict[str, Any], variables: dict[str, Any]) -> Result:
        result = self._scripted(query, scope, variables)
        return result if isinstance(result, Result) else Result(_values.of(result))

    def _scripted(self, query: str, scope: dict[str, Any], variables: Optional[dict[str, Any]] = None) -> Any:
        """`run` with the frames of a scope that the script names."""
        variables = variables or {}
        text = _TEXTS.sub(" ", query)
        names = set(_NAME.findall(text))
        wanted = None if "*" in text.replace("count(*)", "") else set(re.findall(r"\w+", query))
        lent = []
        for name in names:
            if name in variables or keyword.iskeyword(name) or name not in scope or not _is_table(scope[name]):
                continue
            if self._session.knows(name):
                continue
            self._session.put(name, _values.table(scope[name], wanted))
            lent.append(name)
        try:
            return self.run(query, **variables)
        finally:
            if lent:
                self._session.run("undef(`" + "`".join(lent) + ")")

    def call(self, function: str, /, *arguments: Any) -> Any:
        """Calls a function by its name, or by an expression that yields one, with objects of Python. Returns as `run` does."""
        return unwrap(self._called(function, arguments))

    def _statement(self, script: str, names: tuple[str, ...] = (), objects: tuple = ()) -> _core.Value:
        """Runs a script after variables were set to objects of Python."""
        try:
            return self._session.run(script, self.on_print, self._watch, names, objects, _values.of)
        finally:
            if self._watch is not None:
                self._watch.end()

    def _called(self, function: str, arguments: tuple) -> _core.Value:
        values = tuple(_values.of(x) for x in arguments)
        try:
            return self._session.call(function, values, self.on_print, self._watch)
        finally:
            if self._watch is not None:
                self._watch.end()

    # ---- Variables, tables, functions

    def put(self, name: str, object: Any) -> None:
        """Sets a variable of the session: a frame becomes a table, an array or list a vector, a dictionary one of ANY."""
        _require_name(name)
        is_table = _values.is_frame(object) and not isinstance(object, dict)
        self._session.put(name, _values.table(object) if is_table else _values.of(object))

    def get(self, name: str) -> Any:
        """The value of a variable, as `run` returns it."""
        _require_name(name)
        return unwrap(self._session.get(name))

    def append(self, table: str, rows: Any) -> int:
        """Appends rows to a table: a variable, a shared table, or ``loadTable(...)``. Returns how many.

        Rows are a frame, a dictionary of columns, or a list of tuples. All of them are stored, or none.
        """
        if isinstance(rows, (list, tuple)) and rows and isinstance(rows[0], (list, tuple)):
            rows = {f"c{i}": list(column) for i, column in enumerate(zip(*rows, strict=True))}
        added = _values.table(rows)
        lent = "pelorus_appended_rows"
        self._session.put(lent, added)
        try:
            self._session.run(f"{table}.append!({lent})")
        finally:
            self._session.run(f"undef(`{lent})")
        return added.size

    def create_function(self, name: str, function: Callable[..., Any], parameters: Optional[int] = None, *, elementwise: bool = False) -> None:
        """Makes a function of Python one of the session: scripts and queries call it by the name.

        It receives scalars as Python's objects, and vectors and tables as `Result`; what it returns becomes a value: an
        array a vector, a frame a table, which a query may read (`select … from f(x)`). With `elementwise` it is called with
        whole vectors, and returns as many elements. An exception ends the statement with its text. Threads of the engine call
        it while they hold the interpreter's lock. Databases of this process only.
        """
        _require_name(name)
        if parameters is None:
            import inspect

            parameters = len(inspect.signature(function).parameters)

        session = id(self)  # no reference: the session owns the function

        def adapted(values: tuple) -> _core.Value:
            inside = _calling.__dict__.setdefault("sessions", [])
            inside.append(session)
            try:
                returned = function(*(unwrap(value) for value in values))
            finally:
                inside.pop()
            if _values.is_frame(returned) and not isinstance(returned, dict):
                return _values.table(returned)
            return _values.of(returned)

        self._session.define(name, parameters, elementwise, adapted)

    # ---- The session

    def cursor(self) -> "Connection":
        """Another session with the same database."""
        made = Connection(self._database, is_remote=self._is_remote)
        made.on_print = self.on_print
        made.shows_progress = self.shows_progress
        return made

    def interrupt(self) -> None:
        """Cancels what another thread runs by this connection; it ends within a second, with `Cancelled`."""
        self._session.cancel()

    def close(self) -> None:
        """Ends the session; what it runs is cancelled. The database ends with its last session.

        A process that was forked leaves the session to its parent, whose threads it does not have.
        """
        if id(self) in getattr(_calling, "sessions", ()):
            raise InterfaceError("A function does not close the session that calls it: it would wait for itself.")
        if self._process == os.getpid():
            self._session.close()
        self._database = None  # type: ignore[assignment]

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise InterfaceError("A connection belongs to its process; it cannot be pickled.")

    # ---- asyncio

    async def run_async(self, script: str, /, **variables: Any) -> Any:
        """`run` for asyncio: other tasks go on meanwhile. A task that is cancelled cancels the script."""
        return await _cancellable(self, lambda: self.run(script, **variables))

    async def call_async(self, function: str, /, *arguments: Any) -> Any:
        """`call` for asyncio."""
        return await _cancellable(self, lambda: self.call(function, *arguments))


async def _cancellable(connection: Connection, work: Callable[[], Any]) -> Any:
    import asyncio

    future = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        connection.interrupt()
        await asyncio.wait([future])
        future.exception()
        raise


def _watched(connection: "weakref.ref[Connection]") -> Callable[[], bool]:
    """Whether somebody wants to see how far the statements of a connection are."""

    def is_wanted() -> bool:
        held = connection()
        chosen = None if held is None else held.shows_progress
        return _progress.wanted() if chosen is None else chosen

    return is_wanted


def _is_table(object: Any) -> bool:
    return not isinstance(object, type) and (_values.is_frame(object) or isinstance(object, Result))


def _require_name(name: str) -> None:
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise InterfaceError(f"{name!r} is no name: letters, digits and _, a letter first.")


@atexit.register
def _close_all() -> None:
    for connection in list(_live):
        connection.close()


def open_database(folder: Optional[str], settings: Optional[str]) -> Connection:
    return Connection(_core.Database.open(folder, settings))


def connect(address: str, user: Optional[str], password: Optional[str], tls: bool, certificate: Optional[str], timeout: float) -> Connection:
    database = _core.Database.connect(address, user, password, tls, certificate, int(timeout * 1000))
    return Connection(database, is_remote=True)

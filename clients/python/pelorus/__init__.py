"""Pelorus: a time-series database whose interface is a programming language.

>>> import pelorus
>>> db = pelorus.open()
>>> db.run("t = table(1..5 as x, `a`b`a`b`a as s); select sum(x) from t group by s").df()

`open` gives a database of this process, `connect` one on a node; both return a `Connection`.
"""
from __future__ import annotations

import os as _os
import sys as _sys
from typing import TYPE_CHECKING, Any, Optional, Union

from .errors import (Cancelled, DatabaseError, DataError, Error, IntegrityError, InterfaceError, InternalError, MemoryLimitError, NotSupportedError,
                     OperationalError, ProgrammingError, ScriptSyntaxError, Warning)

if TYPE_CHECKING:
    from ._connection import Connection
    from ._result import Result

__version__ = "0.1.0"
__all__ = ["open", "connect", "sql", "run", "Connection", "Result", "Error", "Warning", "InterfaceError", "DatabaseError", "DataError", "OperationalError",
           "IntegrityError", "InternalError", "ProgrammingError", "NotSupportedError", "Cancelled", "MemoryLimitError", "ScriptSyntaxError"]

_default: Optional["Connection"] = None
_process = 0  # the process that has opened it


def open(folder: Union[str, "_os.PathLike[str]", None] = None, *, settings: Union[str, "_os.PathLike[str]", None] = None) -> "Connection":  # noqa: A001
    """Opens the database in a folder, which is made where there is none; without one a temporary database.

    A folder has one owner: OperationalError when it is open already, in this process or another one. `settings` is a file as
    ``pelorus serve --config`` takes. Connections to the same folder come from `cursor()`.
    """
    from ._connection import open_database

    return open_database(None if folder is None else _os.path.expanduser(_os.fspath(folder)), None if settings is None else _os.fspath(settings))


def connect(address: str, user: Optional[str] = None, password: Optional[str] = None, *, tls: bool = False, certificate: Optional[str] = None,
            timeout: float = 2.5) -> "Connection":
    """Connects to a node, "host:port", as a user or as a guest. `timeout` is in seconds, of the connection alone.

    With `tls` the connection is encrypted, and the node's certificate checked: by the file `certificate`, or by those that the
    system trusts. A connection that breaks is made anew by the next statement; the variables of the session are gone then.
    """
    from ._connection import connect as connect_to

    return connect_to(address, user, password, tls, certificate, timeout)


def _shared() -> "Connection":
    global _default, _process
    if _default is None or _process != _os.getpid():  # a fork has a database of its own
        _default, _process = open(), _os.getpid()
    return _default


def run(script: str, /, **variables: Any) -> Any:
    """`Connection.run` in a temporary database that the program has for itself."""
    return _shared().run(script, **variables)


def sql(query: str, /, **variables: Any) -> "Result":
    """`Connection.sql` in that database."""
    caller = _sys._getframe(1)
    return _shared()._query(query, {**caller.f_globals, **caller.f_locals}, variables)


def load_ipython_extension(shell: Any) -> None:
    """%load_ext pelorus: gives a notebook of Python the magic %%pelorus."""
    from .notebook.magic import PelorusMagics

    shell.register_magics(PelorusMagics)


def __getattr__(name: str) -> Any:
    if name == "Connection":
        from ._connection import Connection

        return Connection
    if name == "Result":
        from ._result import Result

        return Result
    raise AttributeError(f"module 'pelorus' has no attribute {name!r}")

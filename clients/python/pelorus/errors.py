"""The exceptions of the package: those of DB-API 2.0, and what is special of each."""
from __future__ import annotations


class Warning(Exception):  # noqa: A001 - DB-API's name
    """Something that a program may want to know."""


class Error(Exception):
    """The base of all errors. `str(error)` shows place, line and caret, as the console does."""

    message: str = ""  #: what is wrong
    hint: str = ""  #: what to do about it
    line: int = 0  #: place in the script, from 1 on; 0: not known
    column: int = 0


class InterfaceError(Error):
    """The package was used in a way that it does not allow: a busy or closed connection, a value of another form."""


class DatabaseError(Error):
    """The base of the errors of the database."""


class DataError(DatabaseError):
    """A value does not fit where it should go."""


class OperationalError(DatabaseError):
    """Disk, network or another process refused."""


class MemoryLimitError(OperationalError):
    """The memory limit was reached; the statement ended, the session stays."""


class Cancelled(OperationalError):
    """The statement was cancelled."""


class IntegrityError(DatabaseError):
    """A row contradicts a constraint."""


class InternalError(DatabaseError):
    """A defect of Pelorus."""


class ProgrammingError(DatabaseError):
    """The script, the query or its data is at fault."""


class ScriptSyntaxError(ProgrammingError):
    """The script does not parse; nothing of it ran."""


class NotSupportedError(DatabaseError):
    """What was asked for does not exist here."""


# By the number of the engine's kind of error.
KINDS = (InternalError, ProgrammingError, ScriptSyntaxError, OperationalError, MemoryLimitError, Cancelled, InterfaceError, InternalError)

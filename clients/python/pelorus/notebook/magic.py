"""%%pelorus in notebooks of Python: a cell in the language, beside cells of Python."""
from __future__ import annotations

import argparse
import shlex
from typing import Any, Optional

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, line_magic, magics_class
from IPython.display import display

import pelorus

from .._connection import Connection


@magics_class
class PelorusMagics(Magics):
    """One session for the notebook. Frames of the notebook are found by their names, as `Connection.sql` does."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self._connection: Optional[Connection] = None

    def _database(self) -> Connection:
        if self._connection is None:
            self._connection = pelorus.open()
        return self._connection

    @line_cell_magic
    def pelorus(self, line: str, cell: Optional[str] = None) -> Any:
        """%%pelorus [-o NAME]: runs the cell, and assigns its value to a variable of Python or shows it. %pelorus SCRIPT returns it."""
        if cell is None:
            return self._database()._scripted(line, self.shell.user_ns)
        parser = argparse.ArgumentParser(prog="%%pelorus", add_help=False, exit_on_error=False)
        parser.add_argument("-o", dest="name")
        try:
            options, unknown = parser.parse_known_args(shlex.split(line))
        except (argparse.ArgumentError, SystemExit, ValueError) as error:
            raise UsageError(f"%%pelorus [-o NAME]: {error}") from None
        if unknown:
            raise UsageError(f"%%pelorus takes -o NAME, not {' '.join(unknown)}.")
        value = self._database()._scripted(cell, self.shell.user_ns)
        if options.name:
            self.shell.user_ns[options.name] = value
        elif value is not None:
            display(value)
        return None

    @line_magic
    def pelorus_connect(self, line: str) -> None:
        """%pelorus_connect HOST:PORT [USER [PASSWORD]]: the next cells run on a node."""
        connection = pelorus.connect(*shlex.split(line))
        if self._connection is not None:
            self._connection.close()
        self._connection = connection

    @line_magic
    def pelorus_open(self, line: str) -> None:
        """%pelorus_open [FOLDER]: the next cells run in this process."""
        words = shlex.split(line)
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._connection = pelorus.open(*words[:1])

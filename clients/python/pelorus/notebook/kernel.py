"""The kernel of Jupyter notebooks whose cells are scripts."""
from __future__ import annotations

import re
import shlex
import sys
import time
from typing import Any, Optional

from ipykernel.kernelbase import Kernel

import pelorus

from . import mime_bundle
from .._connection import Connection

_WORD = re.compile(r"[\w:]+!?")
_HELP = """%connect HOST:PORT [USER [PASSWORD]]   runs the next cells on a node; %open [FOLDER] in this process
%timeit SCRIPT                          the time of a script, of several runs"""


class PelorusKernel(Kernel):
    """Runs each cell in one session: of a temporary database in this process, until %open or %connect names another one."""

    implementation = "pelorus"
    implementation_version = pelorus.__version__
    language = "pelorus"
    language_version = pelorus.__version__
    language_info = {"name": "pelorus", "mimetype": "text/x-pelorus", "file_extension": ".dos", "pygments_lexer": "text", "codemirror_mode": "python"}
    banner = f"Pelorus {pelorus.__version__}. Cells are scripts; {_HELP}"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._connection: Optional[Connection] = None

    def _database(self) -> Connection:
        if self._connection is None:
            self._use(pelorus.open())
        assert self._connection is not None
        return self._connection

    def _use(self, connection: Connection) -> None:
        if self._connection is not None:
            self._connection.close()
        connection.on_print = lambda line: self._stream("stdout", line + "\n")
        connection.shows_progress = False
        self._connection = connection

    def _stream(self, name: str, text: str) -> None:
        self.send_response(self.iopub_socket, "stream", {"name": name, "text": text})

    # ---- Running

    def do_execute(self, code: str, silent: bool, store_history: bool = True, user_expressions: Optional[dict] = None, allow_stdin: bool = False,
                   **more: Any) -> dict:
        try:
            value = self._run(code)
        except KeyboardInterrupt:
            return self._failed("KeyboardInterrupt", "interrupted")
        except pelorus.Error as error:
            return self._failed(type(error).__name__, str(error))
        shown = None if silent else mime_bundle(value)
        if shown is not None:
            self.send_response(self.iopub_socket, "execute_result", {"execution_count": self.execution_count, "data": shown, "metadata": {}})
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    def _failed(self, name: str, text: str) -> dict:
        content = {"ename": name, "evalue": text.split("\n", 1)[0], "traceback": text.split("\n")}
        self.send_response(self.iopub_socket, "error", content)
        return {"status": "error", "execution_count": self.execution_count, **content}

    def _run(self, code: str) -> Any:
        if not code.strip():
            return None
        if not code.lstrip().startswith("%"):
            return self._database().run(code)
        line, _, rest = code.lstrip().partition("\n")
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise pelorus.InterfaceError(f"{line}: {error}") from None
        if words[0] == "%connect" and len(words) in (2, 3, 4):
            self._use(pelorus.connect(*words[1:]))
        elif words[0] == "%open" and len(words) <= 2:
            self._use(pelorus.open(*words[1:]))
        elif words[0] in ("%timeit", "%%timeit"):
            self._stream("stdout", self._timed(line.partition(" ")[2] + "\n" + rest))
            return None
        else:
            raise pelorus.InterfaceError(f"{line} is not known.\n{_HELP}")
        return self._run(rest)

    def _timed(self, script: str) -> str:
        times = []
        begin = time.perf_counter()
        while len(times) < 3 or (time.perf_counter() - begin < 1 and len(times) < 1000):
            start = time.perf_counter()
            self._database().run(script)
            times.append(time.perf_counter() - start)
        return f"best of {len(times)}: {1e3 * min(times):.3f} ms\n"

    # ---- Editing

    def do_complete(self, code: str, cursor_pos: int) -> dict:
        cursor = len(code[:cursor_pos].encode())
        begin, candidates = self._database()._session.complete(code, cursor)
        start = len(code.encode()[:begin].decode(errors="replace"))
        kinds = [{"start": start, "end": cursor_pos, "text": text, "type": kind, "signature": shown} for text, shown, kind in candidates]
        return {"status": "ok", "matches": [text for text, _, _ in candidates], "cursor_start": start, "cursor_end": cursor_pos,
                "metadata": {"_jupyter_types_experimental": kinds}}

    def do_inspect(self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()) -> dict:
        words = [word for word in _WORD.finditer(code) if word.start() <= cursor_pos]
        text = self._database()._session.describe(words[-1].group()) if words else ""
        data = {"text/markdown": text, "text/plain": text} if text else {}
        return {"status": "ok", "found": bool(text), "data": data, "metadata": {}}

    def do_is_complete(self, code: str) -> dict:
        if self._database()._session.is_unfinished(code):
            return {"status": "incomplete", "indent": ""}
        return {"status": "complete"}

    def do_shutdown(self, restart: bool) -> dict:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        return {"status": "ok", "restart": restart}


assert sys.version_info >= (3, 11)

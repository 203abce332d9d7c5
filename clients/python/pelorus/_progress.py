"""A line that says how far a statement is, in terminals and notebooks."""
from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional

_SHOWN_AFTER = 2.0  # seconds


class ProgressLine:
    """Called now and then while a statement of a connection runs, some twenty times a second; `end` is called after each of them.

    Shows nothing in the first two seconds of a statement, and nothing at all where nobody looks on. `is_wanted`, called at most once for a
    statement, says whether somebody does."""

    def __init__(self, progress: Callable[[], Optional[tuple]], is_wanted: Callable[[], bool], stream: Any = None) -> None:
        self._progress = progress
        self._is_wanted = is_wanted
        self._stream = stream
        self._begin: Optional[float] = None  # of the running statement; None before it was called for it
        self._is_shown = False
        self._is_on = False

    def __call__(self) -> None:
        now = time.monotonic()
        if self._begin is None:
            self._begin = now
            self._is_on = self._is_wanted()
        if not self._is_on or now - self._begin < _SHOWN_AFTER:
            return
        seen = self._progress()
        if seen is None:
            return
        work, unit, done, total = seen
        amount = f"{done:,} of {total:,} {unit}" if total else f"{done:,} {unit}"
        share = f" {100 * done // total}%" if total else ""
        self._write(f"\r\033[K{work}: {amount}{share}")
        self._is_shown = True

    def _write(self, text: str) -> None:
        stream = sys.stderr if self._stream is None else self._stream
        stream.write(text)
        stream.flush()

    def end(self) -> None:
        if self._begin is None:
            return
        if self._is_shown:
            self._write("\r\033[K")
        self._begin, self._is_shown = None, False


def wanted() -> bool:
    """Whether a person looks on: standard error is a terminal, or a notebook shows it."""
    stream = sys.stderr
    return bool(getattr(stream, "isatty", lambda: False)()) or type(stream).__module__.startswith("ipykernel")

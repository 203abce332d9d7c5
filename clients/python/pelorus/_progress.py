"""A line that says how far a statement is, in terminals and notebooks."""
from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional

_SHOWN_AFTER = 2.0  # seconds


class ProgressLine:
    """Called while a statement runs; shows nothing in its first two seconds."""

    def __init__(self, progress: Callable[[], Optional[tuple]], stream: Any = None) -> None:
        self._progress = progress
        self._stream = sys.stderr if stream is None else stream
        self._begin = time.monotonic()
        self._is_shown = False

    def __call__(self) -> None:
        if time.monotonic() - self._begin < _SHOWN_AFTER:
            return
        seen = self._progress()
        if seen is None:
            return
        work, unit, done, total = seen
        amount = f"{done:,} of {total:,} {unit}" if total else f"{done:,} {unit}"
        share = f" {100 * done // total}%" if total else ""
        self._stream.write(f"\r\033[K{work}: {amount}{share}")
        self._stream.flush()
        self._is_shown = True

    def end(self) -> None:
        if self._is_shown:
            self._stream.write("\r\033[K")
            self._stream.flush()


def wanted() -> bool:
    """Whether a person looks on: standard error is a terminal, or a notebook shows it."""
    stream = sys.stderr
    return bool(getattr(stream, "isatty", lambda: False)()) or type(stream).__module__.startswith("ipykernel")

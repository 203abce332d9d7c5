"""Pelorus in Jupyter: a kernel (``python -m pelorus.notebook install``) and the magic ``%%pelorus``."""
from __future__ import annotations

from typing import Any, Optional


def mime_bundle(value: Any) -> Optional[dict[str, str]]:
    """What a notebook shows of a result; None for nothing."""
    from .._result import Chart, Result

    if value is None:
        return None
    if isinstance(value, Chart):
        return {"image/svg+xml": value._repr_svg_(), "text/plain": repr(value)}
    if isinstance(value, Result):
        return {"text/html": value._repr_html_(), "text/plain": repr(value)}
    return {"text/plain": value if isinstance(value, str) else repr(value)}

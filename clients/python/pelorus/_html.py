"""Results as HTML, for notebooks: a page of rows with links to none, and the numbers of rows and columns."""
from __future__ import annotations

from html import escape
from typing import Any

_ROWS, _COLUMNS = 50, 50


def page(result: Any, first: int = 0) -> str:
    """Rows from `first` on as a table. What has no rows is shown as the console does."""
    if result.form not in ("table", "matrix", "vector", "set", "pair"):
        return f"<pre>{escape(repr(result))}</pre>"
    try:
        names = result.columns
    except Exception:  # a value that Arrow has no counterpart of
        return f"<pre>{escape(repr(result))}</pre>"
    shown = names[:_COLUMNS]
    rows = []
    for number, row in enumerate(result._iterate()):
        if number >= first + _ROWS:
            break
        if number >= first:
            rows.append(row[:_COLUMNS])
    head = "".join(f"<th>{escape(name)}</th>" for name in shown)
    body = "".join(
        f"<tr><th>{first + i}</th>" + "".join(f"<td>{'' if cell is None else escape(str(cell))}</td>" for cell in row) + "</tr>" for i, row in enumerate(rows))
    more = f"; {len(names) - len(shown)} columns are not shown" if len(names) > len(shown) else ""
    return (f'<div><table border="1" class="dataframe"><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>'
            f"<p>{len(result):,} rows × {len(names)} columns{more}</p></div>")

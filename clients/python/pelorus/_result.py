"""Result: a table, vector or other value that a script returned."""
from __future__ import annotations

from typing import Any, Iterator, Optional

from . import _cells, _core, _values
from .errors import NotSupportedError

_WHOLE = 1 << 30  # rows of a batch: fixed-width columns come as one piece, which is not copied
_ROWS_OF_PAGE = 4096


class Result:
    """Rows, elements or whatever else a script returned. The engine keeps the columns; nothing is copied before it is asked for.

    A table has its columns; a vector one, named ``value``; a dictionary ``key`` and ``value``; a matrix a column each.
    Rows are taken by iteration, or by `fetchone`, `fetchmany` and `fetchall`, which go on where the last one ended.
    """

    def __init__(self, value: _core.Value) -> None:
        self._value = value
        self._rows: Optional[Iterator[tuple]] = None

    # ---- What it is

    @property
    def form(self) -> str:
        """table, vector, matrix, dictionary, set, pair, tuple or other."""
        return self._value.form

    @property
    def type(self) -> str:
        """Name of the type of the elements, as in DOUBLE."""
        return self._value.type

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._reader().names)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._value.size, self._value.width

    def __len__(self) -> int:
        return self._value.size

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return self._value.shown(False)

    def show(self) -> None:
        """Prints the first and last rows, as the console does."""
        print(repr(self))

    def _repr_html_(self) -> str:
        from ._html import page

        return page(self)

    # ---- Other libraries' tables

    def _reader(self, rows: int = _WHOLE) -> _core.Reader:
        return _core.Reader.open(self._value.stream(rows))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's C stream: pyarrow, polars, DuckDB and others read the result by it without a copy."""
        return self._value.stream()

    def arrow(self) -> Any:
        """A `pyarrow.Table`; fixed-width columns are not copied."""
        return _imported("pyarrow").table(self)

    def arrow_reader(self, rows: int = 1 << 20) -> Any:
        """A `pyarrow.RecordBatchReader` of batches of at most so many rows."""
        return _imported("pyarrow").RecordBatchReader._import_from_c_capsule(self._value.stream(rows))

    def pl(self) -> Any:
        """A `polars.DataFrame`."""
        return _imported("polars").DataFrame(self)

    polars = pl

    def _parts(self) -> dict[str, Any]:
        from ._arrays import join, part

        reader = self._reader()
        names = reader.names
        batches = list(reader)
        if not batches:
            empty = _empty(reader)
            return {name: empty[i] for i, name in enumerate(names)}
        return {name: join([part(batch.column(i)) for batch in batches]) for i, name in enumerate(names)}

    def numpy(self) -> Any:
        """A dictionary of a table's columns as arrays; the array itself of a vector, two dimensions for a matrix.

        Integers and truths with NULLs are masked arrays; NULL is NaN among floats, NaT among times, None among texts.
        """
        _imported("numpy")
        from ._arrays import plain

        arrays = {name: plain(whole) for name, whole in self._parts().items()}
        if self.form == "matrix":
            import numpy

            return numpy.stack(list(arrays.values()), axis=1)
        if self.form in ("vector", "pair", "set"):
            return next(iter(arrays.values()))
        return arrays

    def df(self) -> Any:
        """A `pandas.DataFrame`: SYMBOL columns are categories, integers and truths with NULLs pandas' nullable types."""
        _imported("pandas")
        from ._frames import frame

        made = frame(self._parts(), self._value.size)
        labels = self._value.row_labels() if self.form == "matrix" else None
        if labels is not None and not labels.is_null:
            made.index = [_values.scalar(labels.item(i)) for i in range(labels.size)]
        return made

    to_df = df

    # ---- Rows

    def _iterate(self) -> Iterator[tuple]:
        reader = self._reader()
        width = len(reader.names)
        for batch in reader:
            for begin in range(0, batch.length, _ROWS_OF_PAGE):
                count = min(_ROWS_OF_PAGE, batch.length - begin)
                yield from zip(*(_cells.items(batch.column(i), begin, count) for i in range(width)))

    def __iter__(self) -> Iterator[Any]:
        """Rows as tuples; of a vector or set its elements."""
        if self.form in ("vector", "pair", "set"):
            return (row[0] for row in self._iterate())
        return self._iterate()

    def tolist(self) -> list:
        """All rows as tuples; of a vector or set its elements."""
        return list(self)

    def fetchone(self) -> Optional[tuple]:
        """The next row; None after the last one."""
        if self._rows is None:
            self._rows = self._iterate()
        return next(self._rows, None)

    def fetchmany(self, size: int = 1) -> list[tuple]:
        """The next rows, at most so many."""
        rows: list[tuple] = []
        while len(rows) < size and (row := self.fetchone()) is not None:
            rows.append(row)
        return rows

    def fetchall(self) -> list[tuple]:
        """All rows that were not fetched yet."""
        if self._rows is None:
            self._rows = self._iterate()
        return list(self._rows)

    def batches(self, rows: int = 1 << 20) -> Iterator[dict[str, Any]]:
        """Dictionaries of arrays of NumPy, of at most so many rows each."""
        _imported("numpy")
        from ._arrays import part, plain

        reader = self._reader(rows)
        names = reader.names
        for batch in reader:
            yield {name: plain(part(batch.column(i))) for i, name in enumerate(names)}

    def __reduce__(self) -> Any:
        """Tables pickle as Arrow, by pyarrow."""
        return _unpickled, (self.arrow(),)


class Chart:
    """What `plot` returns: shown as a picture in notebooks."""

    def __init__(self, value: _core.Value) -> None:
        self._value = value

    def svg(self, width: int = 800, height: int = 450, *, dark: bool = False) -> str:
        """The chart as a document of SVG."""
        return self._value.draw(width, height, dark)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return "<pelorus.Chart>"


def _unpickled(table: Any) -> Result:
    return Result(_values.table(table))


def _empty(reader: Any) -> list:
    """Columns without elements, by the formats of the stream."""
    import numpy as np

    from ._arrays import Part, _PLAIN, _UNITS

    columns = []
    for format, dictionary, _ in reader.formats:
        if dictionary is not None:
            columns.append(Part(np.empty(0, "i4"), None, np.empty(0, object)))
        elif format in _PLAIN:
            columns.append(Part(np.empty(0, _PLAIN[format]), None))
        elif format == "b":
            columns.append(Part(np.empty(0, bool), None))
        elif format[:2] == "td":
            columns.append(Part(np.empty(0, "M8[D]"), None))
        elif format[0] == "t":
            columns.append(Part(np.empty(0, ("m8" if format[1] == "t" else "M8") + f"[{_UNITS[format[2]]}]"), None))
        else:
            columns.append(Part(np.empty(0, object), None))
    return columns


def _imported(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError:
        raise NotSupportedError(f"{name} is not installed: pip install {name}.") from None


def unwrap(value: _core.Value) -> Any:
    """What `run` and `call` return for a value: Python's objects for scalars, tuples and dictionaries, else a Result."""
    form = value.form
    if form == "scalar":
        return _values.scalar(value)
    if form == "chart":
        return Chart(value)
    if form == "tuple":
        return [unwrap(value.item(i)) for i in range(value.size)]
    if form == "dictionary":
        keys = value.keys()
        return {_values.scalar(keys.item(i)): unwrap(value.item(i)) for i in range(value.size)}
    return Result(value)

"""Arrays of a search, taken from the extension without stepping through rows. The arrays are not copied.

    SELECT arrays, parent FROM gpu_bfs(...)     a number, by the connection
    gpugraph_take_arrays(number)                the arrays, by ctypes, from the file that the connection has loaded
    memoryview -> NumPy                         views; the arrays are freed with the last view

ext/gpugraph_extension.h declares the structs.
"""

from __future__ import annotations

import ctypes
import weakref
from typing import Any

from ._load import loaded_files, plain_cursor
from ._values import argument

NUMBER, VERTEX, REAL, EDGE, MEMBER = range(5)
# Formats of columns without entries, for which there is no array.
EMPTY = {"vertex": "q", "edge": "q", "member": "?", "rank": "d", "coefficient": "d"}
BYTES = {"I": 4, "Q": 8, "q": 8, "d": 8, "?": 1, "B": 1}
FORMATS = {(NUMBER, 4): "I", (NUMBER, 8): "Q", (VERTEX, 4): "I", (REAL, 8): "d", (EDGE, 8): "q", (MEMBER, 1): "?"}


def _numpy() -> Any:
    try:
        import numpy
    except ImportError as error:
        raise ModuleNotFoundError("gpugraph: arrays are NumPy's: pip install numpy; buffer('depth') needs none", name="numpy") from error
    return numpy


class _Array(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("item", ctypes.c_void_p),
        ("item_bytes", ctypes.c_int32),
        ("kind", ctypes.c_int32),
    ]


class _Arrays(ctypes.Structure):
    _fields_ = [
        ("count", ctypes.c_uint64),
        ("integer_count", ctypes.c_uint64),
        ("integer", ctypes.c_void_p),
        ("text_offset", ctypes.c_void_p),
        ("text", ctypes.c_void_p),
        ("columns", ctypes.c_uint64),
        ("column", _Array * 8),
    ]


class _Taken:
    """Arrays that Python owns. They are freed when the last reference is gone."""

    def __init__(self, library: ctypes.CDLL, pointer: Any) -> None:
        self.arrays = pointer.contents
        weakref.finalize(self, library.gpugraph_free_arrays, pointer).atexit = False

    def view(self, address: int | None, count: int, form: Any) -> memoryview:
        """A read-only view, which keeps the arrays alive."""
        size = count * BYTES[form]
        block: Any = (ctypes.c_char * size).from_address(address) if size and address else (ctypes.c_char * 0)()
        block.owner = self
        return memoryview(block).cast("B").cast(form).toreadonly()


def _take(number: int) -> _Taken:
    for path in loaded_files():
        library = ctypes.CDLL(path)
        library.gpugraph_take_arrays.argtypes = [ctypes.c_int64]
        library.gpugraph_take_arrays.restype = ctypes.POINTER(_Arrays)
        library.gpugraph_free_arrays.argtypes = [ctypes.POINTER(_Arrays)]
        library.gpugraph_free_arrays.restype = None
        pointer = library.gpugraph_take_arrays(number)
        if pointer:
            return _Taken(library, pointer)
    raise RuntimeError("gpugraph: this connection has loaded the extension from another file: call gpugraph.load(conn)")


class Arrays:
    """The answer of a search: an array for each column, with an entry for each vertex of the graph, in the order of ids.

    Each column is an attribute: a read-only NumPy array, which views the array of the search. `vertex` has the ids.
    Entries of `parent`, `source`, `component` and `label` are indices of `vertex`: answer.vertex[answer.component]. A vertex
    without an SQL row has the largest number of the type (4294967295), or infinity; `reached` is False for it.
    """

    def __init__(self, taken: Any, names: tuple[str, ...]) -> None:
        self._taken: Any = taken
        self.columns = names
        self._kinds: dict[str, int] = {}
        self._views: dict[str, memoryview] = {}
        self._made: dict[str, Any] = {}
        for array in taken.arrays.column[: taken.arrays.columns] if taken else ():
            name = array.name.decode()
            self._kinds[name] = array.kind
            self._views[name] = taken.view(array.item, taken.arrays.count, FORMATS[array.kind, array.item_bytes])

    def __len__(self) -> int:
        return self._taken.arrays.count if self._taken else 0

    def __repr__(self) -> str:
        return f"<gpugraph.Arrays of {len(self)} vertices: {', '.join(self.columns)}>"

    def buffer(self, name: str) -> memoryview:
        """A column without NumPy. `vertex` has only the INTEGER ids."""
        if name == "vertex" and self._taken:
            arrays = self._taken.arrays
            return self._taken.view(arrays.integer, arrays.integer_count, "q")
        if name == "edge" and name in self.columns and self._taken and name not in self._views:
            raise AttributeError("gpugraph: arrays cannot hold the edge ids of this source: read them by SQL")
        if name not in self._views and (name not in self.columns or self._taken):
            raise AttributeError(f"gpugraph: there is no column {name} here; the columns are {', '.join(self.columns)}")
        empty: Any = EMPTY.get(name, "I")
        return self._views[name] if self._taken else memoryview(b"").cast(empty)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._made:
            numpy = _numpy()

            self._made[name] = self._texts() if name == "vertex" and self._has_texts() else numpy.asarray(self.buffer(name))
        return self._made[name]

    def _has_texts(self) -> bool:
        return self._taken is not None and self._taken.arrays.integer_count < len(self)

    def _texts(self) -> Any:
        """Ids as Python objects, if some ids are texts."""
        numpy = _numpy()

        arrays = self._taken.arrays
        ids = numpy.empty(len(self), dtype=object)
        ids[: arrays.integer_count] = self.buffer("vertex").tolist()
        offsets = self._taken.view(arrays.text_offset, len(self) - arrays.integer_count + 1, "Q").tolist()
        text = bytes(self._taken.view(arrays.text, offsets[-1], "B"))
        ids[arrays.integer_count :] = [text[low:high].decode() for low, high in zip(offsets, offsets[1:])]
        return ids

    @property
    def reached(self) -> Any:
        """True for vertices that have a row in SQL."""
        numpy = _numpy()

        for name in ("member", "depth", "distance"):
            if name in self._views:
                values = getattr(self, name)
                return values if name == "member" else ~_none(values)
        return numpy.ones(len(self), dtype=bool)

    def rows(self) -> dict[str, Any]:
        """The rows of SQL, as columns: the rows of reached vertices, in the order of ids, with ids for vertices.

        The columns are copies. A NULL is masked (numpy.ma). pandas.DataFrame(answer.rows()) accepts the result.
        """
        numpy = _numpy()

        reached = self.reached
        found = {}
        for name in self.columns:
            if name == "member":
                continue
            values = getattr(self, name)
            values = values if reached.all() else values[reached]
            kind = self._kinds.get(name)
            if name == "edge":
                values = numpy.ma.array(values, mask=_none(self.parent[reached]))
            elif kind == VERTEX or kind == NUMBER and name not in ("depth", "distance"):
                none = _none(values)
                if kind == VERTEX:
                    values = self.vertex[numpy.where(none, 0, values)] if len(self) else values
                values = numpy.ma.array(values, mask=none) if none.any() else values
            found[name] = values
        return found


def _none(values: Any) -> Any:
    """True for entries without a value: the largest number of the type, or infinity."""
    numpy = _numpy()

    return values == (numpy.iinfo(values.dtype).max if values.dtype.kind == "u" else numpy.inf)


def _check_options(cursor: Any, function: str, options: dict[str, Any]) -> None:
    """Checks options. They are the hidden columns of the function. With arrays, target is no option, and edge is an option of the helper."""
    sql = "SELECT name, hidden FROM pragma_table_xinfo(?) WHERE name NOT GLOB '(*'"
    columns = dict(cursor.execute(sql, (function,))) if options else {}
    known = {name for name, hidden in columns.items() if hidden} - {"edges", "arrays"}
    if "arrays" in columns:
        known = known - {"target"} | {"edge"} & set(columns)
    for option in options:
        if option not in known:
            raise TypeError(f"gpugraph: {function} has no option {option!r}; it has {', '.join(map(repr, sorted(known)))}")


def _ask(conn: Any, function: str, arguments: tuple[Any, ...], columns: list[str], options: dict[str, Any]) -> Any:
    """Runs the statement of a helper; returns its cursor."""
    cursor = plain_cursor(conn)
    _check_options(cursor, function, options)
    sql = f"SELECT {', '.join(columns)} FROM {function}({', '.join('?' * len(arguments))})"
    if options:
        sql += " WHERE " + " AND ".join(f"{name} = ?" for name in options)
    return cursor.execute(sql, tuple(map(argument, (*arguments, *options.values()))))


def ask(conn: Any, function: str, arguments: tuple[Any, ...], names: tuple[str, ...], options: dict[str, Any]) -> Arrays:
    """Runs the statement of a helper; returns arrays of the named columns."""
    named = [name for name in names if name in ("parent", "edge", "preorder", "postorder", "source")]
    cursor = _ask(conn, function, arguments, ["arrays", *named], options)
    row = cursor.fetchone()
    taken = _take(row[0]) if row else None
    cursor.close()
    return Arrays(taken, names)


def _column(values: list[Any]) -> Any:
    """An array of integers or of floats if all values are such; otherwise of Python objects. NULL is masked."""
    numpy = _numpy()

    there = [value for value in values if value is not None]
    kinds = {type(value) for value in there}
    dtype = numpy.int64 if kinds <= {int} else numpy.float64 if kinds == {float} else object
    if len(there) == len(values):
        return numpy.array(values, dtype=dtype)
    filled = [0 if value is None and dtype is not object else value for value in values]
    return numpy.ma.array(numpy.array(filled, dtype=dtype), mask=[value is None for value in values])


def ask_rows(conn: Any, function: str, arguments: tuple[Any, ...], names: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Runs the statement of a helper; returns its rows as columns, in SQL's order."""
    cursor = _ask(conn, function, arguments, list(names), options)
    rows = cursor.fetchall()
    cursor.close()
    return {name: _column([row[i] for row in rows]) for i, name in enumerate(names)}

"""Copies edges into a table (read_edges) and out of a table (to_networkx)."""

from __future__ import annotations

import csv
import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

from ._load import plain_cursor
from ._values import plain

Rows = Iterable[Any]

WHOLE = re.compile(r"-?(0|[1-9]\d*)")
REAL = re.compile(r"-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
NAME = r'(?:"(?:[^"]|"")+"|[^\W\d][\w$]*)'
# Column names of edge sources (docs/edge_sources.md).
ENDS = (("src", "dst"), ("source", "target"), ("from", "to"), ("from_id", "to_id"), ("u", "v"),
        ("parent", "child"))
WEIGHTS = "weight cost length distance metres meters km miles seconds minutes duration".split()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _bare(name: str) -> str:
    return name[1:-1].replace('""', '"') if name[0] == '"' else name


# ---- in ----


def _is_whole(text: str) -> bool:
    return WHOLE.fullmatch(text) is not None and -(2**63) <= int(text) < 2**63


def _is_real(text: str) -> bool:
    """True for a number, except an integer of 16 characters or more, which may be an id that a double would round."""
    return REAL.fullmatch(text) is not None and (len(text) < 16 or not WHOLE.fullmatch(text))


def _typed(rows: Callable[[], Iterator[list[str]]], names: list[str]) -> Rows:
    """The rows as values. Rows are read twice. A column becomes numbers if all its texts are numbers: 1, 2.5, 1e3, but not 01.

    Both ends of edges have one type, because 1 and '1' are two vertices. An empty text is NULL.
    """
    width = len(names)

    def rows_of_width() -> Iterator[list[str]]:
        for row in rows():
            if any(row[width:]):
                raise ValueError(f"gpugraph: a row has {len(row)} columns, and there are {width}: {row!r:.100}")
            yield row[:width]

    lower = [name.lower() for name in names]
    ends = next(([lower.index(end) for end in pair] for pair in ENDS if pair[0] in lower and pair[1] in lower), [0, 1])
    whole, real = [True] * width, [True] * width
    for row in rows_of_width():
        for column, cell in enumerate(row):
            if cell:
                whole[column] = whole[column] and _is_whole(cell)
                real[column] = real[column] and _is_real(cell)
    for kind in (whole, real):
        for end in ends if width > 1 else ():
            kind[end] = all(kind[other] for other in ends)
    makers = [int if is_whole else float if is_real else str for is_whole, is_real in zip(whole, real)]
    for row in rows():
        cells = row + [""] * (width - len(row))
        yield tuple(make(cell) if cell else None for make, cell in zip(makers, cells))


def _is_header(first: list[str], rows: Iterator[list[str]], path: str) -> bool:
    """True if the first row names the columns: two cells are names of ends, or all cells differ, the first two are texts, and
    all cells below these two are numbers. False if a cell is a number. Fails if neither is clear."""
    names = {cell.lower() for cell in first}
    if any(names.issuperset(pair) for pair in ENDS):
        return True
    if any(map(_is_real, first)):
        return False
    below = [cell for row in rows for cell in row[:2] if cell]
    if all(first[:2]) and len(names) == len(first) and below and all(map(_is_real, below)):
        return True
    raise ValueError(f"gpugraph: the first line of {path} may be a header or an edge: pass header=True or header=False")


def _names(width: int) -> list[str]:
    return (["src", "dst", "weight"] + [f"column{i}" for i in range(4, width + 1)])[:width]


def _csv(path: str, header: bool | None) -> tuple[list[str], Rows]:
    """Reads a file. A .tsv file has tabs, and .gz is unpacked. header: True if the first row names the columns; None: guess."""
    delimiter = "\t" if re.search(r"\.tsv(\.gz)?$", path, re.I) else ","

    def read(skip: int = 0) -> Iterator[list[str]]:
        with (gzip.open if path.lower().endswith(".gz") else open)(path, "rt", encoding="utf-8-sig", newline="") as file:
            for row in csv.reader(file, delimiter=delimiter):
                skip -= bool(row)
                if row and skip < 0:
                    yield row

    first = next(read(), [])
    if len(first) < 2:
        raise ValueError(f"gpugraph: {path} has {len(first)} column(s), and edges have two at least, with commas between in a .csv, tabs in a .tsv")
    if header is None:
        header = _is_header(first, read(1), path)
    names = first if header else _names(max(map(len, read())))
    return names, _typed(lambda: read(int(header)), names)


def _graphml(path: str) -> tuple[list[str], Rows]:
    """Edges with their data. A vertex without edges is a row without a destination."""
    keys: dict[str, str] = {}
    edges: list[tuple[str, str, dict[str, str]]] = []
    alone: dict[str, None] = {}
    with (gzip.open if path.lower().endswith(".gz") else open)(path, "rb") as file:
        for _, element in ElementTree.iterparse(file):
            tag = element.tag.rpartition("}")[2]
            if tag == "key" and element.get("for") in ("edge", "all"):
                keys[element.get("id", "")] = element.get("attr.name", "") or element.get("id", "")
            elif tag == "node":
                alone[element.get("id", "")] = None
                element.clear()
            elif tag == "edge":
                data = {child.get("key", ""): child.text or "" for child in element if child.tag.endswith("data")}
                edges.append((element.get("source", ""), element.get("target", ""), data))
                element.clear()
    for source, target, _ in edges:
        alone.pop(source, None)
        alone.pop(target, None)
    rows = [[source, target, *(data.get(key, "") for key in keys)] for source, target, data in edges]
    rows += [[vertex, ""] for vertex in alone]
    names = ["src", "dst", *keys.values()]
    return names, _typed(lambda: iter(rows), names)


def _frame(frame: Any) -> tuple[list[str], Rows]:
    """The columns of a data frame of pandas, Polars or pyarrow."""
    if hasattr(frame, "column_names"):  # pyarrow
        return list(frame.column_names), zip(*(column.to_pylist() for column in frame.columns))
    columns = [frame.iloc[:, i] for i in range(len(frame.columns))] if hasattr(frame, "iloc") else frame.get_columns()
    return [str(name) for name in frame.columns], zip(*(column.to_list() for column in columns))


def _matrix(matrix: Any) -> tuple[list[str], Rows]:
    """A sparse matrix of scipy. Each entry is an edge. A vertex without entries is a row without a destination."""
    found = matrix.tocoo()
    ends = found.row.tolist(), found.col.tolist()
    alone = set(range(max(found.shape))).difference(*ends)
    return _names(3), [*zip(*ends, found.data.tolist()), *((v, None, None) for v in sorted(alone))]


def _networkx(graph: Any) -> tuple[list[str], Rows]:
    """A graph of networkx, with the data of its edges. A vertex without edges is a row without a destination."""
    edges = list(graph.edges(data=True))
    names = list(dict.fromkeys(name for _, _, data in edges for name in data))
    joined = {end for edge in edges for end in edge[:2]}
    rows = [(u, v, *(data.get(name) for name in names)) for u, v, data in edges]
    rows += [(v, None, *(None for _ in names)) for v in graph.nodes if v not in joined]
    return ["src", "dst", *map(str, names)], rows


def _sequence(data: Any) -> tuple[list[str], Rows]:
    """Rows, each a tuple, an array or a mapping of names to values; or an array."""
    dtype: Any = getattr(data, "dtype", None)
    if getattr(dtype, "names", None):
        return list(dtype.names), [tuple(row) for row in data]
    rows = data.tolist() if getattr(dtype, "kind", "O") in "biufU" else list(data)
    if rows and all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(name for row in rows for name in row))
        return [str(name) for name in names], [[row.get(name) for name in names] for row in rows]
    for row in rows:
        if isinstance(row, (str, bytes, Mapping)) or not isinstance(row, Iterable):
            raise TypeError(f"gpugraph: {row!r:.60} is no row of an edge, such as (1, 2) or (1, 2, 0.5)")
    rows = [tuple(row) for row in rows]
    return _names(len(rows[0]) if rows else 2), rows


def _file(path: str, header: bool | None) -> tuple[list[str], Rows]:
    if re.search(r"\.graphml(\.gz)?$", path, re.I):
        return _graphml(path)
    if re.search(r"\.[ct]sv(\.gz)?$", path, re.I):
        return _csv(path, header)
    raise ValueError(f"gpugraph: {path} is a file of an unknown kind; known are .csv, .tsv and .graphml, also with .gz behind it")


def _read(data: Any, header: bool | None) -> tuple[list[str], Rows]:
    if isinstance(data, (str, os.PathLike)):
        return _file(os.fspath(data), header)
    if header is not None:
        raise ValueError("gpugraph: header is an option of files: .csv and .tsv")
    if hasattr(data, "columns"):
        return _frame(data)
    if hasattr(data, "edges") and hasattr(data, "nodes"):
        return _networkx(data)
    if hasattr(data, "tocoo"):
        return _matrix(data)
    if isinstance(data, Iterable) and not isinstance(data, (bytes, Mapping)):
        return _sequence(data)
    raise TypeError(f"gpugraph: edges are a data frame, a graph of networkx, a sparse matrix, rows or the path of a file, not {type(data).__name__}")


def _values(names: list[str], rows: Rows) -> Iterator[tuple[Any, ...]]:
    """The rows as SQLite stores them."""
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise ValueError(f"gpugraph: row {number} has {len(row)} value(s) for {len(names)} columns: {', '.join(names)}")
        yield tuple(map(plain, row))


def read_edges(conn: Any, table: str, data: Any, *, header: bool | None = None, **unknown: Any) -> int:
    """Makes a table of edges; returns how many rows it has.

    data: a data frame (pandas, Polars, pyarrow), a graph of networkx, a sparse matrix of scipy, rows such as [(1, 2, 0.5), ...]
    (src, dst, weight) or {"src": 1, "dst": 2}, an array, or the path of a file: .graphml, .csv or .tsv, also with .gz behind it.
    Columns keep their names. header: True if the first line of a .csv or .tsv file names the columns. Without it the function guesses, or fails
    and asks for it. The table is made and filled in the connection's transaction; after an error there is no table.
    """
    if unknown:
        raise TypeError(f"gpugraph: read_edges has no option {next(iter(unknown))!r}; it has 'header'")
    try:
        return _store(conn, table, *_read(data, header))
    except (UnicodeDecodeError, ElementTree.ParseError, gzip.BadGzipFile, csv.Error, EOFError, zlib.error) as error:
        raise ValueError(f"gpugraph: {data} cannot be read: {error}") from error
    except OverflowError as error:
        raise ValueError("gpugraph: an integer is outside the 64 bits that SQLite stores; make it a text") from error


def _store(conn: Any, table: str, names: list[str], rows: Rows) -> int:
    if len(names) < 2:
        raise ValueError(f"gpugraph: edges have two columns at least, and here are {len(names)}")
    name, cursor = _quoted(table), plain_cursor(conn)
    cursor.execute("SAVEPOINT gpugraph_read_edges")
    try:
        cursor.execute(f"CREATE TABLE {name}({', '.join(map(_quoted, names))})")
        cursor.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(names))})", _values(names, rows))
        count = int(cursor.execute(f"SELECT count(*) FROM {name}").fetchone()[0])
    except BaseException:
        cursor.execute("ROLLBACK TO gpugraph_read_edges")
        cursor.execute("RELEASE gpugraph_read_edges")
        raise
    cursor.execute("RELEASE gpugraph_read_edges")
    return count


# ---- out ----


def _columns(cursor: Any, edges: str) -> str:
    """A SELECT of the source, target and, if they exist, weight, edge id and reverse weight of an edge source."""
    if re.match(r"\s*(select|with|values)\b", edges, re.I):
        return edges
    named = re.fullmatch(rf"\s*(?:({NAME})\.)?({NAME})\s*(?:\(\s*({NAME}(?:\s*,\s*{NAME})*)\s*\))?\s*", edges)
    if not named:
        raise ValueError(f"gpugraph: {edges!r} is neither a table, nor one with its columns, nor a query")
    schema, table, listed = (name and [_bare(part) for part in re.findall(NAME, name)] for name in named.groups())
    table = _quoted(table[0]) if not schema else f"{_quoted(schema[0])}.{_quoted(table[0])}"
    if listed:
        return f"SELECT {', '.join('t.' + _quoted(name) for name in listed)} FROM {table} AS t"
    sql = "SELECT name FROM pragma_table_xinfo(?1, ?2) WHERE hidden <> 1"
    found = {row[0].lower(): row[0] for row in cursor.execute(sql, (_bare(named[2]), schema and schema[0]))}
    ends = next((pair for pair in ENDS if pair[0] in found and pair[1] in found), None)
    if not ends:
        raise ValueError(f"gpugraph: {edges} has no columns src and dst: name them, as '{edges}(a, b)'")
    weight = next((name for name in WEIGHTS if name in found), None)
    columns = [_quoted(found[name]) for name in (*ends, weight) if name]
    if weight == "cost" and "reverse_cost" in found:
        columns += ["NULL", _quoted(found["reverse_cost"])]
    return f"SELECT {', '.join(columns)} FROM {table}"


def _open_arcs(source: Any, target: Any, data: list[Any], directed: bool) -> list[tuple[Any, Any, dict[str, Any]]]:
    """The arcs of a row: one, or with a reverse weight the open ones. Without directions: the cheaper open one."""
    if len(data) < 3:
        return [(source, target, dict(zip(("weight", "edge"), data)))]
    weight, edge, reverse = data
    name = {} if edge is None else {"edge": edge}
    ways = ((source, target, weight), (target, source, reverse))
    arcs = [(u, v, {"weight": w, **name}) for u, v, w in ways if w is not None and float(w) >= 0]
    return arcs if directed else sorted(arcs, key=lambda arc: float(arc[2]["weight"]))[:1]


def to_networkx(conn: Any, edges: str, create_using: Any = None, **unknown: Any) -> Any:
    """The graph of an edge source in networkx: a MultiDiGraph, or the type create_using.

    Ids are vertices. Edges have the attributes `weight` and, if edge ids are listed, `edge`. A row with a NULL end is a vertex.
    A row with a reverse weight is two edges.
    """
    if unknown:
        raise TypeError(f"gpugraph: to_networkx has no option {next(iter(unknown))!r}; it has 'create_using'")
    import networkx

    graph = networkx.empty_graph(0, create_using, default=networkx.MultiDiGraph)
    cursor = plain_cursor(conn)
    for source, target, *data in cursor.execute(_columns(cursor, edges)):
        graph.add_nodes_from(end for end in (source, target) if end is not None)
        if source is not None and target is not None:
            graph.add_edges_from(_open_arcs(source, target, data, graph.is_directed()))
    return graph

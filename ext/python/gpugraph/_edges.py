"""Edges into a table, and out of one: read_edges and to_networkx."""

from __future__ import annotations

import csv
import gzip
import os
import re
from typing import Any, Callable, Iterable, Iterator
from xml.etree import ElementTree

from ._load import plain_cursor

Rows = Iterable[tuple[Any, ...]]

WHOLE = re.compile(r"-?(0|[1-9]\d*)")
REAL = re.compile(r"-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
NAME = r'(?:"(?:[^"]|"")+"|[^\W\d][\w$]*)'
# How an edge source's columns are found (docs/edge_sources.md).
ENDS = (("src", "dst"), ("source", "target"), ("from", "to"), ("from_id", "to_id"))
WEIGHTS = "weight cost length distance metres meters km miles seconds minutes duration".split()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _bare(name: str) -> str:
    return name[1:-1].replace('""', '"') if name[0] == '"' else name


# ---- in ----


def _is_whole(text: str) -> bool:
    return WHOLE.fullmatch(text) is not None and -(2**63) <= int(text) < 2**63


def _is_real(text: str) -> bool:
    """A number that a double holds: not the digits of a long id."""
    return REAL.fullmatch(text) is not None and (len(text) < 16 or not WHOLE.fullmatch(text))


def _typed(rows: Callable[[], Iterator[list[str]]], names: list[str]) -> Rows:
    """The rows, which are read twice, as values. A column becomes numbers where all its texts are some: 1, 2.5, 1e3; not 01.

    Both ends of edges are of one type, since 1 and '1' are two vertices. An empty text is NULL.
    """
    width = len(names)
    lower = [name.lower() for name in names]
    ends = next(([lower.index(end) for end in pair] for pair in ENDS if pair[0] in lower and pair[1] in lower), [0, 1])
    whole, real = [True] * width, [True] * width
    for row in rows():
        for column, cell in enumerate(row[:width]):
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


def _csv(path: str) -> tuple[list[str], Rows]:
    """A file with a header. A name with .tsv has tabs; .gz is unpacked."""
    delimiter = "\t" if ".tsv" in os.path.basename(path) else ","

    def read(skip: int) -> Iterator[list[str]]:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8-sig", newline="") as file:
            for number, row in enumerate(csv.reader(file, delimiter=delimiter)):
                if row and number >= skip:
                    yield row

    names = next(read(0), [])
    return names, _typed(lambda: read(1), names)


def _graphml(path: str) -> tuple[list[str], Rows]:
    """Edges with their data; a vertex without edges is a row that ends nowhere."""
    keys: dict[str, str] = {}
    edges: list[tuple[str, str, dict[str, str]]] = []
    alone: dict[str, None] = {}
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        for _, element in ElementTree.iterparse(file):
            tag = element.tag.rpartition("}")[2]
            if tag == "key" and element.get("for") in ("edge", "all"):
                keys[element.get("id", "")] = element.get("attr.name") or element.get("id", "")
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
    """Columns of pandas or Polars, as Python's own values. NaN is stored as NULL."""
    columns = [frame[name] for name in frame.columns]
    return [str(name) for name in frame.columns], zip(*(c.tolist() if hasattr(c, "tolist") else c.to_list() for c in columns))


def _networkx(graph: Any) -> tuple[list[str], Rows]:
    """A graph of networkx, with the data of its edges; a vertex without edges is a row that ends nowhere."""
    edges = list(graph.edges(data=True))
    names = list(dict.fromkeys(name for _, _, data in edges for name in data))
    joined = {end for edge in edges for end in edge[:2]}
    rows = [(u, v, *(data.get(name) for name in names)) for u, v, data in edges]
    rows += [(v, None, *(None for _ in names)) for v in graph.nodes if v not in joined]
    return ["src", "dst", *map(str, names)], rows


def _sequence(data: Iterable[Any]) -> tuple[list[str], Rows]:
    rows = [tuple(row) for row in (data.tolist() if hasattr(data, "tolist") else data)]
    width = len(rows[0]) if rows else 2
    return (["src", "dst", "weight"] + [f"column{i}" for i in range(4, width + 1)])[:width], rows


def read_edges(conn: Any, table: str, data: Any) -> int:
    """Makes a table of edges; returns how many rows it has.

    data: a data frame (pandas, Polars), a graph of networkx, rows such as [(1, 2, 0.5), ...] (src, dst, weight) or an array, or the path of a
    file: .graphml, .csv or .tsv with a header, also with .gz behind it. Columns keep their names. The table is made, and filled, in the
    connection's transaction, wholly or not at all.
    """
    if isinstance(data, (str, os.PathLike)):
        path = os.fspath(data)
        names, rows = _graphml(path) if re.search(r"\.graphml(\.gz)?$", path) else _csv(path)
    elif hasattr(data, "columns"):
        names, rows = _frame(data)
    elif hasattr(data, "edges") and hasattr(data, "nodes"):
        names, rows = _networkx(data)
    else:
        names, rows = _sequence(data)
    if len(names) < 2:
        raise ValueError(f"gpugraph: edges have two columns at least, and here are {len(names)}")
    name, cursor = _quoted(table), plain_cursor(conn)
    cursor.execute("SAVEPOINT gpugraph_read_edges")
    try:
        cursor.execute(f"CREATE TABLE {name}({', '.join(map(_quoted, names))})")
        cursor.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(names))})", rows)
        count = int(cursor.execute(f"SELECT count(*) FROM {name}").fetchone()[0])
    except BaseException:
        cursor.execute("ROLLBACK TO gpugraph_read_edges")
        cursor.execute("RELEASE gpugraph_read_edges")
        raise
    cursor.execute("RELEASE gpugraph_read_edges")
    return count


# ---- out ----


def _columns(cursor: Any, edges: str) -> str:
    """An edge source's SELECT, of source, target and, where there are some, weight, edge id and reverse weight."""
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
    """A row's arcs: one, or with a reverse weight those that are open; without directions the cheaper one."""
    if len(data) < 3:
        return [(source, target, dict(zip(("weight", "edge"), data)))]
    weight, edge, reverse = data
    name = {} if edge is None else {"edge": edge}
    ways = ((source, target, weight), (target, source, reverse))
    arcs = [(u, v, {"weight": w, **name}) for u, v, w in ways if w is not None and float(w) >= 0]
    return arcs if directed else sorted(arcs, key=lambda arc: float(arc[2]["weight"]))[:1]


def to_networkx(conn: Any, edges: str, create_using: Any = None) -> Any:
    """The graph of an edge source in networkx: a MultiDiGraph, or what create_using says.

    Ids are vertices, weights the attribute `weight`, listed edge ids the attribute `edge`. A row with a NULL end is a vertex.
    A row with a reverse weight is two edges.
    """
    import networkx

    graph = networkx.empty_graph(0, create_using, default=networkx.MultiDiGraph)
    cursor = plain_cursor(conn)
    for source, target, *data in cursor.execute(_columns(cursor, edges)):
        graph.add_nodes_from(end for end in (source, target) if end is not None)
        if source is not None and target is not None:
            graph.add_edges_from(_open_arcs(source, target, data, graph.is_directed()))
    return graph

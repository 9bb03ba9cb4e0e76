"""The searches as functions. Each runs the SQL function of its name in the connection's transaction, and returns arrays
in place of rows. If rows are not vertices, it returns a dict of columns. Options have their SQL names:
gpugraph.bfs(db, "roads", 1, max_depth=3, direction="both"). A list of ids becomes a JSON array."""

from __future__ import annotations

from typing import Any

from ._arrays import Arrays, ask, ask_rows
from ._values import collection


def _source(source: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    """One source as an argument, several sources as an option."""
    if collection(source) is not None:
        options["sources"] = source
    return () if source is None or "sources" in options else (source,)


def bfs(conn: Any, edges: str, source: Any = None, *, edge: bool = False, **options: Any) -> Arrays:
    """Breadth-first search: vertex, depth, parent; source if there are several; edge if the option is set."""
    found = _source(source, options)
    names = ("vertex", "depth", "parent") + ("edge",) * edge + ("source",) * ("sources" in options)
    return ask(conn, "gpu_bfs", (edges, *found), names, options)


def sssp(conn: Any, edges: str, source: Any = None, *, edge: bool = False, **options: Any) -> Arrays:
    """Shortest paths: vertex, distance, parent; source if there are several; edge if the option is set."""
    found = _source(source, options)
    names = ("vertex", "distance", "parent") + ("edge",) * edge + ("source",) * ("sources" in options)
    return ask(conn, "gpu_sssp", (edges, *found), names, options)


def dfs(conn: Any, edges: str, source: Any = None, *, edge: bool = False, **options: Any) -> Arrays:
    """Depth-first search: vertex, depth, parent, preorder, postorder; edge if the option is set. Without a source: a forest."""
    names = ("vertex", "depth", "parent") + ("edge",) * edge + ("preorder", "postorder")
    return ask(conn, "gpu_dfs", (edges,) if source is None else (edges, source), names, options)


def mis(conn: Any, edges: str, **options: Any) -> Arrays:
    """A maximal independent set: vertex, and whether it is a member."""
    return ask(conn, "gpu_mis", (edges,), ("vertex", "member"), options)


def components(conn: Any, edges: str, **options: Any) -> Arrays:
    """Connected components: vertex, component."""
    return ask(conn, "gpu_components", (edges,), ("vertex", "component"), options)


def pagerank(conn: Any, edges: str, **options: Any) -> Arrays:
    """Ranks: vertex, rank."""
    return ask(conn, "gpu_pagerank", (edges,), ("vertex", "rank"), options)


def cores(conn: Any, edges: str, **options: Any) -> Arrays:
    """Core numbers: vertex, core."""
    return ask(conn, "gpu_cores", (edges,), ("vertex", "core"), options)


def degrees(conn: Any, edges: str, **options: Any) -> Arrays:
    """Degrees: vertex, out_degree, in_degree, degree."""
    return ask(conn, "gpu_degrees", (edges,), ("vertex", "out_degree", "in_degree", "degree"), options)


def topological_order(conn: Any, edges: str, **options: Any) -> Arrays:
    """Levels and positions: vertex, level, position."""
    return ask(conn, "gpu_topological_order", (edges,), ("vertex", "level", "position"), options)


def label_propagation(conn: Any, edges: str, **options: Any) -> Arrays:
    """Communities: vertex, label."""
    return ask(conn, "gpu_label_propagation", (edges,), ("vertex", "label"), options)


def triangles(conn: Any, edges: str, **options: Any) -> Arrays:
    """Triangles of each vertex: vertex, triangles, degree, coefficient."""
    return ask(conn, "gpu_triangles", (edges,), ("vertex", "triangles", "degree", "coefficient"), options)


def spanning_forest(conn: Any, edges: str, **options: Any) -> dict[str, Any]:
    """Edges of the minimum spanning forest: edge, source, target, weight, component."""
    return ask_rows(conn, "gpu_spanning_forest", (edges,), ("edge", "source", "target", "weight", "component"), options)


def path(conn: Any, edges: str, source: Any, target: Any, **options: Any) -> dict[str, Any]:
    """A shortest path: seq, vertex, edge, cost, distance; empty if there is no path."""
    return ask_rows(conn, "gpu_path", (edges, source, target), ("seq", "vertex", "edge", "cost", "distance"), options)


def paths(conn: Any, edges: str, source: Any, target: Any, k: int = 1, **options: Any) -> dict[str, Any]:
    """The k shortest paths: path, seq, vertex, edge, cost, distance."""
    return ask_rows(conn, "gpu_paths", (edges, source, target, k), ("path", "seq", "vertex", "edge", "cost", "distance"), options)


def matrix(conn: Any, edges: str, sources: Any, targets: Any = None, **options: Any) -> dict[str, Any]:
    """Distances from each source to each target, or to each source: source, target, distance."""
    given = (edges, sources) + (() if targets is None else (targets,))
    return ask_rows(conn, "gpu_matrix", given, ("source", "target", "distance"), options)

"""Graph searches in SQLite, on a GPU or on all CPU cores.

    import sqlite3, gpugraph

    db = sqlite3.connect("roads.db")
    gpugraph.load(db)
    db.execute("SELECT vertex, depth FROM gpu_bfs('roads', 1)")      rows, by SQL
    gpugraph.bfs(db, "roads", 1).depth                               an array, by NumPy
"""

from __future__ import annotations

from ._arrays import Arrays
from ._edges import read_edges, to_networkx
from ._load import load, loadable_path, version
from ._searches import (
    bfs,
    components,
    cores,
    degrees,
    dfs,
    label_propagation,
    matrix,
    mis,
    pagerank,
    path,
    paths,
    spanning_forest,
    sssp,
    topological_order,
    triangles,
)

__all__ = [
    "Arrays",
    "bfs",
    "components",
    "cores",
    "degrees",
    "dfs",
    "label_propagation",
    "load",
    "loadable_path",
    "matrix",
    "mis",
    "pagerank",
    "path",
    "paths",
    "read_edges",
    "spanning_forest",
    "sssp",
    "to_networkx",
    "topological_order",
    "triangles",
    "version",
]
__version__ = version()

"""Graph searches in SQLite, on a GPU or on all CPU cores.

    import sqlite3, gpugraph

    db = sqlite3.connect("roads.db")
    gpugraph.load(db)
    db.execute("SELECT vertex, depth FROM gpu_bfs('roads', 1)")
"""

from __future__ import annotations

from ._load import load, loadable_path, version

__all__ = ["load", "loadable_path", "version"]
__version__ = version()

"""Finds the extension's file and loads it into a connection.

A loaded file serves one SQLite library. A process may have several: Python's own, and those in apsw, pysqlite3 and
sqlean.py. Each further library gets a copy of the file, in a folder that is deleted when the process ends.
"""

from __future__ import annotations

import atexit
import os
import pathlib
import re
import shutil
import sys
import tempfile
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
SUFFIX = ".dylib" if sys.platform == "darwin" else ".so"
ANOTHER_LIBRARY = "which serves one library"
CANNOT_LOAD = (
    "this connection's SQLite library cannot load extensions: {}. Three ways out: import another library, which can, as "
    "sqlite3 (pip install pysqlite3-binary, then: import pysqlite3 as sqlite3; or pip install sqlean.py, then: import "
    "sqlean as sqlite3); use apsw (pip install apsw); or run a Python whose sqlite3 can, such as those of Debian, Fedora, "
    "Homebrew and conda-forge, or pyenv's built with PYTHON_CONFIGURE_OPTS=--enable-loadable-sqlite-extensions"
)
copies: list[str] = []


def _file() -> pathlib.Path:
    return pathlib.Path(os.environ.get("GPUGRAPH_EXTENSION") or HERE / f"gpugraph{SUFFIX}")


def loadable_path() -> str:
    """The path of the extension's file without its suffix, for load_extension() and .load.

    The environment variable GPUGRAPH_EXTENSION names another file.
    """
    path = _file()
    if not path.is_file():
        raise FileNotFoundError(f"gpugraph: there is no extension at {path}: install the package, or name a file by GPUGRAPH_EXTENSION")
    return str(path.with_suffix("")) if path.suffix == SUFFIX else str(path)


def loaded_files() -> list[str]:
    """Files that connections of this process may have loaded."""
    return [str(_file()), *copies]


def version() -> str:
    """The version of the package and of the extension."""
    try:
        from ._version import version as found
    except ImportError:  # in the source tree
        text = (HERE.parents[2] / "gpu" / "gpugraph.h").read_text(encoding="utf-8")
        found = re.findall(r'GPUGRAPH_VERSION "(.*?)"', text)[0]
    return found


def plain_cursor(conn: Any) -> Any:
    """A cursor whose rows are tuples, even if the connection has a row factory."""
    cursor = conn.cursor()
    if hasattr(cursor, "row_factory"):
        cursor.row_factory = None
    return cursor


def _copy() -> str:
    folder = tempfile.mkdtemp(prefix="gpugraph-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return str(shutil.copy(_file(), os.path.join(folder, f"gpugraph{SUFFIX}")))


def _load_file(conn: Any, path: str) -> bool:
    """False: another SQLite library of this process has loaded that file."""
    try:
        conn.load_extension(path)
    except Exception as error:  # each library has classes of its own
        if ANOTHER_LIBRARY in str(error):
            return False
        raise
    return True


def load(conn: Any) -> None:
    """Loads gpugraph into a connection of sqlite3, apsw, pysqlite3 or sqlean.

    SQL cannot load extensions before or afterwards, unless the caller allows it.
    """
    path = loadable_path()
    if not hasattr(conn, "enable_load_extension"):
        raise RuntimeError("gpugraph: " + CANNOT_LOAD.format(f"{type(conn).__module__} was built without it"))
    try:
        conn.enable_load_extension(True)
    except Exception as error:
        raise RuntimeError("gpugraph: " + CANNOT_LOAD.format(error)) from error
    try:
        if not _load_file(conn, path) and not any(_load_file(conn, copy) for copy in copies):
            copy = _copy()
            _load_file(conn, copy)
            copies.append(copy)
    finally:
        conn.enable_load_extension(False)

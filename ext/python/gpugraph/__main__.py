"""python -m gpugraph: prints the version, the path of the file, backends and devices."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from . import load, loadable_path, version

LIBRARIES = ("sqlite3", "pysqlite3", "sqlean", "apsw")


def connect() -> tuple[str, Any]:
    """The name of the first library that can load the extension, and a connection that has loaded it."""
    fault = RuntimeError("gpugraph: no SQLite library is here")
    for name in LIBRARIES:
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        conn = library.Connection(":memory:") if name == "apsw" else library.connect(":memory:")
        try:
            load(conn)
        except RuntimeError as error:
            fault = fault if name != LIBRARIES[0] else error
            continue
        return name, conn
    raise fault


def main() -> int:
    print(f"gpugraph  {version()}")
    print(f"file      {loadable_path()}")
    try:
        name, conn = connect()
    except Exception as error:
        print(error, file=sys.stderr)
        return 1

    def rows(sql: str) -> list[Any]:
        return list(conn.cursor().execute(sql))

    print(f"SQLite    {rows('SELECT sqlite_version()')[0][0]}, of {name}")
    print("backends  " + ", ".join(row[0] for row in rows("SELECT DISTINCT backend FROM gpugraph_devices ORDER BY backend")))
    for device in rows("SELECT backend, name, memory FROM gpugraph_devices"):
        print("device    {}: {}{}".format(device[0], device[1], f", {device[2] / 2**30:.1f} GiB" if device[2] else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())

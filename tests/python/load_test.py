"""Tests loading: by every installed SQLite library in one process, the command, and the sentence for a library that cannot
load. SQL must not be able to load extensions afterwards. Arguments are names of libraries."""

import importlib
import pathlib
import subprocess
import sys

import gpugraph

ROADS = ("CREATE TABLE roads(src, dst, length)", "INSERT INTO roads VALUES (1, 2, 4), (1, 3, 1), (3, 2, 2)")
SEARCH = "SELECT vertex, distance FROM gpu_sssp('roads', 1) ORDER BY distance"


def connect(name):
    library = importlib.import_module(name)
    return library.Connection(":memory:") if name == "apsw" else library.connect(":memory:")


def check_library(name):
    conn = connect(name)
    gpugraph.load(conn)
    gpugraph.load(conn)  # once more does no harm
    cursor = conn.cursor()
    for sql in ROADS:
        cursor.execute(sql)
    assert list(cursor.execute(SEARCH)) == [(1, 0), (3, 1), (2, 3)]
    assert list(cursor.execute("SELECT gpugraph_version()")) == [(gpugraph.version(),)]
    try:
        cursor.execute("SELECT load_extension('gpugraph')")
    except Exception as error:
        assert "not authorized" in str(error), error
    else:
        raise AssertionError(f"{name}: SQL may load extensions")
    print(f"{name}: SQLite {list(cursor.execute('SELECT sqlite_version()'))[0][0]}")


class Bare:
    """A connection of a library without support for extensions."""


class Unwilling:
    def enable_load_extension(self, allowed):
        raise ValueError("extension loading is disabled")


def check_sentence():
    for conn in (Bare(), Unwilling()):
        try:
            gpugraph.load(conn)
        except RuntimeError as error:
            for way in ("pysqlite3-binary", "sqlean.py", "apsw", "enable-loadable-sqlite-extensions"):
                assert way in str(error), error
        else:
            raise AssertionError("loaded into nothing")


def check_command():
    said = subprocess.run([sys.executable, "-m", "gpugraph"], check=True, capture_output=True, text=True).stdout
    for line in (f"gpugraph  {gpugraph.version()}", gpugraph.loadable_path(), "backends  cpu", "device    cpu: "):
        assert line in said, said


if __name__ == "__main__":
    assert pathlib.Path(gpugraph.loadable_path() + ".so").is_file()
    assert gpugraph.__version__ == gpugraph.version()
    for name in sys.argv[1:] + sys.argv[1:2]:  # the first once more, after the others
        check_library(name)
    check_sentence()
    check_command()

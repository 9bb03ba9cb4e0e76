"""Times an answer in Python as arrays and as rows: bench_python.py [MILLIONS of vertices]

If the package is not installed: PYTHONPATH=ext/python GPUGRAPH_EXTENSION=build/gpugraph.so
"""

import sqlite3
import sys
import time

import gpugraph
import numpy


def timed(what, work, runs=5):
    """Prints the least ms of some runs of a search that is kept after the first."""
    least, found = float("inf"), None
    for _ in range(runs):
        began = time.perf_counter()
        found = work()
        least = min(least, time.perf_counter() - began)
    print(f"{what:<44} {least * 1000:9.1f} ms")
    return found


def main(millions):
    db = sqlite3.connect(":memory:")
    gpugraph.load(db)
    db.execute("CREATE TABLE e(src INTEGER, dst INTEGER)")
    db.execute(
        """INSERT INTO e WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ?)
           SELECT n, abs(random() % ?) + 1 FROM i UNION ALL SELECT n / 2 + 1, n FROM i""",
        (millions * 1000000,) * 2,
    )
    db.commit()  # the graph is not kept if a transaction that writes reads it
    print(f"{millions} million vertices, {db.execute('SELECT count(*) FROM e').fetchone()[0]} edges")
    began = time.perf_counter()
    first = gpugraph.bfs(db, "e", 1)
    print(f"{'bfs, the first: reads the table':<44} {(time.perf_counter() - began) * 1000:9.1f} ms")
    sql = "SELECT vertex, depth, parent FROM gpu_bfs('e', 1)"
    rows = timed("rows: fetchall()", lambda: db.execute(sql).fetchall(), 2)
    arrays = timed("arrays: gpugraph.bfs, vertex depth parent", lambda: [(a.vertex, a.depth, a.parent) for a in [gpugraph.bfs(db, "e", 1)]][0])
    timed("arrays: the same, with edge ids", lambda: gpugraph.bfs(db, "e", 1, edge=True).edge)
    reached = numpy.flatnonzero(first.reached)
    assert len(rows) == len(reached)
    for place in range(0, len(rows), 1009):
        v = reached[place]
        assert rows[place][:2] == (arrays[0][v], arrays[1][v]) and (rows[place][2] is None or rows[place][2] == arrays[0][arrays[2][v]])
    del rows, arrays
    timed("arrays: rows() of it", lambda: gpugraph.bfs(db, "e", 1).rows(), 2)
    timed("SQL: count(*) of the rows", lambda: db.execute("SELECT count(parent) FROM gpu_bfs('e', 1)").fetchone())


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)

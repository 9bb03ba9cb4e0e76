#!/usr/bin/env python3
"""Compares the time of a trivial query in the shell, from its start to its exit, in two builds.

    trivial_query.py WITHOUT_CUDA WITH_CUDA [RUNS [EDGES]]

The first two arguments are build folders. EDGES: the query searches a table of that many random edges, in a file, instead
of three edges. The shell alone and the shell with each build run RUNS times (101), in turn. Prints the least, the median
and the ninth decile in ms, and the second build's median minus the first one's, which should be at most 2 ms."""
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

VERTICES = 1000000
QUERY = """CREATE TABLE steps(src INTEGER, dst INTEGER);
INSERT INTO steps VALUES (1, 2), (2, 3), (2, 4);
SELECT count(*) FROM gpu_bfs('steps', 1);
"""
ASK = "SELECT count(*) FROM gpu_bfs('steps', 1);\n"


def make_table(path, edges):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE steps(src INTEGER, dst INTEGER)")
    random.seed(1)
    rows = ((random.randrange(VERTICES), random.randrange(VERTICES)) for _ in range(edges))
    db.executemany("INSERT INTO steps VALUES (?, ?)", rows)
    db.execute("INSERT INTO steps VALUES (1, 2)")
    db.commit()
    db.close()


def run(build, path):
    load = f".load \"{os.path.join(build, 'gpugraph')}\"\n" if build else ""
    query = "SELECT 4;\n" if not build else ASK if path != ":memory:" else QUERY
    began = time.perf_counter()
    done = subprocess.run(["sqlite3", path], input=load + query, capture_output=True, text=True, check=True)
    ms = (time.perf_counter() - began) * 1e3
    if done.stderr or (path == ":memory:" and done.stdout != "4\n"):
        sys.exit(f"{build}: {done.stdout}{done.stderr}")
    return ms


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    builds = [None] + [os.path.abspath(b) for b in sys.argv[1:3]]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 101
    took = [[] for _ in builds]
    with tempfile.TemporaryDirectory() as folder:
        path = ":memory:"
        if len(sys.argv) > 4:
            path = os.path.join(folder, "steps.db")
            make_table(path, int(sys.argv[4]))
        for i in range(runs + 1):
            for k, build in enumerate(builds):
                ms = run(build, path)
                if i:  # the page cache has the files from the second run on
                    took[k].append(ms)
    for name, ms in zip(["the shell alone"] + sys.argv[1:3], took):
        ms.sort()
        print(f"{name:40} least {ms[0]:7.2f}  median {statistics.median(ms):7.2f}  ninth decile {ms[len(ms) * 9 // 10]:7.2f}")
    print(f"the second build's median is {statistics.median(took[2]) - statistics.median(took[1]):.2f} ms more")


if __name__ == "__main__":
    main()

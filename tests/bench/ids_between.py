#!/usr/bin/env python3
"""Measures a query after an edge to a new vertex whose id lies between other ids, in a followed graph of 4 million edges
and 700,000 vertices: total ms by gpugraph_timings of the first three changes, and the median and the largest of the others.

    ids_between.py GPUGRAPH.so IDS QUERY [BACKEND]

IDS has the old and the new ids: consecutive (one id is far larger; new ids come before it), apart (1,000 apart; new ids
at random), counting (as apart; new ids count up from one of them), before (as apart; new ids count down from the first),
texts (of ten characters; new ids at random) or behind (as texts; new ids are the largest). QUERY: look-up, bfs or mis."""
import random
import statistics
import subprocess
import sys

CHANGES = 24
EDGES = 4000000
QUERIES = {
    "look-up": "SELECT count(*) FROM g WHERE src = {one} AND dst = {two};",
    "bfs": "SELECT count(*) FROM gpu_bfs('g', {old}) WHERE max_depth = 2;",
    "mis": "SELECT count(*) FROM gpu_mis('g') WHERE vertex = {old};",
}
TEXTS = ("texts", "behind")


def named(ids, number):
    return f"'u{number:09d}'" if ids in TEXTS else str(number)


def new_id(ids, change):
    if ids == "behind":
        return f"'v{change:09d}'"
    if ids == "consecutive":
        return 800000 + random.randrange(1000000)
    if ids == "before":
        return -1 - change
    if ids == "counting":
        return 350000000 + change + 1
    return named(ids, random.randrange(699000) * 1000 + random.randrange(1, 999))


def script(library, ids, query, backend):
    step = 1 if ids == "consecutive" else 1000
    kind, end = ("TEXT", "printf('u%09d', {})") if ids in TEXTS else ("INTEGER", "{}")
    source, target = end.format(f"7919 * i % 700000 * {step}"), end.format(f"104729 * i % 700001 * {step}")
    old = named(ids, 5000)
    query = query.format(old=old, one=named(ids, 1), two=named(ids, 2))
    yield f'.load "{library}"'
    if backend:
        yield f"SELECT gpugraph_config('backend', '{backend}');"
    yield f"CREATE TABLE roads(id INTEGER PRIMARY KEY, a {kind}, b {kind}, metres INTEGER);"
    yield (
        f"WITH n(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {EDGES}) INSERT INTO roads(a, b, metres) "
        f"SELECT {source}, {target}, 1 FROM n;"
    )
    if ids == "consecutive":
        yield "INSERT INTO roads(a, b, metres) VALUES (5, 900000000, 1);"
    yield "CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres));"
    yield query
    yield query
    for change in range(CHANGES):
        yield f"INSERT INTO roads(a, b, metres) VALUES ({old}, {new_id(ids, change)}, 1);"
        yield query
        yield "SELECT 'total', ms FROM gpugraph_timings WHERE phase = 'total';"


def main():
    library, ids, query = sys.argv[1:4]
    backend = sys.argv[4] if len(sys.argv) > 4 else None
    random.seed(5)
    text = "\n".join(script(library, ids, QUERIES[query], backend))
    done = subprocess.run(["sqlite3", ":memory:"], input=text, capture_output=True, text=True, check=False)
    if done.stderr:
        sys.exit(done.stderr)
    ms = [float(line.split("|")[1]) for line in done.stdout.splitlines() if line.startswith("total|")]
    first, rest = ms[:3], ms[3:]
    print(f"{ids}, {query}: first {' '.join(f'{one:.1f}' for one in first)}; "
          f"then median {statistics.median(rest):.3f}, largest {max(rest):.3f} of {len(rest)}")


if __name__ == "__main__":
    main()

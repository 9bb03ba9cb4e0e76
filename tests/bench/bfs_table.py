#!/usr/bin/env python3
"""Prints a table in Markdown of breadth-first searches on the device, by "persistent" and by the choice of "auto".

    bfs_table.py BUILD/bench [GRAPH...]         default: all eight graphs of gengraph.cuh

Times are those of the kernels, including the filling of depths: the median of three sources, five times each.
"persistent" examines every reached vertex and each of its arcs once; bytes are those that the kernels request, not
whole sectors. A bottom-up search skips arcs, so its bytes are unknown.
"""
import os
import re
import statistics
import subprocess
import sys

GRAPHS = "rmat20 rmat22 rmat24 road1m road4m road24m mesh1m mesh16m".split()
SOURCES, REPEATS = 3, 5
PEAK = 4.8e12  # bytes a second, H200
# Bytes for each vertex (filling, a bit), for each reached vertex (queue written and read, offsets, bit, depth), and
# for each arc (its target and the target's bit).
FILL, ROW, ARC = 4 + 1 / 8, 8 + 8 + 16 + 4 + 4, 4 + 4
DETAIL = re.compile(r"(\d+) levels, (\d+) of them narrow, (\d+) bottom-up")


def searches(bench, graph):
    """Returns the number of vertices, and a list for each method: (name, ms, reached, arcs, levels, narrow, bottom-up)."""
    out = subprocess.run([f"{bench}/bench_gpu", graph, "bfs", "persistent,auto", "cuda", str(SOURCES), str(REPEATS)],
                         check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         env={**os.environ, "DEVICE": "1", "PHASES": "1"}).stdout
    found, vertices, detail = [], 0, (0, 0, 0)
    for line in out.splitlines():
        match, field = DETAIL.search(line), line.split(",")
        if match:
            detail = tuple(map(int, match.groups()))
        elif field[0] == "GRAPH":
            vertices = int(field[2][len("n="):])
        elif field[0] == "RES":
            found.append((field[1], float(field[7]), int(field[10]), int(field[11]), *detail))
    return vertices, [found[:SOURCES], found[SOURCES:]]


def lines(bench, graph):
    vertices, methods = searches(bench, graph)
    for found in methods:
        ms, reached, arcs, levels, narrow, below = (statistics.median(column) for column in list(zip(*found))[1:])
        size = vertices * FILL + reached * ROW + arcs * ARC
        share = "| | |" if below else f"| {size / 1e6:.0f} | {100 * size / (ms * 1e-3) / PEAK:.1f} % |"
        yield (f"| {graph} | {found[0][0]} | {ms:.3f} | {levels:.0f} | {narrow:.0f} | {below:.0f} "
               f"| {1e3 * ms / max(levels, 1):.1f} | {reached:.0f} | {arcs:.0f} {share}")


def main(arguments):
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    print("| graph | method | ms | levels | narrow | bottom-up | us a level | vertices reached | arcs of them | MB "
          "| share of 4.8 TB/s |")
    print("| --- | --- |" + " ---: |" * 9)
    for graph in arguments[1:] or GRAPHS:
        for line in lines(arguments[0], graph):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

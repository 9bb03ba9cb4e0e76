#!/usr/bin/env python3
"""Breadth-first search on the device, first along the edges alone, then by what "auto" chooses: a table in Markdown.

    bfs_table.py BUILD/bench [GRAPH...]         default: all eight graphs of gengraph.cuh

Time is that of the kernels, the filling of depths included: the median of three sources, five times
each. Along the edges every vertex that is reached, and every arc of these, is looked at once, which is
the least there is; bytes are those that the kernels ask for then, not whole sectors. Bottom-up, arcs
are skipped and not counted, so bytes are not told.
"""
import os
import re
import statistics
import subprocess
import sys

GRAPHS = "rmat20 rmat22 rmat24 road1m road4m road24m mesh1m mesh16m".split()
SOURCES, REPEATS = 3, 5
PEAK = 4.8e12  # bytes a second, H200
# A vertex is filled and has a bit; one that is reached is written to the queue and read, has its offsets read, a
# bit claimed and a depth stored; an arc leads to a vertex whose bit is tested.
FILL, ROW, ARC = 4 + 1 / 8, 8 + 8 + 16 + 4 + 4, 4 + 4
DETAIL = re.compile(r"(\d+) levels, (\d+) of them narrow, (\d+) bottom-up")


def searches(bench, graph):
    """Vertices of the graph, and a list for each method: (name, ms, reached, arcs, levels, narrow, bottom-up)."""
    out = subprocess.run([f"{bench}/bench_gpu", graph, "bfs", "persistent,auto", "cuda", str(SOURCES), str(REPEATS)],
                         check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         env={**os.environ, "DEVICE": "1", "PHASES": "1"}).stdout
    found, vertices, detail = [], 0, (0, 0, 0)
    for line in out.splitlines():
        told, field = DETAIL.search(line), line.split(",")
        if told:
            detail = tuple(map(int, told.groups()))
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

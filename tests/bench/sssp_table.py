#!/usr/bin/env python3
"""Shortest paths on the device by what "auto" chooses: three tables in Markdown.

    sssp_table.py BUILD/bench [GRAPH...]         default: all eight graphs of gengraph.cuh

Time comes from bench_sssp; what was done from bench_sssp_counts (`cmake --build BUILD --target
bench_sssp_counts`), whose kernel counts and is slower. Bytes are those that the engine "persistent"
asks for, not whole sectors; graphs whose distances fit 32 bits.
"""
import csv
import io
import os
import re
import subprocess
import sys
import tempfile

GRAPHS = "rmat20 rmat22 rmat24 road1m road4m road24m mesh1m mesh16m".split()
BLOCKS = ["0.06", "0.12", "0.25", "0.5", "1", "2", "4"]  # of 256 threads for each multiprocessor
PEAK = 4.8e12  # bytes a second, H200
ROW, WEIGHT, TEST, LOWER, INIT = 24, 4, 8, 12, 8  # bytes: list, offsets, distance; and so on


def run(program, graph, repeats, **environment):
    """The fields of bench_sssp's line, counted from its end where features come before them, and the
    numbers that its detail names."""
    out = subprocess.run([program, str(repeats), "1", graph], check=True, text=True, stdout=subprocess.PIPE,
                         env={**os.environ, "ONLY": "auto", **environment}).stdout
    line = next(csv.reader(io.StringIO(out)))
    counts = {name: int(value) for name, value in re.findall(r"(weights|tested|lowered|settled) (\d+)", line[-1])}
    return {"vertices": int(line[1]), "arcs": int(line[2]), "method": line[-8], "delta": float(line[-7]),
            "ms": float(line[-4]), "served": int(line[-3]), "detail": line[-1], **counts}


def work(bench, graphs):
    print("| graph | method | bucket | ms | relaxations per vertex | arcs looked at per arc | MB | share of 4.8 TB/s |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for graph in graphs:
        timed, counted = run(f"{bench}/bench_sssp", graph, 5), run(f"{bench}/bench_sssp_counts", graph, 1)
        if "tested" not in counted:
            print(f"| {graph} | {timed['method']} | | {timed['ms']:.2f} | | | | |")
            continue
        size = (counted["served"] * ROW + counted["weights"] * WEIGHT + counted["tested"] * TEST
                + counted["lowered"] * LOWER + counted["vertices"] * INIT)
        print(f"| {graph} | {timed['method']} | {timed['delta']:.0f} | {timed['ms']:.2f} "
              f"| {counted['served'] / counted['settled']:.2f} | {counted['tested'] / counted['arcs']:.2f} "
              f"| {size / 1e6:.0f} | {100 * size / (timed['ms'] * 1e-3) / PEAK:.1f} % |")


def blocks(bench, graphs):
    print("\n| ms with blocks of 256 threads for each multiprocessor | " + " | ".join(BLOCKS) + " |")
    print("| --- |" + " ---: |" * len(BLOCKS))
    for graph in graphs:
        ms = [run(f"{bench}/bench_sssp", graph, 3, BLOCKS=b)["ms"] for b in BLOCKS]
        print(f"| {graph} | " + " | ".join(f"{m:.2f}" for m in ms) + " |")


def over_time(bench, graph):
    """Twenty moments of one search: every line of the trace is a round."""
    with tempfile.NamedTemporaryFile("r", suffix=".csv") as file:
        run(f"{bench}/bench_sssp_counts", graph, 1, SSSP_TRACE=file.name)
        rounds = list(csv.DictReader(file))
    print(f"\n{graph}, {len(rounds)} rounds\n\n| us | active warps | settled vertices |\n| ---: | ---: | ---: |")
    for i in sorted({round(k * (len(rounds) - 1) / 19) for k in range(20)}):
        print(f"| {float(rounds[i]['us']):.0f} | {rounds[i]['active_warps']} | {rounds[i]['settled']} |")


def main(arguments):
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    bench, graphs = arguments[0], arguments[1:] or GRAPHS
    work(bench, graphs)
    blocks(bench, graphs[:1] + graphs[3:4])
    for graph in graphs[:1] + graphs[3:4]:
        over_time(bench, graph)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

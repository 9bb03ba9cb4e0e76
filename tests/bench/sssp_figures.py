"""The input of sssp_learn.py: features of graphs, and the ms of every candidate on them, measured by bench_sssp. A
packed file has a line for each graph: its name, FEATURES, and the ms of every candidate, empty if it was not timed."""
import csv
import math
import sys

# Columns of a line of bench_sssp after the graph's name.
FEATURES = ["vertices", "arcs", "degree", "degree_deviation", "most_degree", "weight", "weight_deviation",
            "ball_depth"]


class Figures:
    """features: a dictionary for each graph; ms[graph][candidate]: infinite if it was not timed."""

    def __init__(self, path):
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
        last = 1 + len(FEATURES)
        self.candidates = rows[0][last:]
        self.graphs = [row[0] for row in rows[1:]]
        self.features = [dict(zip(FEATURES, map(float, row[1:last]))) for row in rows[1:]]
        self.ms = [[float(ms) if ms else math.inf for ms in row[last:]] for row in rows[1:]]


def family(name):
    """Returns "grid" for grid-50-50-1-byte. Names without sizes are real graphs and benchmark graphs."""
    return name.split("-")[0] if name.count("-") > 2 and name[0] != "." else "other"


def shape(name):
    """Returns the name without the kind of weights. Graphs of one shape are held out together."""
    return name.rsplit("-", 1)[0] if name.count("-") > 2 else name


def unpack(path):
    """Reads a packed file or lines of bench_sssp: graph -> (features, {candidate: ms or nothing}), and the candidates."""
    graphs, names, last = {}, {}, 1 + len(FEATURES)
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    if rows and rows[0][0] == "graph":
        if rows[0][1:last] != FEATURES:
            raise SystemExit(f"{path}: other features than {', '.join(FEATURES)}")
        names = {int(c.split()[0]): c for c in rows[0][last:]}
        return {r[0]: (r[1:last], dict(zip(names, r[last:]))) for r in rows[1:]}, names
    for r in rows:
        if len(r) >= last + 9:
            c, method, ms = int(r[last]), r[last + 1], r[last + 5]
            graphs.setdefault(r[0], (r[1:last], {}))[1][c] = f"{float(ms):.4g}" if ms else ""
            names[c] = f"{c} {method}"
    for graph in [g for g, (_, ms) in graphs.items() if len(ms) < len(names)]:
        print(f"{path}: {graph} was cut off and is left out", file=sys.stderr)
        del graphs[graph]
    return graphs, names


def pack(paths):
    """Packs lines of bench_sssp: one line for each graph, without the details."""
    graphs, names = {}, {}
    for path in paths:
        more, found = unpack(path)
        if not more:
            raise SystemExit(f"{path}: no graphs")
        for graph, (features, ms) in more.items():
            graphs[graph] = features, graphs.get(graph, (features, {}))[1] | ms
        names |= found
    for graph in [g for g, (_, ms) in graphs.items() if len(ms) < len(names)]:
        print(f"{graph}: some candidates were not timed, it is left out", file=sys.stderr)
        del graphs[graph]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["graph", *FEATURES, *(names[c] for c in sorted(names))])
    for graph, (features, ms) in graphs.items():
        out.writerow([graph, *features, *(ms[c] for c in sorted(names))])

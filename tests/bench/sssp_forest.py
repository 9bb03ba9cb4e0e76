#!/usr/bin/env python3
"""Learns which candidate is fastest for shortest paths on a graph, from what bench_sssp measured.

    sssp_forest.py training.csv                      figures on graphs held out, nothing written
    sssp_forest.py training.csv ../../gpu/sssp_forest.h      and the table in C, from all graphs
    sssp_forest.py --pack measured.csv... > data/sssp_training.csv      only what is learned from

One regression forest for all candidates at once: features of the graph go in, and how much slower
than the best each candidate is comes out (a logarithm), so the least is chosen. Needs scikit-learn.
"""
import csv
import math
import sys

TREES, LEAF, DEPTH, FOLDS = 16, 1, 12, 10
# Columns of a line of bench_sssp, and of a packed file.
FEATURES = ["vertices", "arcs", "degree", "degree_deviation", "most_degree", "weight", "weight_deviation", "most_weight"]
COLUMNS = ["graph", *FEATURES, "candidate", "method", "ms"]
SLOWEST = math.log(8)  # worse is as bad


def inputs(row):
    """What the C side computes too (gpu/sssp_choice.c): sizes by their logarithms, weights without a unit."""
    f = {k: float(row[k]) for k in FEATURES}
    mean = f["weight"] or 1.0
    return [math.log2(f["vertices"] + 1), math.log2(f["arcs"] + 1), f["degree"], f["degree_deviation"],
            math.log2(f["most_degree"] + 1), f["weight_deviation"] / mean, math.log2(f["most_weight"] / mean + 1)]


def read(path):
    """graph -> (inputs, {candidate: ms}), and the candidates' names. What was not timed is missing."""
    graphs, names = {}, {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            x, ms = graphs.setdefault(row["graph"], (inputs(row), {}))
            ms[int(row["candidate"])] = float(row["ms"])
            names[int(row["candidate"])] = row["method"]
    return graphs, names


def pack(paths):
    """Lines of bench_sssp to a table with a head: the same columns, without the details."""
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    out.writeheader()
    for path in paths:
        with open(path, newline="") as file:
            for r in csv.reader(file):
                if len(r) >= 17:
                    out.writerow(dict(zip(COLUMNS, [*r[:11], f"{float(r[14]):.4g}"])))


def targets(ms, count):
    best = min(ms.values())
    return [min(math.log(ms[c] / best), SLOWEST) if c in ms else SLOWEST for c in range(count)]


def learn(graphs, count):
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(n_estimators=TREES, min_samples_leaf=LEAF, max_depth=DEPTH, max_features=0.6,
                                   random_state=1)
    forest.fit([x for x, _ in graphs], [targets(ms, count) for _, ms in graphs])
    return forest


def family(name):
    """The shape without its weights, so that no graph is held out whose twin is learned from."""
    return name.rsplit("-", 1)[0] if name.count("-") > 2 else name


def held_out(graphs, names):
    """Speed of the choice relative to the best on each graph, when its family was not learned from."""
    families = sorted({family(g) for g in graphs})
    speed, chosen = {}, {}
    for fold in range(FOLDS):
        out = set(families[fold::FOLDS])
        forest = learn([v for g, v in graphs.items() if family(g) not in out], len(names))
        for g, (x, ms) in graphs.items():
            if family(g) in out and len(ms) == len(names):
                guess = forest.predict([x])[0]
                c = min(range(len(names)), key=lambda i: guess[i])
                speed[g], chosen[g] = min(ms.values()) / ms[c], c
    return speed, chosen


def report(graphs, names):
    speed, chosen = held_out(graphs, names)
    good = sum(s >= 0.9 for s in speed.values())
    print(f"{len(graphs)} graphs ({len(speed)} with all {len(names)} candidates timed), {FOLDS} folds by family")
    graphs = {g: graphs[g] for g in speed}
    print(f"held out: {good} of {len(speed)} ({100 * good / len(speed):.1f} %) reach 0.9 of the best; "
          f"mean {sum(speed.values()) / len(speed):.3f}")
    for c in names:
        s = [min(ms.values()) / ms[c] for _, ms in graphs.values()]
        print(f"  always {c:2} {names[c]:12} {100 * sum(v >= 0.9 for v in s) / len(s):5.1f} %  mean {sum(s) / len(s):.3f}"
              f"  best on {sum(v == 1 for v in s):3}  chosen {sum(v == c for v in chosen.values()):3}")
    for g in sorted(speed, key=speed.get)[:15]:
        ms = graphs[g][1]
        best = min(ms, key=ms.get)
        print(f"  worst: {speed[g]:.2f} {g}: {chosen[g]} {ms[chosen[g]]:.3f} ms, best {best} {ms[best]:.3f} ms")


def export(forest, count, path, command):
    """Nodes of all trees in one array; a leaf keeps a row of 8-bit slownesses."""
    nodes, leaves, roots = [], [], []
    for tree in forest.estimators_:
        t, base = tree.tree_, len(nodes)
        roots.append(base)
        for i in range(t.node_count):
            if t.children_left[i] < 0:
                row = tuple(min(255, round(float(v) / SLOWEST * 255)) for v in t.value[i][:, 0])
                nodes.append((-1, 0.0, len(leaves), 0))
                leaves.append(row)
            else:
                nodes.append((t.feature[i], t.threshold[i], base + t.children_left[i], base + t.children_right[i]))
    with open(path, "w") as out:
        w = out.write
        w("/* Made by tests/bench/sssp_forest.py: do not edit, learn again.\n")
        w(f"**     {command}\n")
        w("** A forest that tells from a graph's features how slow each candidate will be. */\n")
        w("#ifndef GPUGRAPH_SSSP_FOREST_H\n#define GPUGRAPH_SSSP_FOREST_H\n\n/* clang-format off */\n\n")
        w(f"enum {{ FOREST_TREES = {len(roots)}, FOREST_CANDIDATES = {count} }};\n\n")
        w("/* feature < 0: a leaf, whose row is `left`; else left where the feature is at most `split`. */\n")
        w("static const struct forest_node {\n    signed char feature;\n    float split;\n    unsigned short left, right;\n"
          "} forest_nodes[] = {\n")
        w(wrapped(f"{{{f},{single(s)},{a},{b}}}" for f, s, a, b in nodes))
        w("};\n\nstatic const unsigned short forest_roots[FOREST_TREES] = {\n" + wrapped(map(str, roots)) + "};\n\n")
        w("static const unsigned char forest_leaves[][FOREST_CANDIDATES] = {\n")
        w(wrapped("{" + ",".join(map(str, row)) + "}" for row in leaves))
        w("};\n\n#endif\n")


def single(value):
    text = f"{value:.9g}"
    return text + ("f" if "." in text or "e" in text else ".0f")


def wrapped(items):
    lines, line = [], ""
    for item in items:
        if len(line) + len(item) > 118:
            lines.append(line)
            line = ""
        line += item + ","
    return "\n".join([*lines, line]) + "\n"


def main(arguments):
    if arguments[:1] == ["--pack"]:
        pack(arguments[1:])
        return 0
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    graphs, names = read(arguments[0])
    report(graphs, names)
    if len(arguments) > 1:
        forest = learn(list(graphs.values()), len(names))
        export(forest, len(names), arguments[1], "tests/bench/sssp_forest.py tests/bench/data/sssp_training.csv gpu/sssp_forest.h")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

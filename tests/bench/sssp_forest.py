#!/usr/bin/env python3
"""Learns which candidate is fastest for shortest paths on a graph, from what bench_sssp measured.

    sssp_forest.py training.csv                      figures on graphs held out, nothing written
    sssp_forest.py training.csv ../../gpu/sssp_forest.h      and the table in C, from all graphs
    sssp_forest.py --pack measured.csv... > data/sssp_training.csv      only what is learned from

One regression forest for all candidates at once (extremely randomized trees: Geurts, Ernst, Wehenkel,
Machine Learning 63, 2006): features of the graph go in, and how much slower than the best each
candidate is comes out (a logarithm, and a constant more where it is slower than wanted), so the least
is chosen. Needs scikit-learn.
"""
import csv
import math
import sys

TREES, DEPTH, FOLDS = 32, 12, 10
# Columns of a line of bench_sssp behind the graph's name. A packed file has a line for each graph: these, and
# the ms of every candidate, empty where it was not timed.
FEATURES = ["vertices", "arcs", "degree", "degree_deviation", "most_degree", "weight", "weight_deviation", "most_weight",
            "ball_depth"]
SLOWEST = math.log(8)  # worse is as bad
WANTED, MISSED = 0.9, 0.3  # of the best's speed; what being slower costs beside the logarithm


def inputs(row):
    """What the C side computes too (gpu/sssp_choice.c): sizes by their logarithms, weights without a unit."""
    f = {k: float(row[k]) for k in FEATURES}
    mean = f["weight"] or 1.0
    return [math.log2(f["vertices"] + 1), math.log2(f["arcs"] + 1), f["degree"], f["degree_deviation"],
            math.log2(f["most_degree"] + 1), f["weight_deviation"] / mean, math.log2(f["most_weight"] / mean + 1),
            f["ball_depth"]]


def read(path):
    """graph -> (inputs, {candidate: ms}), and the candidates' names."""
    with open(path, newline="") as file:
        lines = csv.DictReader(file)
        names = dict(enumerate(lines.fieldnames[1 + len(FEATURES):]))
        return {r["graph"]: (inputs(r), {c: float(r[n]) for c, n in names.items() if r[n]}) for r in lines}, names


def pack(paths):
    """Lines of bench_sssp to one for each graph, without the details."""
    graphs, names = {}, {}
    for path in paths:
        with open(path, newline="") as file:
            for r in csv.reader(file):
                if len(r) >= 18:
                    c, features = int(r[10]), r[1:10]
                    graphs.setdefault(r[0], (features, {}))[1][c] = f"{float(r[15]):.4g}"
                    names[c] = f"{c} {r[11]}"
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["graph", *FEATURES, *(names[c] for c in sorted(names))])
    for graph, (features, ms) in graphs.items():
        out.writerow([graph, *features, *(ms.get(c, "") for c in sorted(names))])


def slowness(ms, best):
    return min(math.log(ms / best), SLOWEST) + (MISSED if ms * WANTED > best else 0)


def targets(ms, count):
    best = min(ms.values())
    return [slowness(ms[c], best) if c in ms else SLOWEST + MISSED for c in range(count)]


def learn(graphs, count):
    from sklearn.ensemble import ExtraTreesRegressor

    forest = ExtraTreesRegressor(n_estimators=TREES, max_depth=DEPTH, random_state=1)
    forest.fit([x for x, _ in graphs], [targets(ms, count) for _, ms in graphs])
    return forest


def family(name):
    """The shape without its weights, so that no graph is held out whose twin is learned from."""
    return name.rsplit("-", 1)[0] if name.count("-") > 2 else name


def held_out(graphs, names, group):
    """Speed of the choice relative to the best on each graph, when none of its group was learned from."""
    groups = sorted({group(g) for g in graphs})
    speed, chosen = {}, {}
    for fold in range(FOLDS):
        out = set(groups[fold::FOLDS])
        forest = learn([v for g, v in graphs.items() if group(g) not in out], len(names))
        for g, (x, ms) in graphs.items():
            if group(g) in out and len(ms) == len(names):
                guess = forest.predict([x])[0]
                c = min(range(len(names)), key=lambda i: guess[i])
                speed[g], chosen[g] = min(ms.values()) / ms[c], c
    return speed, chosen


def good(speeds):
    count, all = sum(s >= WANTED for s in speeds), len(speeds)
    return f"{count} of {all} ({100 * count / all:.1f} %) reach {WANTED} of the best; mean {sum(speeds) / all:.3f}"


def report(graphs, names):
    alone, _ = held_out(graphs, names, lambda g: g)
    speed, chosen = held_out(graphs, names, family)
    print(f"{len(graphs)} graphs ({len(speed)} with all {len(names)} candidates timed), {FOLDS} folds")
    print(f"the graph held out:              {good(list(alone.values()))}")
    print(f"all graphs of its shape as well: {good(list(speed.values()))}")
    for c in sorted(names):
        s = [min(graphs[g][1].values()) / graphs[g][1][c] for g in speed]
        print(f"  always {names[c]:13} {good(s)}; best on {sum(v == 1 for v in s)}, "
              f"chosen {sum(v == c for v in chosen.values())}")
    for g in sorted(alone, key=alone.get)[:15]:
        print(f"  worst: {alone[g]:.2f} {g}")


def export(forest, count, path, command):
    """Nodes of all trees in one array, each before its left branch, then its right one; a leaf names
    a row of 8-bit slownesses."""
    nodes, rows, roots = [], {}, []
    for tree in forest.estimators_:
        t, base = tree.tree_, len(nodes)
        roots.append(base)
        for i in range(t.node_count):
            if t.children_left[i] < 0:
                row = tuple(round(float(v) / (SLOWEST + MISSED) * 255) for v in t.value[i][:, 0])
                nodes.append((-1, 0.0, rows.setdefault(row, len(rows))))
            else:
                assert t.children_left[i] == i + 1
                nodes.append((t.feature[i], t.threshold[i], base + t.children_right[i]))
    with open(path, "w") as out:
        w = out.write
        w("/* Made by tests/bench/sssp_forest.py: do not edit, learn again.\n")
        w(f"**     {command}\n")
        w("** A forest that tells from a graph's features how slow each candidate will be. */\n")
        w("#ifndef GPUGRAPH_SSSP_FOREST_H\n#define GPUGRAPH_SSSP_FOREST_H\n\n/* clang-format off */\n\n")
        w(f"enum {{ FOREST_TREES = {len(roots)}, FOREST_CANDIDATES = {count} }};\n\n")
        w("/* feature < 0: a leaf, whose row is `right`; else on to the next node where the feature is at most\n"
          "** `split`, to `right` where it is more. */\n")
        w("static const struct forest_node {\n    signed char feature;\n    float split;\n    unsigned short right;\n"
          "} forest_nodes[] = {\n")
        w(wrapped(f"{{{f},{single(s)},{r}}}" for f, s, r in nodes))
        w("};\n\nstatic const unsigned short forest_roots[FOREST_TREES] = {\n" + wrapped(map(str, roots)) + "};\n\n")
        w("static const unsigned char forest_leaves[][FOREST_CANDIDATES] = {\n")
        w(wrapped("{" + ",".join(map(str, row)) + "}" for row in rows))
        w("};\n\n#endif\n")


def single(value):
    text = f"{value:.6g}"
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

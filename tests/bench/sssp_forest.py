#!/usr/bin/env python3
"""Learns which candidate is fastest for shortest paths on a graph, from what bench_sssp measured.

    sssp_forest.py training.csv                      figures on graphs held out, nothing written
    sssp_forest.py training.csv ../../gpu/sssp/choice/learned    and the tables in C, from all graphs: forest.h, process.h
    sssp_forest.py --misses training.csv             every graph that is missed when held out, and how often
    sssp_forest.py --pack measured.csv... > packed.csv      only what is learned from; a packed file may be among
                                                     those that are read; of a graph and candidate in several the
                                                     last counts

Features of the graph go in, and how much slower than the best each candidate is comes out, so the
least is chosen. Candidates that others replace without loss are left out beforehand. Two models are
mixed, which miss different graphs. One is a regression forest for all candidates at once (extremely
randomized trees: Geurts, Ernst, Wehenkel, Machine Learning 63, 2006) of a logarithm, and a constant
more where a candidate is slower than wanted. Trees are as deep as they come, to a graph for each
leaf, so a tree names the graph that it takes for the most similar one. The other is a Gaussian
process (sssp_process.py) of the logarithm alone; it has the features of probes, too. Needs
scikit-learn.
"""
import csv
import math
import random
import sys

TREES, CHOICES = 44, 28  # how many trees, and of how many candidates they tell
SHARE, FOREST_INPUTS = 0.5, 8  # the forest's in the mixture; inputs that it has, of all
FOLDS, SHUFFLES = 10, 10  # graphs are held out a fold at a time, for each of so many ways to make folds
# Columns of a line of bench_sssp behind the graph's name. A packed file has a line for each graph: these, and
# the ms of every candidate, empty where it was not timed.
FEATURES = ["vertices", "arcs", "degree", "degree_deviation", "most_degree", "weight", "weight_deviation", "most_weight",
            "ball_depth", "ball_radius", "probe_met", "probe_work", "probe_radius"]
SLOWEST = math.log(8)  # worse is as bad
WANTED, MISSED = 0.9, 0.3  # of the best's speed; what being slower costs beside the logarithm


def inputs(row):
    """What the C side computes too (gpu/sssp/choice/choice.c): sizes by their logarithms, the rest in units of a mean."""
    f = {k: float(row[k]) for k in FEATURES}
    degree, weight = f["degree"] or 1.0, f["weight"] or 1.0
    return [math.log2(f["vertices"] + 1), math.log2(f["degree"] + 1), math.log2(f["degree_deviation"] / degree + 0.02),
            math.log2(f["most_degree"] / degree + 1), f["weight_deviation"] / weight,
            math.log2(f["most_weight"] / weight + 1), f["ball_depth"], f["ball_radius"],
            f["probe_met"], f["probe_work"], f["probe_radius"]]


def read(path):
    """graph -> (inputs, {candidate: ms}), and the candidates' names."""
    with open(path, newline="") as file:
        lines = csv.DictReader(file)
        names = dict(enumerate(lines.fieldnames[1 + len(FEATURES):]))
        return {r["graph"]: (inputs(r), {c: float(r[n]) for c, n in names.items() if r[n]}) for r in lines}, names


def unpack(path):
    """A packed file, or lines of bench_sssp: graph -> (features, {candidate: ms or nothing}), and the candidates."""
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
    """Lines of bench_sssp to one for each graph, without the details."""
    graphs, names = {}, {}
    for path in paths:
        more, told = unpack(path)
        if not more:
            raise SystemExit(f"{path}: no graphs")
        for graph, (features, ms) in more.items():
            graphs[graph] = features, graphs.get(graph, (features, {}))[1] | ms
        names |= told
    for graph in [g for g, (_, ms) in graphs.items() if len(ms) < len(names)]:
        print(f"{graph}: some candidates were not timed, it is left out", file=sys.stderr)
        del graphs[graph]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["graph", *FEATURES, *(names[c] for c in sorted(names))])
    for graph, (features, ms) in graphs.items():
        out.writerow([graph, *features, *(ms[c] for c in sorted(names))])


def slowness(ms, best):
    return min(math.log(ms / best), SLOWEST) + (MISSED if ms * WANTED > best else 0)


def targets(ms, count):
    best = min(ms.values())
    return [slowness(ms[c], best) if c in ms else SLOWEST + MISSED for c in range(count)]


def worth(rows, count):
    """The candidates to choose from: one after the other, that which lowers the sum of least slownesses most."""
    least, chosen = [math.inf] * len(rows), []
    while len(chosen) < min(CHOICES, count):
        c = min((c for c in range(count) if c not in chosen),
                key=lambda c: sum(min(l, r[c]) for l, r in zip(least, rows)))
        chosen.append(c)
        least = [min(l, r[c]) for l, r in zip(least, rows)]
    return sorted(chosen)


class Model:
    def __init__(self, graphs, count, seed):
        from sklearn.ensemble import ExtraTreesRegressor
        from sssp_process import Process

        rows = [targets(ms, count) for _, ms in graphs]
        self.choices = worth(rows, count)
        rows = [[r[c] for c in self.choices] for r in rows]
        self.forest = ExtraTreesRegressor(n_estimators=TREES, random_state=seed)
        self.forest.fit([x[:FOREST_INPUTS] for x, _ in graphs], rows)
        self.process = Process(seed)
        self.process.fit([x for x, _ in graphs], [[min(s, s - MISSED if s > -math.log(WANTED) else s) for s in r]
                                                  for r in rows])

    def choose(self, inputs):
        """A candidate for each graph."""
        slow = SHARE * self.forest.predict([x[:FOREST_INPUTS] for x in inputs])
        slow += (1 - SHARE) * self.process.predict(inputs)
        return [self.choices[i] for i in slow.argmin(1)]


def family(name):
    """The shape without its weights, so that no graph is held out whose twin is learned from."""
    return name.rsplit("-", 1)[0] if name.count("-") > 2 else name


def held_out(graphs, names, group, seed):
    """Speed of the choice relative to the best of all on each graph, when none of its group was learned from."""
    groups = sorted({group(g) for g in graphs})
    random.Random(seed).shuffle(groups)
    speed = {}
    for fold in range(FOLDS):
        out = set(groups[fold::FOLDS])
        model = Model([v for g, v in graphs.items() if group(g) not in out], len(names), seed)
        tested = [g for g in graphs if group(g) in out and len(graphs[g][1]) == len(names)]
        for g, c in zip(tested, model.choose([graphs[g][0] for g in tested])):
            ms = graphs[g][1]
            speed[g] = min(ms.values()) / ms[c]
    return speed


def good(speeds):
    return 100 * sum(s >= WANTED for s in speeds) / len(speeds)


def report(graphs, names):
    timed = [ms for _, ms in graphs.values() if len(ms) == len(names)]
    print(f"{len(graphs)} graphs ({len(timed)} with all {len(names)} candidates timed), {FOLDS} folds made in {SHUFFLES} "
          f"ways; of the graphs held out reach {WANTED} of the best's speed")
    missed = dict.fromkeys(graphs, 0)
    for what, group in (("the graph held out", lambda g: g), ("all graphs of its shape", family)):
        runs = [held_out(graphs, names, group, seed) for seed in range(SHUFFLES)]
        shares = [good(r.values()) for r in runs]
        mean = sum(sum(r.values()) / len(r) for r in runs) / SHUFFLES
        print(f"  {what:24} {sum(shares) / SHUFFLES:.1f} % ({min(shares):.1f} to {max(shares):.1f}); mean speed {mean:.3f}")
        if group is not family:
            missed = {g: sum(r.get(g, 1) < WANTED for r in runs) for g in graphs}
    for c in sorted(names):
        s = [min(ms.values()) / ms[c] for ms in timed]
        print(f"  always {names[c]:17} {good(s):.1f} %; mean speed {sum(s) / len(s):.3f}; best on {s.count(1)}")
    print("  most often missed:", *(g for g in sorted(graphs, key=missed.get, reverse=True)[:15]))


def misses(graphs, names):
    for what, group in (("the graph held out", lambda g: g), ("all graphs of its shape", family)):
        runs = [held_out(graphs, names, group, seed) for seed in range(SHUFFLES)]
        tested = {g: [r[g] for r in runs] for g in runs[0]}
        print(f"{what}: {sum(good(s) for s in tested.values()) / len(tested):.1f} % are not missed")
        for kind, key in (("family", lambda g: g.split("-")[0]), ("weights", lambda g: g.split("-")[-1])):
            kinds = {}
            for g, speeds in tested.items():
                kinds.setdefault(key(g) if g.count("-") > 2 else "others", []).append(100 - good(speeds))
            print(f"  missed by {kind}, %:", ", ".join(
                f"{k} {sum(v) / len(v):.0f} of {len(v)}" for k, v in sorted(kinds.items(), key=lambda i: -sum(i[1]))))
        for g in sorted(tested, key=lambda g: good(tested[g])):
            if good(tested[g]) < 100:
                print(f"  {g:36} missed in {100 - good(tested[g]):3.0f} % of the ways, mean speed "
                      f"{sum(tested[g]) / SHUFFLES:.2f}, best {min(graphs[g][1].values()):.3g} ms")


def trees(forest, graphs):
    """Inner nodes of all trees in one array, each before its left branch, then its right one; a leaf is
    the number of a row of 8-bit slownesses. Returns nodes, roots and rows."""
    import numpy

    nodes, rows, roots = [], {}, []
    points = numpy.array([x for x, _ in graphs], dtype=numpy.float32)  # as the trees see them

    def place(t, i, here):
        """Adds node i and all below; returns where it is: a leaf's row below 0, or its number."""
        if t.children_left[i] < 0:
            row = tuple(round(float(v) / (SLOWEST + MISSED) * 255) for v in t.value[i][:, 0])
            return -rows.setdefault(row, len(rows)) - 1
        at, column = len(nodes), points[here, t.feature[i]]
        nodes.append(None)
        left = column <= t.threshold[i]
        split = shortest(t.threshold[i], column[left].max(), column[~left].min())
        branches = place(t, t.children_left[i], here[left]), place(t, t.children_right[i], here[~left])
        nodes[at] = (t.feature[i], split, *branches)
        return at

    for tree in forest.estimators_:
        roots.append(place(tree.tree_, 0, numpy.arange(len(graphs))))
    if max(len(nodes), len(rows)) > 32767:
        raise SystemExit(f"{len(nodes)} nodes and {len(rows)} leaves: more than a short tells; fewer TREES?")
    return nodes, roots, rows


def head(name, what, command):
    guard = f"GPUGRAPH_{name.upper()}_H"
    return (f"/* Made by tests/bench/sssp_forest.py: do not edit, learn again.\n**     {command}\n** {what} */\n"
            f"#ifndef {guard}\n#define {guard}\n\n/* clang-format off */\n\n")


def export_forest(model, graphs, count, path, command):
    nodes, roots, rows = trees(model.forest, graphs)
    with open(path, "w") as out:
        w = out.write
        w(head("sssp_forest", "A forest that tells from a graph's features how slow candidates will be.", command))
        w(f"enum {{ FOREST_TREES = {len(roots)}, FOREST_CANDIDATES = {count}, FOREST_CHOICES = {len(model.choices)} }};\n\n")
        w("/* Those that are worth choosing. */\n")
        w("static const unsigned char forest_choices[FOREST_CHOICES] = {\n" + wrapped(map(str, model.choices)) + "};\n\n")
        w("/* On to node `left` where the feature is at most `split`, to `right` where it is more;\n"
          "** -1 - i is row i of the leaves. */\n")
        w("static const struct forest_node {\n    float split;\n    short left, right;\n    unsigned char feature;\n"
          "} forest_nodes[] = {\n")
        w(wrapped(f"{{{s},{l},{r},{f}}}" for f, s, l, r in nodes))
        w("};\n\nstatic const short forest_roots[FOREST_TREES] = {\n" + wrapped(map(str, roots)) + "};\n\n")
        w("static const unsigned char forest_leaves[][FOREST_CHOICES] = {\n")
        w(wrapped("{" + ",".join(map(str, row)) + "}" for row in rows))
        w("};\n\n/* What a leaf's 1 is of the slowness. */\n")
        w(f"static const float forest_unit = {number(SHARE * (SLOWEST + MISSED) / 255 / len(roots))};\n\n#endif\n")


def export_process(model, path, command):
    process = model.process
    with open(path, "w") as out:
        w = out.write
        w(head("sssp_process", "A Gaussian process of the same, which is added to the forest's.", command))
        w('#include "forest.h"\n\n')
        w(f"enum {{ PROCESS_INPUTS = {len(process.scale)}, PROCESS_POINTS = {len(process.points)} }};\n\n")
        w("static const float process_scale[PROCESS_INPUTS] = {\n" + wrapped(map(number, process.scale)) + "};\n\n")
        w("static const float process_mean[FOREST_CHOICES] = {\n"
          + wrapped(number((1 - SHARE) * m) for m in process.mean) + "};\n\n")
        w("/* Graphs by their scaled inputs: alike by exp(-sum of differences), each with the weights of that. */\n")
        w("static const float process_points[][PROCESS_INPUTS] = {\n")
        w(wrapped("{" + ",".join(map(number, p)) + "}" for p in process.points))
        w("};\n\nstatic const float process_weights[][FOREST_CHOICES] = {\n")
        w(wrapped("{" + ",".join(number((1 - SHARE) * v) for v in row) + "}" for row in process.weights))
        w("};\n\n#endif\n")


def number(value):
    text = f"{value:.5g}"
    return text + ("f" if "." in text or "e" in text else ".0f")


def shortest(split, low, high):
    """Few digits, but no graph that was learned from goes another way."""
    for digits in range(4, 18):
        text = f"{split:.{digits}g}"
        if low < float(text) < high:
            break
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
    if arguments[:1] == ["--misses"] and len(arguments) == 2:
        misses(*read(arguments[1]))
        return 0
    if not arguments or arguments[0].startswith("--"):
        print(__doc__, file=sys.stderr)
        return 2
    graphs, names = read(arguments[0])
    report(graphs, names)
    if len(arguments) > 1:
        learned = list(graphs.values())
        model = Model(learned, len(names), 1)
        command = "tests/bench/sssp_forest.py tests/bench/data/sssp_training.csv gpu"
        export_forest(model, learned, len(names), f"{arguments[1]}/forest.h", command)
        export_process(model, f"{arguments[1]}/process.h", command)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

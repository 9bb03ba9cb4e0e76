#!/usr/bin/env python3
"""Learns which candidate is fastest for shortest paths on a graph, from what bench_sssp measured.

    sssp_learn.py training.csv                    prints the quality on held-out graphs, and writes nothing
    sssp_learn.py training.csv tables.h chosen.txt     writes tables in C, from all graphs, and the choice for each graph
    sssp_learn.py --misses training.csv           prints every graph whose choice is slow when it is held out, and how often
    sssp_learn.py --pack measured.csv... > packed.csv     writes a packed file. The input may include packed files; if a
                                                  graph and candidate occur in several, the last counts

The model is in sssp_process.py. All commands except --pack need numpy. The tables are reproducible to the byte."""
import random
import sys

from sssp_figures import Figures, family, pack, shape

FOLDS, WAYS = 10, 10  # a fold of graphs is held out at a time, for each of WAYS partitions into folds
BENCHMARKS = "rmat20 rmat22 rmat24 road1m road4m road24m mesh1m mesh16m".split()
COMMAND = """tests/bench/sssp_learn.py tests/bench/data/sssp_training.csv
**         gpu/sssp/choice/learned/tables.h tests/bench/data/sssp_chosen.txt"""


class Learner:
    """Speeds of choices relative to the best of all candidates."""

    def __init__(self, figures):
        import numpy
        import sssp_process

        self.process, self.graphs = sssp_process, figures.graphs
        self.x = numpy.array([sssp_process.inputs(f) for f in figures.features])
        self.tilts = numpy.array([sssp_process.tilt(f) for f in figures.features])
        self.lost, ms = sssp_process.losses(figures.ms), numpy.array(figures.ms)
        self.speed = ms.min(1, keepdims=True) / ms
        self.timed = numpy.isfinite(ms).all(1)

    def fit(self, some=None):
        """Learns from all graphs or some. Benchmark graphs are favoured, so that similar graphs do not change their choice."""
        some = list(range(len(self.graphs))) if some is None else some
        favoured = [k for k, i in enumerate(some) if self.graphs[i] in BENCHMARKS]
        return self.process.Process().fit(self.x[some], self.tilts[some], self.lost[some], favoured)

    def held_out(self, out):
        """Returns graph -> speed of its choice, if none of these graphs is learned from."""
        out = set(out)
        model = self.fit([i for i in range(len(self.graphs)) if i not in out])
        tested = sorted(out)
        chosen = model.choose(self.x[tested], self.tilts[tested])
        return {self.graphs[i]: float(self.speed[i, c]) for i, c in zip(tested, chosen)}

    def folds(self, group, way):
        """Returns the speeds for all graphs, whose groups are held out a fold at a time."""
        groups = sorted({group(g) for g in self.graphs})
        random.Random(way).shuffle(groups)
        speed = {}
        for fold in range(FOLDS):
            here = set(groups[fold::FOLDS])
            speed |= self.held_out(i for i, g in enumerate(self.graphs) if group(g) in here)
        timed = {g for g, all_timed in zip(self.graphs, self.timed) if all_timed}
        return {g: s for g, s in speed.items() if g in timed}


def good(speeds):
    return 100 * sum(s >= 0.9 for s in speeds) / len(speeds)


def mean(values):
    return sum(values) / len(values)


GROUPS = (("the graph held out", lambda g: g), ("all graphs of its shape", shape))


def report(learner):
    print(f"{len(learner.graphs)} graphs, {FOLDS} folds made in {WAYS} ways; share of the held-out graphs whose choice "
          f"reaches 0.9 of the speed of the best of {learner.speed.shape[1]} candidates")
    for what, group in GROUPS:
        runs = [learner.folds(group, way).values() for way in range(WAYS)]
        shares = [good(r) for r in runs]
        print(f"  {what:24} {mean(shares):.1f} % ({min(shares):.1f} to {max(shares):.1f}); mean speed "
              f"{mean([mean(r) for r in runs]):.3f}")
    speed = {}
    for kind in sorted({family(g) for g in learner.graphs}):
        speed |= learner.held_out(i for i, g in enumerate(learner.graphs) if family(g) == kind)
    print(f"  {'all of its family':24} {good(speed.values()):.1f} %; mean speed {mean(speed.values()):.3f}")
    for what, out in (("these graphs", lambda g: g in BENCHMARKS), ("all R-MATs", lambda g: g.startswith("rmat"))):
        speed = learner.held_out(i for i, g in enumerate(learner.graphs) if out(g))
        print(f"  {what + ' held out':24}", ", ".join(f"{g} {speed[g]:.2f}" for g in BENCHMARKS if g in speed),
              f"({good(speed.values()):.0f} % of {len(speed)})")
    learned = learner.fit().choose(learner.x, learner.tilts)
    speed = [learner.speed[i, c] for i, c in enumerate(learned)]
    print(f"  {'nothing held out':24} {good(speed):.1f} %; mean speed {mean(speed):.3f}, least {min(speed):.2f}")


def misses(learner):
    for what, group in GROUPS:
        runs = [learner.folds(group, way) for way in range(WAYS)]
        tested = {g: [r[g] for r in runs] for g in runs[0]}
        print(f"{what}: {mean([good(s) for s in tested.values()]):.1f} % are not missed")
        for kind, key in (("family", family), ("weights", lambda g: g.split("-")[-1] if shape(g) != g else "others")):
            kinds = {}
            for g, speeds in tested.items():
                kinds.setdefault(key(g), []).append(100 - good(speeds))
            print(f"  missed by {kind}, %:", ", ".join(
                f"{k} {mean(v):.0f} of {len(v)}" for k, v in sorted(kinds.items(), key=lambda i: -sum(i[1]))))
        for g in sorted(tested, key=lambda g: good(tested[g])):
            if good(tested[g]) < 100:
                print(f"  {g:36} missed in {100 - good(tested[g]):3.0f} % of the ways, mean speed {mean(tested[g]):.2f}")


def fingerprint(path):
    """FNV-1a, 64 bits: a test compares it to check that tables were made from these figures."""
    value = 0xCBF29CE484222325
    with open(path, "rb") as file:
        for byte in file.read():
            value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return value


def array(kind, name, items):
    """Joins items, which are texts, into lines of 118 columns."""
    lines, line = [], ""
    for item in items:
        if len(line) + len(item) > 117:
            lines.append(line)
            line = ""
        line += item + ","
    return f"static const {kind} {name} = {{\n" + "\n".join([*lines, line]) + "\n};\n"


def rows(numbers):
    """Returns the texts of a matrix' numbers, with the braces of its rows."""
    for row in numbers:
        yield from ["{" + str(row[0]), *map(str, row[1:-1]), str(row[-1]) + "}"]


def export(learner, training, tables, chosen):
    model, constants = learner.fit(), learner.process
    with open(tables, "w") as out:
        out.write(
            "/* Made by tests/bench/sssp_learn.py: do not edit, learn again.\n"
            f"**     {COMMAND}\n"
            "** What choice.c knows of measured graphs. */\n"
            "#ifndef GPUGRAPH_SSSP_TABLES_H\n#define GPUGRAPH_SSSP_TABLES_H\n\n/* clang-format off */\n\n"
            f"#define PROCESS_LEARNED_FROM 0x{fingerprint(training):016x}ull /* FNV-1a of the figures */\n\n"
            f"enum {{ PROCESS_CANDIDATES = {learner.lost.shape[1]}, PROCESS_INPUTS = {len(model.low)}, "
            f"PROCESS_POINTS = {len(model.points)},\n"
            f"       PROCESS_OCTAVE = {constants.OCTAVE}, PROCESS_WIDE = {constants.WIDE}, PROCESS_TILT = {model.tilt}, "
            f"PROCESS_LEAST_TILT = {model.least}, PROCESS_SHIFT = {model.shift} }};\n\n"
            + array("double", "process_units[PROCESS_INPUTS]", map(str, constants.UNITS.values()))
            + array("short", "process_low[PROCESS_INPUTS]", map(str, model.low))
            + "\n/* Of each candidate: how its width differs from the others', and what it loses on average. */\n"
            + array("short", "process_slopes[PROCESS_CANDIDATES]", map(str, model.slopes))
            + array("double", "process_mean[PROCESS_CANDIDATES]", map(str, model.mean))
            + "\n/* Remembered graphs: their inputs, their weights for slopes, and for the loss of each candidate. */\n"
            + array("short", "process_points[PROCESS_INPUTS][PROCESS_POINTS]", rows(model.points.T))
            + array("short", "process_tilts[PROCESS_POINTS]", map(str, model.tilts))
            + array("short", "process_weights[PROCESS_POINTS][PROCESS_CANDIDATES]", rows(model.weights))
            + "\n#endif\n")
    with open(chosen, "w") as out:
        out.writelines(f"{c}\n" for c in model.choose(learner.x, learner.tilts))


def main(arguments):
    if arguments[:1] == ["--pack"]:
        pack(arguments[1:])
    elif arguments[:1] == ["--misses"] and len(arguments) == 2:
        misses(Learner(Figures(arguments[1])))
    elif len(arguments) == 1 and not arguments[0].startswith("--"):
        report(Learner(Figures(arguments[0])))
    elif len(arguments) == 3:
        export(Learner(Figures(arguments[0])), *arguments)
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Decision trees instead of the Gaussian process that chooses how a device searches for shortest paths.

    sssp_tree.py training.csv    prints how often a tree's choice reaches 0.9 of the best candidate's speed

A leaf names the candidate that loses least on the leaf's graphs. The tree grows by the split that saves the largest
sum of losses, as sssp_process.py counts losses. A tree of 20 leaves has 39 nodes. The graphs of a family, of a shape,
or single graphs are held out by folds, as in sssp_learn.py.
Needs numpy."""
import heapq
import math
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sssp_figures import Figures, family, shape  # noqa: E402
from sssp_learn import BENCHMARKS, Learner, good, mean  # noqa: E402

LEAVES, WAYS = 20, 3


def inputs(f):
    """Returns the inputs of the Gaussian process, and the arcs."""
    degree, weight = f["degree"] or 1, f["weight"] or 1
    return [math.log2(f["vertices"] + 1), math.log2(f["arcs"] + 1), math.log2(f["degree"] + 1),
            math.log2(f["degree_deviation"] / degree + 0.02), math.log2(f["most_degree"] / degree + 1),
            f["weight_deviation"] / weight, f["ball_depth"]]


class Tree:
    """A node is a candidate, or (input, threshold, number of its first child). The second child follows the first."""

    def __init__(self, smallest_leaf):
        self.smallest_leaf = smallest_leaf

    def best_split(self, x, lost, graphs):
        """Returns (saved loss, (input, threshold, graphs below, graphs above)), or None if no split saves anything."""
        best = (1e-9, None)
        whole = lost[graphs].sum(0).min()
        for k in range(x.shape[1]):
            order = graphs[numpy.argsort(x[graphs, k], kind="stable")]
            value, sums = x[order, k], numpy.cumsum(lost[order], 0)
            below = numpy.arange(1, len(order))
            allowed = ((value[1:] > value[:-1] + 1e-9) & (below >= self.smallest_leaf) &
                       (len(order) - below >= self.smallest_leaf))
            saved = numpy.where(allowed, whole - sums[:-1].min(1) - (sums[-1] - sums[:-1]).min(1), -1)
            if len(saved) and saved.max() > best[0]:
                i = int(saved.argmax())
                best = (saved[i], (k, (value[i] + value[i + 1]) / 2, order[:i + 1], order[i + 1:]))
        return best

    def fit(self, x, _, lost):
        self.node = []
        splits = []

        def add_leaf(graphs):
            self.node.append(int(lost[graphs].sum(0).argmin()))
            saved, split = self.best_split(x, lost, graphs)
            if split:
                heapq.heappush(splits, (-saved, len(self.node) - 1, split))

        add_leaf(numpy.arange(len(x)))
        while splits and len(self.node) < 2 * LEAVES - 1:
            _, at, (k, threshold, below, above) = heapq.heappop(splits)
            self.node[at] = (k, threshold, len(self.node))
            add_leaf(below)
            add_leaf(above)
        return self

    def choose(self, x, _):
        chosen = []
        for row in x:
            node = self.node[0]
            while not isinstance(node, int):
                node = self.node[node[2] + int(row[node[0]] > node[1])]
            chosen.append(node)
        return chosen


class TreeLearner(Learner):
    def __init__(self, figures, smallest_leaf):
        super().__init__(figures)
        self.smallest_leaf = smallest_leaf
        self.x = numpy.array([inputs(f) for f in figures.features])

    def fit(self, some=slice(None)):
        return Tree(self.smallest_leaf).fit(self.x[some], self.tilts[some], self.lost[some])


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    figures = Figures(arguments[0])
    for smallest_leaf in (3, 5, 10, 15):
        learner = TreeLearner(figures, smallest_leaf)
        by_family = {}
        for kind in sorted({family(g) for g in learner.graphs}):
            by_family |= learner.held_out(i for i, g in enumerate(learner.graphs) if family(g) == kind)
        folds = {name: mean([good(learner.folds(group, way).values()) for way in range(WAYS)])
                 for name, group in (("graph", lambda g: g), ("shape", shape))}
        benchmarks = learner.held_out(i for i, g in enumerate(learner.graphs) if g in BENCHMARKS)
        print(f"leaves of {smallest_leaf} graphs and more: within 0.9 of the best: graph {folds['graph']:.1f} %, shape "
              f"{folds['shape']:.1f} %, family {good(by_family.values()):.1f} %;",
              ", ".join(f"{g} {benchmarks[g]:.2f}" for g in BENCHMARKS))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

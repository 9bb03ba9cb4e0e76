"""The model of sssp_learn.py: a Gaussian process (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006)
that predicts from a graph's features how much speed every candidate loses to the best. gpu/sssp/choice/choice.c
computes equal predictions. Needs numpy.

    D      the distance of two graphs: the sum of |differences| of their inputs, in units of 1 / OCTAVE
    k(D) = 2^-(D / OCTAVE)               likeness of two graphs: the covariance of their losses
    TILTED * t * t' * k(D / WIDE)        likeness of slopes: how losses grow with the width of a bucket if all blocks
                                         work in every round (SLOPES); t: the distance of their tilts from the mean

As graphs grow, work outweighs the cost of rounds, and narrower buckets win. Losses of small graphs do not predict this,
but the change of losses with the size does. So the slope is linear in the logarithm of the arcs (the tilt). Similar graphs
share its coefficients; for slopes, likeness reaches WIDE times as far as for losses. The slope continues beyond the sizes
of the training graphs; all other predictions stay at their last value."""
import math

import numpy

OCTAVE = 128
# The inputs, and the number of units in one of each, by the evidence (sssp_lengths.py).
UNITS = {"vertices": 5.52, "degree": 75.2, "degree_deviation": 13.3, "most_degree": 15.2, "weight_deviation": 181,
         "ball_depth": 93}
NOISE = 0.07  # variance of a single graph; the evidence says a tenth, which makes more slow choices
TILTED, WIDE, TILT_UNIT = 40.0, 6, 8.5  # tilts are quarters of octaves; their deviation is 8.5
# Candidates whose blocks all work in every round, by the typical weights of a bucket (gpu/sssp/choice/choice.c).
WHOLE = {11: 1, 12: 4, 13: 16, 14: 32, 15: 256}
POINTS = 150  # remembered graphs
FAVOUR = 40  # a favoured graph counts as this number of graphs
GOOD, MISS = 0.9, 0.1  # a candidate below GOOD of the best speed loses MISS more
WEIGHT, TILT = 511, 32767  # the largest weights in the tables


def whole(value):
    """Returns the nearest whole number, as lround() in C."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def inputs(f):
    """Returns logarithms of sizes, and other inputs in units of a mean."""
    degree, weight = f["degree"] if f["degree"] > 0 else 1.0, f["weight"] if f["weight"] > 0 else 1.0
    values = f | {"vertices": math.log2(f["vertices"] + 1), "degree": math.log2(f["degree"] + 1),
                  "degree_deviation": math.log2(f["degree_deviation"] / degree + 0.02),
                  "most_degree": math.log2(f["most_degree"] / degree + 1),
                  "weight_deviation": f["weight_deviation"] / weight}
    return [whole(values[name] * unit) for name, unit in UNITS.items()]


def tilt(f):
    """Returns the size in quarters of an octave of arcs."""
    return whole(4 * math.log2(f["arcs"] + 1))


def losses(ms):
    """Returns for each graph and candidate the lost share of the best speed."""
    ms = numpy.array(ms)
    speed = ms.min(1, keepdims=True) / ms
    return 1 - speed + MISS * (speed < GOOD)


def memorable(alike, favoured):
    """Returns favoured graphs, then the most informative ones: pivots of an incomplete Cholesky factor."""
    left, root, points = numpy.diag(alike).copy(), numpy.zeros((len(alike), POINTS)), []
    for i in range(POINTS):
        if left.max() < 1e-6:  # all other graphs are like remembered ones
            break
        points.append(favoured[i] if i < len(favoured) else int(left.argmax()))
        root[:, i] = (alike[:, points[-1]] - root[:, :i] @ root[points[-1], :i]) / math.sqrt(left[points[-1]])
        left -= root[:, i] ** 2
        left[points] = -1
    return sorted(points)


def weigh(alike, points, values, counts):
    """Returns weights of the points for which likeness fits the values best. A graph counts as `counts` graphs."""
    some = alike[points]
    return numpy.linalg.solve(some * counts @ some.T + NOISE * some[:, points], some * counts @ values)


def slopes(candidates):
    """Returns for every candidate the logarithm of its width less the mean, in whole numbers; 0 if its rounds differ."""
    widths = {c: int(math.log2(width)) for c, width in WHOLE.items()}
    return numpy.array([len(widths) * widths[c] - sum(widths.values()) if c in widths else 0
                        for c in range(candidates)])


class Process:
    """x: inputs of graphs; tilts: of these graphs; lost: of all candidates; favoured: numbers of some graphs."""

    def fit(self, x, tilts, lost, favoured):
        self.slopes = slopes(lost.shape[1])
        self.low, self.tilt = x.min(0), whole(tilts.mean())
        self.least = int(tilts.min()) - self.tilt
        x, t = x - self.low, (tilts - self.tilt) / TILT_UNIT
        distance = numpy.abs(x[:, None] - x[None]).sum(2)
        alike = 2.0 ** (-distance / OCTAVE)
        tilted = alike + TILTED * numpy.outer(t, t) * 2.0 ** (-distance / (OCTAVE * WIDE))
        points = memorable(alike, favoured)
        counts = numpy.ones(len(x))
        counts[favoured] = FAVOUR
        self.points, mean = x[points], lost.mean(0)
        length = math.sqrt((self.slopes**2).sum())
        along = self.slopes / length
        # Losses are the sum of a part without slopes and, by the wider likeness, a part along the slopes.
        slope = (lost - mean) @ along
        across = weigh(alike, points, lost - mean - numpy.outer(slope, along), counts)
        slope = weigh(tilted, points, slope, counts)
        self.quantise(mean, across + numpy.outer(slope, along), TILTED / TILT_UNIT * t[points] * slope / length)
        return self

    def quantise(self, mean, weights, tilts):
        """Sets the whole numbers of the tables. A loss of 1 is `scale`; numbers of tilts are multiplied by 2^shift, too."""
        scale = WEIGHT / numpy.abs(weights).max()
        self.shift = math.floor(math.log2(TILT / scale / numpy.abs(tilts).max()))
        self.mean = numpy.round(mean * scale, 2)
        self.weights = numpy.rint(weights * scale).astype(int)
        self.tilts = numpy.rint(tilts * scale * 2.0**self.shift).astype(int)

    def choose(self, x, tilts):
        """Returns a candidate for each graph."""
        distance = numpy.abs((x - self.low)[:, None] - self.points[None]).sum(2)
        alike, wide = 2.0 ** (-distance / OCTAVE), 2.0 ** (-distance / (OCTAVE * WIDE))
        slope = wide @ self.tilts / 2**self.shift * numpy.maximum(tilts - self.tilt, self.least)
        lost = self.mean + alike @ self.weights + numpy.outer(slope, self.slopes)
        return [int(i) for i in lost.argmin(1)]

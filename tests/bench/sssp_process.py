"""What sssp_learn.py learns: a Gaussian process (Rasmussen and Williams, Gaussian Processes for Machine Learning,
2006) that tells from a graph's features how much every candidate loses to the best. gpu/sssp/choice/choice.c computes
the same. Needs numpy.

    D      the distance of two graphs: the sum of |differences| of their inputs, in units of 1 / OCTAVE
    k(D) = 2^-(D / OCTAVE)               likeness of two graphs, by which what one loses tells of the other
    TILTED * t * t' * k(D / WIDE)        likeness of slopes: how losses grow with the width of a bucket, where all
                                         blocks work in every round (SLOPES); t: how far their tilts are from the mean

As graphs grow, work outweighs what rounds cost, and narrower buckets win. Losses of small graphs do not tell so of
larger ones; how losses change with the size does. So the slope is linear in the logarithm of the arcs (the tilt), by
coefficients that graphs alike share, over WIDE times the distance. It goes on beyond the sizes that were learned from,
where the rest stays as it is at their end."""
import math

import numpy

OCTAVE = 128
# Inputs that are worth having, and how many units one of each is, by the evidence (sssp_lengths.py).
UNITS = {"vertices": 5.52, "degree": 75.2, "degree_deviation": 13.3, "most_degree": 15.2, "weight_deviation": 181,
         "ball_depth": 93}
NOISE = 0.07  # variance that a graph has for itself; by the evidence a tenth, with which more is missed
TILTED, WIDE, TILT_UNIT = 40.0, 6, 8.5  # tilts are quarters of octaves, 8.5 of them their deviation
# Candidates of which all blocks work in every round, by the typical weights of a bucket (gpu/sssp/choice/choice.c).
WHOLE = {11: 1, 12: 4, 13: 16, 14: 32, 15: 256}
POINTS = 150  # graphs that are remembered
FAVOUR = 40  # graphs that a favoured graph counts for
GOOD, MISS = 0.9, 0.1  # what is slower than GOOD of the best's speed loses MISS more
WEIGHT, TILT = 511, 32767  # the largest weights in the tables


def whole(value):
    """The nearest whole number, as lround() of C has it."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def inputs(f):
    """Sizes by their logarithms, the rest in units of a mean."""
    degree, weight = f["degree"] if f["degree"] > 0 else 1.0, f["weight"] if f["weight"] > 0 else 1.0
    values = f | {"vertices": math.log2(f["vertices"] + 1), "degree": math.log2(f["degree"] + 1),
                  "degree_deviation": math.log2(f["degree_deviation"] / degree + 0.02),
                  "most_degree": math.log2(f["most_degree"] / degree + 1),
                  "weight_deviation": f["weight_deviation"] / weight}
    return [whole(values[name] * unit) for name, unit in UNITS.items()]


def tilt(f):
    """Quarters of an octave of arcs."""
    return whole(4 * math.log2(f["arcs"] + 1))


def losses(ms):
    """For each graph and candidate: the share of the best's speed that is lost."""
    ms = numpy.array(ms)
    speed = ms.min(1, keepdims=True) / ms
    return 1 - speed + MISS * (speed < GOOD)


def memorable(alike, favoured):
    """Favoured graphs, then those that tell most of the others: pivots of an incomplete Cholesky factor."""
    left, root, points = numpy.diag(alike).copy(), numpy.zeros((len(alike), POINTS)), []
    for i in range(POINTS):
        if left.max() < 1e-6:  # the rest are like those that are remembered
            break
        points.append(favoured[i] if i < len(favoured) else int(left.argmax()))
        root[:, i] = (alike[:, points[-1]] - root[:, :i] @ root[points[-1], :i]) / math.sqrt(left[points[-1]])
        left -= root[:, i] ** 2
        left[points] = -1
    return sorted(points)


def weigh(alike, points, values, counts):
    """Weights of the points by which likeness comes closest to the values. A graph counts for `counts` of them."""
    some = alike[points]
    return numpy.linalg.solve(some * counts @ some.T + NOISE * some[:, points], some * counts @ values)


def slopes(candidates):
    """Of every candidate: the logarithm of its width less the mean, in whole numbers; 0 where rounds are others."""
    widths = {c: int(math.log2(width)) for c, width in WHOLE.items()}
    return numpy.array([len(widths) * widths[c] - sum(widths.values()) if c in widths else 0
                        for c in range(candidates)])


class Process:
    """x: inputs of graphs, tilts: theirs, lost: of all candidates, favoured: some graphs' numbers."""

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
        # Losses are those across all slopes and, by the wider likeness, those along them.
        slope = (lost - mean) @ along
        across = weigh(alike, points, lost - mean - numpy.outer(slope, along), counts)
        slope = weigh(tilted, points, slope, counts)
        self.quantise(mean, across + numpy.outer(slope, along), TILTED / TILT_UNIT * t[points] * slope / length)
        return self

    def quantise(self, mean, weights, tilts):
        """Whole numbers for the tables. A loss of 1 is `scale`; what comes of tilts is divided by 2^shift to be so."""
        scale = WEIGHT / numpy.abs(weights).max()
        self.shift = math.floor(math.log2(TILT / scale / numpy.abs(tilts).max()))
        self.mean = numpy.round(mean * scale, 2)
        self.weights = numpy.rint(weights * scale).astype(int)
        self.tilts = numpy.rint(tilts * scale * 2.0**self.shift).astype(int)

    def choose(self, x, tilts):
        """A candidate for each graph."""
        distance = numpy.abs((x - self.low)[:, None] - self.points[None]).sum(2)
        alike, wide = 2.0 ** (-distance / OCTAVE), 2.0 ** (-distance / (OCTAVE * WIDE))
        slope = wide @ self.tilts / 2**self.shift * numpy.maximum(tilts - self.tilt, self.least)
        lost = self.mean + alike @ self.weights + numpy.outer(slope, self.slopes)
        return [int(i) for i in lost.argmin(1)]

"""A Gaussian process of many outputs at once (Rasmussen and Williams, Gaussian Processes for Machine
Learning, 2006), for sssp_forest.py. The covariance of two graphs is

    amplitude * exp(-sum over inputs of |difference| / length)        and noise of a graph with itself

with lengths, amplitude and noise common to all outputs, where the evidence is largest: of some of the
graphs, which costs a tenth of all and was as good. Needs numpy and scipy."""
import numpy
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

FITTED, STEPS = 300, 40  # graphs and steps of the search for lengths
LENGTH, NOISE = 6.0, 0.05  # in deviations of an input, where it begins; outputs have about 1


def differences(a, b):
    return [numpy.abs(x[:, None] - y[None]) for x, y in zip(a.T, b.T)]


def evidence(theta, apart, y):
    """Its negative logarithm for each output, and the slope by the logarithms of all parameters."""
    lengths, amplitude, noise = numpy.exp(theta[:-2]), numpy.exp(theta[-2]), numpy.exp(theta[-1])
    shape = numpy.exp(-sum(d / l for d, l in zip(apart, lengths)))
    try:
        root = cho_factor(amplitude * shape + noise * numpy.eye(len(y)), lower=True)
    except numpy.linalg.LinAlgError:
        return 1e10, numpy.zeros_like(theta)
    weights, outputs = cho_solve(root, y), y.shape[1]
    value = 0.5 * (y * weights).sum() / outputs + numpy.log(numpy.diag(root[0])).sum()
    slope = 0.5 * (cho_solve(root, numpy.eye(len(y))) - weights @ weights.T / outputs)
    shaped = amplitude * slope * shape
    return value, numpy.array([*((shaped * d).sum() / l for d, l in zip(apart, lengths)),
                               shaped.sum(), noise * numpy.trace(slope)])


class Process:
    def __init__(self, seed):
        self.seed = seed

    def fit(self, x, y):
        x, y = numpy.asarray(x, float), numpy.asarray(y, float)
        some = numpy.random.default_rng(self.seed).permutation(len(x))[:FITTED]
        self.mean, deviation = y.mean(0), x.std(0) + 1e-9
        begin = [numpy.log(LENGTH)] * x.shape[1] + [0.0, numpy.log(NOISE)]
        limits = [(-3, 5)] * x.shape[1] + [(-6, 5), (-9, 2)]
        found = minimize(evidence, begin, (differences(x[some] / deviation, x[some] / deviation),
                                           y[some] - self.mean), jac=True, method="L-BFGS-B", bounds=limits,
                         options={"maxiter": STEPS})
        self.scale = numpy.exp(-found.x[:-2]) / deviation
        self.points = x * self.scale
        alike = numpy.exp(-sum(differences(self.points, self.points)))
        alike[numpy.diag_indices(len(x))] += numpy.exp(found.x[-1] - found.x[-2])
        self.weights = cho_solve(cho_factor(alike, lower=True), y - self.mean)
        return self

    def predict(self, x):
        x = numpy.asarray(x, float) * self.scale
        return self.mean + numpy.exp(-sum(differences(x, self.points))) @ self.weights

#!/usr/bin/env python3
"""Finds UNITS of sssp_process.py: the units that maximise the likelihood of the measured losses under a Gaussian
process (the evidence) with the covariance amplitude * likeness, and the noise of a graph with itself.

    sssp_lengths.py training.csv

Prints units and noise. Needs numpy and scipy."""
import sys

import numpy
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

import sssp_process
from sssp_figures import Figures

LENGTH, NOISE, STEPS = 6.0, 0.05, 40  # the start of the search, with lengths in deviations of an input; its number of steps


def evidence(theta, apart, y):
    """Returns the negative logarithm of the evidence for each output, and its slope by the logarithms of all parameters."""
    lengths, amplitude, noise = numpy.exp(theta[:-2]), numpy.exp(theta[-2]), numpy.exp(theta[-1])
    alike = numpy.exp(-sum(d / l for d, l in zip(apart, lengths)))
    try:
        root = cho_factor(amplitude * alike + noise * numpy.eye(len(y)), lower=True)
    except numpy.linalg.LinAlgError:
        return 1e10, numpy.zeros_like(theta)
    weights, outputs = cho_solve(root, y), y.shape[1]
    value = 0.5 * (y * weights).sum() / outputs + numpy.log(numpy.diag(root[0])).sum()
    slope = 0.5 * (cho_solve(root, numpy.eye(len(y))) - weights @ weights.T / outputs)
    shaped = amplitude * slope * alike
    return value, numpy.array([*((shaped * d).sum() / l for d, l in zip(apart, lengths)),
                               shaped.sum(), noise * numpy.trace(slope)])


def main(path):
    figures = Figures(path)
    fine = {name: 1000.0 for name in sssp_process.UNITS}  # inputs before they are rounded to units
    sssp_process.UNITS = fine
    x = numpy.array([sssp_process.inputs(f) for f in figures.features]) / 1000
    lost = sssp_process.losses(figures.ms)
    x, y, deviation = x / x.std(0), lost - lost.mean(0), x.std(0)
    begin = [numpy.log(LENGTH)] * x.shape[1] + [0.0, numpy.log(NOISE)]
    limits = [(-3, 6)] * x.shape[1] + [(-6, 5), (-9, 2)]
    apart = [numpy.abs(column[:, None] - column[None]) for column in x.T]
    found = minimize(evidence, begin, (apart, y), jac=True, method="L-BFGS-B", bounds=limits,
                     options={"maxiter": STEPS})
    units = sssp_process.OCTAVE / numpy.log(2) / numpy.exp(found.x[:-2]) / deviation
    for name, unit in zip(fine, units):
        print(f"{name} {unit:.4g}")
    print(f"noise {numpy.exp(found.x[-1] - found.x[-2]):.3g} of the amplitude")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])

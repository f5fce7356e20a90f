"""Small ridge problems, and their matrices written out."""

from __future__ import annotations

import numpy as np

from bochner.solvers import RidgeProblem
from bochner.statistics import Moments
from tests.strategies import rows


def ridge_problem(seed, n, D, k=2, intercept=True):
    """Features (n, D), targets (n, k), and the problem of their moments."""
    Z, Y = rows(seed, n, D) + 0.3, rows(seed + 1, n, k) + 5
    return Z, Y, RidgeProblem.from_moments(Moments.empty(D, k).update(Z, Y), intercept)


def full_gram(problem):
    """G, of which a problem holds the lower triangle."""
    return np.tril(problem.gram) + np.tril(problem.gram, -1).T

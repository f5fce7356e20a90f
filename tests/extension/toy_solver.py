"""A solver of one's own: Richardson iteration on the moments."""

from dataclasses import dataclass

import numpy as np

from bochner.solvers import PredictiveSpread, RidgeSolver, Solution


@dataclass(frozen=True)
class Iterated(Solution):
    """A solution with its error bars and degrees of freedom from the moments."""

    def dof_of(self, moments, *, fit_intercept):
        G = np.tril(moments.zz) + np.tril(moments.zz, -1).T
        eigenvalues = np.maximum(np.linalg.eigvalsh(G), 0)
        return float(np.sum(eigenvalues / (eigenvalues + self.alpha)) + fit_intercept)

    def spread_of(self, moments, *, fit_intercept):
        return PredictiveSpread(moments, fit_intercept=fit_intercept, alpha=self.alpha)


class Richardson(RidgeSolver):
    """w <- w + step (c - (G + alpha I) w), with the best step of the extreme eigenvalues."""

    needs = "moments"

    def __init__(self, n_iter=2000):
        self.n_iter = n_iter

    def solve(self, statistics, rule, context):
        G = np.tril(statistics.zz) + np.tril(statistics.zz, -1).T
        top, w = np.linalg.eigvalsh(G)[-1], np.zeros_like(statistics.zy)
        for _ in range(self.n_iter):
            w += 2 / (top + 2 * rule.alpha) * (statistics.zy - G @ w - rule.alpha * w)
        intercept = statistics.y_mean - statistics.z_mean @ w
        residual = statistics.yy - np.sum(w * statistics.zy, axis=0)
        return Iterated(float(rule.alpha), w, intercept, residual / statistics.weight, float("nan"))

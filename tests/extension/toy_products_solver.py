"""A solver of one's own that never sees the moments: conjugate gradients on products with the normal equations."""

from dataclasses import dataclass

import numpy as np

from bochner.solvers import RidgeSolver, Solution


@dataclass(frozen=True)
class InverseSpread:
    """v(z) = floor + (z - mean)' inverse (z - mean)."""

    inverse: np.ndarray
    mean: np.ndarray
    floor: float

    def of(self, Z):
        centred = np.asarray(Z, dtype=float) - self.mean
        return self.floor + np.einsum("ij,ij->i", centred @ self.inverse, centred)


@dataclass(frozen=True, kw_only=True)
class Streamed(Solution):
    """A solution that brings its own error bars and degrees of freedom."""

    spread: InverseSpread
    dof: float
    n_steps: int

    @property
    def iterations(self):
        return self.n_steps

    def dof_of(self, moments, *, fit_intercept):
        return self.dof

    def spread_of(self, moments, *, fit_intercept):
        return self.spread


class PlainGradients(RidgeSolver):
    """Conjugate gradients (Hestenes & Stiefel 1952) for (G + alpha I) [w, inverse] = [c, I], a pass per iteration."""

    needs = "products"

    def __init__(self, n_iter=200):
        self.n_iter = n_iter

    def solve(self, statistics, rule, context):
        begin, D, k = statistics.start(), statistics.width, statistics.n_targets
        residual = np.hstack([begin.cross, np.eye(D)])
        x, direction, size, n_steps = np.zeros_like(residual), residual.copy(), np.sum(residual**2, axis=0), 0
        goal = 1e-24 * size
        while n_steps < self.n_iter and np.any(size > goal):
            moved = statistics.product(direction) + rule.alpha * direction
            step = size / np.maximum(np.sum(direction * moved, axis=0), 1e-300)
            x, residual, before = x + step * direction, residual - step * moved, size
            size = np.sum(residual**2, axis=0)
            direction = residual + size / np.maximum(before, 1e-300) * direction
            n_steps += 1
            if context.on_iteration is not None and context.on_iteration({"x": x}) is True:
                break
        coef, inverse, intercept = x[:, :k], x[:, k:], rule.fit_intercept
        return Streamed(
            float(rule.alpha),
            coef,
            (begin.y_mean - begin.z_mean @ coef) * intercept,
            (begin.energy - np.sum(coef * begin.cross, axis=0)) / (statistics.weight - intercept),
            float("nan"),
            spread=InverseSpread(inverse, begin.z_mean * intercept, 1 + intercept / statistics.weight),
            dof=float(D - rule.alpha * np.trace(inverse) + intercept),
            n_steps=n_steps,
        )

"""Ridge regression on a grid of frequencies: evidence, degrees of freedom and posterior draws, by Lanczos's method.

With the preconditioner L L' and B = L^-1 A L'^-1, A = G + alpha I,

    log det A = log det L L' + tr log B,     draws = L'^-1 B^-1/2 e ~ N(0, A^-1),     tr A^-1 = E ||L^-1 e||^2_{B^-1}

the traces by random signs e. The same probes serve all kernels and penalties, so that differences are smooth.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.memory import rows_within
from bochner.solvers.lanczos import Lanczos, run_lanczos
from bochner.solvers.toeplitz import LowFrequencies, ToeplitzSystem, affordable_block

__all__ = ["GridEquations", "GridEvidence"]

_BLOCK = 2000  # features that are solved together
_STEPS = 150
_PROBES = 4
_DRAW_TOL = 1e-2


@dataclass(frozen=True)
class GridEvidence:
    """Evidence of a penalty and a kernel.

    Attributes
    ----------
    log_evidence : float
        Log marginal likelihood, summed over targets, with the noise variance at its maximum.
    error : float
        Standard error of its stochastic part.
    noise_variance : array of shape (t,)
        In the units of the sums.
    """

    log_evidence: float
    error: float
    noise_variance: Array


@dataclass(frozen=True, eq=False)
class GridEquations:
    """The equations of a kernel on a grid at one penalty.

    Attributes
    ----------
    system : ToeplitzSystem
    alpha : float
    block : int
        Features of the preconditioner that are solved together; fewer where the memory budget is small.
    seed : int
    """

    system: ToeplitzSystem
    alpha: float
    block: int = _BLOCK
    seed: int = 0

    @cached_property
    def preconditioner(self) -> LowFrequencies:
        return LowFrequencies(self.system, self.alpha, affordable_block(self.block))

    @property
    def dimension(self) -> float:
        """Rows that are left for the noise."""
        return max(self.system.sums.weight - self.system.intercept, 0.5)

    def evidence(self, *, tol: float = 1e-3, probes: int = _PROBES) -> GridEvidence:
        """The evidence at this penalty, without the solution: quadratic forms of right sides and probes."""
        t, e = self.system.right.shape[1], self._signs(probes)
        run = self._lanczos(np.hstack([self.preconditioner.solve_left(self.system.right), e]), tol)
        explained, logs = run.forms(np.reciprocal)[:t], run.forms(np.log)[t:]
        return self._evidence(explained, logs)

    def dof(self, *, tol: float = 1e-3, probes: int = _PROBES) -> float:
        """Effective degrees of freedom tr (I - alpha A^-1), an estimate."""
        run = self._lanczos(self.preconditioner.solve_left(self._signs(probes)), tol)
        found = self.system.size - self.alpha * float(np.mean(run.forms(np.reciprocal)))
        return float(np.clip(found, 0.0, self.dimension)) + self.system.intercept

    def draws(self, count: int) -> Array:
        """Coefficients (M, count) drawn from N(0, A^-1): the posterior law in units of the noise, without its mean."""
        random, M = generator(self.seed, Purpose.PROBES), self.system.size
        batch = rows_within(8 * M * _STEPS // 2, least=1, most=8)
        found = []
        for first in range(0, count, batch):
            start = random.standard_normal((min(batch, count - first), M)).T
            run = self._lanczos(start, _DRAW_TOL, keep=True)
            found.append(self.preconditioner.solve_right(run.inverse_roots()))
        return np.hstack(found)

    def _evidence(self, explained: Array, logs: Array) -> GridEvidence:
        nu, system = self.dimension, self.system
        variance = np.maximum(system.target_energy - explained, np.finfo(float).tiny * nu) / nu
        own = variance * system.sums.unit**2
        occam = self.preconditioner.log_determinant + float(np.mean(logs)) - system.size * np.log(self.alpha)
        occam += np.log(system.sums.weight) if system.intercept else 0.0
        log_evidence = -nu / 2 * np.sum(np.log(2 * np.pi * np.maximum(own, np.finfo(float).tiny)) + 1)
        log_evidence -= len(variance) / 2 * occam
        error = len(variance) / 2 * float(np.std(logs)) / np.sqrt(max(1, len(logs) - 1))
        return GridEvidence(float(log_evidence), error, variance)

    def _lanczos(self, start: Array, tol: float, *, keep: bool = False) -> Lanczos:
        solve = self.preconditioner

        def product(V: Array) -> Array:
            right = solve.solve_right(V)
            return solve.solve_left(self.system.product(right) + self.alpha * right)

        return run_lanczos(product, start, steps=_STEPS, tol=tol, keep=keep)

    def _signs(self, count: int) -> Array:
        random = generator(self.seed, Purpose.PROBES)
        return np.where(random.random((count, self.system.size)) < 0.5, -1.0, 1.0).T

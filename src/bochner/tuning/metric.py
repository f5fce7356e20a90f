"""A metric for random Fourier features, from the moments of all rows: a pass, a solution, a metric, and so on.

    G = B (Z'Z / n) B',   B = Omega' [diag b, -diag a],        M = d G / tr G

of a ridge model with coefficients (a, b) of cosines and sines (`bochner.tuning.gradients`). Moments of blocks are added
up, so that rows may come from files or lie on a cluster. Every round has frequencies of its own, none of them those of
the final map; the one scale in the new coordinates is learned from a sample of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bochner._dense import dense
from bochner._typing import Array, Rows
from bochner.data import RowSource
from bochner.features import FourierMap, draw_fourier_map
from bochner.kernels import Stationary
from bochner.sampling import Orthogonal
from bochner.solvers import solve_ridge
from bochner.statistics import Moments, accumulate, plan_of
from bochner.tuning.clock import Clock
from bochner.tuning.columns import Columns
from bochner.tuning.descent import tuning_seed
from bochner.tuning.gradients import metric_root, outer_product_of_moments
from bochner.tuning.result import Tuning
from bochner.tuning.search import tune
from bochner.tuning.spread import column_spreads

__all__ = ["METRIC_ROUNDS", "MOST_DIRECTIONS", "MomentMetric"]

METRIC_ROUNDS = 3
"""Passes over all rows by which a metric is learned; on kin40k and elevators a fourth gained nothing."""

MOST_DIRECTIONS = 2048
"""Columns up to which there are metrics: a matrix of their squares is diagonalised."""

_WIDTH = 1024  # of the maps whose gradients are taken


@dataclass(frozen=True)
class MomentMetric:
    """Search for a metric by the moments of all rows.

    Attributes
    ----------
    rows : RowSource
        Read once a round.
    sample : tuple (X, Y, sample_weight)
        Some of them, in random order, to learn the one scale from; targets are of spread 1.
    kernels : list of Isotropic
        Candidates; the best one by evidence in the first coordinates is kept, and chosen again in the last ones.
    seed, width : int
        Of the final fit.
    penalty : float or None
        The alpha of the final fit, if it is given.
    """

    rows: RowSource
    sample: tuple[Rows, Array, Array | None]
    kernels: list[Stationary]
    seed: int
    width: int
    penalty: float | None

    def tuning(self) -> Tuning:
        """The kernel under the learned metric."""
        clock, plain = Clock(None), self._columns()
        columns, found = plain, self._one_scale(plain, self.kernels, last=False)
        stages = list(found.stages)
        for number in range(METRIC_ROUNDS):
            columns = plain.turned(metric_root(self._outer_product(columns, found, number)))
            last = number == METRIC_ROUNDS - 1
            found = self._one_scale(columns, self.kernels if last else [found.kernel], last=last)
            stages += found.stages
        kernel, scale = columns.kernel(found.kernel, np.atleast_1d(found.length_scale))
        return replace(
            found,
            kernel=kernel,
            length_scale=scale,
            criterion="gradients",
            stages=tuple(stages),
            seconds=clock.elapsed(),
            column_spreads=plain.unit,
        )

    def _columns(self) -> Columns:
        """The sample in units of the columns' spreads. Offsets stay: sparse rows would be filled by them."""
        X = dense(self.sample[0], float)
        unit = column_spreads(X, centred=not hasattr(self.sample[0], "tocsr"))
        return Columns(X / unit, unit, warped=False)

    def _one_scale(self, columns: Columns, kernels: list[Stationary], *, last: bool) -> Tuning:
        """One scale for all directions, by evidence; refined for the final fit alone."""
        _, Y, weight = self.sample
        return tune(
            columns.X,
            Y,
            kernels,
            per_feature=False,
            seed=self.seed,
            sample_weight=weight,
            width=self.width if last else 0,
            n_samples=self.rows.n_rows,
            penalty=self.penalty,
            n_restarts=1,
        )

    def _outer_product(self, columns: Columns, found: Tuning, number: int) -> Array:
        """G of a model on all rows, in units of the columns."""
        turned = columns if columns.directions is not None else columns.turned(np.eye(len(columns.unit)))
        kernel, _ = turned.kernel(found.kernel, np.atleast_1d(found.length_scale))
        drawn = self._drawn(kernel, number)
        moments = accumulate(
            self.rows, drawn, Moments.empty(drawn.n_components, self.rows.n_targets), plan_of(self.rows, drawn)
        )
        alpha = "evidence" if self.penalty is None else self.penalty
        coef = solve_ridge(moments, fit_intercept=True, alpha=alpha).coef
        spread = np.sqrt(moments.yy / moments.weight)
        coef = coef / np.where(spread > 0, spread, 1.0)  # every target counts the same
        outer = outer_product_of_moments(drawn, coef, moments)
        return outer * np.outer(columns.unit, columns.unit)

    def _drawn(self, kernel: Stationary, number: int) -> FourierMap:
        """Frequencies of a round."""
        width, seed = max(2, min(_WIDTH, self.width) // 2 * 2), tuning_seed(self.seed) + number
        d = self.rows.n_features
        return draw_fourier_map(kernel, Orthogonal(), n_features=d, n_components=width, embedding="paired", seed=seed)

"""Pinball loss: regression quantiles (Koenker & Bassett 1978; Takeuchi et al. 2006 with kernels).

    rho_tau(r) = max(tau r, (tau - 1) r),   r = y - f

Its minimiser over constants is the tau-quantile. rho_tau(r) = max over b in [tau - 1, tau] of b r, so that the dual is
that of the hinge loss with another box (`bochner.solvers.dual`). The intercept is penalised there as a constant
feature; here it counts from the tau-quantile of the targets, so that the model without inputs is that quantile at any
penalty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._typing import Array
from bochner.solvers.regression import RegressionLoss, TargetUnits, robust_units
from bochner.solvers.smoothed_ascent import SmoothedAscent
from bochner.statistics.feature_stream import FeatureStream

__all__ = ["Pinball", "PinballRows"]

_MET = 1e-6  # spreads of the targets: a residual below is none


class PinballRows:
    """Pinball losses of weighted rows, one column a quantile: a `BoxLoss`.

    Parameters
    ----------
    y, weight : arrays of shape (n,)
    quantiles : array of shape (t,)
    offset : array of shape (t,)
        Scores of the zero model.
    """

    def __init__(self, y: Array, weight: Array, quantiles: Array, offset: Array) -> None:
        self.targets, self.weight, self.share, self.offset = y, weight, quantiles, offset
        self.upper, self.diagonal = weight, np.zeros(len(y))
        self.signs = np.ones((len(y), len(quantiles)))

    def value(self, scores: Array) -> Array:
        """Weighted sum of the losses of each column."""
        return self.weight @ pinball(self.targets[:, None] - scores, self.share)

    def dual_value(self, dual: Array) -> Array:
        """sum_i beta_i (y_i - offset) of each column."""
        return self.targets @ dual - self.offset * dual.sum(axis=0)


@dataclass(frozen=True)
class Pinball(RegressionLoss):
    """Regression quantiles of some levels, which do not cross.

    Columns are solved for on their own and then sorted in every row (Chernozhukov, Fernandez-Val & Galichon 2010): they
    cannot cross anywhere, and the sum of their losses is never larger for it.

    Attributes
    ----------
    quantiles : tuple of float
        Ascending.
    """

    quantiles: tuple[float, ...]

    holds_shares = True

    @property
    def n_columns(self) -> int:
        return len(self.quantiles)

    def units(self, y: Array, weight: Array, *, fit_intercept: bool) -> TargetUnits:
        return robust_units(y, weight, fit_intercept=fit_intercept)

    def solver(
        self, stream: FeatureStream, y: Array, weight: Array, *, fit_intercept: bool, seed: int
    ) -> SmoothedAscent:
        offset = self.constant(y, weight) if fit_intercept else np.zeros(self.n_columns)
        loss = PinballRows(y, weight, np.array(self.quantiles), offset)
        return SmoothedAscent(stream, loss, fit_intercept=fit_intercept, seed=seed)

    def losses(self, y: Array, scores: Array) -> Array:
        """Mean over the quantiles of the losses of each row."""
        return np.mean(pinball(y[:, None] - np.sort(scores, axis=1), np.array(self.quantiles)), axis=1)

    def constant(self, y: Array, weight: Array) -> Array:
        return np.quantile(y, self.quantiles, weights=weight, method="inverted_cdf")

    def shift(self, y: Array, scores: Array, weight: Array) -> Array:
        """The tau-quantile of y - f of each column: a share tau of the targets is then below it."""
        residual = y[:, None] - np.sort(scores, axis=1)
        return np.array([_moved(column, tau, weight) for column, tau in zip(residual.T, self.quantiles)])

    def predictions(self, scores: Array) -> Array:
        return np.sort(scores, axis=1)


def pinball(residual: Array, quantiles: Array) -> Array:
    """max(tau r, (tau - 1) r)."""
    return np.maximum(quantiles * residual, (quantiles - 1) * residual)


def _moved(residual: Array, tau: float, weight: Array) -> float:
    """The tau-quantile of residuals; 0 where many targets are met (counts), and it is among them but for chance.

    A step to the next count would be far from the share that was asked for.
    """
    share = weight / weight.sum()
    error = np.sqrt(tau * (1 - tau) * np.sum(share**2))
    below, up_to = share[residual < -_MET].sum(), share[residual <= _MET].sum()
    if up_to - below > 2 * error and below - error <= tau <= up_to + error:
        return 0.0
    below_it = np.quantile(residual, tau, weights=weight, method="inverted_cdf")
    above_it = -np.quantile(-residual, 1 - tau, weights=weight, method="inverted_cdf")
    return float(below_it + above_it) / 2  # the middle of all that have a share tau below them

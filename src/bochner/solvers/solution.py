"""Base class of ridge solutions, and the protocol of their error bars."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bochner._typing import Array, FloatType, Rows
from bochner.features import FeatureMap, transform
from bochner.solvers.linear import LinearSolution
from bochner.solvers.path import RidgePath
from bochner.statistics.fourier_sums import FourierSums
from bochner.statistics.moments import Moments

__all__ = ["SMALLEST_SPARE", "Solution", "Spread", "left_out_factors"]

SMALLEST_SPARE = 1e-8
"""Of 1 - h: a row that alone decides its own prediction."""


def left_out_factors(leverage: Array, unseen: Array, removed: Array) -> tuple[Array, Array]:
    """1 / (1 - r v) and 1 + v / (1 - r v) + u of `Solution.without_own_row`."""
    found = 1 / np.maximum(1 - removed * leverage, SMALLEST_SPARE)
    return found, 1 + leverage * found + unseen


class Spread(Protocol):
    """Posterior law of predictions in units of the noise variance: error bars, covariances, draws."""

    def of(self, Z: Array) -> Array:
        """v(z) of every row of features; at least 1."""
        ...

    def of_slopes(self, J: Array) -> Array:
        """Variances (n,) of the slopes J w of functions, for derivatives J (n, D) of the features."""
        ...

    def covariance(self, Z: Array) -> Array:
        """Covariances (n, n) of function values of rows of features, without noise."""
        ...

    def draws(self, beyond: Array, random: np.random.Generator) -> tuple[Array, Array]:
        """Coefficients (D, count) and offsets (count,) of functions less their mean, drawn from the posterior law.

        `beyond` (D, count) are functions drawn from the process beyond the features, as the features see them
        (`ResidualDraws.projected`); zeros if there is none.
        """
        ...


@dataclass(frozen=True)
class Solution(ABC):
    """Solution of ridge regression: coefficients, noise variance, diagnostics. One subclass per solver.

    Attributes
    ----------
    alpha : float
    coef : array of shape (D, t)
    intercept : array of shape (t,)
    noise_variance : array of shape (t,)
        At its maximum likelihood, or such that GCV is the mean predictive variance where the penalty is not Bayesian.
    log_evidence : float
        nan if the solver does not know it.
    path : RidgePath or None
        The penalties that were tried, if any.
    loo : array or None
        Mean squared leave-one-out error of every penalty of the path, if it was computed.
    raised : bool
        The penalty asked for was singular to working precision, and a larger one was used.
    at_floor : bool
        A smaller penalty is wanted than the precision of the moments allows.
    """

    alpha: float
    coef: Array
    intercept: Array
    noise_variance: Array
    log_evidence: float
    path: RidgePath | None = None
    loo: Array | None = None
    raised: bool = False
    at_floor: bool = False

    # Optional powers: the answers of a direct solver. An iterative solver overrides.

    @property
    def iterations(self) -> int:
        """Number of iterations; 1 for a direct solver."""
        return 1

    @property
    def log_evidence_error(self) -> float:
        """Standard error of the log evidence; 0 for a direct solver, nan if there is none."""
        return 0.0 if np.isfinite(self.log_evidence) else np.nan

    @property
    def residual_history(self) -> Array | None:
        """Relative residuals before every iteration and after the last; None for a direct solver."""
        return None

    @property
    def condition_numbers(self) -> tuple[float, float] | None:
        """Condition numbers before (upper bound) and after (lower bound) preconditioning; None for a direct solver."""
        return None

    @property
    def status(self) -> str | None:
        """Why the solver stopped short of what was asked, with the remedy; None if it did not."""
        return None

    @property
    def hinge(self) -> LinearSolution | None:
        """The machine as a minimiser of the squared hinge, at twice the penalty; None: it is one of least squares."""
        return None

    @property
    def row_weights(self) -> Array | None:
        """Weights of the rows of an exact machine, whose coefficients are one a row; None for features."""
        return None

    @property
    def target_means(self) -> Array | None:
        """Means of the targets, of a solver that has no moments and knows them."""
        return None

    @property
    def fourier_sums(self) -> FourierSums | None:
        """Fourier sums of the rows, of a model on a grid of frequencies."""
        return None

    @property
    def spread_width(self) -> int | None:
        """Width of `spread_features`; None: error bars are a function of the features."""
        return None

    def spread_features(self, feature_map: FeatureMap, X: Rows, dtype: FloatType) -> Array:
        """Of what the error bars of rows are a function: mostly of their features."""
        return transform(feature_map, X, dtype)

    def spread_bytes(self) -> int:
        """Memory of the error bars: a factor of the equations."""
        return 8 * len(self.coef) ** 2

    def without_own_row(self, Z: Array, leverage: Array, unseen: Array, removed: Array) -> tuple[Array, Array]:
        """Factors of the residuals of rows of the fit, and predictive variances, of models without the row, (n,) each.

            1 / (1 - r v),      1 + v / (1 - r v) + u       in units of the noise variance

        with v the leverage at a weight of 1, `removed` r the weight that leaves with a row, and `unseen` u what the
        features do not explain. The variance is that of a new row there, whose weight is 1 whatever that of the row
        was: what predictions have as theirs. `Z` is that of `spread_features`.
        """
        return left_out_factors(leverage, unseen, removed)

    def slope_variances(self, spread: Spread, feature_map: FeatureMap, X: Rows, dtype: FloatType) -> Array:
        """Posterior variances (n, d) of gradients of functions, in units of the noise variance."""
        found, process = np.empty(X.shape), feature_map.residual_process(self.alpha)
        for j, slopes in enumerate(feature_map.slopes(X, dtype)):
            found[:, j] = spread.of_slopes(slopes.values)
            if process is not None:
                found[:, j] += process.scale * slopes.unseen
        return found

    @abstractmethod
    def dof_of(self, moments: Moments | None, *, fit_intercept: bool) -> float:
        """Effective degrees of freedom tr G (G + alpha I)^-1, plus 1 for an intercept."""

    @abstractmethod
    def spread_of(self, moments: Moments | None, *, fit_intercept: bool) -> Spread:
        """Error bars of predictions."""

"""Evidence and generalised cross-validation of the random-feature model as functions of its scales, with gradients.

All products are those of `bochner._blas`: they alternate with LAPACK's routines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bochner._blas import cholesky, inverse_from_cholesky, lower_gram, product, solve_cholesky
from bochner._typing import Array
from bochner.features import transform
from bochner.tuning.narrow_map import NarrowMap
from bochner.tuning.parameters import EvidenceParameters

__all__ = ["Criterion", "FeatureEvidence", "evidence", "gcv"]


@dataclass(frozen=True)
class _Fit:
    """The ridge model at alpha = noise / signal on centred features Z (n, D) and targets Y (n, t), rows weighted.

    Attributes
    ----------
    Z, Y : arrays
        Rows times the root of their weight.
    factor : array of shape (D, D)
        Lower Cholesky factor of A = Z'Z + alpha I; the upper triangle is not used.
    coef : array of shape (D, t)
        w = A^-1 Z'Y.
    residual : array of shape (n, t)
    alpha, noise : float
    nu : float
        Sum of the weights, less 1 for the mean.
    """

    Z: Array
    Y: Array
    factor: Array
    coef: Array
    residual: Array
    alpha: float
    noise: float
    nu: float

    def inverse(self) -> Array:
        """A^-1, all of it."""
        inverse = np.tril(self.factor)
        inverse_from_cholesky(inverse)
        inverse += np.tril(inverse, -1).T
        return np.asfortranarray(inverse)

    def times(self, matrix: Array, less: tuple[Array, Array]) -> Array:
        """Z matrix - left right', for a column-major symmetric matrix (D, D) and thin left (n, k), right (D, k)."""
        result = product(matrix, self.Z.T).T
        result -= _outer(*less)
        return result


@dataclass(frozen=True)
class _Slope:
    """Value of a criterion, and its derivatives by Z, log alpha at fixed noise, and log noise at fixed alpha."""

    value: float
    by_features: Array
    by_log_alpha: float
    by_log_noise: float


Criterion = Callable[[_Fit], _Slope]


def evidence(fit: _Fit) -> _Slope:
    """Minus the log marginal likelihood per row and target (Rasmussen & Williams 2006, section 5.4.1).

        y ~ N(0, C),  C = signal Z Z' + noise I,  alpha = noise / signal
        -2 log p = nu log 2 pi noise + log det(I + Z'Z / alpha) + (y'y - y'Z w) / noise
        d log p / dZ = r w' / noise - Z A^-1,      r = y - Z w

    summed over targets of the same noise and signal.
    """
    targets, width = fit.Y.shape[1], fit.Z.shape[1]
    quadratic = float(np.sum(fit.Y * fit.residual)) / fit.noise
    log_det = float(2 * np.sum(np.log(np.diagonal(fit.factor)))) - width * np.log(fit.alpha)
    inverse = fit.inverse()
    dof = width - fit.alpha * float(np.trace(inverse))
    penalty = fit.alpha * float(np.sum(fit.coef**2)) / fit.noise
    count = fit.nu * targets
    return _Slope(
        value=(count * np.log(2 * np.pi * fit.noise) + targets * log_det + quadratic) / (2 * count),
        by_features=fit.times(inverse * (targets / count), less=(fit.residual, fit.coef / (fit.noise * count))),
        by_log_alpha=(penalty - targets * dof) / (2 * count),
        by_log_noise=(count - quadratic) / (2 * count),
    )


def gcv(fit: _Fit) -> _Slope:
    """Half the logarithm of the generalised cross-validation score, the log of a root mean squared error.

    GCV = (RSS / nu) / (1 - dof / nu)^2,     dof = D - alpha tr A^-1
    dRSS / dZ = -2 [(r - alpha Z q) w' + alpha r q'],    q = A^-1 w,      d dof / dZ = 2 alpha Z A^-2
    """
    inverse = fit.inverse()
    spare = fit.nu - fit.Z.shape[1] + fit.alpha * float(np.trace(inverse))
    rss = float(np.sum(fit.residual**2))
    q = product(inverse, np.asfortranarray(fit.coef))
    smooth = product(fit.Z.T, q, transpose_a=True)
    by_rss = np.hstack([fit.residual - fit.alpha * smooth, fit.alpha * fit.residual]), np.hstack([fit.coef, q]) / rss
    dof_by_alpha = -float(np.trace(inverse)) + fit.alpha * float(np.sum(inverse**2))
    return _Slope(
        value=0.5 * np.log(rss * fit.nu / fit.Y.shape[1]) - np.log(spare),
        by_features=fit.times(product(inverse, inverse) * (2 * fit.alpha / spare), less=by_rss),
        by_log_alpha=fit.alpha * (fit.alpha * float(np.sum(fit.coef * q)) / rss + dof_by_alpha / spare),
        by_log_noise=0.0,
    )


@dataclass(frozen=True)
class FeatureEvidence:
    """A criterion to minimise over the vector of `EvidenceParameters`: log scales, log noise, log signal.

    Calling it gives the value and the gradient.

    Attributes
    ----------
    X : array of shape (n, d), float64
    Y : array of shape (n, t), float64
    weight : array of shape (n,) or None
        None: all 1.
    omega : array of shape (m, d)
        Frequencies of the kernel of length scale 1.
    criterion : evidence or gcv
    """

    X: Array
    Y: Array
    weight: Array | None
    omega: Array
    criterion: Criterion = evidence

    @property
    def n_frequencies(self) -> int:
        return len(self.omega)

    def __call__(self, theta: Array) -> tuple[float, Array]:
        parameters = EvidenceParameters.from_vector(theta)
        scaled = self.X / parameters.scales
        narrow = NarrowMap(self.omega)
        raw = transform(narrow.fourier, scaled, np.dtype(float))
        fit = self._fit(raw, parameters.noise, parameters.signal)
        if fit is None:
            return np.inf, np.zeros_like(theta)
        slope = self.criterion(fit)
        by_scale = narrow.by_log_scales(scaled, raw, self._weighted(slope.by_features))
        gradient = EvidenceParameters(
            log_scales=by_scale if len(parameters.log_scales) > 1 else by_scale.sum(keepdims=True),
            log_noise=slope.by_log_alpha + slope.by_log_noise,
            log_signal=-slope.by_log_alpha,
        )
        return slope.value, gradient.to_vector()

    def _fit(self, raw: Array, noise: float, signal: float) -> _Fit | None:
        """None where A is singular to working precision."""
        Z = self._weighted(raw - self._mean(raw))
        Y = self._weighted(self.Y - self._mean(self.Y))
        gram = np.empty((Z.shape[1], Z.shape[1]))
        lower_gram(Z, gram)
        gram[np.diag_indices_from(gram)] += noise / signal
        if not cholesky(gram):
            return None
        coef = solve_cholesky(gram, product(Z.T, np.asfortranarray(Y)))
        residual = Y - product(Z.T, np.asfortranarray(coef), transpose_a=True)
        count = len(Y) if self.weight is None else float(np.sum(self.weight))
        nu = max(count - 1, 0.5)  # so that one row has a finite evidence
        return _Fit(Z, Y, gram, coef, residual, noise / signal, noise, nu)

    def _mean(self, rows: Array) -> Array:
        return np.mean(rows, axis=0) if self.weight is None else np.average(rows, axis=0, weights=self.weight)

    def _weighted(self, rows: Array) -> Array:
        """Rows times the root of their weight, in place."""
        if self.weight is not None:
            rows *= np.sqrt(self.weight)[:, None]
        return rows


def _outer(left: Array, right: Array) -> Array:
    """left right' of two thin matrices (n, k) and (D, k)."""
    return product(np.asfortranarray(right), np.asfortranarray(left.T)).T

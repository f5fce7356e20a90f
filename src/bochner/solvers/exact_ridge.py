"""How far predictions are from exact kernel ridge regression: a two-sided bound without probability, at any n.

The exact model minimises  sum_i w_i (y_i - b - f(x_i))^2 + alpha ||f||^2  over the kernel's space and over b, if there
is an intercept. With s = sqrt(w), K~ = diag(s) K diag(s) and P the projection orthogonal to s (P = I without an
intercept), f = sum_i s_i a_i k(x_i, .) where

    (P K~ P + alpha I) a* = P diag(s) y,        s (y - f* - b*) = alpha a*

For any predictions f^ of the training rows, however they were computed, put v = P diag(s) (y - f^) / alpha and let c be
the weighted mean of y - f^ (0 without an intercept). Then for every a in the range of P, with the residual
rho = P diag(s) y - (P K~ P + alpha I) a,

    s (f* - f^) = s c + alpha (v - a) - alpha (P K~ P + alpha I)^-1 rho,      the last term at most ||rho|| long,

so that the distance is known to within ||rho||. a = v needs one product with the kernel; conjugate gradients make rho
as small as one likes, one product a step. At a new row, with phi - phibar its feature vector less the weighted mean,

    f*(x) = ybar + <phi(x) - phibar, sum_i s_i a_i phi(x_i)>    up to   ||phi(x) - phibar|| ||rho|| / (2 sqrt(alpha))

since ||Phi (Phi' Phi + alpha)^-1|| <= 1 / (2 sqrt(alpha)). All products carry bounds on their rounding errors, which
are added to ||rho||.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from bochner._typing import Array
from bochner.solvers.conjugate_gradient import ConjugateGradients
from bochner.solvers.kernel_preconditioner import kernel_preconditioner
from bochner.statistics.kernel_product import KernelProduct

__all__ = ["ExactDistance", "ExactRidge", "Patience"]

_UNIT = 2.0**-53


@dataclass(frozen=True)
class Patience:
    """When the search for a tighter bound ends, whichever comes first.

    Attributes
    ----------
    tightness : float
        The upper limit is at most so many times the lower one.
    max_products : int
        Products with the exact kernel.
    time_limit : float or None
        Seconds.
    """

    tightness: float = 1.1
    max_products: int = 100
    time_limit: float | None = None


@dataclass(frozen=True)
class ExactDistance:
    """The difference between exact kernel ridge and some predictions on the training rows, and how well it is known.

    Attributes
    ----------
    difference : array of shape (n, k)
        f* - f^ but for the residual.
    uncertainty : array of shape (k,)
        ||rho|| with all rounding errors: the weighted norm of what `difference` is off by.
    weight : array of shape (n,)
    limits : array of shape (n, k)
        Upper limits on |f* - f^| at every row and target.
    alpha : float
    n_products : int
    """

    difference: Array
    uncertainty: Array
    weight: Array
    limits: Array
    alpha: float
    n_products: int

    def root_mean_square(self) -> tuple[float, float]:
        """Lower and upper limit on the weighted root mean square difference, over rows and targets."""
        return _limits(_norms(self.difference, self.weight), self.uncertainty, self.weight.sum())

    def largest(self) -> float:
        """Upper limit on the difference at every row and target."""
        return float(np.max(self.limits)) * (1 + 1e-12)


@dataclass
class ExactRidge:
    """Exact kernel ridge regression on rows of positive weight, solved as far as a certificate needs it.

    Parameters
    ----------
    product : KernelProduct
    Y : array of shape (n, k)
    weight : array of shape (n,)
        Positive.
    alpha : float
        Positive.
    intercept : bool
    """

    product: KernelProduct
    Y: Array
    weight: Array
    alpha: float
    intercept: bool
    _root: Array = field(init=False, repr=False)
    _dual: Array = field(init=False, repr=False)
    _image: Array = field(init=False, repr=False)
    _uncertainty: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._root = np.sqrt(self.weight)[:, None]
        self._total = float(self.weight.sum())
        self._mean = self._mean_of(self.Y)
        self._kernel_mean = self.product.times(self.weight[:, None] / self._total)[:, 0] if self.intercept else None

    def distance(
        self, predictions: Array, patience: Patience, on_product: Callable[[int], bool] | None = None
    ) -> ExactDistance:
        """Limits on the distance of the predictions (n, k) from the exact model, as tight as patience allows.

        `on_product(number)` is called after every product; True ends the search.
        """
        error = self.Y - predictions
        shift = self._mean_of(error)
        start = self._projected(self._root * (error - shift)) / self.alpha
        self._settle(self._solved(start, shift, patience, on_product))
        difference = shift + self.alpha * (start - self._dual) / self._root
        # Two limits at every row: the norm of alpha (K~ + alpha)^-1 rho, or the exact model itself, as at new rows.
        values, slack = self._at_own_rows()
        limits = np.minimum(np.abs(difference) + self._uncertainty / self._root, np.abs(values - predictions) + slack)
        return ExactDistance(difference, self._uncertainty, self.weight, limits, self.alpha, self.product.n_products)

    def at(self, X: Array) -> tuple[Array, Array]:
        """Predictions of the exact model at other rows (m, k), and by how much each may be off; after `distance`."""
        columns = [self._root * self._dual, *([self.weight[:, None] / self._total] if self.intercept else [])]
        V = np.hstack(columns)
        K, rounding = self.product.cross_times(X, V), self.product.rounding(V, X)
        k = self.Y.shape[1]
        means = K[:, k] if self.intercept else None
        return self._evaluated(K[:, :k], rounding[:, :k], self.product.diagonal(X), means)

    def _at_own_rows(self) -> tuple[Array, Array]:
        rounding = self.product.rounding(self._root * self._dual)
        return self._evaluated(self._image, rounding, self.product.diagonal(), self._kernel_mean)

    def _evaluated(self, image: Array, rounding: Array, diagonal: Array, means: Array | None) -> tuple[Array, Array]:
        """Predictions of the exact model from k(x, rows) s a, and by how much each may be off."""
        values = image - self._mean_of(self._image) + self._mean if self.intercept else image
        norms = self._feature_norms(diagonal, means)
        slack = norms[:, None] * self._uncertainty / (2 * np.sqrt(self.alpha)) + rounding
        if self.intercept:
            slack = slack + np.max(self.product.rounding(self._root * self._dual), axis=0)
        return values, slack + 8 * _UNIT * (np.abs(values) + np.abs(self._mean))

    def _solved(
        self, start: Array, shift: Array, patience: Patience, on_product: Callable[[int], bool] | None
    ) -> Array:
        """Dual coefficients near those of the exact model, by conjugate gradients from `start`.

        One product is left for the residual of the result.
        """
        began = time.monotonic()
        right = self._projected(self._root * (self.Y - self._mean))
        systems = ConjugateGradients(
            product=self._operator,
            precondition=kernel_preconditioner(self.product, self._root[:, 0], self.alpha, self.intercept),
            shifts=np.full(right.shape[1], self.alpha),
            right=right,
            tols=np.zeros(right.shape[1]),
            solution=start,
        )
        constant = self._root * shift
        while len(systems.running) and self.product.n_products < patience.max_products - 1:
            moved = _norms(constant + self.alpha * (start - systems.x))
            low, high = _limits(moved, np.linalg.norm(systems.residual, axis=0), self._total)
            if high <= patience.tightness * low or _spent(began, self.product.n_products, patience):
                break
            systems.step()
            if on_product is not None and on_product(self.product.n_products):
                break
        return self._projected(systems.x)

    def _settle(self, dual: Array) -> None:
        """Compute the residual of the dual coefficients anew, with all that rounding may have done to it."""
        V = self._root * dual
        image = self.product.times(V)
        right = self._root * (self.Y - self._mean)
        residual = self._projected(right - self._root * image) - self.alpha * dual
        rounding = _norms(self._root * self.product.rounding(V))
        rounding += 8 * _UNIT * (_norms(right) + self.alpha * _norms(dual) + _norms(self._root * image))
        if self._kernel_mean is not None:  # the dual coefficients sum to zero only to the last bit
            rounding += (
                4 * _UNIT * _norms(dual) * _norms(self._root * self._kernel_mean[:, None]) * np.sqrt(self._total)
            )
        self._dual, self._image, self._uncertainty = dual, image, (_norms(residual) + rounding) * (1 + 1e-12)

    def _operator(self, V: Array) -> Array:
        return self._projected(self._root * self.product.times(self._root * V))

    def _projected(self, V: Array) -> Array:
        """V less its part along s, twice: what is left of it is rounding."""
        if not self.intercept:
            return V
        for _ in range(2):
            V = V - self._root * (np.sum(self._root * V, axis=0, dtype=np.longdouble).astype(float) / self._total)
        return V

    def _mean_of(self, values: Array) -> Array:
        """Weighted means, (k,); zeros without an intercept."""
        if not self.intercept:
            return np.zeros(values.shape[1])
        return np.sum(self.weight[:, None] * values, axis=0, dtype=np.longdouble).astype(float) / self._total

    def _feature_norms(self, diagonal: Array, means: Array | None) -> Array:
        """||phi(x) - phibar||, rounded up: k(x, x) - 2 mean_i k(x, x_i) + mean_ij k(x_i, x_j)."""
        squares = diagonal
        if means is not None and self._kernel_mean is not None:
            squares = diagonal - 2 * means + float(self.weight @ self._kernel_mean) / self._total
        return np.sqrt(np.maximum(squares, 0) + 1e-9 * self.product.kernel.variance)


def _norms(V: Array, weight: Array | None = None) -> Array:
    """Norms of columns, weighted if there are weights."""
    return np.sqrt(np.sum(V**2 if weight is None else weight[:, None] * V**2, axis=0))


def _limits(norms: Array, uncertainty: Array, total: float) -> tuple[float, float]:
    """Lower and upper limit on the root mean square of vectors whose norms are known up to an uncertainty."""
    n_values = total * len(norms)
    low = np.sqrt(np.sum(np.maximum(norms - uncertainty, 0) ** 2) / n_values)
    high = np.sqrt(np.sum((norms + uncertainty) ** 2) / n_values)
    return float(low) * (1 - 1e-12), float(high) * (1 + 1e-12)


def _spent(began: float, n_products: int, patience: Patience) -> bool:
    """Whether another product, and the one for the residual, would go beyond the time limit."""
    if patience.time_limit is None:
        return False
    elapsed = time.monotonic() - began
    return elapsed * (1 + 2 / max(1, n_products)) > patience.time_limit

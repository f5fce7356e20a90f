"""Two-sided bound on the distance of predictions to exact kernel ridge, without probability, at any n.

The exact model minimises  sum_i w_i (y_i - w_0 - f(x_i))^2 + alpha ||f||^2  over the kernel's space and over w_0, if
there is an intercept. With s = sqrt(w), K~ = diag(s) K diag(s) and P the projection orthogonal to s (P = I without an
intercept), f = sum_i s_i a_i k(x_i, .) where

    (P K~ P + alpha I) a* = P diag(s) y,        s (y - f* - w_0*) = alpha a*

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
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bochner._typing import Array
from bochner.solvers.conjugate_gradient import ConjugateGradients
from bochner.solvers.kernel_preconditioner import DENSE_ROWS, kernel_preconditioner, preconditioner_seconds
from bochner.statistics.kernel_product import KernelProduct

__all__ = ["ExactDistance", "ExactRidge", "Patience"]

_UNIT = 2.0**-53
_HIDDEN = 0.1  # of the bound on rounding: a smaller residual is not seen, and is lost again by further iterations


@dataclass(frozen=True)
class Patience:
    """Stopping rule of the search for a tighter bound: tightness, products, time; whichever comes first.

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


@dataclass(frozen=True, eq=False)
class ExactRidge:
    """Exact kernel ridge regression on rows of positive weight, solved as far as a certificate needs it.

    Parameters
    ----------
    product : KernelProduct
    Y : array of shape (n, t)
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

    def distance(
        self, predictions: Array, patience: Patience, on_product: Callable[[int], bool] | None = None
    ) -> ExactDistance:
        """Limits on the distance of the predictions (n, t) from the exact model, as tight as `Patience` allows.

        `on_product(number)` is called after every product; True ends the search.
        """
        error = self.Y - predictions
        shift = self.mean_of(error)
        start = self._projected(self.root * (error - shift)) / self.alpha
        dual = self._solved(start, shift, patience, on_product)
        image, rounding = self._image(dual)
        difference = shift + self.alpha * (start - dual) / self.root
        uncertainty = self._uncertainty(dual, image, rounding)
        return ExactDistance(self, predictions, difference, dual, image, rounding, uncertainty)

    @cached_property
    def root(self) -> Array:
        """Roots of the weights, (n, 1)."""
        return np.sqrt(self.weight)[:, None]

    @cached_property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.weight.sum())

    @cached_property
    def kernel_mean(self) -> Array | None:
        """Weighted means of k(x_i, .) over the rows, (n,): one product; None without an intercept."""
        return self.product.times(self.weight[:, None] / self.total)[:, 0] if self.intercept else None

    def mean_of(self, values: Array) -> Array:
        """Weighted means, (t,); zeros without an intercept."""
        if not self.intercept:
            return np.zeros(values.shape[1])
        return np.sum(self.weight[:, None] * values, axis=0, dtype=np.longdouble).astype(float) / self.total

    def largest_distance(self, predictions: Array) -> float:
        """What no root mean square difference can exceed: the exact model fits no worse than the mean does.

        ||s (f* - f^)||  <=  ||s (y - f*)|| + ||s (y - f^)||  <=  ||s (y - ybar)|| + ||s (y - f^)||
        """
        parts = self.Y - self.mean_of(self.Y), self.Y - predictions
        return float(sum(np.sqrt(np.sum(self.weight @ part**2) / (self.total * part.shape[1])) for part in parts))

    def feature_norms(self, diagonal: Array, means: Array | None) -> Array:
        """||phi(x) - phibar||, rounded up: k(x, x) - 2 mean_i k(x, x_i) + mean_ij k(x_i, x_j)."""
        squares = diagonal
        if means is not None and self.kernel_mean is not None:
            squares = diagonal - 2 * means + float(self.weight @ self.kernel_mean) / self.total
        return np.sqrt(np.maximum(squares, 0) + 1e-9 * self.product.kernel.variance)

    def _solved(
        self, start: Array, shift: Array, patience: Patience, on_product: Callable[[int], bool] | None
    ) -> Array:
        """Dual coefficients near those of the exact model, by conjugate gradients from `start`.

        Products are left for the residual of the result, and for the mean of the kernel if there is an intercept.
        """
        began, right, constant = time.monotonic(), self._right(), self.root * shift
        if patience.time_limit is not None and preconditioner_seconds(self.product.n_rows) > patience.time_limit:
            return self._projected(start)
        most = patience.max_products - (2 if self.intercept else 1)
        systems = ConjugateGradients(
            product=self._operator,
            precondition=kernel_preconditioner(self.product, self.root[:, 0], self.alpha, self.intercept),
            shifts=np.full(right.shape[1], self.alpha),
            right=right,
            tols=np.full(right.shape[1], 4 * _UNIT),  # below, directions are rounding errors, and may diverge
            solution=start,
        )
        while len(systems.running) and self.product.n_products < most:
            moved = _norms(constant + self.alpha * (start - systems.x))
            left = np.linalg.norm(systems.residual, axis=0)
            low, high = _limits(moved, left, self.total)
            if high <= patience.tightness * low or _spent(began, self.product.n_products, patience):
                break
            if np.all(left <= _HIDDEN * _norms(self.root * self.product.rounding(self.root * systems.x))):
                break
            systems.step()
            if on_product is not None and on_product(self.product.n_products):
                break
        return self._projected(systems.x)

    def _image(self, dual: Array) -> tuple[Array, Array]:
        """K s a, and how far every entry may be off: little for few rows, whose penalties may be tiny."""
        V = self.root * dual
        if self.product.n_rows <= DENSE_ROWS:
            return self.product.precise_times(V)
        return self.product.times(V), self.product.rounding(V)

    def _uncertainty(self, dual: Array, image: Array, image_rounding: Array) -> Array:
        """||rho|| of dual coefficients with K s a = `image`, and all that rounding may have done to it, (t,)."""
        right = self.root * (self.Y - self.mean_of(self.Y))
        residual = self._projected(right - self.root * image) - self.alpha * dual
        rounding = _norms(self.root * image_rounding)
        rounding += 8 * _UNIT * (_norms(right) + self.alpha * _norms(dual) + _norms(self.root * image))
        if self.kernel_mean is not None:  # the dual coefficients sum to zero only to the last bit
            along = _norms(self.root * self.kernel_mean[:, None]) * np.sqrt(self.total)
            rounding += 4 * _UNIT * _norms(dual) * along
        return (_norms(residual) + rounding) * (1 + 1e-12)

    def _right(self) -> Array:
        return self._projected(self.root * (self.Y - self.mean_of(self.Y)))

    def _operator(self, V: Array, columns: Array) -> Array:
        return self._projected(self.root * self.product.times(self.root * V))

    def _projected(self, V: Array) -> Array:
        """V less its part along s, twice: what is left of it is rounding."""
        if not self.intercept:
            return V
        for _ in range(2):
            V = V - self.root * (np.sum(self.root * V, axis=0, dtype=np.longdouble).astype(float) / self.total)
        return V


@dataclass(frozen=True, eq=False)
class ExactDistance:
    """Lower and upper limits on the distance of predictions to exact kernel ridge.

    Attributes
    ----------
    problem : ExactRidge
    predictions : array of shape (n, t)
    difference : array of shape (n, t)
        f* - f^ at the rows, but for the residual.
    dual : array of shape (n, t)
        a, near the dual coefficients of the exact model.
    image : array of shape (n, t)
        K s a.
    image_rounding : array of shape (n, t)
        By how much it may be off.
    uncertainty : array of shape (t,)
        ||rho|| with all rounding errors: the weighted norm of what `difference` is off by.
    """

    problem: ExactRidge
    predictions: Array
    difference: Array
    dual: Array
    image: Array
    image_rounding: Array
    uncertainty: Array

    @property
    def n_products(self) -> int:
        """Products with the exact kernel so far."""
        return self.problem.product.n_products

    def root_mean_square(self) -> tuple[float, float]:
        """Lower and upper limit on the weighted root mean square difference, over rows and targets."""
        norms = _norms(self.problem.root * self.difference)
        return _limits(norms, self.uncertainty, self.problem.total)

    def largest(self) -> float:
        """Upper limit on the difference at every row and target.

        Of two at each: by the norm of alpha (K~ + alpha)^-1 rho, or by the exact model itself, as at new rows.
        """
        problem = self.problem
        rounding, diagonal = self.image_rounding, problem.product.diagonal()
        values, slack = self._evaluated(self.image, rounding, diagonal, problem.kernel_mean)
        direct = np.abs(self.difference) + self.uncertainty / problem.root
        return float(np.max(np.minimum(direct, np.abs(values - self.predictions) + slack))) * (1 + 1e-12)

    def at(self, X: Array) -> tuple[Array, Array]:
        """Predictions of the exact model at other rows (m, t), and by how much each may be off."""
        problem, k = self.problem, self.dual.shape[1]
        means = [problem.weight[:, None] / problem.total] if problem.intercept else []
        V = np.hstack([problem.root * self.dual, *means])
        K, rounding = problem.product.cross_times(X, V), problem.product.rounding(V, X)
        mean = K[:, k] if problem.intercept else None
        return self._evaluated(K[:, :k], rounding[:, :k], problem.product.diagonal(X), mean)

    def _evaluated(self, image: Array, rounding: Array, diagonal: Array, means: Array | None) -> tuple[Array, Array]:
        """Predictions of the exact model from k(x, rows) s a, and by how much each may be off."""
        problem, mean = self.problem, self.problem.mean_of(self.problem.Y)
        values = image - problem.mean_of(self.image) + mean
        norms = problem.feature_norms(diagonal, means)
        slack = norms[:, None] * self.uncertainty / (2 * np.sqrt(problem.alpha)) + rounding
        if problem.intercept:
            slack = slack + np.max(self.image_rounding, axis=0)
        return values, slack + 8 * _UNIT * (np.abs(values) + np.abs(mean))


def _norms(V: Array) -> Array:
    """Norms of columns."""
    return np.sqrt(np.sum(V**2, axis=0))


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
